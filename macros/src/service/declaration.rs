//! Reads the trait that declares a service.

use proc_macro2::Span;
use quote::format_ident;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Error, Ident, Item, ItemTrait, Lit, LitStr, Meta, Path, Result, Token, TraitItem};

use super::method::{Method, plain};
use crate::{mistakes, root};

/// The arguments of the attribute: `prefix = "fan."`, `client = FanClient`, `service = FanService`, `by_position`, `mcp`, `openrpc`,
/// `checked`, `crate = rpc`.
#[derive(Default)]
pub(crate) struct Arguments {
    prefix: Option<LitStr>,
    service: Option<Ident>,
    client: Option<Ident>,
    by_position: Option<Span>,
    has_tools: bool,
    has_document: bool,
    is_checked: bool,
    root: Option<Path>,
}

/// A service: the trait without the attributes of its methods, and the methods.
pub(crate) struct Declaration {
    pub(crate) item: ItemTrait,
    pub(crate) service: Ident,
    pub(crate) client: Option<Ident>,
    /// Whether the client sends params by position.
    pub(crate) is_by_position: bool,
    pub(crate) methods: Vec<Method>,
    /// Whether the methods become MCP tools, too.
    pub(crate) has_tools: bool,
    /// Whether an OpenRPC document is generated.
    pub(crate) has_document: bool,
    /// Whether params are held to their schemas although nothing publishes these.
    is_checked: bool,
    /// The path of this crate.
    pub(crate) root: Path,
    /// Whether the program gives this path.
    pub(crate) has_own_root: bool,
}

/// The error text that lists the arguments.
const ARGUMENTS: &str = "a service takes `prefix = \"fan.\"`, `service = FanService`, `client = FanClient`, `by_position`, `mcp`, `openrpc`, `checked` and `crate = path`";

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = Self::default();
        if input.peek(Lit) {
            return Err(input.error(ARGUMENTS));
        }
        for meta in Punctuated::<Meta, Token![,]>::parse_terminated(input)? {
            let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
            let is_repeated = match name.as_str() {
                "prefix" => arguments.prefix.replace(value(&meta, "a string: `prefix = \"fan.\"`")?).is_some(),
                "client" => arguments.client.replace(value(&meta, "a name: `client = FanClient`")?).is_some(),
                "service" => arguments.service.replace(value(&meta, "a name: `service = FanService`")?).is_some(),
                "crate" => arguments.root.replace(value(&meta, root::EXPECTED)?).is_some(),
                "by_position" => {
                    is_alone(&meta, &name)?;
                    arguments.by_position.replace(meta.span()).is_some()
                }
                "mcp" => core::mem::replace(&mut arguments.has_tools, is_alone(&meta, &name)?),
                "openrpc" => core::mem::replace(&mut arguments.has_document, is_alone(&meta, &name)?),
                "checked" => core::mem::replace(&mut arguments.is_checked, is_alone(&meta, &name)?),
                _ => return Err(Error::new(meta.span(), ARGUMENTS)),
            };
            if is_repeated {
                return Err(mistakes::repeated(meta.span(), &name));
            }
        }
        Ok(arguments)
    }
}

/// Reads the value of `name = value`.
fn value<T: Parse>(meta: &Meta, expected: &str) -> Result<T> {
    let refused = |span| Error::new(span, format!("write {expected}"));
    let Meta::NameValue(pair) = meta else { return Err(refused(meta.span())) };
    let value = &pair.value;
    syn::parse2(quote::quote!(#value)).map_err(|_| refused(value.span()))
}

/// Refuses a value for an argument that takes none. Returns `true`.
fn is_alone(meta: &Meta, name: &str) -> Result<bool> {
    match meta {
        Meta::Path(_) => Ok(true),
        _ => Err(Error::new(meta.span(), format!("write `{name}` alone"))),
    }
}

/// Refuses a tool name that clients cannot call, or that another tool has. Stricter than the protocol, which allows 128 characters and also
/// dots (2025-11-25, Tools, Tool Names): SEP-986 recommends 64, and the interfaces of language models refuse dots.
fn refuse_tool_name(method: &Method, earlier: &[Method]) -> Result<()> {
    let Some(name) = method.tool_name() else { return Ok(()) };
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.chars().all(is_known) || name.len() > 64 {
        let message = format!(
            "`{name}` is not a valid tool name: a tool name has up to 64 ASCII letters, digits, `_` and `-`. Set another name with \
             `#[method(\"…\")]`"
        );
        return Err(Error::new(method.name.span(), message));
    }
    if earlier.iter().any(|other| other.tool_name().as_ref() == Some(&name)) {
        let message = format!("two tools have the name `{name}`: rename one with `#[method(\"…\")]`");
        return Err(Error::new(method.name.span(), message));
    }
    Ok(())
}

/// The message about an item of the trait that is no method.
fn no_method(entry: &TraitItem) -> Error {
    let message = match entry {
        TraitItem::Verbatim(tokens) if tokens.to_string().starts_with("pub") => {
            "a method is as visible as its trait: remove `pub`"
        }
        _ => "a service holds methods only: move this into another trait",
    };
    Error::new(entry.span(), message)
}

impl Declaration {
    /// Reads the trait, and removes the attributes of this macro from its methods.
    pub(crate) fn read(arguments: Arguments, item: Item) -> Result<Self> {
        let Item::Trait(mut item) = item else {
            let message =
                "declare a service by a trait: put `#[service]` on the trait, not on the type that implements it";
            return Err(Error::new(item.span(), message));
        };
        if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
            return Err(Error::new(
                item.generics.span(),
                "a service has no generic parameters: clients must know each type. Write the types in the methods",
            ));
        }
        if let Some(word) = &item.unsafety {
            return Err(Error::new(word.span(), "peers call a service, so it cannot be `unsafe`"));
        }
        let Arguments { prefix, service, client, by_position, has_tools, has_document, is_checked, root } = arguments;
        if let Some(span) = by_position.filter(|_| client.is_none()) {
            let message = "`by_position` has an effect on a client only: write `client = FanClient`, too";
            return Err(Error::new(span, message));
        }
        let prefix = prefix.map(|prefix| prefix.value()).unwrap_or_default();
        let is_described = has_tools || has_document || is_checked;
        let service = service.unwrap_or_else(|| format_ident!("{}Service", item.ident));
        if let Some(client) = client.as_ref().filter(|client| **client == service || **client == item.ident) {
            return Err(Error::new(
                client.span(),
                "the trait or the service already has this name: choose another one",
            ));
        }
        if service == item.ident {
            return Err(Error::new(service.span(), "the trait already has this name: choose another one"));
        }
        let mut methods: Vec<Method> = Vec::new();
        for entry in &mut item.items {
            let TraitItem::Fn(function) = entry else { return Err(no_method(entry)) };
            let method = Method::read(function, &prefix, &item.ident)?;
            if let Some(hint) = method.tool.as_ref().filter(|_| !has_tools) {
                let message = "`#[tool]` has an effect on MCP tools only: write `#[service(mcp)]`";
                return Err(Error::new(hint.span(), message));
            }
            let mut limits = method.params.iter().flat_map(|param| &param.attributes);
            if let Some(limit) = limits.find(|limit| limit.path().is_ident("schema") && !is_described) {
                let message = "`#[schema]` of a param has an effect on schemas only: write `#[service(checked)]`, `#[service(mcp)]` or `#[service(openrpc)]`";
                return Err(Error::new(limit.span(), message));
            }
            if [Some(&service), client.as_ref()].contains(&Some(&method.holder)) && !method.params.is_empty() {
                let message = format!(
                    "the params of `{}` would have the name `{}`, which another generated item has: rename the function, and keep \
                     its method name with `#[method(\"…\")]`",
                    plain(&method.ident),
                    method.holder
                );
                return Err(Error::new(method.ident.span(), message));
            }
            if let Some(earlier) = methods.iter().find(|earlier| method.collides(earlier, client.is_some())) {
                let message = format!(
                    "`{}` and `{}` give the same names to generated code: rename one, and keep its method name with \
                     `#[method(\"…\")]`",
                    plain(&earlier.ident),
                    plain(&method.ident)
                );
                return Err(Error::new(method.ident.span(), message));
            }
            if methods.iter().any(|earlier| method.is_named_as(earlier)) {
                let message =
                    format!("two methods have the name `{}`: rename one with `#[method(\"…\")]`", method.name.value());
                return Err(Error::new(method.name.span(), message));
            }
            // "The name MUST be unique within the methods array" (OpenRPC 1.3.2, Method Object)
            if has_document && methods.iter().any(|earlier| method.name.value() == earlier.name.value()) {
                let message = format!(
                    "a method and a notification have the name `{}`, but names are unique in an OpenRPC document: rename one with \
                     `#[method(\"…\")]`",
                    method.name.value()
                );
                return Err(Error::new(method.name.span(), message));
            }
            if has_tools {
                refuse_tool_name(&method, &methods)?;
            }
            methods.push(method);
        }
        let has_own_root = root.is_some();
        let root = root.unwrap_or_else(root::default);
        let is_by_position = by_position.is_some();
        Ok(Self {
            item,
            service,
            client,
            is_by_position,
            methods,
            has_tools,
            has_document,
            is_checked,
            root,
            has_own_root,
        })
    }

    /// Whether a method is `async`.
    pub(crate) fn is_async(&self) -> bool {
        self.methods.iter().any(|method| method.is_async)
    }

    /// Whether the types of params implement `JsonSchema`, so that their limits are checked.
    pub(crate) fn is_described(&self) -> bool {
        self.has_tools || self.has_document || self.is_checked
    }
}
