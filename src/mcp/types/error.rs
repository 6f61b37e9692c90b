//! The error codes of the protocol, and their data.

use super::List;
use crate::mcp::value::object;
use crate::message::{ErrorCode, Str};

impl ErrorCode {
    /// The resource is unknown. 2024-11-05 to 2025-11-25; 2026-07-28 has [`INVALID_PARAMS`](Self::INVALID_PARAMS) for it.
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// A header of HTTP differs from the message. 2026-07-28.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a capability that the client has not declared. 2026-07-28.
    pub const MISSING_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The server does not support the revision of the request. 2026-07-28.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
}

object! {
    /// The data of [`UNSUPPORTED_PROTOCOL_VERSION`](ErrorCode::UNSUPPORTED_PROTOCOL_VERSION).
    UnsupportedVersion
    required {
        /// The supported revisions.
        supported: List<'a, Str<'a>> = "supported",
        /// The requested revision.
        requested: Str<'a> = "requested",
    }
    optional {}
}
