//! One message to the server, and its answer, with a token if the server demands one.

use nanojsonrpc::frame::{Events, Framer};
use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::authorization::{Challenge, StepUp};
use nanojsonrpc::mcp::client::http::{Body, Remote, Reply};
use nanojsonrpc::{Envelope, EnvelopeKind};

use crate::authorization::Authorization;
use crate::http::{body_of, send, split};
use crate::{Failure, ROOM};

/// The number of tokens for one message that the server may refuse.
const MAX_TOKENS: u8 = 2;

pub(crate) struct Peer {
    remote: Remote<'static>,
    host: &'static str,
    authorization: Authorization,
}

impl Peer {
    pub(crate) fn new(url: &'static str, authorization: Authorization) -> Result<Self, Failure> {
        let (host, target) = split(url)?;
        let remote = Remote::new(host, target).with_headers(&[("connection", "close")]);
        Ok(Self { remote, host, authorization })
    }

    /// Sets the revision of the session.
    pub(crate) const fn set_revision(&mut self, revision: Revision) {
        self.remote.set_revision(revision);
    }
}

/// Sends `message`, and returns the answer; `None` if there is none. If the server refuses the message for want of a token or of scopes, the
/// client gets a token and repeats the message.
pub(crate) fn exchange(peer: &mut Peer, message: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
    let (mut step_up, mut tokens) = (StepUp::new(), 0);
    loop {
        let received = post(peer, message)?;
        let (reply, len) = Reply::parse(&received)?.ok_or("half a response")?;
        let (status, challenge) = match peer.remote.receive(&reply) {
            Body::Nothing => return Ok(None),
            Body::Message => return body_of(&reply, &received, len).map(Some),
            Body::Events => return answer(&body_of(&reply, &received, len)?).map(Some),
            Body::Unauthorized(status, challenge) => (status, challenge.and_then(Challenge::read)),
            body => return Err(format!("the server answers: {body:?}").into()),
        };
        match (status, challenge) {
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
            (status, _) => return Err(format!("the server answers with the status {status}").into()),
        }
    }
}

fn post(peer: &Peer, message: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut remote = peer.remote.clone();
    remote.set_token(peer.authorization.token());
    let mut room = [0; ROOM];
    let request = remote.post(message, &mut room)?;
    send(peer.host, &[request.head, request.body])
}

/// The event of a stream that is a response.
fn answer(body: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut framer = Framer::<Events, ROOM>::new();
    framer.push(body);
    while let Some(event) = framer.next() {
        let text = event?.data;
        if Envelope::parse(text)
            .is_ok_and(|message| matches!(message.kind(), EnvelopeKind::Success | EnvelopeKind::Error))
        {
            return Ok(text.to_vec());
        }
    }
    Err("a stream without an answer".into())
}
