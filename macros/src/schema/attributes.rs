//! The attributes of serde and `schema`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Lit, LitStr, Path, Result, Token};

use super::json::{self, Given};
use super::keywords;
use super::limits;
use super::pattern;
use super::rename::Case;
use crate::{mistakes, root};

/// The attributes of a type, a variant or a field.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) rename: Option<String>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) rename_all_fields: Option<Case>,
    pub(crate) has_default: bool,
    /// Whether a function of the program reads the value (`with`, `deserialize_with`).
    pub(crate) is_read_by_function: bool,
    /// Whether serde does not read the field or variant.
    pub(crate) is_skipped: bool,
    /// Whether serde sometimes or always omits the field or variant when it writes.
    pub(crate) is_left_out: bool,
    pub(crate) denies_unknown: bool,
    pub(crate) is_transparent: bool,
    pub(crate) is_flattened: bool,
    pub(crate) is_untagged: bool,
    pub(crate) tag: Option<String>,
    pub(crate) content: Option<String>,
    /// The keywords of `#[schema(…)]`, each with a name and JSON text.
    pub(crate) keywords: Vec<Keyword>,
    /// Whether the doc comments are not used as the description.
    pub(crate) is_undescribed: bool,
    /// The schema that replaces that of the type.
    pub(crate) value: Option<Given>,
    /// The path of this crate; only a type has it.
    pub(crate) root: Option<Path>,
}

/// A keyword of `#[schema(…)]`.
pub(crate) struct Keyword {
    /// Its name in a schema.
    pub(crate) name: &'static str,
    /// Its name in the attribute.
    pub(crate) attribute: &'static str,
    pub(crate) node: TokenStream,
    /// The text of a numeric limit, which must not be wider than the range of the type.
    pub(crate) number: Option<String>,
    /// The text of a keyword with a string.
    pub(crate) text: Option<String>,
    pub(crate) span: Span,
    /// Where errors about the value are reported.
    pub(crate) value_span: Span,
}

/// Attributes of serde that do not change the accepted texts.
const WITHOUT_EFFECT: [&str; 4] = ["crate", "bound", "borrow", "expecting"];

/// Attributes of serde that a program could expect in `#[schema(…)]`.
const OF_SERDE: [&str; 8] =
    ["rename", "rename_all", "default", "skip", "flatten", "tag", "untagged", "deny_unknown_fields"];

/// Keywords with a number, and their names in a schema.
pub(super) const NUMBERS: [(&str, &str); 9] = [
    ("minimum", "minimum"),
    ("maximum", "maximum"),
    ("exclusive_minimum", "exclusiveMinimum"),
    ("exclusive_maximum", "exclusiveMaximum"),
    ("multiple_of", "multipleOf"),
    ("min_length", "minLength"),
    ("max_length", "maxLength"),
    ("min_items", "minItems"),
    ("max_items", "maxItems"),
];

/// Keywords with a text.
const TEXTS: [(&str, &str); 4] =
    [("description", "description"), ("title", "title"), ("pattern", "pattern"), ("format", "format")];

