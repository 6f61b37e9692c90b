//! Refuses signatures and attributes of methods that the generated code does not support.

use syn::spanned::Spanned as _;
use syn::{Attribute, Error, FnArg, GenericParam, Result, Safety, Signature};

use super::refused;
use crate::shape::is_mutable;

/// Refuses signatures that the generated code cannot call.
pub(crate) fn check(signature: &Signature) -> Result<()> {
    let mut parameters = signature.generics.params.iter();
    if let Some(parameter) = parameters.find(|parameter| !matches!(parameter, GenericParam::Lifetime(_))) {
        let message = "a method of a service has no generic parameters but lifetimes: serde reads and writes exactly the types in \
                       its declaration";
        return Err(Error::new(parameter.span(), message));
    }
    refused::refuse_bound(signature.generics.where_clause.as_ref())?;
    let word = match &signature.safety {
        Safety::Unsafe(word) => Some(word.span()),
        _ => signature.abi.as_ref().map(syn::spanned::Spanned::span),
    };
    if let Some(span) = signature.constness.map(|word| word.span()).or(word) {
        let message = "peers call a method of a service, so it cannot be `const`, `unsafe` or `extern`";
        return Err(Error::new(span, message));
    }
    if let Some(rest) = &signature.variadic {
        let message = "a method has a fixed number of params: take an `Option`, an array or a `heapless::Vec<T, N>`";
        return Err(Error::new(rest.span(), message));
    }
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) if is_mutable(receiver).is_some() => Ok(()),
        Some(FnArg::Receiver(receiver)) => Err(Error::new(
            receiver.span(),
            "a method takes `&self` or `&mut self`, because a peer may call it more than once",
        )),
        other => {
            let span = other.map_or_else(|| signature.ident.span(), |argument| argument.span());
            Err(Error::new(span, "a method of a service begins with `&self` or `&mut self`"))
        }
    }
}

/// Refuses the attributes of serde, which apply to types, with `message`, and `#[cfg]`, which a macro cannot evaluate.
pub(crate) fn refuse_attributes(attributes: &[Attribute], message: &str) -> Result<()> {
    if let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("serde")) {
        return Err(Error::new(attribute.span(), message));
    }
    let is_condition = |attribute: &&Attribute| ["cfg", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name));
    match attributes.iter().find(is_condition) {
        Some(attribute) => {
            let message = "a service has the same methods and params in each build: declare a second service for the \
                           conditional ones, and put the condition on its trait";
            Err(Error::new(attribute.span(), message))
        }
        None => Ok(()),
    }
}
