//! Message texts made of parts, written without an intermediate buffer.

use core::fmt;

use super::Text;
use crate::json::{Path, RawStr, RawValue, Writer};

/// A part of a text: of an error message, or of the output of an MCP tool. Implementations: strings, also undecoded strings of a message;
/// characters, booleans, and integers of up to 64 bits; JSON values as their JSON text; a [`Path`]; tuples of up to six of these; an `Option` of these,
/// which writes nothing if it is `None`; and the output of `core::fmt`: `format_args!` and [`Shown`]. Only the latter two link `core::fmt`.
///
/// A function that returns `impl Words` has one return type. Use an `Option` for a part that only some of its messages have.
///
/// ```
/// use nanojsonrpc::message::Words;
///
/// #[derive(Clone, Copy)]
/// enum Fault {
///     NoChannel(u8),
///     TooMuch,
/// }
///
/// fn message(fault: Fault) -> impl Words {
///     let (text, channel) = match fault {
///         Fault::NoChannel(number) => ("no channel ", Some(number)),
///         Fault::TooMuch => ("too much", None),
///     };
///     (text, channel)
/// }
/// # for (fault, text) in [(Fault::NoChannel(7), "no channel 7"), (Fault::TooMuch, "too much")] {
/// #     use nanojsonrpc::{ErrorCode, Router, Server};
/// #     let router = Router::new().request_fallible("m", |fault: &mut Fault| Err::<(), _>((ErrorCode(1), message(*fault))));
/// #     let (mut output, mut fault) = ([0; 128], fault);
/// #     let answer = Server::new(router).process(&mut fault, br#"{"jsonrpc":"2.0","method":"m","id":1}"#, &mut output).answer();
/// #     assert_eq!(answer.map(|answer| String::from_utf8_lossy(answer).contains(&format!("\"{text}\""))), Some(true));
/// # }
/// ```
///
/// This trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no part of a text",
    label = "not words",
    note = "words are `&str`, `String` with the feature `alloc`, an integer of up to 64 bits, a `bool`, a `char`, or a tuple of these",
    note = "wrap a value that implements `Display`, such as a float, in `nanojsonrpc::message::Shown`"
)]
pub trait Words: sealed::Sealed {
    /// Appends the part, escaped, until the output is full.
    #[doc(hidden)]
    fn put_words(&self, out: &mut Writer<'_>);
}

/// The [`Display`](fmt::Display) text of a value, as [`Words`].
///
/// ```
/// use nanojsonrpc::message::{Shown, Words};
///
/// fn message(error: &core::num::ParseIntError) -> impl Words {
///     ("no number: ", Shown(error))
/// }
/// # _ = message;
/// ```
///
/// # Errors
/// An error of `Display` counts as a text that does not fit the output.
#[derive(Clone, Copy, Debug)]
pub struct Shown<T>(pub T);

#[cfg(feature = "defmt")]
impl<T: fmt::Display> defmt::Format for Shown<T> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{}", defmt::Display2Format(&self.0));
    }
}

/// Appends formatted text inside a string.
fn format(text: fmt::Arguments<'_>, out: &mut Writer<'_>) {
    if out.put_formatted(text).is_err() {
        out.fill();
    }
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! words {
    ($([$($generics:tt)*] $type:ty, |$words:ident, $out:ident| $body:expr;)*) => {$(
        impl<$($generics)*> sealed::Sealed for $type {}
        impl<$($generics)*> Words for $type {
            fn put_words(&self, $out: &mut Writer<'_>) {
                let $words = self;
                $body
            }
        }
    )*};
}

words! {
    [] str, |words, out| out.put_escaped(words);
    [T: Words + ?Sized] &T, |words, out| (**words).put_words(out);
    [T: Words] Option<T>, |words, out| if let Some(words) = words { words.put_words(out) };
    [] RawStr<'_>, |words, out| out.put(words.as_bytes());
    [] Path<'_>, |words, out| words.put_to(out);
    [] Text<'_>, |words, out| words.put_inside(out);
    [] bool, |words, out| out.put(if *words { b"true" } else { b"false" });
    [] char, |words, out| out.put_escaped(words.encode_utf8(&mut [0; 4]));
    [const N: usize] heapless::String<N>, |words, out| out.put_escaped(words);
    // a string is decoded, any other value is written as JSON
    [] RawValue<'_>, |words, out| match words.as_str_raw() {
        Some(text) => text.put_words(out),
        None => out.put_escaped_bytes(words.as_bytes()),
    };
    [] fmt::Arguments<'_>, |words, out| format(*words, out);
    [T: fmt::Display] Shown<T>, |words, out| format(format_args!("{}", words.0), out);
}

#[cfg(feature = "alloc")]
words! {
    [] alloc::string::String, |words, out| out.put_escaped(words);
    [] alloc::boxed::Box<str>, |words, out| out.put_escaped(words);
    [] alloc::borrow::Cow<'_, str>, |words, out| out.put_escaped(words);
}

macro_rules! integers {
    ($($unsigned:ty)*, $($signed:ty)*) => {
        words! {
            $([] $unsigned, |words, out| out.put_integer(false, *words as u64);)*
            $([] $signed, |words, out| out.put_integer(*words < 0, words.unsigned_abs() as u64);)*
        }
    };
}
integers!(u8 u16 u32 u64 usize, i8 i16 i32 i64 isize);

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        words! {
            [$($name: Words),+] ($($name,)+), |words, out| {
                #[allow(non_snake_case, reason = "the types' names serve for the values")]
                let ($($name,)+) = words;
                $($name.put_words(out);)+
            };
        }
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }
