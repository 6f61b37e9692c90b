//! Reads the trait that declares a service.

use proc_macro2::Span;
use quote::format_ident;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Error, FnArg, GenericArgument, Ident, ItemTrait, LitStr, Meta, Pat, PathArguments, Result, ReturnType,
    Token, TraitItem, TraitItemFn, Type,
};

use super::lifetimes;
use crate::docs::description;

/// The arguments of the attribute: `prefix = "fan."`, `client = FanClient`, `service = FanService`, `mcp`, `openrpc`.
#[derive(Default)]
pub(crate) struct Arguments {
    prefix: String,
    service: Option<Ident>,
    client: Option<Ident>,
    has_tools: bool,
    has_document: bool,
}

/// A service: the trait without the attributes of its methods, and the methods.
pub(crate) struct Declaration {
    pub(crate) item: ItemTrait,
    pub(crate) service: Ident,
    pub(crate) client: Option<Ident>,
    pub(crate) methods: Vec<Method>,
    /// Whether the methods become MCP tools, too.
    pub(crate) has_tools: bool,
    /// Whether there is an OpenRPC document.
    pub(crate) has_document: bool,
}

/// One method of a service.
pub(crate) struct Method {
    /// The method name of JSON-RPC, with the prefix.
    pub(crate) name: LitStr,
    pub(crate) ident: Ident,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) description: String,
    pub(crate) is_notification: bool,
    pub(crate) is_async: bool,
    pub(crate) params: Vec<Param>,
    /// The struct that holds the params.
    pub(crate) holder: Ident,
    pub(crate) output: Output,
    /// The place of the return type, where its faults are reported.
    pub(crate) output_span: Span,
    /// The hints of `#[tool(…)]`: the fields of `ToolAnnotations` and their values.
    pub(crate) hints: Vec<(Ident, bool)>,
}

/// One parameter of a method.
pub(crate) struct Param {
    pub(crate) ident: Ident,
    /// The type, its elided lifetimes replaced by `'params`.
    pub(crate) held: Type,
    /// The type as declared.
    pub(crate) declared: Type,
    pub(crate) is_borrowed: bool,
    pub(crate) is_optional: bool,
}

