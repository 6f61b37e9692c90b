//! The errors of serde-json-core as error objects, so that `?` works in a handler that uses it.

use serde_json_core::{de, ser};

use super::ErrorObject;
use crate::error::Error;

/// -32602: the text is validated, so the fault is a mismatch between the params and their type.
impl From<de::Error> for ErrorObject<'static> {
    fn from(error: de::Error) -> Self {
        Error::from(error).into()
    }
}

/// -32603: the output has no room for the value.
impl From<ser::Error> for ErrorObject<'static> {
    fn from(error: ser::Error) -> Self {
        Error::from(error).into()
    }
}
