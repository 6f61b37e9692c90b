//! The rules that differ between protocols over JSON-RPC 2.0.

use core::fmt;

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
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// A bit for each rule, then the bits of [`MAX_BATCH`]. A dialect has two words, so it is passed in registers. The rules and limits of
    /// a constant dialect are constants in the called functions.
    rules: u32,
    max_len: usize,
}

const ANY_NUMBER_ID: u32 = 1;
const NULL_ID: u32 = 1 << 1;
const ERROR_WITHOUT_ID: u32 = 1 << 2;
const ANY_PARAMS: u32 = 1 << 3;
const OBJECT_PARAMS: u32 = 1 << 4;
/// The bits of the maximum number of elements of a batch; all of them mean no limit.
const MAX_BATCH: u32 = !0xFF;
const BATCH: u32 = MAX_BATCH.trailing_zeros();

impl Dialect {
    /// JSON-RPC 2.0, as specified: an id is a string, number or null; params are an object or array. Null as params means none.
    pub const JSON_RPC: Self = Self { rules: ANY_NUMBER_ID | NULL_ID | MAX_BATCH, max_len: usize::MAX };

    /// Cauce, a protocol between hubs and adapters of sensors: an id is a string or integer, null only on an error response; params are
    /// any value; no batches.
    pub const CAUCE: Self = Self { rules: ANY_PARAMS, max_len: usize::MAX };

    /// The Model Context Protocol: an id is a string or integer; an error response may have a null id or no id, and a server omits the id
    /// if it could not read that of the request; params are an object; no batches.
    pub const MCP: Self = Self { rules: ERROR_WITHOUT_ID | OBJECT_PARAMS, max_len: usize::MAX };

    /// Sets the maximum number of elements of a batch; 0 refuses batches; 2^24 - 1 or more means no limit, which is the default, because a
    /// batch needs no memory.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "compared before")]
    pub const fn with_max_batch(self, len: usize) -> Self {
        let max_batch = if len < (MAX_BATCH >> BATCH) as usize { (len as u32) << BATCH } else { MAX_BATCH };
        Self { rules: self.rules & !MAX_BATCH | max_batch, ..self }
    }

    /// Sets the maximum length of a text in bytes. Default: no limit.
    #[must_use]
    pub const fn with_max_len(self, len: usize) -> Self {
        Self { max_len: len, ..self }
    }

    pub(super) const fn rules(self) -> u32 {
        self.rules
    }

    pub(super) const fn of(rules: u32) -> Self {
        Self { rules, max_len: usize::MAX }
    }

    const fn has(self, rule: u32) -> bool {
        self.rules & rule != 0
    }

    /// The rule for `params`.
    pub const fn params(self) -> ParamsRule {
        if self.has(OBJECT_PARAMS) {
            ParamsRule::Object
        } else if self.has(ANY_PARAMS) {
            ParamsRule::Any
        } else {
            ParamsRule::Structured
        }
    }

    /// The maximum number of elements of a batch; 0 if batches are refused.
    pub const fn max_batch(self) -> usize {
        if self.has_max_batch() { (self.rules >> BATCH) as usize } else { usize::MAX }
    }

    /// The maximum length of a text in bytes.
    pub const fn max_len(self) -> usize {
        self.max_len
    }

    /// The id of an answer to a message whose id is unknown: `null`, or nothing.
    pub(crate) const fn unknown_id(self) -> &'static str {
        if self.allows_error_without_id() { "" } else { "null" }
    }

    /// Whether an error response may lack its id.
    pub(crate) const fn allows_error_without_id(self) -> bool {
        self.has(ERROR_WITHOUT_ID)
    }

    /// Whether an error response may have `id`.
    #[inline(always)]
    pub(super) fn allows_id(self, bit: u32, id: &[u8]) -> bool {
        bit & (Kind::String.bits() | Kind::Number.bits() | Kind::Null.bits()) != 0
            && (self.has(ANY_NUMBER_ID) || bit & Kind::Number.bits() == 0 || number::is_integer(id))
    }

    /// Whether a message may have `id`, which is a number.
    #[inline(always)]
    pub(super) fn allows_number_id(self, id: &[u8]) -> bool {
        self.has(ANY_NUMBER_ID) || number::is_integer(id)
    }

    /// Whether a call may have `params`, an object or array.
    #[inline(always)]
    pub(super) const fn allows_params(self, params: &[u8]) -> bool {
        !self.has(OBJECT_PARAMS) || matches!(params, [b'{', ..])
    }

    /// Whether the number of elements of a batch is limited.
    pub(super) const fn has_max_batch(self) -> bool {
        self.rules < MAX_BATCH
    }

    /// Whether messages other than error responses may have null as the id.
    pub(super) const fn allows_null_id(self) -> bool {
        self.has(NULL_ID)
    }

    /// The [bits](Kind::bit) of the types that `params` may have if present.
    pub(crate) const fn params_bits(self) -> u32 {
        // not a match of three cases, which would compile to a table
        let mut bits = Kind::Object.bits();
        if !self.has(OBJECT_PARAMS) {
            bits |= Kind::Array.bits() | Kind::Null.bits();
        }
        if self.has(ANY_PARAMS) {
            bits = !Kind::bit(&[]);
        }
        bits
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dialect")
            .field("any_number_id", &self.has(ANY_NUMBER_ID))
            .field("null_id", &self.has(NULL_ID))
            .field("error_without_id", &self.has(ERROR_WITHOUT_ID))
            .field("params", &self.params())
            .field("max_batch", &self.max_batch())
            .field("max_len", &self.max_len)
            .finish()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Dialect {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(
            f,
            "Dialect {{ any_number_id: {=bool}, null_id: {=bool}, error_without_id: {=bool}, params: {}, max_batch: {=usize}, \
             max_len: {=usize} }}",
            self.has(ANY_NUMBER_ID),
            self.has(NULL_ID),
            self.has(ERROR_WITHOUT_ID),
            self.params(),
            self.max_batch(),
            self.max_len
        );
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::JSON_RPC
    }
}
