//! Tools as functions with types.

use super::ToolCall;
use super::answers::{Answers, AnswersAsync, ToolShape};
#[cfg(feature = "serde")]
use super::call::Call;
use super::feature::{Definition, Purpose, TOOLS, sealed};
use super::output::ToolOutput;
use super::request::Target;
#[cfg(feature = "serde")]
use crate::json::place::{self, Limited};
#[cfg(feature = "serde")]
use crate::json::{PayloadError, RawValue};
#[cfg(feature = "serde")]
use crate::server::structured::Scalar;
use crate::server::{Bare, Replied, Reply};
#[cfg(feature = "serde")]
use crate::server::{ByLimits, Checked, Typed};

/// A type of arguments, which are always an object. `K` marks how it is read; the compiler infers it, but not for a scalar or a tuple, for
/// which there are two ways: so a handler with such arguments, which would be refused at every call, is a compile error.
#[cfg(feature = "serde")]
#[doc(hidden)]
pub trait Object<K>: Sized {
    /// The type that serde reads.
    #[doc(hidden)]
    type Read: serde::de::DeserializeOwned;

    /// Checks the limits of the arguments, which `text` has.
    #[doc(hidden)]
    fn check(_read: &Self::Read, _text: Option<RawValue<'_>>) -> Result<(), PayloadError> {
        Ok(())
    }

    /// The arguments for the tool.
    #[doc(hidden)]
    fn from_read(read: Self::Read) -> Self;
}

/// Marks types that serde reads.
#[cfg(feature = "serde")]
#[derive(Debug)]
#[doc(hidden)]
pub struct ByName(());

/// In the message of the compiler for a scalar or a tuple.
#[cfg(feature = "serde")]
#[derive(Debug)]
#[doc(hidden)]
pub struct ArgumentsNeedAStruct(());

/// The types that serde reads, without limits.
#[cfg(feature = "serde")]
macro_rules! unlimited {
    ($([$($generics:tt)*] $type:ty, $kind:ty $(, where $clause:ty)?;)*) => {$(
        impl<$($generics)*> Object<$kind> for $type $(where $clause: serde::de::DeserializeOwned)? {
            type Read = Self;

            #[inline(always)]
            fn from_read(read: Self) -> Self {
                read
            }
        }
    )*};
}
#[cfg(feature = "serde")]
unlimited! {
    [T: serde::de::DeserializeOwned] T, ByName;
    [T: serde::de::DeserializeOwned + Scalar] T, ArgumentsNeedAStruct;
}

#[cfg(feature = "serde")]
impl<T: serde::de::DeserializeOwned + Limited> Object<ByLimits> for Checked<T> {
    type Read = T;

    #[inline(always)]
    fn check(read: &T, text: Option<RawValue<'_>>) -> Result<(), PayloadError> {
        place::check_read(read, text)
    }

    #[inline(always)]
    fn from_read(read: T) -> Self {
        Self(read)
    }
}

#[cfg(feature = "serde")]
macro_rules! tuples {
    ($($($name:ident)+;)*) => {
        unlimited! { $([$($name),+] ($($name,)+), ArgumentsNeedAStruct, where Self;)* }
    };
}
#[cfg(feature = "serde")]
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }

macro_rules! shapes {
    ($($(#[$meta:meta])* [$($generics:tt)*] $shape:ty;)*) => {$(
        $(#[$meta])*
        impl<$($generics)*> sealed::Sealed for $shape {}
        $(#[$meta])*
        impl<$($generics)*> Purpose for $shape {
            const CAPABILITY: u8 = TOOLS;
        }
        $(#[$meta])*
        impl<$($generics)*> ToolShape for $shape {}
    )*};
}
shapes! {
    [] Bare;
    #[cfg(feature = "serde")]
    [T, K] Typed<T, K>;
}

/// Implements `$Answers` for functions of the trait `$Function`: with `async` and `.await`, or without.
macro_rules! typed {
    ($Answers:ident $Function:ident { $($async:tt)* } { $($await:tt)* }) => {
        impl<H: $Function(&mut C) -> R, C, R: ToolOutput> $Answers<C, Bare> for H {
            #[inline]
            $($async)* fn answer(
                &mut self,
                context: &mut C,
                target: &Target<'_>,
                definition: &Definition,
                reply: Reply<'_>,
            ) -> Replied {
                match bare(target, definition, reply) {
                    Ok(call) => self(context)$($await)*.answer(call),
                    Err(replied) => replied,
                }
            }
        }

        #[cfg(feature = "serde")]
        impl<H: $Function(&mut C, T) -> R, C, T: Object<K>, R: ToolOutput, K> $Answers<C, Typed<T, K>> for H {
            #[inline]
            $($async)* fn answer(
                &mut self,
                context: &mut C,
                target: &Target<'_>,
                definition: &Definition,
                reply: Reply<'_>,
            ) -> Replied {
                let mut call = Call::new(target.request, definition, reply);
                match arguments(&mut call) {
                    Ok(read) => match T::check(&read, call.arguments()) {
                        Ok(()) => self(context, T::from_read(read))$($await)*.answer(call),
                        Err(violation) => call.invalid(violation),
                    },
                    Err(problem) => call.invalid(problem),
                }
            }
        }
    };
}
typed!(Answers FnMut {} {});
typed!(AnswersAsync AsyncFnMut { async } { .await });

/// A call that has no arguments; any other is refused.
fn bare<'c>(target: &Target<'c>, definition: &'c Definition, reply: Reply<'c>) -> Result<ToolCall<'c>, Replied> {
    let call = ToolCall::new(target.request, definition, reply);
    if call.arguments().is_some_and(|arguments| arguments.members().next().is_some()) {
        return Err(call.invalid("Invalid params: expected none"));
    }
    Ok(call)
}

/// Reads the arguments into an owned type, so the borrow of the call ends here.
#[cfg(feature = "serde")]
fn arguments<T: serde::de::DeserializeOwned>(call: &mut ToolCall<'_>) -> Result<T, PayloadError> {
    let arguments = crate::message::Params::from(call.arguments());
    if let Some(unit) = arguments.unit() {
        return Ok(unit);
    }
    let mut reader = arguments.lend(call.reply.scratch(&arguments)).reader();
    reader.read_value().map_err(|fault| reader.explain(fault))
}
