//! Lifetimes in the types of a declaration.

use syn::visit_mut::{self, VisitMut};
use syn::{Lifetime, Type, TypeReference};

/// Names the elided lifetimes of `declared` `'params`. Returns whether there is one.
pub(crate) fn name_elided(declared: &mut Type) -> bool {
    let mut names = Names { is_any: false, is_replacing: true };
    names.visit_type_mut(declared);
    names.is_any
}

/// Whether `declared` has a lifetime that is not `'static`.
pub(crate) fn has_any(declared: &Type) -> bool {
    let mut names = Names { is_any: false, is_replacing: false };
    names.visit_type_mut(&mut declared.clone());
    names.is_any
}

struct Names {
    is_any: bool,
    is_replacing: bool,
}

impl VisitMut for Names {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            self.is_any = true;
            if self.is_replacing {
                reference.lifetime = Some(Lifetime::new("'params", reference.and_token.span));
            }
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "static" || lifetime.ident == "params" {
            return;
        }
        self.is_any = true;
        if self.is_replacing {
            *lifetime = Lifetime::new("'params", lifetime.span());
        }
    }
}
