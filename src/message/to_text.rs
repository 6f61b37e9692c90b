//! Message texts made of parts, written without an intermediate buffer.

use core::fmt;

use super::Str;
use crate::json::fixed::{Fixed, FixedInteger};
use crate::json::{Path, RawStr, RawValue, ValueWriter, Writer, Written};

/// A part of a text: of an error message, or of the output of an MCP tool. Implementations: strings, also undecoded strings of a message;
/// characters, booleans, integers of up to 64 bits and [`Fixed`]; JSON values as their JSON text; a [`Path`]; tuples of up to six of these; an `Option` of these,
/// which writes nothing if it is `None`; and the output of `core::fmt`: `format_args!` and [`Shown`]. Only the latter two link `core::fmt`.
///
/// A function that returns `impl ToText` has one return type. Use an `Option` for a part that only some of its messages have.
///
/// ```
/// use nanojsonrpc::message::ToText;
///
/// #[derive(Clone, Copy)]
/// enum Fault {
///     NoChannel(u8),
///     TooMuch,
/// }
///
/// fn message(fault: Fault) -> impl ToText {
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
    label = "cannot be written as a text",
    note = "a text is `&str`, `String` with the feature `alloc`, an integer of up to 64 bits, a `bool`, a `char`, or a tuple of these",
    note = "wrap a value that implements `Display`, such as a float, in `nanojsonrpc::message::Shown`"
)]
pub trait ToText: sealed::Sealed {
    /// Appends the part, escaped, until the output is full.
    #[doc(hidden)]
    fn put_text(&self, out: &mut Writer<'_>);
}

/// The [`Display`](fmt::Display) text of a value, as [`ToText`].
///
/// ```
/// use nanojsonrpc::message::{Shown, ToText};
///
/// fn message(error: &core::num::ParseIntError) -> impl ToText {
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

impl<'o> ValueWriter<'o, '_> {
    /// Writes a string that consists of `text`; see [`ObjectWriter::member_with`](crate::json::ObjectWriter::member_with).
    pub fn text(self, text: impl ToText) -> Written<'o> {
        self.pieces(|out| {
            out.put_byte(b'"');
            text.put_text(out);
            out.put_byte(b'"');
        })
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

macro_rules! to_text {
    ($([$($generics:tt)*] $type:ty, |$text:ident, $out:ident| $body:expr;)*) => {$(
        impl<$($generics)*> sealed::Sealed for $type {}
        impl<$($generics)*> ToText for $type {
            fn put_text(&self, $out: &mut Writer<'_>) {
                let $text = self;
                $body
            }
        }
    )*};
}

to_text! {
    [] str, |text, out| out.put_escaped(text);
    [T: ToText + ?Sized] &T, |text, out| (**text).put_text(out);
    [T: ToText] Option<T>, |text, out| if let Some(text) = text { text.put_text(out) };
    [] RawStr<'_>, |text, out| out.put(text.as_bytes());
    [] Path<'_>, |text, out| text.put_to(out);
    [] Str<'_>, |text, out| text.put_inside(out);
    [T: FixedInteger, const DECIMALS: u8] Fixed<T, DECIMALS>, |text, out| out.put_fixed(text.units());
    [] bool, |text, out| out.put(if *text { b"true" } else { b"false" });
    [] char, |text, out| out.put_escaped(text.encode_utf8(&mut [0; 4]));
    [const N: usize] heapless::String<N>, |text, out| out.put_escaped(text);
    // a string is decoded, any other value is written as JSON
    [] RawValue<'_>, |text, out| match text.as_str_raw() {
        Some(text) => text.put_text(out),
        None => out.put_escaped_bytes(text.as_bytes()),
    };
    [] fmt::Arguments<'_>, |text, out| format(*text, out);
    [T: fmt::Display] Shown<T>, |text, out| format(format_args!("{}", text.0), out);
}

#[cfg(feature = "mcp")]
to_text! {
    [] crate::json::Again, |text, out| out.put_again_escaped(text);
}

#[cfg(feature = "alloc")]
to_text! {
    [] alloc::string::String, |text, out| out.put_escaped(text);
    [] alloc::boxed::Box<str>, |text, out| out.put_escaped(text);
    [] alloc::borrow::Cow<'_, str>, |text, out| out.put_escaped(text);
}

macro_rules! integers {
    ($($unsigned:ty)*, $($signed:ty)*) => {
        to_text! {
            $([] $unsigned, |text, out| out.put_integer(false, *text as u64);)*
            $([] $signed, |text, out| out.put_integer(*text < 0, text.unsigned_abs() as u64);)*
        }
    };
}
integers!(u8 u16 u32 u64 usize, i8 i16 i32 i64 isize);

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        to_text! {
            [$($name: ToText),+] ($($name,)+), |text, out| {
                #[allow(non_snake_case, reason = "the types' names serve for the values")]
                let ($($name,)+) = text;
                $($name.put_text(out);)+
            };
        }
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }
