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
const ANY_VERSION: u32 = 1 << 5;
const ANY_OUTCOME: u32 = 1 << 6;
const NULL_ID_NOTIFIES: u32 = 1 << 7;
const SPELLED_ID: u32 = 1 << 8;
/// Nothing is written with a version; of a message that was read, it had none.
const NO_VERSION: u32 = 1 << 9;
/// The bits of the maximum number of elements of a batch; all of them mean no limit.
const MAX_BATCH: u32 = !0xFFF;
const BATCH: u32 = MAX_BATCH.trailing_zeros();

impl Dialect {
    /// JSON-RPC 2.0, as specified: an id is a string, number or null; params are an object or array. Null as params means none.
    pub const JSON_RPC: Self = Self { rules: ANY_NUMBER_ID | NULL_ID | MAX_BATCH, max_len: usize::MAX };

    /// Cauce, a protocol between hubs and adapters of sensors: an id is a string or integer, null only on an error response; params are
    /// any value; no batches.
    pub const CAUCE: Self = Self { rules: ANY_PARAMS, max_len: usize::MAX };

    /// The Model Context Protocol: an id is a string or integer; an error response may have a null id or no id, and a server omits the id
    /// if it could not read that of the request; params are an object, whose unknown members a handler without params ignores, because each
    /// message may have `_meta`; no batches.
    pub const MCP: Self = Self { rules: ERROR_WITHOUT_ID | OBJECT_PARAMS, max_len: usize::MAX };

    /// What devices and peers of JSON-RPC 1.0 write instead of JSON-RPC 2.0: the rules of all settings `with_any_…`, and
    /// [`with_null_id_as_notification`](Self::with_null_id_as_notification). Each can be set alone. Names are exact, and no member may be
    /// repeated, as in every dialect.
    ///
    /// ```
    /// use nanojsonrpc::client::{Answer, Client};
    /// use nanojsonrpc::{Dialect, Envelope, Router, Server, Writer};
    ///
    /// let mut server = Server::new(Router::new().request("Switch.Set", |is_on: &mut bool| {
    ///     *is_on = true;
    ///     Ok(())
    /// }));
    /// server = server.with_dialect(Dialect::LENIENT);
    /// let (mut is_on, mut output) = (false, [0; 96]);
    /// let answer = server.process(&mut is_on, br#"{"id":1,"src":"user_1","method":"Switch.Set","params":null}"#, &mut output);
    /// assert_eq!(answer.answer(), Some(&br#"{"result":null,"id":1}"#[..])); // without a version, as the request
    ///
    /// let mut client: Client<char, 2> = Client::new().with_dialect(Dialect::LENIENT);
    /// client.call("authorize", &[1], 'a', &mut Writer::new(&mut [0; 96]))?;
    /// let refused = Envelope::parse_as(br#"{"id":"1","result":null,"error":[20,"no such user",null]}"#, Dialect::LENIENT)?;
    /// assert_eq!(client.accept(&refused), Some(Answer::To('a')));
    /// let error = refused.error_object().expect("an error");
    /// assert_eq!(error.data.and_then(|data| data.element(0)).and_then(|code| code.as_i64()), Some(20));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// The same rules, one by one:
    ///
    /// ```
    /// use nanojsonrpc::Dialect;
    ///
    /// const DEVICE: Dialect = Dialect::JSON_RPC.with_any_version().with_any_params().with_any_outcome();
    /// assert_eq!(DEVICE.with_any_spelling().with_null_id_as_notification(), Dialect::LENIENT);
    /// ```
    pub const LENIENT: Self = Self::JSON_RPC
        .with_any_version()
        .with_any_params()
        .with_any_outcome()
        .with_any_spelling()
        .with_null_id_as_notification();

    const fn with(self, rule: u32) -> Self {
        Self { rules: self.rules | rule, ..self }
    }

    /// Reads messages whose `jsonrpc` is absent or has any value. A server answers a request without `jsonrpc` without it.
    #[must_use]
    pub const fn with_any_version(self) -> Self {
        self.with(ANY_VERSION)
    }

    /// Reads params of any JSON type.
    #[must_use]
    pub const fn with_any_params(self) -> Self {
        Self { rules: self.rules & !OBJECT_PARAMS | ANY_PARAMS, ..self }
    }

    /// Reads responses as JSON-RPC 1.0 and its relatives write them. Of `result` and `error`, the one that is not null counts; if both are null,
    /// the result does. A method beside them is ignored. The error may have any value: an object lends its `code` and `message`, 0 and an empty one if it
    /// has none; a value with neither of them is the data of the error. A response may lack its id.
    #[must_use]
    pub const fn with_any_outcome(self) -> Self {
        self.with(ANY_OUTCOME)
    }

