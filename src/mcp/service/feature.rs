//! The types inside a [`Service`](super::Service). The compiler infers them, so programs rarely name them.

use core::marker::PhantomData;

use super::answers::{Answers, AnswersAsync};
pub(super) use super::definition::{COMPLETIONS, PROMPTS, RESOURCES, SKILLS, SUBSCRIPTIONS, TASKS, TOOLS, sealed};
pub use super::definition::{Choice, Definition, Definitions, Kind, Purpose};
use super::request::{RequestContext, Target};
use super::subscriptions::Keeper;
use super::task_request::TaskRequest;
use crate::json::{ObjectWriter, RawValue};
use crate::mcp::value::constant;
use crate::one_of::OneOf;
use crate::server::Reply;

/// A list of registrations without `async` handlers.
pub trait Features<C>: AsyncFeatures<C> {}

/// A list of registrations, some with `async` handlers. The index of a registration is the number of those before it.
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AsyncFeatures<C>: Definitions {
    /// A bit for each capability.
    const KINDS: u8;

    /// The number of registrations.
    #[doc(hidden)]
    const COUNT: usize;

    /// Calls the handler of the registration at `index`, which is not `async`.
    #[doc(hidden)]
    fn call(&mut self, index: usize, context: &mut C, target: &Target<'_>, reply: Reply<'_>);

    /// [`call`](Self::call) for an `async` handler. Other handlers add no future, so that many can be registered. Returns whether there is
    /// such a registration.
    #[doc(hidden)]
    fn call_async(
        &mut self,
        index: usize,
        context: &mut C,
        target: &Target<'_>,
        reply: Reply<'_>,
    ) -> impl Future<Output = bool>;

    /// Whether the handler of the registration at `index` is `async`.
    #[doc(hidden)]
    fn waits(&self, index: usize) -> bool;

    /// The storage of subscriptions.
    #[doc(hidden)]
    fn keeper<'c>(&self, context: &'c mut C) -> Option<&'c mut dyn Keeper>;

    /// Answers a request about tasks.
    #[doc(hidden)]
    fn answer_task(&self, context: &mut C, asked: TaskRequest<'_>);
}

/// Decides which registrations a request sees; `None` shows all.
pub(super) type Shown<C> = Option<fn(&C, Candidate<'_>) -> bool>;

/// A registration, and the request to which it is shown or hidden: see [`Service::shown_if`](super::Service::shown_if).
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Candidate<'c> {
    /// The kind of the registration.
    pub kind: Kind,
    /// Its name, URI or template; for a completion, the name of the prompt or the template that has the argument.
    pub name: &'static str,
    /// `true` if the request lists the registrations, `false` if it uses this one.
    pub is_listing: bool,
    /// The params of the request.
    pub params: Option<RawValue<'c>>,
}

impl Definition {
    #[inline(never)]
    pub(super) fn is_shown<C>(
        &self,
        shown: Shown<C>,
        context: &C,
        is_listing: bool,
        request: &RequestContext<'_>,
    ) -> bool {
        shown.is_none_or(|shown| {
            shown(context, Candidate { kind: self.kind, name: self.key, is_listing, params: request.params.raw() })
        })
    }
}

/// The definitions that are shown to a request.
pub(super) struct OfRequest<'v, C> {
    pub(super) definitions: &'v dyn Definitions,
    pub(super) shown: Shown<C>,
    pub(super) context: &'v C,
    pub(super) is_listing: bool,
    pub(super) request: &'v RequestContext<'v>,
}

impl<'v, C> OfRequest<'v, C> {
    /// The registration that decides about a request for `target`: the first that it names and that is shown to it. The second value is
    /// its index among all registrations, or their number if there is none.
    pub(super) fn find_target(&self, target: &Target<'_>) -> (Option<&'v Definition>, usize) {
        let mut index = 0usize;
        // not through `Self::find`, which skips hidden registrations: the index counts them, too
        let found = self.definitions.find(&mut |definition: &Definition| {
            let is_target = target.is(definition) && self.shows(definition);
            index = index.wrapping_add(usize::from(!is_target));
            is_target
        });
        (found, index)
    }

    fn shows(&self, definition: &Definition) -> bool {
        definition.is_shown(self.shown, self.context, self.is_listing, self.request)
    }
}

impl<C> Definitions for OfRequest<'_, C> {
    fn find(&self, choice: &mut dyn Choice) -> Option<&Definition> {
        self.definitions.find(&mut |definition: &Definition| self.shows(definition) && choice.is(definition))
    }
}

/// The empty list of registrations.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// Registrations, and one more.
#[derive(Clone, Copy, Debug)]
pub struct With<F, O> {
    pub(super) before: F,
    pub(super) registration: O,
}

/// A registration and its handler; `K` is the shape of the handler.
pub struct Registration<H, K> {
    definition: Definition,
    handler: H,
    kind: PhantomData<fn() -> K>,
}

/// [`Registration`] with a handler that may wait.
pub struct AsyncRegistration<H, K> {
    definition: Definition,
    handler: H,
    kind: PhantomData<fn() -> K>,
}

