//! The texts of errors, without `core::fmt`.

use nanojsonrpc::{ErrorCode, ErrorKind};

use crate::used;

#[unsafe(no_mangle)]
pub fn words(kind: ErrorKind, code: ErrorCode) {
    used((kind.as_str(), code.kind()));
}