/// The return type of a method.
pub(crate) enum Output {
    /// None: the result is `null`.
    Unit,
    /// `Result<T, E>`, or an alias whose name ends so: the type of the result.
    Fallible(Type),
    /// Any other type.
    Plain(Type),
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = Self::default();
        for meta in Punctuated::<Meta, Token![,]>::parse_terminated(input)? {
            match &meta {
                Meta::NameValue(pair) if pair.path.is_ident("prefix") => {
                    let value = &pair.value;
                    arguments.prefix = syn::parse2::<LitStr>(quote::quote!(#value))?.value();
                }
                Meta::NameValue(pair) if pair.path.is_ident("client") => {
                    let value = &pair.value;
                    arguments.client = Some(syn::parse2(quote::quote!(#value))?);
                }
                Meta::NameValue(pair) if pair.path.is_ident("service") => {
                    let value = &pair.value;
                    arguments.service = Some(syn::parse2(quote::quote!(#value))?);
                }
                Meta::Path(path) if path.is_ident("mcp") => arguments.has_tools = true,
                Meta::Path(path) if path.is_ident("openrpc") => arguments.has_document = true,
                other => {
                    return Err(Error::new(
                        other.span(),
                        "a service takes `prefix = \"fan.\"`, `service = FanService`, `client = FanClient`, `mcp` and `openrpc`",
                    ));
                }
            }
        }
        Ok(arguments)
    }
}

impl Declaration {
    /// Reads the trait, and takes the attributes of this macro off its methods.
    pub(crate) fn read(arguments: Arguments, mut item: ItemTrait) -> Result<Self> {
        if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
            return Err(Error::new(
                item.generics.span(),
                "a service has no generic parameters: its clients must know each type. Put the types into the methods",
            ));
        }
        let mut methods = Vec::new();
        for entry in &mut item.items {
            match entry {
                TraitItem::Fn(function) => methods.push(Method::read(function, &arguments.prefix, &item.ident)?),
                other => {
                    return Err(Error::new(other.span(), "a service holds methods only: move this into another trait"));
                }
            }
        }
        for (place, method) in methods.iter().enumerate() {
            let is_taken = |other: &Method| {
                other.name.value() == method.name.value() && other.is_notification == method.is_notification
            };
            if methods.iter().take(place).any(is_taken) {
                let message =
                    format!("two methods are called `{}`: rename one by `#[method(\"…\")]`", method.name.value());
                return Err(Error::new(method.name.span(), message));
            }
        }
        let service = arguments.service.unwrap_or_else(|| format_ident!("{}Service", item.ident));
        let Arguments { client, has_tools, has_document, .. } = arguments;
        Ok(Self { item, service, client, methods, has_tools, has_document })
    }

    /// Whether a method is `async`.
    pub(crate) fn is_async(&self) -> bool {
        self.methods.iter().any(|method| method.is_async)
    }

    /// Whether the types of params and results implement `JsonSchema`.
    pub(crate) fn is_described(&self) -> bool {
        self.has_tools || self.has_document
    }
}

impl Method {
    fn read(function: &mut TraitItemFn, prefix: &str, service: &Ident) -> Result<Self> {
        let signature = &function.sig;
        if !signature.generics.params.is_empty() {
            let message = "a method of a service has no generic parameters: its params and result are read and written as \
                           the types that stand here";
            return Err(Error::new(signature.generics.span(), message));
        }
        let mut inputs = signature.inputs.iter();
        match inputs.next() {
            Some(FnArg::Receiver(receiver)) if matches!(receiver.kind, syn::ReceiverKind::Reference(..)) => {}
            Some(FnArg::Receiver(receiver)) => {
                return Err(Error::new(
                    receiver.span(),
                    "a method takes `&self` or `&mut self`: the service is called again",
                ));
            }
            other => {
                let span = other.map_or_else(|| signature.ident.span(), |argument| argument.span());
                return Err(Error::new(span, "a method of a service begins with `&self` or `&mut self`"));
            }
        }
        let params = inputs.map(Param::read).collect::<Result<Vec<_>>>()?;
        let mut name = None;
        let (mut is_notification, mut hints, mut kept) = (false, Vec::new(), Vec::new());
        for attribute in function.attrs.drain(..) {
            if attribute.path().is_ident("method") {
                name = Some(attribute.parse_args::<LitStr>().map_err(|error| {
                    Error::new(error.span(), "write the method name of JSON-RPC as a string: `#[method(\"set\")]`")
                })?);
            } else if attribute.path().is_ident("notification") {
                is_notification = true;
                if !matches!(attribute.meta, Meta::Path(_)) {
                    name = Some(attribute.parse_args::<LitStr>()?);
                }
            } else if attribute.path().is_ident("tool") {
                hints = tool_hints(&attribute)?;
            } else {
                kept.push(attribute);
            }
        }
        function.attrs = kept;
        let output = Output::read(&signature.output)?;
        if is_notification && !matches!(output, Output::Unit) {
            let message =
                "a notification has no answer (JSON-RPC 2.0 §4.1): remove the return type, or `#[notification]`";
            return Err(Error::new(signature.output.span(), message));
        }
        let (own, span) = match &name {
            Some(name) => (name.value(), name.span()),
            None => (plain(&signature.ident), signature.ident.span()),
        };
        if own.is_empty() {
            return Err(Error::new(span, "a method name is not empty"));
        }
        if format!("{prefix}{own}").starts_with("rpc.") {
            let message = "method names that begin with `rpc.` are reserved (JSON-RPC 2.0 §4)";
            return Err(Error::new(span, message));
        }
        Ok(Self {
            name: LitStr::new(&format!("{prefix}{own}"), span),
            ident: signature.ident.clone(),
            docs: function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect(),
            description: description(&function.attrs),
            is_notification,
            is_async: signature.asyncness.is_some(),
            params,
            holder: format_ident!("{}{}", service, camel_case(&plain(&signature.ident)), span = signature.ident.span()),
            output,
            output_span: signature.output.span(),
            hints,
        })
    }

    /// Whether a param borrows from the message.
    pub(crate) fn is_borrowing(&self) -> bool {
        self.params.iter().any(|param| param.is_borrowed)
    }

    /// Whether the result borrows from the service or from a param.
    pub(crate) fn lends(&self) -> bool {
        match &self.output {
            Output::Unit => false,
            Output::Fallible(result) | Output::Plain(result) => lifetimes::has_any(result),
        }
    }
}

impl Param {
    fn read(argument: &FnArg) -> Result<Self> {
        let FnArg::Typed(argument) = argument else {
            return Err(Error::new(argument.span(), "`self` comes first"));
        };
        let Pat::Ident(pattern) = &*argument.pat else {
            return Err(Error::new(argument.pat.span(), "a param needs a name, which is its name in the message"));
        };
        if let Type::Reference(reference) = &*argument.ty {
            if reference.mutability.is_some() {
                return Err(Error::new(
                    reference.span(),
                    "a param is read from the message: take it by value, or by `&`",
                ));
            }
        }
        if matches!(&*argument.ty, Type::ImplTrait(_)) {
            return Err(Error::new(argument.ty.span(), "name the type of a param: serde must know which type to read"));
        }
        let declared = (*argument.ty).clone();
        let mut held = declared.clone();
        let is_borrowed = lifetimes::name_elided(&mut held);
        Ok(Self { ident: pattern.ident.clone(), is_optional: is_option(&held), held, declared, is_borrowed })
    }
}

impl Output {
    fn read(output: &ReturnType) -> Result<Self> {
        let ReturnType::Type(_, output) = output else { return Ok(Self::Unit) };
        if let Type::ImplTrait(_) = &**output {
            return Err(Error::new(
                output.span(),
                "name the type of the result: the client must know which type to read",
            ));
        }
        let Type::Path(path) = &**output else { return Ok(Self::Plain((**output).clone())) };
        let Some(last) = path.path.segments.last() else { return Ok(Self::Plain((**output).clone())) };
        // an alias of `Result` is known by its name alone
        if !last.ident.to_string().ends_with("Result") {
            return Ok(Self::Plain((**output).clone()));
        }
        match &last.arguments {
            PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                Some(GenericArgument::Type(result)) => Ok(Self::Fallible(result.clone())),
                _ => Err(Error::new(arguments.span(), "write the type of the result: `Result<T, E>`")),
            },
            _ => Err(Error::new(last.span(), "write the type of the result: `Result<T, E>`")),
        }
    }
}

/// The hints of `#[tool(read_only, destructive = false, idempotent, open_world)]`.
fn tool_hints(attribute: &Attribute) -> Result<Vec<(Ident, bool)>> {
    let mut hints = Vec::new();
    attribute.parse_nested_meta(|meta| {
        let known = [
            ("read_only", "read_only_hint"),
            ("destructive", "destructive_hint"),
            ("idempotent", "idempotent_hint"),
            ("open_world", "open_world_hint"),
        ];
        let Some((_, hint)) = known.iter().find(|(name, _)| meta.path.is_ident(name)) else {
            return Err(meta.error(
                "a tool is `read_only`, `destructive`, `idempotent` or `open_world`, each with `= false` if it is not",
            ));
        };
        let is_so = if meta.input.peek(Token![=]) { meta.value()?.parse::<syn::LitBool>()?.value } else { true };
        hints.push((format_ident!("{hint}"), is_so));
        Ok(())
    })?;
    Ok(hints)
}

/// An identifier without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

fn camel_case(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    name.split('_').map(word).collect()
}

/// Whether the last part of a path is `Option`, as serde's derive macros decide it.
pub(crate) fn is_option(named: &Type) -> bool {
    match named {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Option"),
        Type::Group(group) => is_option(&group.elem),
        _ => false,
    }
}
