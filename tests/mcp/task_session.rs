//! A session that waits for tasks: of scripted servers, and of the service of this crate.
#![cfg(all(feature = "mcp", feature = "embedded-io-async", feature = "serde"))]

use core::future::ready;
use std::cell::RefCell;
use std::rc::Rc;

use crate::recorded_peer::Peer;
use crate::task_calls::{App, service};
use crate::tasks::run;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::client::{Client, MAX_POLLS, MAX_ROUNDS, SessionError, TASKS};
use nanojsonrpc::mcp::types::{Task, TaskStatus};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::{Dialect, ErrorKind, RawStr, RawValue, Router, Server};
use serde_json::{Value, json};

/// The requests of the client: each its method and its params without metadata.
type Sent = Rc<RefCell<Vec<(String, Value)>>>;

/// A server that answers request number `n`, from 0, with `answer(n, method)`: a member of a response and its value, after other lines; for
/// an empty name it ends the stream.
fn peer(mut answer: impl FnMut(usize, &str) -> (&'static str, Value, Option<Value>) + 'static) -> (Peer<()>, Sent) {
    let sent: Sent = Rc::default();
    let record = Rc::clone(&sent);
    let peer = Peer::new(Box::new(move |line: &[u8], output: &mut [u8]| {
        let message: Value = serde_json::from_slice(line).unwrap();
        let Some(method) = message["method"].as_str() else {
            record.borrow_mut().push(("response".into(), message["result"].clone()));
            return None;
        };
        let mut params = message["params"].clone();
        params.as_object_mut().unwrap().remove("_meta");
        let number = record.borrow().iter().filter(|(method, _)| method != "response").count();
        record.borrow_mut().push((method.to_owned(), params));
        message.get("id")?;
        let (member, value, before) = answer(number, method);
        if member.is_empty() {
            return None;
        }
        let mut response = json!({"jsonrpc": "2.0", "id": message["id"]});
        response[member] = value;
        let text = before.map_or_else(String::new, |before| format!("{before}\n")) + &response.to_string();
        output[..text.len()].copy_from_slice(text.as_bytes());
        Some(text.len())
    }));
    (peer, sent)
}

fn handlers()
-> Server<impl nanojsonrpc::server::route::Routes<Vec<String>> + nanojsonrpc::server::AsyncRoutes<Vec<String>>> {
    let router = Router::new().request(method::ROOTS_LIST, |calls: &mut Vec<String>| {
        calls.push("roots".into());
        Ok(json!({"roots": []}))
    });
    Server::new(router).with_dialect(Dialect::MCP)
}

/// The state of a task, in 2026-07-28 with `more`.
fn state(revision: Revision, status: &str, more: Value) -> Value {
    let mut state = json!({"taskId": "t\u{e9}\"1", "status": status, "createdAt": "1", "lastUpdatedAt": "2"});
    let (ttl, interval) = if revision.is_stateless() { ("ttlMs", "pollIntervalMs") } else { ("ttl", "pollInterval") };
    state[ttl] = json!(60_000);
    state[interval] = json!(70);
    for (name, value) in more.as_object().unwrap() {
        state[name] = value.clone();
    }
    state
}

fn created(revision: Revision) -> Value {
    let mut task = state(revision, "working", json!({}));
    if !revision.is_stateless() {
        return json!({"task": task});
    }
    task["resultType"] = json!("task");
    task
}

/// The outcome of a call as a text, and the states that `pause` saw; in both sessions, which must agree.
fn outcome(
    revision: Revision,
    new_peer: impl Fn() -> (Peer<()>, Sent),
    goes_on: impl Fn(&Task<'_>) -> bool,
    is_resumed: bool,
) -> (String, Vec<String>, Vec<(String, Value)>) {
    let mut outcomes = Vec::new();
    for is_async in [false, true] {
        let (peer, sent) = new_peer();
        let mut client = Client::new("me", "1.0.0").declaring(&[TASKS]).connected_as(revision);
        let (mut framer, mut output) = (Framer::<Lines, 8192>::new(), vec![0; 8192]);
        let mut connection = Connection::new(&peer, &peer, &mut framer, &mut output);
        let (mut server, mut context) = (handlers(), Vec::new());
        let pause = |seen: &mut Vec<String>, task: &Task<'_>| {
            seen.push(format!("{} {}", task.status.as_str(), task.poll_delay_ms()));
            goes_on(task)
        };
        let arguments = json!({"a": 1});
        let id = RawValue::parse(br#""t\u00e9\"1""#).unwrap().as_str_raw().unwrap();
        let told = |result: Result<nanojsonrpc::mcp::types::CallToolResult<'_>, SessionError<'_, _, _>>| match result {
            Ok(result) => format!("{:?} {}", result.is_error, result.content.iter().count()),
            Err(SessionError::Refused(error, text)) => format!("{:?} {}", error.kind(), text.is_empty()),
            Err(error) => error.to_string(),
        };
        let said = if is_async {
            let mut session = client.over_async(&mut connection, &mut server, &mut context);
            let pause = |seen: &mut Vec<String>, task: &Task<'_>| ready(pause(seen, task));
            run(async {
                if is_resumed {
                    told(session.await_task(id, pause).await)
                } else {
                    told(session.call_tool_task("dry", &arguments, Some(9), pause).await)
                }
            })
        } else {
            let mut session = client.over(&mut connection, &mut server, &mut context);
            if is_resumed {
                told(session.await_task(id, pause))
            } else {
                told(session.call_tool_task("dry", &arguments, Some(9), pause))
            }
        };
        let sent = sent.borrow().clone();
        outcomes.push((said, context, sent));
    }
    let last = outcomes.pop().unwrap();
    assert_eq!(outcomes.pop().unwrap(), last);
    last
}

fn methods(sent: &[(String, Value)]) -> Vec<&str> {
    sent.iter().map(|(method, _)| method.as_str()).collect()
}

const STATELESS: Revision = Revision::V2026_07_28;
const SESSION: Revision = Revision::V2025_11_25;
const DONE: &str = r#"{"content":[{"type":"text","text":"dry"}]}"#;

fn done() -> Value {
    serde_json::from_str(DONE).unwrap()
}

#[test]
fn a_session_answers_each_request_of_a_task_once() {
    let roots = json!({"method": "roots/list"});
    let answers = move || {
        let roots = roots.clone();
        peer(move |number, _| {
            let state = |status, more| ("result", state(STATELESS, status, more), None);
            let required = |keys: &[&str]| {
                let requests: Value = keys.iter().map(|key| ((*key).to_owned(), roots.clone())).collect();
                state("input_required", json!({"inputRequests": requests}))
            };
            match number {
                0 => ("result", created(STATELESS), None),
                1 => state("working", json!({"resultType": "complete"})),
                2 => required(&["a"]),
                4 => required(&["a"]),
                5 => required(&["a", "b\u{e9}"]),
                3 | 6 => ("result", json!({"resultType": "complete"}), None),
                _ => state("completed", json!({"result": done()})),
            }
        })
    };
    let (said, seen, sent) = outcome(STATELESS, answers, |_| true, false);
    assert_eq!(said, "None 1");
    assert_eq!(seen, ["working 70", "working 70", "roots", "input_required 70", "roots"]);
    let id = json!({"taskId": "t\u{e9}\"1"});
    let update = |key: &str| json!({"taskId": "t\u{e9}\"1", "inputResponses": {key: {"roots": []}}});
    let expected = [
        ("tools/call", json!({"name": "dry", "arguments": {"a": 1}})),
        ("tasks/get", id.clone()),
        ("tasks/get", id.clone()),
        ("tasks/update", update("a")),
        ("tasks/get", id.clone()),
        ("tasks/get", id.clone()),
        ("tasks/update", update("b\u{e9}")),
        ("tasks/get", id),
    ];
    assert_eq!(sent, expected.map(|(method, params)| (method.to_owned(), params)));
}

#[test]
fn a_session_of_2025_11_25_fetches_the_result() {
    let answers = |status: &'static str| {
        move || {
            peer(move |number, method| match (number, method) {
                (0, _) => ("result", created(SESSION), None),
                (1, _) => ("result", state(SESSION, "working", json!({})), None),
                (_, "tasks/get") => ("result", state(SESSION, status, json!({})), None),
                // the server sends its request for input on the same stream
                _ if status == "input_required" => {
                    ("result", done(), Some(json!({"jsonrpc": "2.0", "id": 5, "method": "roots/list"})))
                }
                _ if status == "failed" => ("error", json!({"code": -32042, "message": "wet"}), None),
                _ => ("result", done(), None),
            })
        }
    };
    let task = json!({"name": "dry", "arguments": {"a": 1}, "task": {"ttl": 9}});
    for (status, expected, seen) in [
        ("completed", "None 1", ["working 70", "working 70"].as_slice()),
        ("input_required", "None 1", &["working 70", "working 70", "roots"]),
        ("failed", "error -32042: wet", &["working 70", "working 70"]),
    ] {
        let (said, was_seen, sent) = outcome(SESSION, answers(status), |_| true, false);
        assert_eq!(
            (said.as_str(), was_seen.as_slice()),
            (expected, seen.iter().map(|seen| (*seen).to_owned()).collect::<Vec<_>>().as_slice())
        );
        assert_eq!(sent[0], ("tools/call".to_owned(), task.clone()));
        assert_eq!(methods(&sent)[1..4], ["tasks/get", "tasks/get", "tasks/result"]);
    }
    let (said, _, sent) = outcome(SESSION, answers("cancelled"), |_| true, false);
    assert_eq!((said.as_str(), sent.len()), ("the task was cancelled", 3));
}

#[test]
fn a_result_needs_no_task() {
    for revision in Revision::ALL {
        let (said, seen, sent) = outcome(revision, || peer(|_, _| ("result", done(), None)), |_| true, false);
        assert_eq!((said.as_str(), seen.len(), sent.len()), ("None 1", 0, 1));
        assert_eq!(sent[0].1.get("task").is_some(), revision == SESSION);
    }
    // earlier revisions have no tasks, so this is a result without content
    let (said, ..) =
        outcome(Revision::V2025_06_18, || peer(|_, _| ("result", created(SESSION), None)), |_| true, false);
    assert_eq!(said, "None 0");
}

#[test]
fn a_task_ends_in_each_way() {
    let ended = |status: &'static str, more: Value| {
        let answers = move || {
            let more = more.clone();
            peer(move |_, _| ("result", state(STATELESS, status, more.clone()), None))
        };
        // a task that the program has kept
        outcome(STATELESS, answers, |_| true, true)
    };
    for (status, more, expected) in [
        ("completed", json!({"result": {"content": [], "isError": true}}), "Some(true) 0"),
        ("failed", json!({"error": {"code": -32603, "message": "wet"}}), "error -32603: wet"),
        ("cancelled", json!({}), "the task was cancelled"),
        // `task` is a member of another revision
        ("completed", json!({"result": {"content": []}, "task": {"status": "cancelled"}}), "None 0"),
        ("completed", json!({}), "MissingField false"),
        ("failed", json!({}), "MissingField false"),
        ("idle", json!({}), "UnknownVariant false"),
        ("completed", json!({"result": 7}), "UnexpectedType false"),
        ("completed", json!({"result": {"content": 7}}), "UnexpectedType false"),
        (
            "input_required",
            json!({"inputRequests": {"a": {"method": "secret/read"}}}),
            "required input refused: error -32601",
        ),
        ("input_required", json!({"inputRequests": {"a": 7}}), "UnexpectedType false"),
    ] {
        let (said, seen, sent) = ended(status, more.clone());
        assert_eq!((said.as_str(), seen.len()), (expected, 0), "{status} {more}");
        assert_eq!(sent[0], ("tasks/get".to_owned(), json!({"taskId": "t\u{e9}\"1"})));
    }
}

