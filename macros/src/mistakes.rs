//! Messages about mistakes that both macros find.

use proc_macro2::Span;
use syn::Error;

/// The message about the second of two arguments or attributes with the name `name`.
pub(crate) fn repeated(span: Span, name: &str) -> Error {
    Error::new(span, format!("`{name}` is given twice: remove one"))
}
