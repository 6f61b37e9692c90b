//! Whether the headers that the schema of a tool requests agree with the arguments of a call.

use super::response::{Response, SessionChange};
use super::{Endpoint, Head};
use crate::error::{Error, ErrorKind};
use crate::http::store;
use crate::json::{Output, RawStr, RawValue};
use crate::mcp::mirror::{each_param, is_param};
use crate::mcp::service::{Refusal, string_in};
use crate::mcp::types::PROTOCOL_VERSION;
use crate::mcp::{Revision, method};
use crate::message::{Dialect, Envelope, Envelopes, ErrorCode};
use crate::server::Exchange;

/// The names and input schemas of tools.
type Tools<'t> = &'t [(&'t str, RawValue<'t>)];

impl Endpoint<'_> {
    /// Compares the headers `Mcp-Param-…` of a `tools/call` of 2026-07-28 with its arguments, before [`answer`](Self::answer) answers it:
    /// `None` if they agree, or else the response, 400 with -32020 and the id of the call. `tools`: the names and input schemas of the tools
    /// with `x-mcp-header`; the call of another tool agrees. `headers`: all headers of the request.
    ///
    /// A param that is absent or null has no header. Any other has exactly one: a string as it is or in base64, `true`, `false`, an integer.
    /// An argument of the schema that occurs twice agrees with nothing, because the handler may read the other value.
    /// Integers are compared as numbers, so `42.0` is 42, but one with an exponent or with more than 64 bits as a text.
    ///
    /// ```
    /// use nanojsonrpc::RawValue;
    /// use nanojsonrpc::mcp::http::{Endpoint, Head};
    ///
    /// let schema = RawValue::parse(br#"{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}"#)?;
    /// let tools = [("switch", schema)];
    /// let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"switch","arguments":{"zone":"attic"},"_meta":{
    ///     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    /// let (endpoint, mut output) = (Endpoint::new(), [0; 128]);
    ///
    /// let headers = [("Mcp-Method", "tools/call"), ("Mcp-Name", "switch"), ("Mcp-Param-Zone", "attic")];
    /// let head = Head::from_headers("POST", headers);
    /// assert_eq!(endpoint.refuse_params(&tools, &head, headers, body, &mut output), None);
    ///
    /// // a proxy in front of the server has read another zone
    /// let headers = [("Mcp-Method", "tools/call"), ("Mcp-Name", "switch"), ("Mcp-Param-Zone", "cellar")];
    /// let head = Head::from_headers("POST", headers);
    /// let response = endpoint.refuse_params(&tools, &head, headers, body, &mut output).expect("a refusal");
    /// assert_eq!(response.status(), 400);
    /// let error = br#"{"jsonrpc":"2.0","error":{"code":-32020,"message":"Header mismatch: Mcp-Param"},"id":1}"#;
    /// assert_eq!(response.body(), error);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Limits
    /// Time: one pass over the body, which the endpoint reads again, and for each annotation one over the headers and the schema. A schema
    /// has at most 24 levels and 64 annotations. If the schema of a tool has annotations that the [specification forbids](crate::mcp::client::http::headers_in),
    /// each call of the tool is refused. If a message of a batch disagrees, each request of the batch is refused. A message without an
    /// id gets no body.
    ///
    /// Source: 2026-07-28, Streamable HTTP, Server Behavior for Custom Headers, Server Validation.
    pub fn refuse_params<'n, 'h, 'o, V: AsRef<[u8]> + ?Sized + 'h, O: Output + ?Sized>(
        &self,
        tools: &[(&str, RawValue<'_>)],
        head: &Head<'_>,
        headers: impl IntoIterator<Item = (&'n str, &'h V)> + Clone,
        body: &[u8],
        output: &'o mut O,
    ) -> Option<Response<'o>> {
        let find = |name: RawStr<'_>| {
            let mut value = None;
            for (header, text) in headers.clone() {
                if is_header(header.as_bytes(), name) {
                    store(&mut value, text.as_ref());
                }
            }
            value
        };
        // `answer` refuses other origins and methods
        if self.without_body(head).is_some() || all_agree(tools, body, &find) {
            return None;
        }
        let mut exchange = Exchange::new(body, output, Dialect::LENIENT);
        while exchange.next_message().is_some() {
            _ = Refusal::new(ErrorCode::HEADER_MISMATCH, "Header mismatch: Mcp-Param").reply(exchange.reply());
        }
        let answer = exchange.finish().answer().unwrap_or_default();
        Some(Response::message(400, answer, false, SessionChange::Same))
    }
}

/// Whether `header` is `Mcp-Param-` and `name`, in upper or lower case.
fn is_header(header: &[u8], name: RawStr<'_>) -> bool {
    const FRONT: &[u8] = b"mcp-param-";
    let Some((front, behind)) = header.split_at_checked(FRONT.len()) else { return false };
    let lower = |byte: u8| byte.to_ascii_lowercase();
    front.eq_ignore_ascii_case(FRONT) && name.bytes().map(lower).eq(behind.iter().copied().map(lower))
}

type Find<'f, 'h> = &'f dyn Fn(RawStr<'_>) -> Option<&'h [u8]>;

/// Whether each message in `body` agrees with the headers. The most lenient dialect reads them: a server reads no other messages.
#[inline(never)]
fn all_agree(tools: Tools<'_>, body: &[u8], find: Find<'_, '_>) -> bool {
    Envelopes::new(body, Dialect::LENIENT).flatten().all(|message| agrees(tools, &message, find))
}

fn agrees(tools: Tools<'_>, message: &Envelope<'_>, find: Find<'_, '_>) -> bool {
    let params = message.params().unwrap_or(RawValue::NULL);
    let said = params.get("_meta").and_then(|meta| string_in(meta, PROTOCOL_VERSION));
    let mut stateless = Revision::ALL.into_iter().filter(|revision| revision.is_stateless());
    let is_stateless = said.is_some_and(|said| stateless.any(|revision| said == *revision.as_str()));
    let name = string_in(params, "name").filter(|_| is_stateless && message.method() == *method::TOOLS_CALL);
    let Some((_, schema)) = name.and_then(|name| tools.iter().find(|(tool, _)| name == **tool)) else { return true };
    let mut compare = |name: RawStr<'_>, value: Option<RawValue<'_>>| match (find(name), value) {
        (None, None) => Ok(()),
        (Some(header), Some(value)) if is_param(header, value) => Ok(()),
        _ => Err(Error::new(ErrorKind::InvalidValue, 0)),
    };
    each_param(*schema, params.get("arguments"), &mut compare).is_ok()
}