impl Attributes {
    /// Reads the attributes of a variant, a field or a param.
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let read = Self::read_of_type(attributes)?;
        match &read.root {
            Some(root) => {
                Err(Error::new(root.span(), "move `crate` to the type, because it applies to the whole derived code"))
            }
            None => Ok(read),
        }
    }

    /// Reads the attributes of a type.
    pub(crate) fn read_of_type(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        let of = |name| attributes.iter().filter(move |attribute| attribute.path().is_ident(name));
        // `schema` first, because a complete schema permits some attributes of serde
        for attribute in of("schema") {
            attribute.parse_nested_meta(|meta| read.schema(&meta))?;
        }
        limits::check(&read.keywords)?;
        keywords::check(&read)?;
        for attribute in of("serde") {
            attribute.parse_nested_meta(|meta| read.serde(&meta))?;
        }
        Ok(read)
    }

    fn serde(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let Some(name) = meta.path.get_ident().map(ToString::to_string) else {
            return Err(meta.error("not an attribute of serde"));
        };
        match name.as_str() {
            "rename" => self.rename = Some(text(meta)?.value()),
            "rename_all" => self.rename_all = Some(case(meta)?),
            "rename_all_fields" => self.rename_all_fields = Some(case(meta)?),
            "tag" => self.tag = Some(text(meta)?.value()),
            "content" => self.content = Some(text(meta)?.value()),
            "default" => {
                self.has_default = true;
                skip_value(meta)?;
            }
            "skip" => (self.is_skipped, self.is_left_out) = (true, true),
            "skip_deserializing" => self.is_skipped = true,
            "skip_serializing" | "skip_serializing_if" => {
                self.is_left_out = true;
                skip_value(meta)?;
            }
            "deny_unknown_fields" => self.denies_unknown = true,
            "transparent" => self.is_transparent = true,
            "flatten" => self.is_flattened = true,
            "untagged" => self.is_untagged = true,
            known if WITHOUT_EFFECT.contains(&known) => skip_value(meta)?,
            "with" | "serialize_with" | "deserialize_with" | "getter" | "from" | "try_from" | "into" | "remote"
                if self.value.is_some() =>
            {
                self.is_read_by_function |= matches!(name.as_str(), "with" | "deserialize_with");
                skip_value(meta)?;
            }
            other => {
                let advice = match other {
                    "with" | "serialize_with" | "deserialize_with" | "getter" => {
                        "add a schema to the field or variant:"
                    }
                    "from" | "try_from" | "into" | "remote" => "add a schema to the type:",
                    "alias" | "other" => "remove it, or add a schema to the type:",
                    _ => return Err(meta.error(format!("`{other}` of serde has no equivalent in a schema"))),
                };
                return Err(meta.error(format!(
                    "`{other}` of serde changes the texts, which a schema cannot describe: {advice} \
                     `#[schema(value = r#\"…\"#)]`"
                )));
            }
        }
        Ok(())
    }

    fn schema(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        // the docs of generated structs do not describe the data
        if meta.path.is_ident("undescribed") {
            self.is_undescribed = true;
            return Ok(());
        }
        if meta.path.is_ident("crate") {
            let path = meta.value()?.parse::<Path>();
            let path = path.map_err(|error| Error::new(error.span(), format!("write {}", root::EXPECTED)))?;
            return mistakes::once(&mut self.root, path, meta.path.span(), "crate");
        }
        if meta.path.is_ident("value") {
            let literal: LitStr = written(meta, "the schema as a string: `value = r#\"{\"type\":\"string\"}\"#`")?;
            return mistakes::once(&mut self.value, json::given(&literal)?, meta.path.span(), "value");
        }
        let span = meta.path.span();
        if let Some((attribute, name)) = NUMBERS.iter().find(|(name, _)| meta.path.is_ident(name)) {
            let text = number(meta, attribute)?;
            let node = quote!(__json_schema::Node::Json { text: #text });
            let number = Some(text);
            return self.keyword(Keyword { name, attribute, node, number, text: None, span, value_span: span });
        }
        if meta.path.is_ident("unique_items") {
            if !meta.input.is_empty() && !meta.input.peek(Token![,]) {
                return Err(Error::new(span, "write `unique_items` alone"));
            }
            let node = quote!(__json_schema::Node::Json { text: "true" });
            let (name, attribute) = ("uniqueItems", "unique_items");
            return self.keyword(Keyword { name, attribute, node, number: None, text: None, span, value_span: span });
        }
        if let Some((attribute, name)) = TEXTS.iter().find(|(name, _)| meta.path.is_ident(name)) {
            let text: LitStr = written(meta, &format!("a string: `{attribute} = \"…\"`"))?;
            if let Some(fault) = pattern::fault(&text.value()).filter(|_| *name == "pattern") {
                return Err(Error::new(text.span(), format!("not a regular expression: {fault}")));
            }
            return self.keyword(Keyword {
                name,
                attribute,
                node: quote!(__json_schema::Node::Text { text: #text }),
                number: None,
                text: Some(text.value()),
                span,
                value_span: text.span(),
            });
        }
        if let Some(name) = OF_SERDE.iter().find(|name| meta.path.is_ident(name)) {
            let message = format!("`{name}` is an attribute of serde: write `#[serde({name} …)]`");
            return Err(Error::new(span, message));
        }
        Err(meta.error(
            "unknown keyword; the keywords are `minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum`, `multiple_of`, `min_length`, \
             `max_length`, `min_items`, `max_items`, `unique_items`, `description`, `title`, `pattern`, `format`, or `value` for a whole schema",
        ))
    }

    fn keyword(&mut self, keyword: Keyword) -> Result<()> {
        if self.has(keyword.name) {
            return Err(mistakes::repeated(keyword.span, keyword.attribute));
        }
        self.keywords.push(keyword);
        Ok(())
    }

    /// Whether the elements of the list must differ.
    pub(crate) fn is_unique(&self) -> bool {
        self.has("uniqueItems")
    }

    /// Whether one of the keywords is `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.keywords.iter().any(|keyword| keyword.name == name)
    }
}

/// Reads `name = "text"`; refuses different names for reading and writing.
fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    if meta.input.peek(syn::token::Paren) {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        let message = format!("two names, for reading and writing: a schema has one name, so write `{name} = \"…\"`");
        return Err(meta.error(message));
    }
    meta.value()?.parse()
}

/// Reads the value of `name = value`. If its type is wrong, the error text contains `expected`.
fn written<T: Parse>(meta: &ParseNestedMeta<'_>, expected: &str) -> Result<T> {
    let refused = |span| Error::new(span, format!("write {expected}"));
    let value = meta.value().map_err(|_| refused(meta.path.span()))?;
    let start = value.span();
    value.parse().map_err(|_| refused(start))
}

/// Reads a Rust number and returns it as a JSON number without an exponent.
fn number(meta: &ParseNestedMeta<'_>, attribute: &str) -> Result<String> {
    let expected = format!("a number: `{attribute} = 1`");
    let sign = written::<Option<Token![-]>>(meta, &expected)?.map_or("", |_| "-");
    let refused = |span| Error::new(span, format!("write {expected}"));
    let start = meta.input.span();
    let number = match meta.input.parse().map_err(|_| refused(start))? {
        Lit::Int(number) => number.base10_digits().to_owned(),
        // the text of a float is written without an exponent
        Lit::Float(number) if number.base10_parse::<f64>()?.is_finite() => number.base10_parse::<f64>()?.to_string(),
        other => return Err(refused(other.span())),
    };
    Ok(format!("{sign}{number}"))
}

fn case(meta: &ParseNestedMeta<'_>) -> Result<Case> {
    let name = text(meta)?;
    Case::from_name(&name.value()).ok_or_else(|| Error::new(name.span(), "not a case that serde knows"))
}

/// Skips the value of an attribute, if there is one.
fn skip_value(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<TokenStream>()?;
    }
    Ok(())
}
