//! The rules of the lenient dialect a second time, over `serde_json`.

use nanojsonrpc::EnvelopeKind;
use serde_json::Value;

/// The kind and the payload of one object; `None` if it is refused.
pub(crate) fn reference(object: &Value) -> Option<(EnvelopeKind, Option<Value>)> {
    let (result, error) = (object.get("result"), object.get("error"));
    let (id, method) = (object.get("id"), object.get("method"));
    let is_id = id.is_none_or(|id| id.is_null() || id.is_string() || id.is_number());
    if !is_id {
        return None;
    }
    if result.is_some() || error.is_some() {
        return match (result.filter(|result| !result.is_null()), error.filter(|error| !error.is_null())) {
            (Some(_), Some(_)) => None,
            (None, Some(error)) => Some((EnvelopeKind::Error, Some(error.clone()))),
            (result, None) => Some((EnvelopeKind::Success, Some(result.cloned().unwrap_or_default()))),
        };
    }
    method?.as_str().filter(|method| !method.is_empty())?;
    let params = object.get("params").filter(|params| !params.is_null()).cloned();
    let is_call = id.is_some_and(|id| !id.is_null());
    Some((if is_call { EnvelopeKind::Request } else { EnvelopeKind::Notification }, params))
}
