//! `jrpc hub`: devices below, users above.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by a panic")]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::{Duration, Instant};

use common::hub::{Hub, LISTEN, devices, echo, has_asked, http, next, undescribed};
use common::{LIMIT, Running, answer_lines, device, jrpc as run};
use futures_util::StreamExt as _;
use nanojsonrpc_tokio::{CallError, Message};
use serde_json::{Value, json};

#[test]
fn calls_go_to_the_device_in_front_of_the_dot_as_the_text_that_they_are() {
    let hub = Hub::start(&devices(&[("lamp", &echo("a")), ("fan", &echo("b"))]));
    let call = |text: &str| hub.post(text);
    assert_eq!(
        call(r#"{"jsonrpc":"2.0","method":"lamp.x.set","params":{ "n":1.50e300, "ü":"\u00e9" },"id":"a"}"#),
        r#"{"jsonrpc":"2.0","result":["a","x.set",{ "n":1.50e300, "ü":"\u00e9" }],"id":"a"}"#
    );
    assert_eq!(
        call(
            r#"[{"jsonrpc":"2.0","method":"fan.a","id":2},{"jsonrpc":"2.0","method":"lamp.b","id":1},{"jsonrpc":"2.0","method":"fan.c"},{"jsonrpc":"2.0","method":"door.d","id":1.5}]"#
        ),
        r#"[{"jsonrpc":"2.0","result":["b","a",null],"id":2},{"jsonrpc":"2.0","result":["a","b",null],"id":1},{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1.5}]"#
    );
    assert_eq!(hub.http("GET /health HTTP/1.1\r\n", ""), (200, "ok\n".to_owned()));
    let metrics = hub.http("GET /metrics HTTP/1.1\r\n", "").1;
    assert!(metrics.contains("jrpc_device_up{device=\"lamp\"} 1"), "{metrics}");
    let page = hub.http("GET / HTTP/1.1\r\n", "");
    assert_eq!(page.0, 200);
}

#[tokio::test]
async fn subscribers_hear_what_they_have_asked_for() {
    let (sender, receiver) = mpsc::channel::<&str>();
    let receiver = std::sync::Mutex::new(receiver);
    let lamp = device(move |_, stream| {
        for line in receiver.lock().expect("the only connection").iter() {
            writeln!(&stream, "{line}").expect("sent");
        }
    });
    let hub = Hub::start(&devices(&[("lamp", &lamp)]));
    hub.wait("lamp", "up");
    let (some, all, none) = (hub.socket().await, hub.socket().await, hub.socket().await);
    let mut heard = [some.notifications().boxed(), all.notifications().boxed(), none.notifications().boxed()];
    let subscribed: usize = some.call("hub.subscribe", &json!({ "methods": ["lamp.on", "x"] })).await.expect("called");
    assert_eq!(subscribed, 2);
    all.call::<usize>("hub.subscribe", &json!({ "methods": ["*"] })).await.expect("called");
    for line in [r#"{"jsonrpc":"2.0","method":"off","params":[1.50]}"#, r#"{"jsonrpc":"2.0","method":"on"}"#] {
        sender.send(line).expect("open");
    }
    assert_eq!(next(&mut heard[1]).await.text(), r#"{"jsonrpc":"2.0","method":"lamp.off","params":[1.50]}"#);
    assert_eq!(next(&mut heard[1]).await.text(), r#"{"jsonrpc":"2.0","method":"lamp.on"}"#);
    assert_eq!(next(&mut heard[0]).await.text(), r#"{"jsonrpc":"2.0","method":"lamp.on"}"#);
    let left: usize = some.call("hub.unsubscribe", &json!({ "methods": ["lamp.on"] })).await.expect("called");
    assert_eq!(left, 1);
    sender.send(r#"{"jsonrpc":"2.0","method":"on"}"#).expect("open");
    next(&mut heard[1]).await;
    some.call::<usize>("hub.subscribe", &json!({ "methods": ["lamp.off"] })).await.expect("called");
    sender.send(r#"{"jsonrpc":"2.0","method":"off"}"#).expect("open");
    assert_eq!(next(&mut heard[0]).await.method().to_string(), "lamp.off");
    assert!(futures_util::FutureExt::now_or_never(heard[2].next()).is_none());
    let refused = hub.call("hub.subscribe", json!({ "methods": ["*"] }));
    assert_eq!(refused["code"], -32600, "{refused}");
}

#[test]
fn events_of_http_have_notifications_and_traffic() {
    let lamp = device(|_, stream| {
        answer_lines(&stream, |line| {
            undescribed(line, |call| {
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"method\":\"changed\",\"params\":[2]}}\n{{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":{}}}",
                    call["id"]
                )
            })
        });
    });
    let hub = Hub::start(&format!("payloads = true\n{}", devices(&[("lamp", &lamp)])));
    hub.wait_for(has_asked);
    let (mut events, mut traffic) = (hub.events("/rpc", ""), hub.events("/traffic", ""));
    assert_eq!(hub.call("lamp.set", json!([7])), 1);
    assert_eq!(events.next(), Some(json!({ "jsonrpc": "2.0", "method": "lamp.changed", "params": [2] })));
    let mut shown: Vec<Value> = traffic.by_ref().take(2).collect();
    shown.sort_by_key(|shown| shown["params"]["kind"].to_string());
    let (call, notification) = (&shown[0]["params"], &shown[1]["params"]);
    assert_eq!(
        (&call["device"], &call["method"], &call["params"], &call["result"]),
        (&json!("lamp"), &json!("set"), &json!([7]), &json!(1))
    );
    assert_eq!((&notification["method"], &notification["params"]), (&json!("changed"), &json!([2])));
}

#[tokio::test]
async fn a_device_that_goes_is_away_until_it_is_back() {
    let (gate, count) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (closing, received) = (Arc::clone(&gate), Arc::clone(&count));
    let serving = std::thread::spawn(move || {
        // the first connection ends with the first call in flight
        let (stream, _) = listener.accept().expect("a connection");
        let mut lines = BufReader::new(&stream).lines();
        loop {
            let line = lines.next().expect("open").expect("a line");
            let answer = undescribed(&line, |_| String::new());
            if answer.is_empty() {
                received.fetch_add(1, Ordering::SeqCst);
                break;
            }
            writeln!(&stream, "{answer}").expect("sent");
        }
        drop(listener);
        drop(lines);
        drop(stream);
        closing.wait();
        let listener = TcpListener::bind(address).expect("the port again");
        let (stream, _) = listener.accept().expect("a connection");
        answer_lines(&stream, |line| {
            undescribed(line, |call| format!("{{\"jsonrpc\":\"2.0\",\"result\":2,\"id\":{}}}", call["id"]))
        });
    });
    let hub = Hub::start(&format!("{}repeat = [\"get*\"]\n", devices(&[("lamp", &format!("tcp://{address}"))])));
    hub.wait("lamp", "up");
    let user = hub.socket().await;
    let mut heard = user.notifications().boxed();
    user.call::<usize>("hub.subscribe", &json!({ "methods": ["hub.device"] })).await.expect("called");
    match user.call::<Value>("lamp.set", &()).await {
        Err(CallError::Peer(error)) => assert_eq!(
            (error.code.0, error.message.as_str()),
            (-32006, "Connection lost after the call was sent; it may have run")
        ),
        other => panic!("{other:?}"),
    }
    assert_eq!(count.load(Ordering::SeqCst), 1);
    let state =
        |message: &Message| message.payload().and_then(|params| params.get("state")).map(|state| state.to_string());
    assert_eq!(state(&next(&mut heard).await).as_deref(), Some("\"down\""));
    match user.call::<Value>("lamp.set", &()).await {
        Err(CallError::Peer(error)) => assert_eq!(error.code.0, -32005),
        other => panic!("{other:?}"),
    }
    // what is safe to repeat waits until the device is back
    let waiting = tokio::spawn({
        let user = user.clone();
        async move { user.call::<u8>("lamp.get", &()).await }
    });
    gate.wait();
    assert_eq!(waiting.await.expect("no panic").expect("an answer"), 2);
    while state(&next(&mut heard).await).as_deref() != Some("\"up\"") {}
    assert_eq!(hub.call("lamp.set", json!([])), 2);
    drop(hub);
    serving.join().expect("no panic");
}

#[test]
fn what_is_wrong_with_a_file_has_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hub.toml");
    let check = |text: &str| {
        std::fs::write(&path, text).expect("written");
        let (status, out, errors) = run(&["hub", "--check", &path.display().to_string()]);
        (status, out, errors.replace(&path.display().to_string(), "F"))
    };
    let faulty = "name = \"a b\"\n[[listen]]\naddress = \"http://0.0.0.0:1\"\n[[listen]]\naddress = \"ftp://x\"\n\
                  [devices.\"a.b\"]\naddress = \"tcp://h:1\"\n[devices.c]\naddress = \"x\"\ncalls = 0\n\
                  [users.u]\nmethods = []\ntoken = \"a secret in the file\"\n\
                  [users.v]\ntoken = \"${env:NO_SUCH_VARIABLE}\"\nmethods = []\n";
    let (status, _, errors) = check(faulty);
    assert_eq!(status, 2);
    let lines: Vec<_> = errors.trim().trim_start_matches("jrpc: ").lines().collect();
    let expected = [
        "F:1: a name is 1 to 64 letters",
        "F:3: other machines reach this address",
        "F:5: expected http://HOST:PORT",
        "F:6: a name is 1 to 64 letters",
        "F:9: expected an address",
        "F:10: expected a number from 1 to 65536",
        "F:13: a token stands in ${file:PATH}",
        "F:15: the variable NO_SUCH_VARIABLE is not set",
    ];
    assert_eq!(lines.len(), expected.len(), "{errors}");
    assert!(lines.iter().zip(expected).all(|(line, expected)| line.starts_with(expected)), "{errors}");
    assert!(!errors.contains("secret in"), "{errors}");
    let token = folder.path().join("token");
    std::fs::write(&token, "0123456789abcdef\n").expect("written");
    let user = |name| format!("[users.{name}]\ntoken = \"${{file:{}}}\"\nmethods = []\n", token.display());
    let twice = user("u") + &user("v");
    for (text, expected) in [
        ("[devices.a]\naddress = 1\n", "F:2: "),
        ("[devices.a]\n\nadress = \"tcp://h:1\"\n", "F:3: unknown field"),
        ("[[listen]\n", "F:1: "),
        ("[[listen]]\naddress = \"http://0.0.0.0:1\"\npublic = true\n", "F:2: a public listener needs users"),
        ("[[listen]]\naddress = \"https://127.0.0.1:1\"\n", "F:2: https needs a certificate"),
        ("[users.u]\ntoken = \"${env:PATH}\"\nmethods = []\n", "F:2: a token has at least 16 letters"),
        ("[users.u]\ntoken = \"${env:PATH}\"\n", "F:1: missing field"),
        ("[devices.a]\naddress = \"tcp://h:1\"\n", "F:1: nobody can reach the devices"),
        (&twice, "F:5: another user"),
    ] {
        let (status, _, errors) = check(text);
        assert!(status == 2 && errors.contains(expected), "{text}: {errors}");
    }
    let (status, out, errors) = check(&format!("{LISTEN}[devices.a]\naddress = \"tcp://h:1\"\n"));
    assert_eq!(
        (status, out.as_str(), errors.as_str()),
        (0, &*format!("{}: devices: 1, listeners: 1, users: 0\n", path.display()), "")
    );
}

#[test]
fn the_demo_has_two_devices_and_a_page() {
    let mut running = Running::start(&["hub", "--demo"]);
    let address = running.next_address();
    let host = address.strip_prefix("http://").expect("an address");
    let hub = Hub { host: host.to_owned(), _folder: tempfile::tempdir().expect("a folder"), running };
    hub.wait("kitchen", "up");
    hub.wait("hall", "up");
    assert_eq!(hub.call("hall.lamp.set", json!([20])), 3);
    assert!(hub.http("GET / HTTP/1.1\r\n", "").1.contains("<html"));
    running = hub.running;
    running.send_signal("INT");
    assert_eq!(running.status().code(), Some(0));
}

#[test]
fn a_log_on_a_full_disk_stops_nothing() {
    let hub = Hub::start(&format!("log = \"/dev/full\"\n{}", devices(&[("lamp", &echo("a"))])));
    for number in 0..200 {
        assert_eq!(hub.call("lamp.x", json!([number])), json!(["a", "x", [number]]));
    }
}

#[test]
fn a_log_has_calls_without_their_payloads() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut hub = Hub::start(&format!("log = \"{}\"\n{}", log.display(), devices(&[("lamp", &echo("a"))])));
    hub.call("lamp.set", json!(["a secret"]));
    hub.running.send_signal("TERM");
    assert_eq!(hub.running.status().code(), Some(0));
    let log = std::fs::read_to_string(log).expect("a log");
    assert!(log.contains("call device=\"lamp\" method=\"set\"") && !log.contains("secret"), "{log}");
}

#[test]
fn calls_in_flight_end_before_the_hub() {
    let (is_called, told) = (Arc::new(Barrier::new(2)), Arc::new(AtomicBool::new(false)));
    let (called, stopping) = (Arc::clone(&is_called), Arc::clone(&told));
    let lamp = device(move |_, stream| {
        answer_lines(&stream, |line| {
            undescribed(line, |call| {
                called.wait();
                while !stopping.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                format!("{{\"jsonrpc\":\"2.0\",\"result\":7,\"id\":{}}}", call["id"])
            })
        });
    });
    let mut hub = Hub::start(&devices(&[("lamp", &lamp)]));
    hub.wait("lamp", "up");
    let host = hub.host.clone();
    let caller = std::thread::spawn(move || {
        http(
            &host,
            "POST /rpc HTTP/1.1\r\ncontent-type: application/json\r\n",
            r#"{"jsonrpc":"2.0","method":"lamp.x","id":1}"#,
        )
    });
    is_called.wait();
    hub.running.send_signal("TERM");
    // it accepts nobody any longer
    let begun = Instant::now();
    while TcpStream::connect(&hub.host).is_ok() {
        assert!(begun.elapsed() < LIMIT);
    }
    told.store(true, Ordering::SeqCst);
    assert_eq!(caller.join().expect("no panic"), (200, r#"{"jsonrpc":"2.0","result":7,"id":1}"#.to_owned()));
    assert_eq!(hub.running.status().code(), Some(0));
}

#[test]
fn a_webhook_receives_notifications() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let hook = listener.local_addr().expect("an address");
    let lamp = device(|_, stream| {
        answer_lines(&stream, |line| {
            undescribed(line, |call| {
                let id = &call["id"];
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"method\":\"other\"}}\n{{\"jsonrpc\":\"2.0\",\"method\":\"pressed\",\"params\":[1]}}\n{{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":{id}}}"
                )
            })
        });
    });
    let hook = format!(
        "[[webhooks]]\naddress = \"http://{hook}/hook\"\nmethods = [\"lamp.pressed\"]\nheaders = [\"x-key: ${{env:KEY}}\"]\n"
    );
    let hub = Hub::start_with(&format!("{}{hook}", devices(&[("lamp", &lamp)])), &[("KEY", "s3cret")]);
    hub.wait("lamp", "up");
    hub.call("lamp.x", json!([]));
    let (accepted, stream) = mpsc::channel();
    std::thread::spawn(move || accepted.send(listener.accept().expect("a connection").0));
    let mut stream = stream.recv_timeout(LIMIT).expect("a request");
    stream.set_read_timeout(Some(LIMIT)).expect("set");
    let (mut request, mut part) = (Vec::new(), [0; 1024]);
    while !request.ends_with(b"[1]}") {
        let len = stream.read(&mut part).expect("the request");
        assert!(len != 0, "{}", request.escape_ascii());
        request.extend_from_slice(&part[..len]);
    }
    let request = String::from_utf8(request).expect("text");
    assert!(request.starts_with("POST /hook HTTP/1.1\r\n") && request.contains("x-key: s3cret\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"lamp.pressed\",\"params\":[1]}"), "{request}");
}
