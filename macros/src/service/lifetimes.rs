//! The lifetimes in the types of a declaration.

use syn::visit_mut::{self, VisitMut};
use syn::{Lifetime, Type, TypeReference};

/// Replaces the elided lifetimes of `declared` by `'params`. Returns whether there is one.
pub(crate) fn name_elided(declared: &mut Type) -> bool {
    let mut names = Names { is_any: false, name: Some("'params") };
    names.visit_type_mut(declared);
    names.is_any
}

/// `declared` with `'_` for every named lifetime but `'static`.
pub(crate) fn elided(declared: &Type) -> Type {
    let mut elided = declared.clone();
    Names { is_any: false, name: Some("'_") }.visit_type_mut(&mut elided);
    elided
}

/// `declared` with `'static` for every lifetime, for use in a constant.
pub(crate) fn with_static(declared: &Type) -> Type {
    let mut named = declared.clone();
    Names { is_any: false, name: Some("'static") }.visit_type_mut(&mut named);
    named
}

/// Whether `declared` has a lifetime that is not `'static`.
pub(crate) fn has_any(declared: &Type) -> bool {
    let mut names = Names { is_any: false, name: None };
    names.visit_type_mut(&mut declared.clone());
    names.is_any
}

struct Names {
    is_any: bool,
    /// The new name of each lifetime.
    name: Option<&'static str>,
}

impl VisitMut for Names {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            self.is_any = true;
            // `&'_ str` is `&str`
            if let Some(name) = self.name.filter(|name| *name != "'_") {
                reference.lifetime = Some(Lifetime::new(name, reference.and_token.span));
            }
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "static" {
            return;
        }
        self.is_any = true;
        if let Some(name) = self.name {
            *lifetime = Lifetime::new(name, lifetime.span());
        }
    }
}
