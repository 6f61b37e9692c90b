//! `jrpc mock`: a simulated device, of a document of OpenRPC or of a recording.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use nanojsonrpc::{Dialect, EnvelopeKind, ErrorCode, ErrorObject};
use nanojsonrpc_tokio::{Client, Message, Methods, Options, Request, Response, Text};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::args::{DialectName, FrameName, PeerOptions};
use crate::disturb::{Disturbance, Faults};
use crate::fault::Fault;
use crate::listen::{Listen, Serving};
use crate::openrpc::{Check, Document, Method};
use crate::recording::{self, Direction, Entry};

/// Simulate a device that answers as a document of OpenRPC, or a recording, says
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc mock lamp.openrpc.json --listen tcp://127.0.0.1:4000 --listen ws://127.0.0.1:4001/rpc\n  \
    jrpc mock lamp.openrpc.json --listen pty: --delay 20ms --jitter 200ms --noise 10 --cut 1 --seed 7\n  \
    jrpc mock session.jsonl --listen unix:/tmp/lamp.sock --notifications")]
pub(crate) struct Mock {
    /// A document of OpenRPC (*.json), or a recording (*.jsonl)
    file: PathBuf,
    /// Where: tcp://HOST:PORT, unix:PATH, ws://HOST:PORT/PATH, http://HOST:PORT/PATH, pty: for a pseudo terminal, or -
    #[arg(long, value_name = "ADDRESS", required = true)]
    listen: Vec<Listen>,
    /// Send the notifications of the recording to each connection, at their pace
    #[arg(long)]
    notifications: bool,
    #[command(flatten)]
    faults: Faults,
    #[command(flatten)]
    options: PeerOptions,
}

impl Mock {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let dialect =
            self.options.dialect.unwrap_or(if self.options.mcp { DialectName::Mcp } else { DialectName::Strict });
        let dialect = dialect.dialect();
        let device = Arc::new(Device::read(&self.file, dialect)?);
        let disturbance = Arc::new(Disturbance::new(&self.faults));
        let service = Methods::new((Arc::clone(&device), Arc::clone(&disturbance)));
        let mut options = Options::new().dialect(dialect);
        if let Some(len) = self.options.max_len {
            options = options.max_len(len);
        }
        let notifications = if self.notifications { device.notifications() } else { Arc::default() };
        let serving = Serving {
            service: service.fallback(
                async |(device, disturbance): (Arc<Device>, Arc<Disturbance>), request: Request| {
                    if disturbance.wait().await {
                        return Response::error(ErrorObject::new(-32000, "Simulated error"));
                    }
                    device.answer(&request)
                },
            ),
            greet: Arc::new(move |peer| notify(peer, &notifications)),
            frame: self.options.frame.clone().unwrap_or(FrameName::Lf),
            options,
            disturbance: Some(disturbance),
            stop: CancellationToken::new(),
        };
        serving.run(&self.listen).await
    }
}

/// Sends recorded notifications at their times.
fn notify(peer: &Client, notifications: &Arc<[(Duration, Bytes)]>) {
    if notifications.is_empty() {
        return;
    }
    let (peer, notifications, begun) = (peer.clone(), Arc::clone(notifications), tokio::time::Instant::now());
    tokio::spawn(async move {
        for (time, text) in notifications.iter() {
            tokio::time::sleep_until(begun + *time).await;
            if peer.send_text(text.clone()).await.is_err() {
                return;
            }
        }
    });
}

/// What a device answers.
enum Device {
    Described(Value, HashMap<String, (Method, Check)>, Document),
    Recorded(Recorded),
}

impl Device {
    fn read(path: &Path, dialect: Dialect) -> Result<Self, Fault> {
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            return Ok(Self::Recorded(Recorded::new(&recording::read(path)?, dialect)));
        }
        let text = std::fs::read(path).map_err(|error| Fault::file(path.display(), &error))?;
        let unusable = |fault: String| Fault::usage(format!("{}: {fault}", path.display()));
        let json: Value = serde_json::from_slice(&text).map_err(|error| unusable(error.to_string()))?;
        let document = Document::read(json.clone()).map_err(unusable)?;
        let methods = document.methods.iter().map(|method| {
            let check = document.check(method).map_err(unusable)?;
            Ok((method.name.clone(), (method.clone(), check)))
        });
        let methods = methods.collect::<Result<_, Fault>>()?;
        Ok(Self::Described(json, methods, document))
    }

    fn answer(&self, request: &Request) -> Response {
        let method = request.method().to_string();
        let params = params(request.message());
        match self {
            Self::Described(json, methods, document) => match methods.get(&method) {
                Some((known, check)) => match check.params(&params) {
                    Ok(()) => Response::result(document.answer(known, &params)),
                    Err(fault) => {
                        let message = format!("Invalid params: {fault}");
                        Response::error(ErrorObject::new(ErrorCode::INVALID_PARAMS, &message))
                    }
                },
                None if method == "rpc.discover" => Response::result(json.clone()),
                None => Response::error(ErrorObject::METHOD_NOT_FOUND),
            },
            Self::Recorded(recorded) => match recorded.answer(&method, &params) {
                Some(answer) => Response::pass(answer),
                None => Response::error(ErrorObject::METHOD_NOT_FOUND),
            },
        }
    }

    fn notifications(&self) -> Arc<[(Duration, Bytes)]> {
        match self {
            Self::Described(..) => Arc::default(),
            Self::Recorded(recorded) => recorded.notifications.as_slice().into(),
        }
    }
}

