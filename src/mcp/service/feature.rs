//! What a [`Service`](super::Service) is made of. Seldom named: the compiler works these types out.

use core::marker::PhantomData;

use super::Call;
use super::asked::Wanted;
use crate::json::{RawStr, ToJson, Writer};
use crate::mcp::value::{Value as _, put_object, put_some_text, put_text};
use crate::mcp::{List, PromptArgument, Schema};
use crate::server::{Exchange, Replied};

/// What can be registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Kind {
    /// A tool.
    Tool,
    /// A resource.
    Resource,
    /// A resource template.
    Template,
    /// A prompt.
    Prompt,
    /// The completion of an argument.
    Completion,
}

impl Kind {
    /// A bit for the capability that it is of.
    pub(super) const fn capability(self) -> u8 {
        match self {
            Self::Tool => TOOLS,
            Self::Resource | Self::Template => RESOURCES,
            Self::Prompt => PROMPTS,
            Self::Completion => COMPLETIONS,
        }
    }
}

pub(super) const TOOLS: u8 = 1;
pub(super) const RESOURCES: u8 = 2;
pub(super) const PROMPTS: u8 = 4;
pub(super) const COMPLETIONS: u8 = 8;

/// What is registered, as lists show it.
#[derive(Clone, Copy)]
pub struct Definition {
    pub(super) kind: Kind,
    /// The name, the URI or its template; of a completion what has the argument.
    pub(super) key: &'static str,
    body: Body,
}

#[derive(Clone, Copy)]
enum Body {
    /// Description and schema.
    Tool(&'static str, Schema<'static>),
    /// Name and MIME type.
    Resource(&'static str, &'static str),
    /// Description and arguments.
    Prompt(&'static str, &'static [PromptArgument<'static>]),
    /// The name of the argument.
    Argument(&'static str),
    Full(&'static dyn ToJson),
}

impl Definition {
    pub(super) const fn tool(name: &'static str, description: &'static str, schema: Schema<'static>) -> Self {
        Self { kind: Kind::Tool, key: name, body: Body::Tool(description, schema) }
    }

    pub(super) const fn resource(kind: Kind, uri: &'static str, name: &'static str, mime_type: &'static str) -> Self {
        Self { kind, key: uri, body: Body::Resource(name, mime_type) }
    }

    pub(super) const fn prompt(
        name: &'static str,
        description: &'static str,
        arguments: &'static [PromptArgument<'static>],
    ) -> Self {
        Self { kind: Kind::Prompt, key: name, body: Body::Prompt(description, arguments) }
    }

    pub(super) const fn completion(key: &'static str, argument: &'static str) -> Self {
        Self { kind: Kind::Completion, key, body: Body::Argument(argument) }
    }

    pub(super) const fn full(kind: Kind, key: &'static str, definition: &'static dyn ToJson) -> Self {
        Self { kind, key, body: Body::Full(definition) }
    }

    /// The MIME type, if it is known here.
    pub(super) const fn mime_type(&self) -> &'static str {
        match self.body {
            Body::Resource(_, mime_type) => mime_type,
            _ => "",
        }
    }

    /// The arguments, if they are known here.
    pub(super) const fn arguments(&self) -> &'static [PromptArgument<'static>] {
        match self.body {
            Body::Prompt(_, arguments) => arguments,
            _ => &[],
        }
    }

    /// Whether it completes the argument `name`.
    pub(super) fn completes(&self, name: RawStr<'_>) -> bool {
        matches!(self.body, Body::Argument(argument) if name == *argument)
    }

    pub(super) fn put(&self, out: &mut Writer<'_>) {
        let key = match self.kind {
            Kind::Resource => "uri",
            Kind::Template => "uriTemplate",
            _ => "name",
        };
        if let Body::Full(definition) = self.body {
            return out.put_value(definition);
        }
        put_object(out, |out| {
            put_text(out, key, self.key);
            match self.body {
                Body::Tool(description, schema) => {
                    put_text(out, "description", description);
                    out.put_name("inputSchema");
                    schema.put(out);
                }
                Body::Resource(name, mime_type) => {
                    put_text(out, "name", name);
                    put_some_text(out, "mimeType", mime_type);
                }
                Body::Prompt(description, arguments) => {
                    put_text(out, "description", description);
                    if !arguments.is_empty() {
                        out.put_name("arguments");
                        List::of(arguments).put(out);
                    }
                }
                Body::Argument(_) | Body::Full(_) => {}
            }
        });
    }
}

impl core::fmt::Debug for Definition {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?} {}", self.kind, self.key)
    }
}