    /// Reads a request with the id null as a notification, as in JSON-RPC 1.0.
    #[must_use]
    pub const fn with_null_id_as_notification(self) -> Self {
        self.with(NULL_ID_NOTIFIES)
    }

    /// Accepts responses of peers that change the spelling of numbers: `"1"` and `1.0` also answer the call 1.
    ///
    /// A client accepts the integer in a string, spelled as this crate writes it (not `"01"`), and the integer with a fraction of
    /// zeros. A call with exactly the id of the response takes precedence: of the calls `"1"` and 1, a response with `"1"` answers the
    /// first, and a second one is its `Duplicate`.
    ///
    /// ```
    /// use nanojsonrpc::Dialect;
    ///
    /// assert!(!Dialect::JSON_RPC.allows_any_spelling() && Dialect::JSON_RPC.with_any_spelling().allows_any_spelling());
    /// ```
    #[must_use]
    pub const fn with_any_spelling(self) -> Self {
        self.with(SPELLED_ID)
    }

    /// Writes messages without `jsonrpc`, as in JSON-RPC 1.0. To read them, too, see [`with_any_version`](Self::with_any_version).
    ///
    /// ```
    /// use nanojsonrpc::{Client, Dialect, Request, Writer};
    ///
    /// let mut buffer = [0; 64];
    /// let mut client: Client<(), 1> = Client::new().with_dialect(Dialect::LENIENT.without_version());
    /// let mut out = Writer::new(&mut buffer);
    /// client.call("mining.subscribe", &["miner"], (), &mut out)?;
    /// assert_eq!(out.written(), br#"{"method":"mining.subscribe","params":["miner"],"id":1}"#);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    #[must_use]
    pub const fn without_version(self) -> Self {
        self.with(NO_VERSION)
    }

    /// Sets the maximum number of elements of a batch; 0 refuses batches; 2^20 - 1 or more means no limit, which is the default, because a
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
        if self.has(ERROR_WITHOUT_ID) { "" } else { "null" }
    }

    /// Whether a response, which is an error response if `is_error`, may lack its id.
    pub(super) const fn allows_response_without_id(self, is_error: bool) -> bool {
        self.has(if is_error { ANY_OUTCOME | ERROR_WITHOUT_ID } else { ANY_OUTCOME })
    }

    /// Whether [`relax`](super::classify) changes any message.
    pub(super) const fn is_lenient(self) -> bool {
        self.has(ANY_VERSION | ANY_OUTCOME | NULL_ID_NOTIFIES)
    }

    pub(super) const fn allows_any_version(self) -> bool {
        self.has(ANY_VERSION)
    }

    pub(crate) const fn allows_any_outcome(self) -> bool {
        self.has(ANY_OUTCOME)
    }

    pub(super) const fn reads_null_id_as_notification(self) -> bool {
        self.has(NULL_ID_NOTIFIES)
    }

    /// Whether a response may have the id of its call in another spelling; see [`with_any_spelling`](Self::with_any_spelling).
    pub const fn allows_any_spelling(self) -> bool {
        self.has(SPELLED_ID)
    }

    /// The rules with a mark for a message that lacks `jsonrpc`.
    #[inline(always)]
    pub(super) fn rules_of_message(self, lacks_version: impl FnOnce() -> bool) -> u32 {
        if self.has(ANY_VERSION) && lacks_version() { self.rules | NO_VERSION } else { self.rules }
    }

    /// Whether messages are written with `jsonrpc`.
    pub(crate) const fn writes_version(self) -> bool {
        !self.has(NO_VERSION)
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

    /// Whether params are objects, of which a receiver ignores unknown members.
    pub(crate) const fn has_object_params(self) -> bool {
        self.has(OBJECT_PARAMS)
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
            .field("any_version", &self.has(ANY_VERSION))
            .field("any_outcome", &self.has(ANY_OUTCOME))
            .field("null_id_as_notification", &self.has(NULL_ID_NOTIFIES))
            .field("any_spelling", &self.has(SPELLED_ID))
            .field("version", &self.writes_version())
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
            "Dialect {{ any_number_id: {=bool}, null_id: {=bool}, error_without_id: {=bool}, any_version: {=bool}, any_outcome: {=bool}, \
             null_id_as_notification: {=bool}, any_spelling: {=bool}, version: {=bool}, params: {}, max_batch: {=usize}, \
             max_len: {=usize} }}",
            self.has(ANY_NUMBER_ID),
            self.has(NULL_ID),
            self.has(ERROR_WITHOUT_ID),
            self.has(ANY_VERSION),
            self.has(ANY_OUTCOME),
            self.has(NULL_ID_NOTIFIES),
            self.has(SPELLED_ID),
            self.writes_version(),
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