#[test]
fn a_task_may_have_ended_when_it_is_created() {
    let answers = || {
        peer(|number, _| match number {
            0 => {
                let mut created = state(STATELESS, "completed", json!({}));
                created["resultType"] = json!("task");
                ("result", created, None)
            }
            _ => ("result", state(STATELESS, "completed", json!({"result": {"content": []}})), None),
        })
    };
    let (said, seen, sent) = outcome(STATELESS, answers, |_| true, false);
    assert_eq!((said.as_str(), seen.len()), ("None 0", 0));
    assert_eq!(methods(&sent), ["tools/call", "tasks/get"]);
}

#[test]
fn a_task_that_is_cancelled_when_it_is_created_has_no_result() {
    for revision in [SESSION, STATELESS] {
        let answers = || {
            peer(move |number, _| {
                let mut answer = if number == 0 { created(revision) } else { state(revision, "cancelled", json!({})) };
                let task = if answer.get("task").is_some() { &mut answer["task"] } else { &mut answer };
                task["status"] = json!("cancelled");
                ("result", answer, None)
            })
        };
        let (said, seen, _) = outcome(revision, answers, |_| true, false);
        assert_eq!((said.as_str(), seen.len()), ("the task was cancelled", 0), "{revision:?}");
    }
}

#[test]
fn the_program_cancels_a_task() {
    for revision in [SESSION, STATELESS] {
        // the task may have ended meanwhile
        for answer in [("result", json!({})), ("error", json!({"code": -32602, "message": "ended"}))] {
            let answers = || {
                let answer = answer.clone();
                peer(move |number, method| match (number, method) {
                    (0, _) => ("result", created(revision), None),
                    (_, "tasks/cancel") => (answer.0, answer.1.clone(), None),
                    _ => ("result", state(revision, "working", json!({})), None),
                })
            };
            let polls = core::cell::Cell::new(0);
            let (said, seen, sent) = outcome(
                revision,
                answers,
                |_| {
                    polls.set(polls.get() + 1);
                    polls.get() % 2 != 0
                },
                false,
            );
            assert_eq!((said.as_str(), seen.len()), ("the task was cancelled", 2));
            assert_eq!(methods(&sent), ["tools/call", "tasks/get", "tasks/cancel"]);
        }
    }
}