/// What tells definitions apart. `dyn FnMut` would do, but its table holds each closure twice.
pub trait Choice {
    /// Whether it is this one.
    fn is(&mut self, definition: &Definition) -> bool;
}

impl<F: FnMut(&Definition) -> bool> Choice for F {
    fn is(&mut self, definition: &Definition) -> bool {
        self(definition)
    }
}

/// A list of definitions.
pub trait Definitions {
    /// The first that is the `choice`.
    fn find(&self, choice: &mut dyn Choice) -> Option<&Definition>;
}

/// A list of what is registered.
pub trait Features<C>: Definitions {
    /// A bit for each capability.
    const KINDS: u8;

    /// Hands the call to the first that it is for, and says whether there is one.
    fn take(&mut self, context: &mut C, wanted: &Wanted<'_>, exchange: &mut Exchange<'_, '_>) -> bool;
}

/// Nothing is registered.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// What is registered, and one more.
#[derive(Clone, Copy, Debug)]
pub struct With<F, O> {
    pub(super) before: F,
    pub(super) offer: O,
}

/// One thing that is registered, and what is done when it is wanted: `K` says which kind of [`Call`] that gets.
pub struct Offer<H, K> {
    definition: Definition,
    handler: H,
    kind: PhantomData<fn() -> K>,
}

impl<H: Clone, K> Clone for Offer<H, K> {
    fn clone(&self) -> Self {
        Self::new(self.definition, self.handler.clone())
    }
}

impl<H: Copy, K> Copy for Offer<H, K> {}

impl<H, K> core::fmt::Debug for Offer<H, K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.definition.fmt(f)
    }
}

impl<H, K> Offer<H, K> {
    pub(super) const fn new(definition: Definition, handler: H) -> Self {
        Self { definition, handler, kind: PhantomData }
    }
}

/// What kind of [`Call`] a handler gets.
pub trait Purpose: sealed::Sealed {
    /// The bit of its capability.
    #[doc(hidden)]
    const CAPABILITY: u8;
}

pub(super) mod sealed {
    pub trait Sealed {}
}

impl Definitions for Nothing {
    fn find(&self, _: &mut dyn Choice) -> Option<&Definition> {
        None
    }
}

impl<C> Features<C> for Nothing {
    const KINDS: u8 = 0;

    fn take(&mut self, _: &mut C, _: &Wanted<'_>, _: &mut Exchange<'_, '_>) -> bool {
        false
    }
}

impl<F: Definitions, H, K> Definitions for With<F, Offer<H, K>> {
    fn find(&self, choice: &mut dyn Choice) -> Option<&Definition> {
        match self.before.find(choice) {
            None if choice.is(&self.offer.definition) => Some(&self.offer.definition),
            found => found,
        }
    }
}

impl<C, F, H, K> Features<C> for With<F, Offer<H, K>>
where
    F: Features<C>,
    H: FnMut(&mut C, Call<'_, K>) -> Replied,
    K: Purpose,
{
    const KINDS: u8 = F::KINDS | K::CAPABILITY;

    #[inline]
    fn take(&mut self, context: &mut C, wanted: &Wanted<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        if self.before.take(context, wanted, exchange) {
            return true;
        }
        let Offer { definition, handler, .. } = &mut self.offer;
        if !wanted.is(definition) {
            return false;
        }
        match wanted.lacks(definition) {
            Some(refusal) => refusal.reply(exchange.reply()),
            None => handler(context, Call::new(wanted.asked, definition, exchange.reply())),
        };
        true
    }
}
