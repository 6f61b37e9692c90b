//! Reads a method of the trait.

use proc_macro2::{Span, TokenStream};
use quote::format_ident;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Error, FnArg, GenericArgument, GenericParam, Ident, LitStr, Meta, Pat, PathArguments, Result,
    ReturnType, Safety, Signature, Token, TraitItemFn, Type,
};

use super::{lifetimes, refused};
use crate::docs::description;
use crate::shape::{bare, is_mutable, is_option};

/// One method of a service.
pub(crate) struct Method {
    /// The method name of JSON-RPC, with the prefix.
    pub(crate) name: LitStr,
    pub(crate) ident: Ident,
    pub(crate) docs: Vec<Attribute>,
    /// A constant expression.
    pub(crate) description: Option<TokenStream>,
    pub(crate) is_notification: bool,
    pub(crate) is_async: bool,
    pub(crate) params: Vec<Param>,
    /// The struct that holds the params.
    pub(crate) holder: Ident,
    pub(crate) output: Output,
    /// Whether the result or the error borrows from the service or from a param.
    pub(crate) is_lending: bool,
    /// The span of the return type, where errors in it are reported.
    pub(crate) output_span: Span,
    /// The attribute `#[tool(…)]`.
    pub(crate) tool: Option<Attribute>,
    /// The hints of `#[tool(…)]`: the fields of `ToolAnnotations` and their values.
    pub(crate) hints: Vec<(Ident, bool)>,
}

/// One parameter of a method.
pub(crate) struct Param {
    pub(crate) ident: Ident,
    /// The type, with elided lifetimes replaced by `'params`.
    pub(crate) held: Type,
    /// The type as declared, with elided lifetimes.
    pub(crate) declared: Type,
    pub(crate) is_borrowed: bool,
    pub(crate) is_optional: bool,
    /// Its doc comments and `#[schema(…)]`.
    pub(crate) attributes: Vec<Attribute>,
}

/// The return type of a method.
pub(crate) enum Output {
    /// None: the result is `null`.
    Unit,
    /// `Result<T, E>`, or an alias whose name ends in `Result`: the type of the result.
    Fallible(Type),
    /// Any other type.
    Plain(Type),
}

impl Method {
    pub(crate) fn read(function: &mut TraitItemFn, prefix: &str, service: &Ident) -> Result<Self> {
        check(&function.sig)?;
        refuse_attributes(&function.attrs)?;
        let params = function.sig.inputs.iter_mut().skip(1).map(Param::read).collect::<Result<Vec<_>>>()?;
        let mut name = None;
        let (mut notification, mut tool, mut kept) = (None, None, Vec::new());
        for attribute in function.attrs.drain(..) {
            let is_repeated = if attribute.path().is_ident("method") {
                name.replace(own_name(&attribute, "method")?).is_some()
            } else if attribute.path().is_ident("notification") {
                let is_named = !matches!(attribute.meta, Meta::Path(_));
                let is_second_name = is_named && name.replace(own_name(&attribute, "notification")?).is_some();
                notification.replace(attribute.span()).is_some() || is_second_name
            } else if attribute.path().is_ident("tool") {
                tool.replace(attribute).is_some()
            } else {
                kept.push(attribute);
                false
            };
            if is_repeated {
                return Err(Error::new(function.sig.ident.span(), "an attribute of this method is repeated"));
            }
        }
        function.attrs = kept;
        let is_notification = notification.is_some();
        let hints = match &tool {
            Some(attribute) if is_notification => {
                return Err(Error::new(attribute.span(), "a notification is no tool: remove one of the attributes"));
            }
            Some(attribute) => tool_hints(attribute)?,
            None => Vec::new(),
        };
        let signature = &function.sig;
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
            docs: function.attrs.iter().filter(|attribute| is_for_client(attribute)).cloned().collect(),
            description: description(&function.attrs),
            is_notification,
            is_async: signature.asyncness.is_some(),
            params,
            holder: format_ident!("{}{}", service, camel_case(&plain(&signature.ident)), span = signature.ident.span()),
            is_lending: match &signature.output {
                ReturnType::Type(_, output) => lifetimes::has_any(output),
                ReturnType::Default => false,
            },
            output,
            output_span: signature.output.span(),
            tool,
            hints,
        })
    }

    /// Whether the same message calls both methods.
    pub(crate) fn is_named_as(&self, other: &Self) -> bool {
        self.name.value() == other.name.value() && self.is_notification == other.is_notification
    }

    /// The name of the method's tool; `None` for a notification.
    pub(crate) fn tool_name(&self) -> Option<String> {
        (!self.is_notification).then(|| self.name.value().replace(['.', '/'], "_"))
    }

    /// Whether both methods need the same generated name, of the params or of a function of the client.
    pub(crate) fn collides(&self, other: &Self, has_client: bool) -> bool {
        let (own, others) = (plain(&self.ident), plain(&other.ident));
        let is_asynchronous = |name: &str, of: &str| name.strip_suffix("_async") == Some(of);
        let have_params = !self.params.is_empty() && !other.params.is_empty();
        (have_params && self.holder == other.holder)
            || (has_client && (is_asynchronous(&own, &others) || is_asynchronous(&others, &own)))
    }

    /// Whether a param borrows from the message.
    pub(crate) fn is_borrowing(&self) -> bool {
        self.params.iter().any(|param| param.is_borrowed)
    }

    /// Whether the caller chooses the type of the result, because the declared type borrows from the server.
    pub(crate) fn is_read_as_another(&self) -> bool {
        match &self.output {
            Output::Unit => false,
            Output::Fallible(result) | Output::Plain(result) => {
                lifetimes::has_any(result) || refused::has_static_part(result)
            }
        }
    }
}

