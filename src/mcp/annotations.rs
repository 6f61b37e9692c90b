//! The annotations in the input schema of a tool: which params headers repeat. 2026-07-28, Streamable HTTP, Schema Extension.

use heapless::Vec;

use crate::error::{Error, ErrorKind};
use crate::json::{Elements, Kind, Members, RawStr, RawValue};

/// The member of a schema that names the header which repeats a param.
const ANNOTATION: &str = "x-mcp-header";

/// The greatest nesting of objects and arrays in a schema with annotations.
const MAX_DEPTH: usize = 24;

/// The value of an annotation that a chain of `properties` reaches, the schema of its param, and the param in the arguments.
pub(super) struct Annotation<'a> {
    pub(super) name: RawValue<'a>,
    pub(super) schema: RawValue<'a>,
    pub(super) param: Option<RawValue<'a>>,
}

/// The annotations of a schema, in the order of their params. A walk without recursion, because a peer chooses the nesting.
///
/// Fails at an annotation that no chain of `properties` reaches: it makes "the annotation — and thus the tool definition — invalid"; at a
/// param that the arguments have twice, so that two readers may read different values; and at an object or array that is nested too deeply.
pub(super) struct Annotations<'a> {
    open: Vec<Level<'a>, MAX_DEPTH>,
}

/// The place of a value in the schema.
enum Place<'a> {
    /// The schema of all arguments, or of a param, and its value. Of members with one name, only the first counts: whether its annotation
    /// and its `properties` may still come.
    Param { value: Option<RawValue<'a>>, expects_annotation: bool, expects_properties: bool },
    /// The `properties` of a [`Param`](Place::Param), and the value of that.
    Params(Option<RawValue<'a>>),
    /// Other `properties`: their names are no words of a schema.
    Names,
    /// Any other value.
    Other,
}

impl<'a> Place<'a> {
    const fn param(value: Option<RawValue<'a>>, expects_annotation: bool) -> Self {
        Self::Param { value, expects_annotation, expects_properties: true }
    }
}

/// An object or array whose values are being visited.
struct Level<'a> {
    place: Place<'a>,
    values: Values<'a>,
}

enum Values<'a> {
    Members(Members<'a>),
    Elements(Elements<'a>),
}

impl<'a> Values<'a> {
    /// The next value; elements have no name.
    fn next(&mut self) -> Option<(RawStr<'a>, RawValue<'a>)> {
        match self {
            Self::Members(members) => members.next(),
            Self::Elements(elements) => Some((RawStr::default(), elements.next()?)),
        }
    }
}

pub(super) const fn invalid(raw: RawValue<'_>) -> Error {
    Error::new(ErrorKind::InvalidValue, raw.offset())
}

impl<'a> Annotations<'a> {
    pub(super) fn new(schema: RawValue<'a>, arguments: Option<RawValue<'a>>) -> Self {
        let mut annotations = Self { open: Vec::new() };
        // one level fits
        _ = annotations.open(schema, Place::param(arguments, false));
        annotations
    }

    /// Visits the values of `value` next, if it has any.
    fn open(&mut self, value: RawValue<'a>, place: Place<'a>) -> Result<(), Error> {
        let values = match value.kind() {
            Kind::Object => Values::Members(value.members()),
            Kind::Array => Values::Elements(value.elements()),
            _ => return Ok(()),
        };
        self.open.push(Level { place, values }).map_err(|_| invalid(value))
    }

    /// The next annotation; `None` after the last one.
    pub(super) fn step(&mut self) -> Result<Option<Annotation<'a>>, Error> {
        while let Some(level) = self.open.last_mut() {
            let Some((name, value)) = level.values.next() else {
                self.open.pop();
                continue;
            };
            let place = match &mut level.place {
                Place::Params(arguments) => {
                    let param = param_in(*arguments, name)?;
                    let annotation = value.get(ANNOTATION);
                    self.open(value, Place::param(param, annotation.is_some()))?;
                    if let Some(name) = annotation {
                        return Ok(Some(Annotation { name, schema: value, param }));
                    }
                    continue;
                }
                Place::Names => Place::Other,
                // their values are data
                _ if ["default", "const", "enum", "examples"].into_iter().any(|data| name == *data) => continue,
                // it has been returned with the param
                Place::Param { expects_annotation: expected @ true, .. } if name == *ANNOTATION => {
                    *expected = false;
                    continue;
                }
                _ if name == *ANNOTATION => return Err(invalid(value)),
                Place::Param { value, expects_properties: expected @ true, .. } if name == *"properties" => {
                    *expected = false;
                    Place::Params(*value)
                }
                _ if name == *"properties" => Place::Names,
                _ => Place::Other,
            };
            self.open(value, place)?;
        }
        Ok(None)
    }
}

/// The param `name` in `arguments`, if it is there and not null.
fn param_in<'a>(arguments: Option<RawValue<'a>>, name: RawStr<'a>) -> Result<Option<RawValue<'a>>, Error> {
    let mut values = arguments.into_iter().flat_map(RawValue::members).filter(|(member, _)| *member == name);
    let value = values.next().map(|(_, value)| value).filter(|value| !value.is_null());
    match values.next() {
        Some((_, second)) => Err(invalid(second)),
        None => Ok(value),
    }
}
