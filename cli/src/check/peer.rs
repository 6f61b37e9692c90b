//! A peer that is called with texts of all kinds.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use nanojsonrpc::client::Addressee;
use nanojsonrpc::mcp::client::ToolResult;
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::{EnvelopeKind, Envelopes};
use nanojsonrpc_tokio::{Message, Text, Transport};
use tokio::time::{Instant, timeout_at};

use super::probe::{CALL, CRLF, PARTS, PROBES, Probe, expected};
use super::{Finding, Report, session};
use crate::args::{FrameName, PeerOptions};
use crate::fault::Fault;
use crate::frames::framed;
use crate::peer::Peer;
use crate::recording::{Direction, Entry};
use crate::rules;

/// Why a peer sends no more texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Closed,
    /// It has sent nothing in time.
    Silent,
}

/// A peer that answers later gets the next message already.
const PAUSE: Duration = Duration::from_millis(20);

struct Prober<'p> {
    peer: &'p Peer,
    /// The peer after a fault.
    usual: &'p Peer,
    transport: Box<dyn Transport>,
    last_id: u64,
    /// Whether the line is half-duplex: it returns each sent text.
    echoes: bool,
    /// All texts, for the rules of a session.
    entries: Vec<Entry>,
}

/// Probes the peer.
pub(super) async fn check(
    name: &str,
    options: &PeerOptions,
    method: Option<(String, Option<String>)>,
    report: &mut Report,
) -> Result<(), Fault> {
    let peer = Peer::find(name, options)?;
    let mut prober = Prober::new(&peer);
    if let Some(opened) = prober.reopen().await? {
        prober.mcp(&opened, report).await?;
    }
    // such a text has no end in a stream of values
    let is_endless = |probe: &&Probe| peer.frame == FrameName::Values && matches!(probe.name, "no JSON" | "cut text");
    for probe in PROBES.iter().filter(|probe| !is_endless(probe)) {
        prober.probe(probe, probe.name, probe.texts, report).await?;
    }
    if let Some((name, params)) = method {
        let params = params.map_or(String::new(), |params| format!(",\"params\":{params}"));
        let text = format!("{{\"jsonrpc\":\"2.0\",\"method\":{name}{params},\"id\":$}}");
        prober.probe(&CALL, &format!("method {name}"), &[&text], report).await?;
    }
    let last_id = prober.last_id;
    drop(prober);
    let parts = Peer { in_parts: true, ..peer.clone() };
    let lines = Peer { frame: FrameName::CrLf, ..peer.clone() };
    let others = [Some((PARTS, parts)), (peer.frame == FrameName::Lf).then_some((CRLF, lines))];
    for (probe, other) in others.iter().flatten().filter(|_| peer.address.is_stream()) {
        let mut prober = Prober { peer: other, last_id, ..Prober::new(&peer) };
        prober.reopen().await?;
        prober.probe(probe, probe.name, probe.texts, report).await?;
    }
    Ok(())
}

impl<'p> Prober<'p> {
    /// Without a connection.
    fn new(peer: &'p Peer) -> Self {
        let transport = framed(tokio::io::empty(), &peer.frame, &peer.options);
        Self { peer, usual: peer, transport, last_id: 0, echoes: false, entries: Vec::new() }
    }

