//! The types that params can be read into: "by-position" or "by-name", an array or an object (JSON-RPC 2.0 §4.2).

use serde::de::DeserializeOwned;

use crate::json::{PayloadError, RawValue};

/// A type of params. `K` marks how it is read; the compiler infers it, but not for a scalar type, for which there are two ways: so
/// `|_: &mut C, level: u64|`, which would be refused at every call, is a compile error that names these types.
pub(crate) trait ObjectOrArray<K>: Sized {
    /// The type that serde reads.
    type Read: DeserializeOwned;

    /// Checks the limits of the params, which `text` has.
    #[inline(always)]
    fn check(_read: &Self::Read, _text: Option<RawValue<'_>>) -> Result<(), PayloadError> {
        Ok(())
    }

    /// The params for the handler.
    fn from_read(read: Self::Read) -> Self;
}

/// Marks types that serde reads. A type of the program's own that serde reads from a scalar cannot be told from others.
#[derive(Debug)]
#[doc(hidden)]
pub struct ByMembers(());

/// In the message of the compiler for a scalar type: take `(level,): (u64,)` instead of `level: u64`.
#[derive(Debug)]
pub(crate) struct OneParamNeedsATuple(());

impl<P: DeserializeOwned> ObjectOrArray<ByMembers> for P {
    type Read = Self;

    #[inline(always)]
    fn from_read(read: Self) -> Self {
        read
    }
}

impl<P: DeserializeOwned + Scalar> ObjectOrArray<OneParamNeedsATuple> for P {
    type Read = Self;

    #[inline(always)]
    fn from_read(read: Self) -> Self {
        read
    }
}

/// A type that serde reads from a string, a number, a boolean or null.
pub(crate) trait Scalar {}

macro_rules! scalars {
    ($([$($generics:tt)*] $type:ty;)*) => {$(impl<$($generics)*> Scalar for $type {})*};
}
scalars! {
    [] bool;
    [] char;
    [] u8;
    [] u16;
    [] u32;
    [] u64;
    [] u128;
    [] usize;
    [] i8;
    [] i16;
    [] i32;
    [] i64;
    [] i128;
    [] isize;
    [] f32;
    [] f64;
    [T: Scalar] Option<T>;
    [T: Scalar] core::num::Wrapping<T>;
    [const N: usize] crate::Id<N>;
    [const N: usize] heapless::String<N>;
}

#[cfg(feature = "alloc")]
scalars! {
    [] alloc::string::String;
    [] alloc::boxed::Box<str>;
    [T: Scalar] alloc::boxed::Box<T>;
    [] alloc::borrow::Cow<'_, str>;
}
