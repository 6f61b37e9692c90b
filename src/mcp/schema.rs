//! The JSON Schema of the arguments of a tool, checked when the program is compiled.

use core::fmt;

use super::schema;
use super::value::value;

use crate::error::{Error, ErrorKind};
use crate::json::{Kind, RawValue, ToJson, ValueWriter, Written, constant};

/// A JSON Schema for the arguments of a tool: valid JSON, an object whose `type` is `object`, as the protocol requires.
///
/// # Who checks the arguments
/// The text of a schema is for clients. This crate neither checks the rest of it nor validates arguments by it: that is the task of the
/// program, as is an `outputSchema` that is given as a text. The limits of a type are checked: declare the tool as a method of a
/// service (`#[nanojsonrpc::service(mcp)]`), or take `server::Checked` arguments and return a `Checked` value in `Structured`, with the schema from
/// `schema_of!` as below.
///
/// # Constants
/// The macro [`schema!`](super::schema) lets the compiler check a constant:
///
/// ```
/// use nanojsonrpc::mcp::{Schema, schema};
///
/// const ADD: Schema = schema!(r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#);
/// assert_eq!(ADD.raw().pointer("/required/0").and_then(|name| name.as_str()), Some("a"));
/// ```
///
/// ```compile_fail
/// const BROKEN: nanojsonrpc::mcp::Schema = nanojsonrpc::mcp::schema!(r#"{"type":"object",}"#);
/// # assert!(BROKEN.raw().is_null());
/// ```
///
/// With the feature `macros`, the schema comes from the type that the handler takes. The derive macro `nanojsonrpc::Schema` has the same
/// name as this type:
///
/// ```
/// # #[cfg(feature = "macros")] {
/// use nanojsonrpc::json_schema::schema_of;
/// use nanojsonrpc::mcp::{Schema, schema};
///
/// #[derive(serde::Deserialize, nanojsonrpc::Schema)]
/// struct Dim {
///     #[schema(maximum = 100)]
///     level: u8,
/// }
///
/// const DIM: Schema = schema!(schema_of!(Dim));
/// assert_eq!(DIM.raw().pointer("/properties/level/maximum").and_then(|maximum| maximum.as_i64()), Some(100));
/// # }
/// ```
///
/// # Types of other crates
/// Any text is a schema at run time, also one that a host has made for a type of another crate. So a type with
/// `#[derive(schemars::JsonSchema)]` needs no second description, and this crate no dependency:
/// `Schema::parse(schemars::schema_for!(T).as_value().to_string().leak())`, once for the life of the program. serde reads the arguments into
/// that type; its limits, such as `range`, are those of a text. In the repository, `tests/schemas/tests/schemars.rs` does this.
#[derive(Clone, Copy)]
pub struct Schema<'a>(RawValue<'a>);

/// A [`Schema`](crate::mcp::Schema) of a constant. An invalid schema does not compile.
#[macro_export]
#[doc(hidden)]
macro_rules! __mcp_schema {
    ($text:expr) => {
        const {
            match $crate::mcp::Schema::constant($text) {
                ::core::option::Option::Some(__schema) => __schema,
                ::core::option::Option::None => {
                    ::core::panic!("the schema of a tool is a JSON object with the member `\"type\":\"object\"`")
                }
            }
        }
    };
}

impl<'a> Schema<'a> {
    /// For tools without arguments.
    pub const NO_ARGUMENTS: Schema<'static> = schema!(r#"{"type":"object","additionalProperties":false}"#);

    /// The schema `text`; `None` if `text` is not a schema, or if the value `object` or a member name before `type` has an escape.
    /// [`schema!`](super::schema) calls this function.
    pub const fn constant(text: &'a str) -> Option<Self> {
        match RawValue::constant(text) {
            Some(raw) if constant::has_member(raw.as_bytes(), b"type\"", b"object\"") => Some(Self(raw)),
            _ => None,
        }
    }

    /// Reads the schema `text`.
    ///
    /// # Errors
    /// A syntax error, and the errors of [`read`](Self::read).
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        Self::read(RawValue::parse(text.as_bytes())?)
    }

    /// Reads the schema `raw`.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) if it is not an object, [`MissingField`](ErrorKind::MissingField) if it has
    /// no `type`, [`InvalidValue`](ErrorKind::InvalidValue) if that is not `object`; with the offset of the fault.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        if raw.kind() != Kind::Object {
            return Err(Error::new(ErrorKind::UnexpectedType, raw.offset()));
        }
        let kind = raw.get("type").ok_or(Error::new(ErrorKind::MissingField, raw.offset()))?;
        match kind.as_str_raw() {
            Some(text) if text == "object" => Ok(Self(raw)),
            _ => Err(Error::new(ErrorKind::InvalidValue, kind.offset())),
        }
    }

    /// The schema as JSON.
    pub const fn raw(self) -> RawValue<'a> {
        self.0
    }
}

impl fmt::Debug for Schema<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Schema<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        self.0.format(f);
    }
}

impl ToJson for Schema<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.value(&self.0)
    }
}

value!(Schema<'a>);
