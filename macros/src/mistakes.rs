//! Messages about mistakes that both macros find.

use proc_macro2::Span;
use syn::{Error, Result};

/// The message about the second of two arguments or attributes with the name `name`.
pub(crate) fn repeated(span: Span, name: &str) -> Error {
    Error::new(span, format!("`{name}` is given twice: remove one"))
}

/// Stores the value of an argument or attribute, and refuses the second one.
pub(crate) fn once<T>(place: &mut Option<T>, value: T, span: Span, name: &str) -> Result<()> {
    match place.replace(value) {
        Some(_) => Err(repeated(span, name)),
        None => Ok(()),
    }
}