#[test]
fn a_hostile_server_cannot_hold_a_session() {
    // a task that never ends
    let answers = || {
        peer(|number, _| {
            ("result", if number == 0 { created(STATELESS) } else { state(STATELESS, "working", json!({})) }, None)
        })
    };
    let (said, seen, sent) = outcome(STATELESS, answers, |_| true, false);
    assert_eq!((said.as_str(), seen.len()), ("the task does not end", MAX_POLLS as usize + 1));
    assert_eq!(sent.len(), MAX_POLLS as usize + 1);
    // one that always requires something new
    let answers = || {
        peer(|number, method| {
            let requests = json!({"inputRequests": {format!("k{number}"): {"method": "roots/list"}}});
            match method {
                "tasks/update" => ("result", json!({}), None),
                _ => ("result", state(STATELESS, "input_required", requests), None),
            }
        })
    };
    let (said, seen, _) = outcome(STATELESS, answers, |_| true, true);
    assert_eq!(said, "the server requires input in too many rounds");
    assert_eq!(seen.len(), usize::from(MAX_ROUNDS));
    // an update that fails
    let answers = || {
        peer(|_, method| match method {
            "tasks/update" => ("error", json!({"code": -32602, "message": "Task not found"}), None),
            _ => (
                "result",
                state(STATELESS, "input_required", json!({"inputRequests": {"a": {"method": "roots/list"}}})),
                None,
            ),
        })
    };
    assert_eq!(outcome(STATELESS, answers, |_| true, true).0, "error -32602: Task not found");
    // ids at and beyond the capacity
    for (len, expected) in [(128, "None 1"), (129, "IdTooLong false"), (4_000, "IdTooLong false")] {
        let answers = || {
            peer(move |number, _| {
                let mut task = if number == 0 {
                    created(STATELESS)
                } else {
                    state(STATELESS, "completed", json!({"result": done()}))
                };
                task["taskId"] = json!("x".repeat(len));
                ("result", task, None)
            })
        };
        assert_eq!(outcome(STATELESS, answers, |_| true, false).0, expected, "{len}");
    }
    // a task without its members
    let answers = || peer(|_, _| ("result", json!({"resultType": "task", "taskId": "a"}), None));
    assert_eq!(outcome(STATELESS, answers, |_| true, false).0, "MissingField false");
    let answers = || peer(|_, _| ("result", json!({"task": 7}), None));
    assert_eq!(outcome(SESSION, answers, |_| true, false).0, "UnexpectedType false");
}