macro_rules! registrations {
    ($($registration:ident)*) => {$(
        impl<H: Clone, K> Clone for $registration<H, K> {
            fn clone(&self) -> Self {
                Self::new(self.definition, self.handler.clone())
            }
        }

        impl<H: Copy, K> Copy for $registration<H, K> {}

        impl<H, K> core::fmt::Debug for $registration<H, K> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.definition.fmt(f)
            }
        }

        impl<H, K> $registration<H, K> {
            pub(super) const fn new(definition: Definition, handler: H) -> Self {
                Self { definition, handler, kind: PhantomData }
            }
        }

        impl<F: Definitions, H, K> Definitions for With<F, $registration<H, K>> {
            fn find(&self, choice: &mut dyn Choice) -> Option<&Definition> {
                match self.before.find(choice) {
                    None if choice.is(&self.registration.definition) => Some(&self.registration.definition),
                    found => found,
                }
            }
        }
    )*};
}
registrations! { Registration AsyncRegistration }

impl Definitions for Nothing {
    fn find(&self, _: &mut dyn Choice) -> Option<&Definition> {
        None
    }
}

impl<C> Features<C> for Nothing {}

impl<C> AsyncFeatures<C> for Nothing {
    const KINDS: u8 = 0;
    const COUNT: usize = 0;

    /// Answers with no values: the argument has no registered completion.
    fn call(&mut self, _: usize, _: &mut C, target: &Target<'_>, reply: Reply<'_>) {
        target.request.answer(reply, &|result: &mut ObjectWriter<'_, '_>| {
            result.member("completion", &const { constant(r#"{"values":[]}"#) });
        });
    }

    fn call_async(&mut self, _: usize, _: &mut C, _: &Target<'_>, _: Reply<'_>) -> impl Future<Output = bool> {
        core::future::ready(false)
    }

    fn waits(&self, _: usize) -> bool {
        false
    }

    fn keeper<'c>(&self, _: &'c mut C) -> Option<&'c mut dyn Keeper> {
        None
    }

    /// Never called: the service has no method for tasks.
    fn answer_task(&self, _: &mut C, _: TaskRequest<'_>) {}
}

/// The methods of [`AsyncFeatures`] that a list passes on to the registrations before its last one.
macro_rules! before {
    (@ call) => {
        #[inline]
        fn call(&mut self, index: usize, context: &mut C, target: &Target<'_>, reply: Reply<'_>) {
            self.before.call(index, context, target, reply);
        }
    };
    (@ call_async) => {
        fn call_async(
            &mut self,
            index: usize,
            context: &mut C,
            target: &Target<'_>,
            reply: Reply<'_>,
        ) -> impl Future<Output = bool> {
            self.before.call_async(index, context, target, reply)
        }
    };
    (@ waits) => {
        fn waits(&self, index: usize) -> bool {
            self.before.waits(index)
        }
    };
    (@ keeper) => {
        fn keeper<'c>(&self, context: &'c mut C) -> Option<&'c mut dyn Keeper> {
            self.before.keeper(context)
        }
    };
    (@ answer_task) => {
        fn answer_task(&self, context: &mut C, asked: TaskRequest<'_>) {
            self.before.answer_task(context, asked);
        }
    };
    ($($method:ident)*) => { $(before! { @ $method })* };
}
pub(super) use before;

impl<C, F: Features<C>, H: Answers<C, K>, K: Purpose> Features<C> for With<F, Registration<H, K>> {}

impl<C, F, H, K> AsyncFeatures<C> for With<F, Registration<H, K>>
where
    F: AsyncFeatures<C>,
    H: Answers<C, K>,
    K: Purpose,
{
    const KINDS: u8 = F::KINDS | K::CAPABILITY;
    const COUNT: usize = F::COUNT.wrapping_add(1);

    #[inline]
    fn call(&mut self, index: usize, context: &mut C, target: &Target<'_>, reply: Reply<'_>) {
        if index != F::COUNT {
            return self.before.call(index, context, target, reply);
        }
        let Registration { definition, handler, .. } = &mut self.registration;
        handler.answer(context, target, definition, reply);
    }

    before! { call_async waits keeper answer_task }
}

impl<C, F, H, K> AsyncFeatures<C> for With<F, AsyncRegistration<H, K>>
where
    F: AsyncFeatures<C>,
    H: AnswersAsync<C, K>,
    K: Purpose,
{
    const KINDS: u8 = F::KINDS | K::CAPABILITY;
    const COUNT: usize = F::COUNT.wrapping_add(1);

    fn call_async(
        &mut self,
        index: usize,
        context: &mut C,
        target: &Target<'_>,
        reply: Reply<'_>,
    ) -> impl Future<Output = bool> {
        if index != F::COUNT {
            return OneOf::Earlier { future: self.before.call_async(index, context, target, reply) };
        }
        let AsyncRegistration { definition, handler, .. } = &mut self.registration;
        OneOf::Last { future: handler.answer(context, target, definition, reply) }
    }

    fn waits(&self, index: usize) -> bool {
        index == F::COUNT || self.before.waits(index)
    }

    before! { call keeper answer_task }
}
