//! The shape of a type, as the compiler sees it.

use syn::{Receiver, ReceiverKind, Type};

/// `named` without parentheses, and without the invisible groups around types that another macro passes on (`$t:ty`). All code that
/// inspects a type calls this function first.
pub(crate) fn bare(named: &Type) -> &Type {
    match named {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        _ => named,
    }
}

/// Whether the last segment of a path is `Option`; serde's derive macros make the same test.
pub(crate) fn is_option(named: &Type) -> bool {
    matches!(bare(named), Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

/// `true` for the receiver `&mut self`, `false` for `&self`, also as `self: &mut Self` and `self: &Self`. `None` for any other receiver.
pub(crate) fn is_mutable(receiver: &Receiver) -> Option<bool> {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => Some(mutability.is_some()),
        ReceiverKind::Typed(_, named) => match bare(named) {
            Type::Reference(reference) => match bare(&reference.elem) {
                Type::Path(path) if path.path.is_ident("Self") => Some(reference.mutability.is_some()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
