//! One message to the server, and its answer, with a token if the server demands one.

use nanojsonrpc::frame::{Events, Framer};
use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::authorization::{Challenge, StepUp};
use nanojsonrpc::{Envelope, EnvelopeKind, RawValue};

use crate::authorization::Authorization;
use crate::http::{Response, request};
use crate::{Failure, ROOM};

/// The number of tokens for one message that the server may refuse.
const MAX_TOKENS: u8 = 2;

pub(crate) struct Peer {
    url: String,
    pub(crate) revision: Revision,
    authorization: Authorization,
    session: Option<String>,
}

impl Peer {
    pub(crate) const fn new(url: String, revision: Revision, authorization: Authorization) -> Self {
        Self { url, revision, authorization, session: None }
    }
}

/// Sends `message`, and returns the answer; `None` if there is none. If the server refuses the message for want of a token or of scopes, the
/// client gets a token and repeats the message.
pub(crate) fn exchange(peer: &mut Peer, message: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
    let (mut step_up, mut tokens) = (StepUp::new(), 0);
    loop {
        let response = post(peer, message)?;
        let challenge = response.values("www-authenticate").find_map(Challenge::read);
        match (response.status, challenge) {
            (401, challenge) if tokens < MAX_TOKENS => {
                tokens = tokens.saturating_add(1);
                peer.authorization.authorize(&challenge.unwrap_or_default(), None)?;
            }
            (403, Some(challenge)) => {
                let mut scope = [0; 1024];
                let scope = step_up.next(&challenge, peer.authorization.scope(), &mut scope)?;
                let scope = scope.ok_or("the server refuses the token for want of scopes")?;
                peer.authorization.authorize(&challenge, Some(scope))?;
            }
            (200..300, _) => {
                if let Some(session) = response.value("mcp-session-id") {
                    peer.session = Some(session.to_owned());
                }
                return answer(&response);
            }
            (status, _) => return Err(format!("the server answers with the status {status}").into()),
        }
    }
}

fn post(peer: &Peer, message: &[u8]) -> Result<Response, Failure> {
    let envelope = Envelope::parse(message).map_err(|refused| refused.error)?;
    let method = envelope.method().to_string();
    let name = envelope.params().and_then(|params| params.get("name")).and_then(RawValue::as_str);
    let mut headers = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", peer.revision.as_str()),
    ];
    if peer.revision.is_stateless() {
        headers.push(("mcp-method", &method));
        headers.extend(name.map(|name| ("mcp-name", name)));
    }
    headers.extend(peer.session.as_deref().map(|session| ("mcp-session-id", session)));
    headers.extend(peer.authorization.header().map(|header| ("authorization", header)));
    request("POST", &peer.url, &headers, core::str::from_utf8(message)?)
}

/// The answer in the body: the body itself, or the event of a stream that is a response.
fn answer(response: &Response) -> Result<Option<Vec<u8>>, Failure> {
    let is_stream = response.value("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
    if !is_stream {
        return Ok(Some(response.body.clone()).filter(|body| !body.is_empty()));
    }
    let mut framer = Framer::<Events, ROOM>::new();
    framer.push(&response.body);
    while let Some(event) = framer.next() {
        let text = event?.data;
        if Envelope::parse(text)
            .is_ok_and(|message| matches!(message.kind(), EnvelopeKind::Success | EnvelopeKind::Error))
        {
            return Ok(Some(text.to_vec()));
        }
    }
    Err("a stream without an answer".into())
}
