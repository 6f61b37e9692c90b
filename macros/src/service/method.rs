//! Reads a method of the trait.

use proc_macro2::{Span, TokenStream};
use quote::format_ident;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Error, FnArg, GenericArgument, Ident, LitStr, Meta, Pat, PathArguments, Result, ReturnType, TraitItemFn,
    Type,
};

use super::{hints, lifetimes, refused, signature};
use crate::docs::description;
use crate::mistakes;
use crate::schema::rename::pascal;
use crate::shape::{bare, is_option};

const OF_METHOD: &str = "a method has no attributes of serde: `#[method(\"set\")]` is its name in JSON-RPC";
const OF_PARAM: &str = "a param has no attributes of serde: `#[param(\"minSpeed\")]` is its name in the message, and a param of type \
                        `Option` may be absent. For other attributes, declare a struct with them, and use it as the param";

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
    /// The arguments of `#[tool(…)]`.
    pub(crate) tool_arguments: hints::Arguments,
}

/// One parameter of a method.
pub(crate) struct Param {
    pub(crate) ident: Ident,
    /// Its name in the message.
    pub(crate) name: LitStr,
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
        signature::check(&function.sig)?;
        signature::refuse_attributes(&function.attrs, OF_METHOD)?;
        if let Some(schema) = function.attrs.iter().find(|attribute| attribute.path().is_ident("schema")) {
            let message = "put `#[schema]` on a param, a field, a variant or a type: a doc comment describes a method";
            return Err(Error::new(schema.span(), message));
        }
        let params: Vec<Param> = function.sig.inputs.iter_mut().skip(1).map(Param::read).collect::<Result<_>>()?;
        refuse_two_of_a_name(&params)?;
        let (mut name, mut notification, mut is_notification) = (None, None, false);
        let (mut tool, mut kept) = (None, Vec::new());
        for attribute in function.attrs.drain(..) {
            let span = attribute.span();
            if attribute.path().is_ident("method") {
                let own = own_name(&attribute, "the method name of JSON-RPC as a string: `#[method(\"set\")]`")?;
                mistakes::once(&mut name, own, span, "#[method]")?;
            } else if attribute.path().is_ident("notification") {
                if is_notification {
                    return Err(mistakes::repeated(span, "#[notification]"));
                }
                is_notification = true;
                if !matches!(attribute.meta, Meta::Path(_)) {
                    notification = Some(own_name(
                        &attribute,
                        "the method name of JSON-RPC as a string: `#[notification(\"set\")]`",
                    )?);
                }
            } else if attribute.path().is_ident("tool") {
                mistakes::once(&mut tool, attribute, span, "#[tool]")?;
            } else {
                kept.push(attribute);
            }
        }
        function.attrs = kept;
        if let (Some(_), Some(second)) = (&name, &notification) {
            let message = "the method has two names: write `#[notification]` without a name, or remove `#[method]`";
            return Err(Error::new(second.span(), message));
        }
        let name = name.or(notification);
        let tool_arguments = match &tool {
            Some(attribute) if is_notification => {
                return Err(Error::new(attribute.span(), "a notification is no tool: remove one of the attributes"));
            }
            Some(attribute) => hints::read(attribute)?,
            None => hints::Arguments::default(),
        };
        let signature = &function.sig;
        let output = Output::read(&signature.output)?;
        if let (Some(text), Output::Unit) = (tool_arguments.text, &output) {
            return Err(Error::new(text, "a method without a result cannot answer with a text: remove `text`"));
        }
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
            return Err(Error::new(span, "a method name must not be empty"));
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
            holder: format_ident!("{}{}", service, pascal(&plain(&signature.ident)), span = signature.ident.span()),
            is_lending: match &signature.output {
                ReturnType::Type(_, output) => lifetimes::has_any(output),
                ReturnType::Default => false,
            },
            output,
            output_span: match &signature.output {
                ReturnType::Type(_, output) => output.span(),
                ReturnType::Default => signature.ident.span(),
            },
            tool,
            tool_arguments,
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
            return Err(Error::new(argument.span(), "`self` must be the first parameter"));
        };
        signature::refuse_attributes(&argument.attrs, OF_PARAM)?;
        let (mut name, mut attributes, mut kept) = (None, Vec::new(), Vec::new());
        for attribute in argument.attrs.drain(..) {
            if attribute.path().is_ident("param") {
                let own = own_name(&attribute, "the name in the message as a string: `#[param(\"minSpeed\")]`")?;
                mistakes::once(&mut name, own, attribute.span(), "#[param]")?;
            } else if ["doc", "schema"].iter().any(|own| attribute.path().is_ident(own)) {
                attributes.push(attribute);
            } else {
                kept.push(attribute);
            }
        }
        argument.attrs = kept;
        let pattern = match &*argument.pat {
            Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => Some(pattern),
            _ => None,
        };
        let Some(pattern) = pattern else {
            return Err(Error::new(
                argument.pat.span(),
                "a param needs a name, which is its name in the message: destructure the value in the implementation",
            ));
        };
        let declared = bare(&argument.ty).clone();
        refused::refuse_self(&declared)?;
        refused::refuse_unreadable(&declared)?;
        let mut held = declared.clone();
        let is_borrowed = lifetimes::name_elided(&mut held);
        Ok(Self {
            ident: pattern.ident.clone(),
            name: name.unwrap_or_else(|| LitStr::new(&plain(&pattern.ident), pattern.ident.span())),
            is_optional: is_option(&held),
            held,
            declared: lifetimes::elided(&declared),
            is_borrowed,
            attributes,
        })
    }
}

/// Refuses two params with one name. The compiler would report this mistake once for each part of the generated code.
fn refuse_two_of_a_name(params: &[Param]) -> Result<()> {
    for (index, param) in params.iter().enumerate() {
        // in the message, and in the declaration
        for name in [|param: &Param| param.name.value(), |param: &Param| plain(&param.ident)] {
            let own = name(param);
            if params.iter().take(index).any(|earlier| name(earlier) == own) {
                return Err(Error::new(param.name.span(), format!("two params have the name `{own}`")));
            }
        }
    }
    Ok(())
}

impl Output {
    fn read(output: &ReturnType) -> Result<Self> {
        let ReturnType::Type(_, output) = output else { return Ok(Self::Unit) };
        let output = bare(output);
        refused::refuse_self(output)?;
        refused::refuse_unnamed(output)?;
        let Type::Path(path) = output else { return Ok(Self::Plain(output.clone())) };
        let Some(last) = path.path.segments.last() else { return Ok(Self::Plain(output.clone())) };
        // the macro recognises an alias of `Result` only by its name
        if !last.ident.to_string().ends_with("Result") {
            return Ok(Self::Plain(output.clone()));
        }
        let result = match &last.arguments {
            // an alias may have lifetimes, which precede its types
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

/// Reads the name in `#[method("set")]`, `#[notification("set")]` or `#[param("minSpeed")]`.
fn own_name(attribute: &Attribute, expected: &str) -> Result<LitStr> {
    attribute.parse_args().map_err(|error| Error::new(error.span(), format!("write {expected}")))
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
