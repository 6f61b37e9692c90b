//! The rules that differ between protocols over JSON-RPC 2.0.

use crate::json::{Kind, number};

/// The types that `params` may have if present.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ParamsRule {
    /// An object, an array, or null, which means absent. JSON-RPC 2.0 §4.2.
    Structured,
    /// An object.
    Object,
    /// Any JSON value; null means absent.
    Any,
}

/// Rules and limits for reading, for several protocols with one parser.
///
/// ```
/// use nanojsonrpc::{Dialect, ErrorKind, Request};
///
/// const HUB: Dialect = Dialect::JSON_RPC.with_max_len(512).with_max_batch(8);
/// let text = br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#;
/// assert!(Request::parse_as(text, HUB).is_ok());
/// assert_eq!(Request::parse_as(text, Dialect::MCP).map_err(|r| r.kind()), Err(ErrorKind::InvalidId));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Dialect {
    any_number_id: bool,
    null_id: bool,
    error_without_id: bool,
    params: ParamsRule,
    max_batch: usize,
    max_len: usize,
}

impl Dialect {
    /// JSON-RPC 2.0, as specified: an id is a string, number or null; params are an object or array. Null as params means none.
    pub const JSON_RPC: Self = Self {
        any_number_id: true,
        null_id: true,
        error_without_id: false,
        params: ParamsRule::Structured,
        max_batch: usize::MAX,
        max_len: usize::MAX,
    };

    /// Cauce, a protocol between hubs and adapters of sensors: an id is a string or integer, null only on an error response; params are
    /// any value; no batches.
    pub const CAUCE: Self =
        Self { any_number_id: false, null_id: false, params: ParamsRule::Any, max_batch: 0, ..Self::JSON_RPC };

    /// The Model Context Protocol: an id is a string or integer; an error response may have null or no id, and a server
    /// writes none if it could not read the id; params are an object; no batches.
    pub const MCP: Self = Self { error_without_id: true, params: ParamsRule::Object, ..Self::CAUCE };

    /// Sets the maximum number of elements of a batch; 0 refuses batches. Default: no limit, because a batch needs no memory.
    pub const fn with_max_batch(self, len: usize) -> Self {
        Self { max_batch: len, ..self }
    }

    /// Sets the maximum length of a text in bytes. Default: no limit.
    pub const fn with_max_len(self, len: usize) -> Self {
        Self { max_len: len, ..self }
    }

    /// The rule for `params`.
    pub const fn params(self) -> ParamsRule {
        self.params
    }

    /// The maximum number of elements of a batch; 0 if batches are refused.
    pub const fn max_batch(self) -> usize {
        self.max_batch
    }

    /// The maximum length of a text in bytes.
    pub const fn max_len(self) -> usize {
        self.max_len
    }

    /// Whether an error response may lack its id.
    pub(crate) const fn allows_error_without_id(self) -> bool {
        self.error_without_id
    }

    /// Whether an error response may have `id`.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(super) fn allows_id(self, bit: u32, id: &[u8]) -> bool {
        bit & (Kind::String.bits() | Kind::Number.bits() | Kind::Null.bits()) != 0
            && (self.any_number_id || bit & Kind::Number.bits() == 0 || number::is_integer(id))
    }

    /// Whether a message may have `id`, which is a number.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn allows_number_id(self, id: &[u8]) -> bool {
        self.any_number_id || number::is_integer(id)
    }

    /// Whether a call may have `params`, an object or array.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) const fn allows_params(self, params: &[u8]) -> bool {
        !matches!(self.params, ParamsRule::Object) || matches!(params, [b'{', ..])
    }

    /// Whether messages other than error responses may have null as the id.
    pub(super) const fn allows_null_id(self) -> bool {
        self.null_id
    }

    /// The [bits](Kind::bit) of the types that `params` may have if present.
    pub(crate) const fn params_bits(self) -> u32 {
        match self.params {
            ParamsRule::Structured => Kind::Object.bits() | Kind::Array.bits() | Kind::Null.bits(),
            ParamsRule::Object => Kind::Object.bits(),
            ParamsRule::Any => !Kind::bit(&[]),
        }
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::JSON_RPC
    }
}
