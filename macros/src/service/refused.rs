//! Refuses types that a message cannot contain.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Error, GenericArgument, Lifetime, Path, PathArguments, PathSegment, Result, Type, TypeImplTrait, TypeParamBound,
    TypeReference, TypeTraitObject, WhereClause,
};

use crate::shape::bare;

/// Refuses a param or result type that contains `Self`, because a peer does not know the type.
pub(crate) fn refuse_self(declared: &Type) -> Result<()> {
    let mut parts = Parts::of(declared);
    match parts.own.take() {
        Some(span) => Err(Error::new(span, "a peer does not know `Self`: write the name of the type")),
        None => Ok(()),
    }
}

/// Refuses a bound on `Self`, because the generated code cannot prove it for the type of the service.
pub(crate) fn refuse_bound(clause: Option<&WhereClause>) -> Result<()> {
    let mut parts = Parts::default();
    if let Some(clause) = clause {
        parts.visit_where_clause_mut(&mut clause.clone());
    }
    match parts.own {
        Some(span) => Err(Error::new(
            span,
            "a method has no bound on `Self`, because peers call every method of a service: put the bound on the trait, as in \
             `trait Fan: Sized`",
        )),
        None => Ok(()),
    }
}

/// Refuses a param type that serde cannot read, or whose written text serde does not read back.
pub(crate) fn refuse_unreadable(declared: &Type) -> Result<()> {
    let parts = Parts::of(declared);
    if let Some(span) = parts.unnamed {
        return Err(Error::new(span, "name the type of a param: serde must know which type to read"));
    }
    if let Some(span) = parts.object {
        return Err(Error::new(span, "serde cannot read a trait object: write the type of the param"));
    }
    if let Some(span) = parts.mutable {
        return Err(Error::new(span, "a param is read from the message: take it by value, or by `&`"));
    }
    if let Some((span, _)) = parts.slice {
        return Err(Error::new(
            span,
            "serde cannot borrow a slice from a message: take `heapless::Vec<T, N>` or an array; for bytes also `&str` with base64",
        ));
    }
    if let Some(span) = parts.lasting {
        return Err(Error::new(
            span,
            "a param borrows from the message, which does not live for `'static`: write `&` alone, as in `&str`, or `'_`, as in `Label<'_>`",
        ));
    }
    Ok(())
}

/// Refuses a result type without a name.
pub(crate) fn refuse_unnamed(declared: &Type) -> Result<()> {
    if is_future(declared) {
        return Err(Error::new(declared.span(), "write an `async fn` that returns the result itself"));
    }
    match Parts::of(declared).unnamed {
        Some(span) => Err(Error::new(span, "name the type of the result: the client must know which type to read")),
        None => Ok(()),
    }
}

/// Whether the type is `impl Future`.
fn is_future(declared: &Type) -> bool {
    let Type::ImplTrait(unnamed) = declared else { return false };
    unnamed.bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().is_some_and(|last| last.ident == "Future"),
        _ => false,
    })
}

/// Whether a peer must read a result of this type as another type.
pub(crate) fn has_static_part(declared: &Type) -> bool {
    Parts::of(declared).lasting.is_some()
}

/// The position of `&[u8]` in a type.
pub(crate) fn slice_of_bytes(declared: &Type) -> Option<Span> {
    Parts::of(declared).slice.and_then(|(span, is_of_bytes)| is_of_bytes.then_some(span))
}

#[derive(Default)]
struct Parts {
    /// `Self`.
    own: Option<Span>,
    /// A reference to a slice, and whether it is a slice of bytes.
    slice: Option<(Span, bool)>,
    /// `impl Trait`.
    unnamed: Option<Span>,
    /// `dyn Trait`.
    object: Option<Span>,
    /// A reference to write through.
    mutable: Option<Span>,
    /// The lifetime `'static` of a reference, or of a type other than `Cow`, which serde reads as an owned value.
    lasting: Option<Span>,
}

impl Parts {
    fn of(declared: &Type) -> Self {
        let mut parts = Self::default();
        parts.visit_type_mut(&mut declared.clone());
        parts
    }
}

impl VisitMut for Parts {
    fn visit_path_mut(&mut self, path: &mut Path) {
        if let Some(first) = path.segments.first().filter(|first| first.ident == "Self") {
            self.own = Some(first.span());
        }
        visit_mut::visit_path_mut(self, path);
    }

    fn visit_type_impl_trait_mut(&mut self, unnamed: &mut TypeImplTrait) {
        self.unnamed = Some(unnamed.span());
    }

    fn visit_type_trait_object_mut(&mut self, object: &mut TypeTraitObject) {
        self.object = Some(object.span());
    }

    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.mutability.is_some() {
            self.mutable = Some(reference.span());
        }
        if let Type::Slice(slice) = bare(&reference.elem) {
            let is_of_bytes = matches!(bare(&slice.elem), Type::Path(path) if path.path.is_ident("u8"));
            self.slice = Some((reference.span(), is_of_bytes));
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_path_segment_mut(&mut self, segment: &mut PathSegment) {
        match &mut segment.arguments {
            PathArguments::AngleBracketed(arguments) if segment.ident == "Cow" => {
                for argument in &mut arguments.args {
                    if let GenericArgument::Type(argument) = argument {
                        self.visit_type_mut(argument);
                    }
                }
            }
            _ => visit_mut::visit_path_segment_mut(self, segment),
        }
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "static" {
            self.lasting = Some(lifetime.span());
        }
    }
}
