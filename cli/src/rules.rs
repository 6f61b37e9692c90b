//! The rules that texts and sessions break, with the section of each.

use nanojsonrpc::ErrorKind;

/// A rule of a specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub(crate) struct Rule {
    #[serde(rename = "rule")]
    pub(crate) sentence: &'static str,
    pub(crate) section: &'static str,
    /// What a strict program does with a text that breaks the rule; empty if that depends on the text.
    #[serde(skip)]
    pub(crate) effect: &'static str,
}

impl Rule {
    const fn new(section: &'static str, sentence: &'static str, effect: &'static str) -> Self {
        Self { section, sentence, effect }
    }

    /// The rule that a text with a fault of this kind breaks.
    pub(crate) const fn of(kind: ErrorKind) -> Self {
        use ErrorKind as K;
        let (section, sentence) = match kind {
            K::UnexpectedEnd => ("RFC 8259 §2", "a text has one complete value"),
            K::ExpectedValue => {
                ("RFC 8259 §3", "a value is an object, an array, a string, a number, true, false or null")
            }
            K::ExpectedName => ("RFC 8259 §4", "a member begins with its name in double quotation marks"),
            K::ExpectedColon => ("RFC 8259 §4", "a colon follows the name of a member"),
            K::TrailingData => ("RFC 8259 §2", "only white space follows the value of a text"),
            K::ExpectedComma => {
                ("RFC 8259 §4, §5", "a comma or the closing bracket follows a value in an object or array")
            }
            K::InvalidLiteral => ("RFC 8259 §3", "the only literals are true, false and null"),
            K::InvalidNumber => (
                "RFC 8259 §6",
                "a number has no leading zero and no plus sign, and digits follow its point and its exponent",
            ),
            K::InvalidEscape => {
                ("RFC 8259 §7", "one of \" \\ / b f n r t, or u and four hexadecimal digits, follows a backslash")
            }
            K::LoneSurrogate => ("RFC 8259 §8.2", "half of a surrogate pair is no character"),
            K::InvalidUtf8 => ("RFC 8259 §8.1", "a text is UTF-8"),
            K::ControlCharacter => ("RFC 8259 §7", "a control character in a string is escaped"),
            K::TooDeep => ("RFC 8259 §9", "a parser may limit the depth, here to 63 levels"),
            K::NotAMessage => ("JSON-RPC 2.0 §4", "a message is an object, or an array of objects"),
            K::EmptyBatch => ("JSON-RPC 2.0 §6", "a batch has at least one message"),
            K::BatchNotAllowed => ("the dialect", "a text is one message, not a batch"),
            K::RepeatedMember => ("RFC 8259 §4", "a name appears once in an object"),
            K::MissingVersion => ("JSON-RPC 2.0 §4", "a message has the member \"jsonrpc\": \"2.0\""),
            K::InvalidVersion => ("JSON-RPC 2.0 §4", "jsonrpc is exactly the string \"2.0\""),
            K::MissingMember => ("JSON-RPC 2.0 §4, §5", "a request has method, a response has result or error"),
            K::ConflictingMembers => ("JSON-RPC 2.0 §5", "a message has only one of method, result and error"),
            K::InvalidMethod => ("JSON-RPC 2.0 §4", "method is a string, and not empty"),
            K::MissingId => ("JSON-RPC 2.0 §5", "a response has the id of its request"),
            K::InvalidId => (
                "JSON-RPC 2.0 §4, §5",
                "id is a string, a number or null; MCP allows strings and integers, and null in errors",
            ),
            K::InvalidParams => ("JSON-RPC 2.0 §4.2", "params are an array or an object; MCP allows an object only"),
            K::InvalidErrorObject => ("JSON-RPC 2.0 §5.1", "an error has an integer code and a string message"),
            K::IdTooLong | K::MethodTooLong | K::BatchTooLong | K::MessageTooLong => {
                ("the capacity", "the text fits the limits of the program")
            }
            _ => ("JSON-RPC 2.0 §4, §5", "a message is of the expected kind"),
        };
        Self::new(section, sentence, "")
    }
}

macro_rules! rules {
    ($($name:ident $section:literal $sentence:literal $effect:literal)*) => {$(
        pub(crate) const $name: Rule = Rule::new($section, $sentence, $effect);
    )*};
}

rules! {
    // answers
    ANSWER "JSON-RPC 2.0 §5" "a request gets an answer" "a client waits until its time limit"
    ANSWER_ID "JSON-RPC 2.0 §5" "an answer has exactly the id of its request" "a client drops the answer, and its call waits until its time limit"
    NULL_ID "JSON-RPC 2.0 §5" "an error has the id null only if the id of the request cannot be read" "a client with several calls in flight drops the error"
    NO_REQUEST "JSON-RPC 2.0 §5" "an answer belongs to a request" "a client drops it"
    ONE_ANSWER "JSON-RPC 2.0 §5" "a request gets one answer" "a client drops the second one"
    RESPONSE "JSON-RPC 2.0 §5" "a response gets no answer" "a peer that answered it, too, would never end"
    NOTIFICATION "JSON-RPC 2.0 §4.1" "a notification gets no answer" "a client drops the answer, or takes it for that of another call"
    ID_IN_FLIGHT "JSON-RPC 2.0 §4" "the id tells a request from others that wait for their answers" "a client cannot tell which call is answered"
    CODE "JSON-RPC 2.0 §5.1" "the code tells the kind of the error" "a client that decides by the code does the wrong thing"
    RESERVED "JSON-RPC 2.0 §5.1" "codes from -32768 to -32000 without a meaning are reserved" "a client takes the code for one of a later specification"
    // batches
    ONE_ARRAY "JSON-RPC 2.0 §6" "one array answers a batch, and nothing else" "a client that waits for the array drops the answer"
    WHOLE_BATCH "JSON-RPC 2.0 §6" "the array has an answer to each request of the batch" "a client waits until its time limit for the others"
    // texts that a peer has to understand
    UNREADABLE "JSON-RPC 2.0 §5.1" "a text that is no request gets an error" "a client waits until its time limit"
    SERVES_ON "JSON-RPC 2.0 §5.1" "a peer answers the texts behind any text" "a client loses all calls in flight"
    // MCP
    FIRST "MCP, lifecycle" "the first message is the request initialize, or each request names its revision in _meta" "a server answers with an error"
    INITIALIZED "MCP, lifecycle" "notifications/initialized follows the result of initialize, before other requests than ping" "a server may refuse the request"
    EARLY "MCP, lifecycle" "before notifications/initialized a server sends only ping and notifications/message" "a client may not be ready, and drop it"
    RESULT "MCP, schema" "a result has the members of its method" "a client refuses the result"
    TOOL "MCP, tools" "a tool has a name and an inputSchema of the type object" "a client cannot call the tool"
    UNKNOWN_TOOL "MCP, tools" "an unknown tool is an error" "a model takes the result for that of the tool"
}