    /// Connects again. Returns the answer to the first request of MCP.
    async fn reopen(&mut self) -> Result<Option<Message>, Fault> {
        // a serial port is opened once
        self.transport = framed(tokio::io::empty(), &self.peer.frame, &self.peer.options);
        self.transport = self.peer.open().await?;
        if !self.peer.is_mcp {
            return Ok(None);
        }
        let (version, me) = (Revision::LATEST_SESSION.as_str(), env!("CARGO_PKG_VERSION"));
        let me = format!("{{\"name\":\"jrpc\",\"version\":\"{me}\"}}");
        let params = format!("{{\"protocolVersion\":\"{version}\",\"capabilities\":{{}},\"clientInfo\":{me}}}");
        let answer = self.call(method::INITIALIZE, &params).await?;
        let initialized = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\"}}", method::INITIALIZED);
        self.send(&[initialized.into()]).await.map_err(fault)?;
        Ok(Some(answer))
    }

    /// Checks what a session of MCP, which was opened with this answer, has beside the probes.
    async fn mcp(&mut self, opened: &Message, report: &mut Report) -> Result<(), Fault> {
        self.call(method::PING, "{}").await?;
        let mut findings = Vec::new();
        if opened.envelope().result().is_some_and(|result| result.pointer("/capabilities/tools").is_some()) {
            self.call(method::TOOLS_LIST, "{}").await?;
            let answer = self.call(method::TOOLS_CALL, r#"{"name":"jrpc.check.none","arguments":{}}"#).await?;
            if answer.envelope().result().is_some_and(|result| !ToolResult(result).is_error()) {
                let place = method::TOOLS_CALL.to_owned();
                findings.push(Finding::new(place, rules::UNKNOWN_TOOL, "a result", &answer.text(), 0));
            }
        }
        findings.extend(session::check(&self.entries, self.peer.dialect, true));
        let last = findings.pop();
        findings.iter().try_for_each(|finding| report.add(finding))?;
        report.row("MCP: initialize, ping, tools", last)
    }

    /// Calls a method, and waits for its answer.
    async fn call(&mut self, method: &str, params: &str) -> Result<Message, Fault> {
        let id = self.id();
        let text = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params},\"id\":{id}}}");
        let (sent, until) = ([Bytes::from(text)], self.until(self.peer.timeout));
        self.send(&sent).await.map_err(fault)?;
        loop {
            let text = self.receive(until, &sent).await.map_err(fault)?;
            if answers_to(&text, id, self.peer) {
                let answer = Text::parse(text.clone(), self.peer.dialect).messages().next();
                return answer.ok_or(Fault::Late)?.map_err(|refused| Fault::Unreadable(refused.refused().error, text));
            }
        }
    }

    fn id(&mut self) -> u64 {
        self.last_id = self.last_id.saturating_add(1);
        self.last_id
    }

    fn until(&self, time: Duration) -> Instant {
        Instant::now().checked_add(time).unwrap_or_else(Instant::now)
    }

    /// Sends the texts of a probe with a new id, and prints what the peer makes of it.
    async fn probe(&mut self, probe: &Probe, name: &str, texts: &[&str], report: &mut Report) -> Result<(), Fault> {
        let (id, deep) = (self.id().to_string(), format!("{}{}", "[".repeat(1000), "]".repeat(1000)));
        let texts: Vec<Bytes> = texts.iter().map(|text| text.replace('$', &id).replace('@', &deep).into()).collect();
        let (expected, sent) = (expected(&texts, self.peer.dialect), texts.first().cloned().unwrap_or_default());
        let mut answers = Vec::new();
        let mut state = self.exchange(&texts, expected.len(), &mut answers).await;
        if state.is_ok() && answers.len() < expected.len() {
            // another message may overtake an answer
            state = self.exchange(&[], 0, &mut answers).await;
        }
        let found = match state {
            Ok(()) => None,
            Err(End::Closed) => Some("closes the connection"),
            Err(End::Silent) => Some("answers nothing after it"),
        };
        let finding = match found {
            None => probe.judge(name, &sent, &answers, self.peer.dialect, &expected),
            Some(found) => {
                self.peer = self.usual;
                self.reopen().await?;
                self.exchange(&[], 0, &mut Vec::new()).await.map_err(fault)?;
                Some(Finding::new(name.to_owned(), rules::SERVES_ON, found, &sent, 0))
            }
        };
        report.row(name, finding)
    }

    /// Sends texts in one write, and a request behind them, and collects what is received before its answer. If there are texts, the
    /// request waits a moment for their answers.
    async fn exchange(&mut self, texts: &[Bytes], expected: usize, answers: &mut Vec<Bytes>) -> Result<(), End> {
        let mut sent = texts.to_vec();
        if !texts.is_empty() {
            self.send(texts).await?;
            let moment = self.until(PAUSE.min(self.peer.timeout));
            while answers.len() < expected.max(1) {
                match self.receive(moment, &sent).await {
                    Err(End::Silent) => break,
                    received => answers.push(received?),
                }
            }
        }
        let id = self.id();
        sent.push(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"jrpc.check.none\",\"id\":{id}}}").into());
        self.send(sent.get(texts.len()..).unwrap_or_default()).await?;
        let until = self.until(self.peer.timeout);
        loop {
            let text = self.receive(until, &sent).await?;
            if answers_to(&text, id, self.peer) {
                return Ok(());
            }
            answers.push(text);
        }
    }

    /// Sends texts in one write.
    async fn send(&mut self, texts: &[Bytes]) -> Result<(), End> {
        let until = self.until(self.peer.timeout);
        for text in texts {
            self.entries.push(Entry::now(Direction::Sent, text.clone()));
            let feeding = timeout_at(until, self.transport.feed(text.clone())).await;
            feeding.map_err(|_| End::Silent)?.map_err(|_| End::Closed)?;
        }
        timeout_at(until, self.transport.flush()).await.map_err(|_| End::Silent)?.map_err(|_| End::Closed)
    }

    /// The next text that may be an answer to what was `sent`.
    async fn receive(&mut self, until: Instant, sent: &[Bytes]) -> Result<Bytes, End> {
        loop {
            if Instant::now() >= until {
                return Err(End::Silent);
            }
            let received = timeout_at(until, self.transport.next()).await.map_err(|_| End::Silent)?;
            let Ok(text) = received.ok_or(End::Closed)?.map_err(|_| End::Closed)? else { continue };
            let (bytes, is_sent) = (text.as_bytes().clone(), sent.contains(text.as_bytes()));
            let is_call =
                |message: Message| matches!(message.kind(), EnvelopeKind::Request | EnvelopeKind::Notification);
            let is_call = text.messages().filter_map(Result::ok).any(is_call);
            // a request that returns shows it; other texts could be answers
            self.echoes |= is_call && is_sent;
            if self.echoes && is_sent {
                continue;
            }
            self.entries.push(Entry::now(Direction::Received, bytes.clone()));
            if !is_call {
                return Ok(bytes);
            }
        }
    }
}

/// The fault of a peer that does not answer a well-formed request.
fn fault(end: End) -> Fault {
    match end {
        End::Silent => Fault::Late,
        End::Closed => Fault::Connection("the peer has closed the stream before its answer".to_owned()),
    }
}

/// Whether the text is the answer to the call with this id, in any spelling.
fn answers_to(text: &Bytes, id: u64, peer: &Peer) -> bool {
    let mut messages = Envelopes::new(text, peer.dialect);
    let to = messages.next().map(|read| match read {
        Ok(message) => Addressee::of(&message, peer.dialect),
        Err(refused) => Addressee::of_refused(&refused),
    });
    let number = to.and_then(Addressee::number).and_then(|(number, _)| u64::try_from(number).ok());
    !messages.is_batch() && number == Some(id)
}
