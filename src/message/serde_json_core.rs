//! The errors of serde-json-core as error objects, so that `?` works in a handler that uses it.

use serde_json_core::{de, ser};

use super::ErrorObject;
use crate::error::Error;

/// -32602: what it was to read are params that have been validated.
impl From<de::Error> for ErrorObject<'static> {
    fn from(error: de::Error) -> Self {
        Error::from(error).into()
    }
}

/// -32603: there is no room for what it was to write.
impl From<ser::Error> for ErrorObject<'static> {
    fn from(error: ser::Error) -> Self {
        Error::from(error).into()
    }
}
