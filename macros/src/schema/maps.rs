//! Maps and sets of `std`, which the library cannot name.

use proc_macro2::Span;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, Ident, Path, PathArguments, Type, parse_quote};

/// `named` with the types of `json_schema` that describe a `HashMap` and a `HashSet` in place of these. They are known by their names, and
/// stand without their hasher, which needs no schema.
pub(super) fn described(named: &Type) -> Type {
    replaced(named).0
}

/// Whether the type contains a `HashMap` or `HashSet`, whose elements this crate cannot see.
pub(crate) fn is_hashed(named: &Type) -> bool {
    replaced(named).1
}

fn replaced(named: &Type) -> (Type, bool) {
    let (mut named, mut hashed) = (named.clone(), Hashed { is_found: false });
    hashed.visit_type_mut(&mut named);
    (named, hashed.is_found)
}

struct Hashed {
    is_found: bool,
}

impl VisitMut for Hashed {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        let Some(last) = path.segments.last() else { return };
        let count = match last.ident.to_string().as_str() {
            "HashMap" => 2,
            "HashSet" => 1,
            _ => return,
        };
        let PathArguments::AngleBracketed(arguments) = &last.arguments else { return };
        let types = arguments.args.iter().filter(|argument| matches!(argument, GenericArgument::Type(_)));
        let types: Vec<_> = types.take(count).collect();
        if types.len() == count {
            let ident = Ident::new(&last.ident.to_string(), Span::call_site().located_at(last.ident.span()));
            self.is_found = true;
            *path = parse_quote!(__json_schema::#ident<#(#types),*>);
        }
    }
}