/// The params of a message; null without.
fn params(message: &Message) -> Value {
    let params = message.envelope().params();
    params.and_then(|params| serde_json::from_slice(params.as_bytes()).ok()).unwrap_or_default()
}

/// A call of a recording.
struct Recording {
    method: String,
    params: Value,
    answer: Message,
    /// How often this call, as the first of its kind, has chosen an answer.
    turn: AtomicUsize,
}

#[derive(Default)]
struct Recorded {
    calls: Vec<Recording>,
    /// Each with its time after the first entry.
    notifications: Vec<(Duration, Bytes)>,
}

impl Recorded {
    fn new(entries: &[Entry], dialect: Dialect) -> Self {
        let mut recorded = Self::default();
        let mut open: Vec<Message> = Vec::new();
        // a log without directions has both
        let is_log = entries.iter().all(|entry| entry.direction == Direction::Received);
        let mut time = Duration::ZERO;
        let mut before: Option<&Entry> = None;
        for entry in entries {
            time += before.replace(entry).map_or(Duration::ZERO, |before| recording::pause(before, entry));
            for message in Text::parse(entry.text.clone(), dialect).messages().flatten() {
                match (message.kind(), entry.direction) {
                    (EnvelopeKind::Request, direction) if is_log || direction == Direction::Sent => open.push(message),
                    (EnvelopeKind::Success | EnvelopeKind::Error, Direction::Received) => {
                        let place = open.iter().position(|request| request.id() == message.id());
                        let Some(request) = place.map(|place| open.remove(place)) else { continue };
                        let (method, params) = (request.method().to_string(), params(&request));
                        recorded.calls.push(Recording { method, params, answer: message, turn: AtomicUsize::new(0) });
                    }
                    (EnvelopeKind::Notification, Direction::Received) => {
                        recorded.notifications.push((time, message.text()));
                    }
                    _ => {}
                }
            }
        }
        recorded
    }

    /// The next recorded answer to the same method and params, or else to the same method.
    fn answer(&self, method: &str, params: &Value) -> Option<Message> {
        let of_method = || self.calls.iter().filter(|call| call.method == method);
        let mut same: Vec<_> = of_method().filter(|call| call.params == *params).collect();
        if same.is_empty() {
            same = of_method().collect();
        }
        let turn = same.first()?.turn.fetch_add(1, Ordering::Relaxed);
        Some(same.get(turn % same.len())?.answer.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn recorded_answers_come_in_turn() {
        let entry = |direction, second, text: &'static str| Entry {
            time: SystemTime::UNIX_EPOCH + Duration::from_secs(1000_u64 + second),
            direction,
            text: Bytes::from_static(text.as_bytes()),
        };
        let (sent, received) = (Direction::Sent, Direction::Received);
        let recorded = Recorded::new(
            &[
                entry(sent, 0, r#"{"jsonrpc":"2.0","method":"level","params":[1],"id":1}"#),
                entry(sent, 0, r#"{"jsonrpc":"2.0","method":"level","params":[ 1 ],"id":2}"#),
                entry(received, 1, r#"{"jsonrpc":"2.0","result":20,"id":2}"#),
                entry(received, 2, r#"[{"jsonrpc":"2.0","method":"on"},{"jsonrpc":"2.0","result":10,"id":1}]"#),
                entry(received, 2, r#"{"jsonrpc":"2.0","result":0,"id":9}"#),
                entry(sent, 2, r#"{"jsonrpc":"2.0","method":"level","params":[2],"id":3}"#),
                entry(received, 4, r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no"},"id":3}"#),
            ],
            Dialect::JSON_RPC,
        );
        let answer = |params: &str| {
            let answer = recorded.answer("level", &serde_json::from_str(params).expect("json"));
            answer.map(|answer| answer.payload().map(|payload| payload.to_string()).unwrap_or_default())
        };
        assert_eq!([answer("[1]"), answer("[1]"), answer("[1]")].map(Option::unwrap), ["20", "10", "20"]);
        assert_eq!(answer("[2]").unwrap(), r#"{"code":-1,"message":"no"}"#);
        assert!(answer("[3]").is_some(), "the same method");
        assert!(recorded.answer("other", &Value::Null).is_none());
        let notifications: Vec<_> = recorded.notifications.iter().map(|(time, _)| time.as_secs()).collect();
        assert_eq!(notifications, [2]);
    }

    #[test]
    fn a_log_without_directions_answers_too() {
        let lines = [r#"{"jsonrpc":"2.0","method":"m","id":1}"#, r#"{"jsonrpc":"2.0","result":7,"id":1}"#];
        let entries = lines.map(|text| Entry {
            time: SystemTime::UNIX_EPOCH,
            direction: Direction::Received,
            text: Bytes::from_static(text.as_bytes()),
        });
        assert!(Recorded::new(&entries, Dialect::JSON_RPC).answer("m", &Value::Null).is_some());
    }
}