#[test]
fn other_calls_refuse_a_task() {
    let (peer, _) = peer(|_, _| ("result", created(STATELESS), None));
    let mut client = Client::new("me", "1.0.0").connected_as(STATELESS);
    let (mut framer, mut output) = (Framer::<Lines, 1024>::new(), vec![0; 1024]);
    let mut connection = Connection::new(&peer, &peer, &mut framer, &mut output);
    let (mut server, mut context) = (handlers(), Vec::new());
    let mut session = client.over(&mut connection, &mut server, &mut context);
    macro_rules! refused {
        ($outcome:expr, $kind:ident) => {
            assert!(matches!($outcome, Err(SessionError::Refused(error, _)) if error.kind() == ErrorKind::$kind));
        };
    }
    refused!(session.call_tool("dry", &()), UnknownVariant);
    refused!(session.read_resource("a:b"), UnknownVariant);
    refused!(session.call_tool_as::<u8, _>("dry", &()), UnknownVariant);
    let long = "x".repeat(129);
    let long = format!("\"{long}\"");
    let id: RawStr<'_> = RawValue::parse(long.as_bytes()).unwrap().as_str_raw().unwrap();
    refused!(session.await_task(id, |_, _| true), IdTooLong);
}

#[test]
fn both_ends_of_this_crate_agree() {
    for revision in [SESSION, STATELESS] {
        let answers = || {
            let (mut server, mut app) = (service().server(), App::default());
            let hello =
                json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": crate::peer::hello("2025-11-25")});
            assert!(server.process(&mut app, hello.to_string().as_bytes(), &mut [0; 1024]).answer().is_some());
            app.ends = true;
            let sent: Sent = Rc::default();
            let record = Rc::clone(&sent);
            let mut polls = 0;
            let peer = Peer::new(Box::new(move |line: &[u8], output: &mut [u8]| {
                let message: Value = serde_json::from_slice(line).unwrap();
                let method = message["method"].as_str().unwrap_or("response").to_owned();
                polls += usize::from(method == "tasks/get");
                if polls == 2 && app.tasks[0].status == TaskStatus::Working {
                    app.tasks[0].status = TaskStatus::InputRequired;
                    app.tasks[0].keys = vec!["a", "b"];
                }
                record.borrow_mut().push((method, Value::Null));
                let text = line.to_vec();
                let text = String::from_utf8(text).unwrap().replace(r#""name":"dry""#, r#""name":"required""#);
                server.process(&mut app, text.as_bytes(), output).answer().map(<[u8]>::len)
            }));
            (peer, sent)
        };
        let (said, seen, sent) = outcome(revision, answers, |_| true, false);
        assert_eq!(said, "None 1");
        let (roots, methods_) = if revision.is_stateless() {
            (2, ["tools/call", "tasks/get", "tasks/get", "tasks/update", "tasks/get"].as_slice())
        } else {
            (0, ["tools/call", "tasks/get", "tasks/get", "tasks/result"].as_slice())
        };
        assert_eq!(seen.iter().filter(|line| *line == "roots").count(), roots);
        assert_eq!(methods(&sent), methods_);
    }
}

#[test]
fn a_stream_that_ends_ends_the_wait_for_a_task() {
    let required = json!({"inputRequests": {"a": {"method": "roots/list"}}});
    let stateless = [
        ("result", created(STATELESS)),
        ("result", state(STATELESS, "input_required", required)),
        ("result", json!({"resultType": "complete"})),
        ("result", state(STATELESS, "completed", json!({"result": done()}))),
    ];
    let in_session =
        [("result", created(SESSION)), ("result", state(SESSION, "completed", json!({}))), ("result", done())];
    for (revision, answers) in [(STATELESS, stateless.to_vec()), (SESSION, in_session.to_vec())] {
        for end in 0..=answers.len() {
            let answers = answers.clone();
            let answers = || {
                let answers = answers.clone();
                peer(move |number, _| match answers.get(number).filter(|_| number < end) {
                    Some((member, value)) => (*member, value.clone(), None),
                    None => ("", Value::Null, None),
                })
            };
            let (said, _, sent) = outcome(revision, answers, |_| true, false);
            let whole = end == sent.len();
            assert_eq!(said, if whole { "None 1" } else { "the stream ended before the answer" }, "{revision:?} {end}");
        }
    }
    let answers =
        || peer(|number, _| if number == 0 { ("result", created(STATELESS), None) } else { ("", Value::Null, None) });
    let (said, _, sent) = outcome(STATELESS, answers, |_| false, false);
    assert_eq!(
        (said.as_str(), methods(&sent)),
        ("the stream ended before the answer", vec!["tools/call", "tasks/cancel"])
    );
}

#[test]
fn a_task_may_require_input_when_it_is_created() {
    for (method, expected) in [("roots/list", "None 1"), ("elicitation/create", "required input refused: error -32601")]
    {
        let answers = || {
            peer(move |number, _| {
                let required = json!({"inputRequests": {"a": {"method": method}}});
                let mut created = state(STATELESS, "input_required", required);
                match number {
                    0 => created["resultType"] = json!("task"),
                    1 => {}
                    2 => created = json!({"resultType": "complete"}),
                    _ => created = state(STATELESS, "completed", json!({"result": done()})),
                }
                ("result", created, None)
            })
        };
        assert_eq!(outcome(STATELESS, answers, |_| true, false).0, expected);
    }
    let answers = || peer(|_, _| ("error", json!({"code": -7, "message": "no"}), None));
    assert_eq!(outcome(STATELESS, answers, |_| true, false).0, "error -7: no");
}

#[test]
fn an_update_of_a_task_is_sent_whole_or_not_at_all() {
    let mut outcomes = Vec::new();
    for room in 150..600 {
        let (peer, sent) = peer(|number, _| {
            let required = json!({"inputRequests": {"a": {"method": "roots/list"}}});
            let answer = match number {
                0 => state(STATELESS, "input_required", required),
                1 => json!({"resultType": "complete"}),
                _ => state(STATELESS, "completed", json!({"result": done()})),
            };
            ("result", answer, None)
        });
        let mut client = Client::new("me", "1.0.0").declaring(&[TASKS]).connected_as(STATELESS);
        let (mut framer, mut output) = (Framer::<Lines, 1024>::new(), vec![0; room]);
        let mut connection = Connection::new(&peer, &peer, &mut framer, &mut output);
        let (mut server, mut context) = (handlers(), Vec::new());
        let mut session = client.over(&mut connection, &mut server, &mut context);
        let id = RawValue::parse(br#""t1""#).unwrap().as_str_raw().unwrap();
        let outcome = session.await_task(id, |_, _| true).map(drop).map_err(|error| error.to_string());
        let count = sent.borrow().len();
        assert_eq!(outcome.is_ok(), count == 3, "{room}: {outcome:?}");
        outcomes.push((count, outcome.err().unwrap_or_default().split(": ").next().unwrap_or_default().to_owned()));
    }
    outcomes.dedup();
    // the request for the state, then the update, which is longer
    assert_eq!(outcomes, [(0, "message".to_owned()), (1, "message".to_owned()), (3, String::new())]);
}