impl Param {
    fn read(argument: &mut FnArg) -> Result<Self> {
        let FnArg::Typed(argument) = argument else {
            return Err(Error::new(argument.span(), "`self` comes first"));
        };
        refuse_attributes(&argument.attrs)?;
        let is_own = |attribute: &Attribute| ["doc", "schema"].iter().any(|name| attribute.path().is_ident(name));
        let (attributes, kept) = argument.attrs.drain(..).partition(is_own);
        argument.attrs = kept;
        let Pat::Ident(pattern) = &*argument.pat else {
            return Err(Error::new(argument.pat.span(), "a param needs a name, which is its name in the message"));
        };
        let declared = bare(&argument.ty).clone();
        if let Type::Reference(reference) = &declared {
            if reference.mutability.is_some() {
                return Err(Error::new(
                    reference.span(),
                    "a param is read from the message: take it by value, or by `&`",
                ));
            }
        }
        if matches!(declared, Type::ImplTrait(_)) {
            return Err(Error::new(declared.span(), "name the type of a param: serde must know which type to read"));
        }
        refused::refuse_self(&declared)?;
        refused::refuse_unreadable(&declared)?;
        let mut held = declared.clone();
        let is_borrowed = lifetimes::name_elided(&mut held);
        Ok(Self {
            ident: pattern.ident.clone(),
            is_optional: is_option(&held),
            held,
            declared: lifetimes::elided(&declared),
            is_borrowed,
            attributes,
        })
    }
}

impl Output {
    fn read(output: &ReturnType) -> Result<Self> {
        let ReturnType::Type(_, output) = output else { return Ok(Self::Unit) };
        let output = bare(output);
        refused::refuse_self(output)?;
        if let Type::ImplTrait(_) = output {
            return Err(Error::new(
                output.span(),
                "name the type of the result: the client must know which type to read",
            ));
        }
        let Type::Path(path) = output else { return Ok(Self::Plain(output.clone())) };
        let Some(last) = path.path.segments.last() else { return Ok(Self::Plain(output.clone())) };
        // the macro recognises an alias of `Result` only by its name
        if !last.ident.to_string().ends_with("Result") {
            return Ok(Self::Plain(output.clone()));
        }
        let result = match &last.arguments {
            // an alias may have lifetimes, which stand first
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(result) => Some(result),
                _ => None,
            }),
            _ => None,
        };
        match result {
            Some(result) => Ok(Self::Fallible(result.clone())),
            None => Err(Error::new(
                last.span(),
                "write the type of the result: `Result<T, E>`, or an alias `FanResult<T>`. A type of your own cannot have a name \
                 that ends in `Result`",
            )),
        }
    }
}

/// Reads the name in `#[method("set")]` or `#[notification("set")]`.
fn own_name(attribute: &Attribute, kind: &str) -> Result<LitStr> {
    attribute.parse_args().map_err(|error| {
        Error::new(error.span(), format!("write the method name of JSON-RPC as a string: `#[{kind}(\"set\")]`"))
    })
}

/// Refuses signatures that the generated code cannot call.
fn check(signature: &Signature) -> Result<()> {
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
    if let Some(span) = word {
        return Err(Error::new(span, "peers call a method of a service, so it has neither `unsafe` nor `extern`"));
    }
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) if is_mutable(receiver).is_some() => Ok(()),
        Some(FnArg::Receiver(receiver)) => Err(Error::new(
            receiver.span(),
            "a method takes `&self` or `&mut self`, because peers call the service again",
        )),
        other => {
            let span = other.map_or_else(|| signature.ident.span(), |argument| argument.span());
            Err(Error::new(span, "a method of a service begins with `&self` or `&mut self`"))
        }
    }
}

/// Refuses `#[cfg]`, which a macro cannot evaluate, and the attributes of serde, which apply to types.
fn refuse_attributes(attributes: &[Attribute]) -> Result<()> {
    if let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("serde")) {
        let message = "a param has no attributes of serde: declare a struct with them, and use it as the param. A param of type `Option` \
                       may be absent; `r#type` is called `type`";
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

/// Reads the hints of `#[tool(read_only, destructive = false, idempotent, open_world)]`.
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
                "the hints of a tool are `read_only`, `destructive`, `idempotent` and `open_world`, or one of them with `= false`",
            ));
        };
        let is_so = if meta.input.peek(Token![=]) { meta.value()?.parse::<syn::LitBool>()?.value } else { true };
        hints.push((format_ident!("{hint}"), is_so));
        Ok(())
    })?;
    Ok(hints)
}

/// Whether the attribute also applies to the client's function.
fn is_for_client(attribute: &Attribute) -> bool {
    ["doc", "deprecated"].iter().any(|name| attribute.path().is_ident(name))
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
