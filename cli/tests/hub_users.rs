//! `jrpc hub` among users and devices that do harm.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by a panic")]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use common::hub::{Hub, LISTEN, devices, echo, has_asked, http, next, undescribed};
use common::{LIMIT, answer_lines, device, device_of_lines, device_with, jrpc as run};
use futures_util::StreamExt as _;
use nanojsonrpc_tokio::CallError;
use serde_json::{Value, json};

#[test]
fn a_full_queue_refuses_at_once() {
    let open = Arc::new((std::sync::Mutex::new(false), std::sync::Condvar::new()));
    let gate = Arc::clone(&open);
    let lamp = device(move |_, stream| {
        answer_lines(&stream, |line| {
            undescribed(line, |call| {
                drop(gate.1.wait_while(gate.0.lock().expect("open"), |open| !*open));
                format!("{{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":{}}}", call["id"])
            })
        });
    });
    let hub = Hub::start(&format!("{}calls = 1\nqueue = 1\n", devices(&[("lamp", &lamp)])));
    hub.wait_for(has_asked);
    // the first is at the device, and the second waits
    let batch = r#"[{"jsonrpc":"2.0","method":"lamp.a","id":1},{"jsonrpc":"2.0","method":"lamp.a","id":2},{"jsonrpc":"2.0","method":"lamp.a","id":3}]"#;
    let answer = std::thread::scope(|scope| {
        let host = &hub.host;
        let head = "POST /rpc HTTP/1.1\r\ncontent-type: application/json\r\n";
        let waiting = scope.spawn(move || http(host, head, batch).1);
        hub.wait_for(|devices| devices[0]["errors"] == 2);
        *open.0.lock().expect("open") = true;
        open.1.notify_all();
        waiting.join().expect("no panic")
    });
    assert_eq!(
        answer,
        r#"[{"jsonrpc":"2.0","result":1,"id":1},{"jsonrpc":"2.0","result":1,"id":2},{"jsonrpc":"2.0","error":{"code":-32000,"message":"Device is busy"},"id":3}]"#
    );
}

#[test]
fn a_device_that_sends_nonsense_harms_nobody_else() {
    let long = Box::leak(vec![b'x'; 3 << 20].into_boxed_slice());
    let nonsense = [
        device_with(b"\xff\xfe{[[[\n{\"jsonrpc\":\"2.0\",\"id\":$id}\n"),
        device_with(b"{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":$id}\n{\"jsonrpc\":\"2.0\",\"result\":2,\"id\":$id}\n{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":99}\n"),
        device_with(long),
    ];
    let names = [("bad0", nonsense[0].as_str()), ("bad1", &nonsense[1]), ("bad2", &nonsense[2])];
    let mut text = devices(&[&names[..], &[("good", &echo("g"))]].concat());
    text = text.replace("[devices.bad2]", "[devices.bad2]\nmax-len = 1000000\ntimeout = \"1s\"");
    let hub = Hub::start(&text);
    for _ in 0..3 {
        assert_eq!(hub.call("bad1.x", json!([])), 1, "the first answer counts");
        for name in ["bad0", "bad2"] {
            let error = hub.call(&format!("{name}.x"), json!([]));
            assert!(error["code"].as_i64().is_some(), "{name}: {error}");
        }
        assert_eq!(hub.call("good.x", json!([1])), json!(["g", "x", [1]]));
    }
}

/// Two users, and a variable with the token of each.
const USERS: &str = "[users.panel]\ntoken = \"${env:PANEL}\"\nmethods = [\"lamp.get*\"]\n\
                     [users.admin]\ntoken = \"${env:ADMIN}\"\nmethods = [\"*\"]\nrate = 1000\n";
const TOKENS: &[(&str, &str)] = &[("PANEL", "0123456789abcdef"), ("ADMIN", "fedcba9876543210")];

#[test]
fn users_may_do_what_the_file_says() {
    let hub = Hub::start_with(&format!("{}{USERS}", devices(&[("lamp", &echo("a")), ("fan", &echo("b"))])), TOKENS);
    let post = |token: &str, method: &str| {
        let head = format!("POST /rpc HTTP/1.1\r\ncontent-type: application/json\r\nauthorization: {token}\r\n");
        hub.http(&head, &format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"id\":1}}"))
    };
    for token in ["", "Bearer ", "Bearer 0123456789abcdeF", "Basic 0123456789abcdef"] {
        assert_eq!(post(token, "lamp.get").0, 401, "{token}");
    }
    let (panel, admin) = ("Bearer 0123456789abcdef", "Bearer fedcba9876543210");
    assert!(post(panel, "lamp.get").1.contains("[\"a\",\"get\",null]"));
    assert!(post(panel, "lamp.set").1.contains("-32007"));
    assert!(post(panel, "fan.get").1.contains("-32601"), "a device that a user does not see");
    assert!(post(admin, "fan.set").1.contains("\"set\""));
    let seen = post(panel, "hub.devices").1;
    assert!(seen.contains("lamp") && !seen.contains("fan"), "{seen}");
    let metrics = hub.http(&format!("GET /metrics HTTP/1.1\r\nauthorization: {panel}\r\n"), "").1;
    assert!(metrics.contains("lamp") && !metrics.contains("fan"), "{metrics}");
    assert_eq!(hub.http("GET /metrics HTTP/1.1\r\n", "").0, 401);
    assert_eq!(hub.http("GET /health HTTP/1.1\r\n", "").0, 200);
    // a page from elsewhere
    let head = format!(
        "POST /rpc HTTP/1.1\r\ncontent-type: application/json\r\norigin: https://evil.example\r\nauthorization: {admin}\r\n"
    );
    assert_eq!(hub.http(&head, "{}").0, 403);
}

#[tokio::test]
async fn a_user_hears_of_the_devices_that_it_sees() {
    // it ends with the first line, and is started again
    let restless = "exec:head -n 1";
    let hub = Hub::start_with(&format!("{}{USERS}", devices(&[("fan", restless), ("lamp", restless)])), TOKENS);
    let user = hub.socket_with(vec![("authorization".to_owned(), "Bearer 0123456789abcdef".to_owned())]).await;
    let mut heard = user.notifications().boxed();
    user.call::<usize>("hub.subscribe", &json!({ "methods": ["*"] })).await.expect("called");
    for _ in 0..4 {
        let told = next(&mut heard).await;
        assert_eq!(told.method().to_string(), "hub.device");
        let name = told.payload().and_then(|params| params.get("name")).map(|name| name.to_string());
        assert_eq!(name.as_deref(), Some("\"lamp\""));
    }
}

#[test]
fn traffic_shows_what_its_user_may_call() {
    let lamp = echo("a");
    let hub = Hub::start_with(&format!("payloads = true\n{}{USERS}", devices(&[("lamp", &lamp)])), TOKENS);
    let (panel, admin) = (TOKENS[0].1, TOKENS[1].1);
    let mut traffic = hub.events("/traffic", panel);
    for method in ["lamp.set", "lamp.get"] {
        let head = format!("POST /rpc HTTP/1.1\r\ncontent-type: application/json\r\nauthorization: Bearer {admin}\r\n");
        let answer = hub.http(&head, &format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"id\":1}}"));
        assert!(answer.1.contains("result"), "{answer:?}");
    }
    assert_eq!(traffic.next().expect("an event")["params"]["method"], "get");
}

#[test]
fn an_empty_token_lets_nobody_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, token) = (folder.path().join("hub.toml"), folder.path().join("token"));
    std::fs::write(&token, "\n").expect("written");
    let users = format!("{LISTEN}[users.u]\nmethods = []\ntoken = \"${{file:{}}}\"\n", token.display());
    std::fs::write(&path, users).expect("written");
    let (status, _, errors) = run(&["hub", &path.display().to_string()]);
    assert!(status == 2 && errors.contains("a token has at least"), "{errors}");
}

#[test]
fn no_secret_of_an_address_is_told() {
    let text = "[devices.lamp]\naddress = \"ws://me:${env:SECRET}@127.0.0.1:1/rpc?token=${env:SECRET}\"\n";
    let hub = Hub::start_with(&format!("{LISTEN}{text}"), &[("SECRET", "s3cret")]);
    hub.wait("lamp", "down");
    let (devices, error) = (hub.call("hub.devices", json!([])), hub.call("lamp.x", json!([])));
    assert_eq!(error["code"], -32005);
    assert!(!format!("{devices}{error}").contains("s3cret"), "{devices} {error}");
    hub.running.send_signal("TERM");
    let (_, errors, status) = hub.running.end();
    assert!(status == Some(0) && !errors.concat().contains("s3cret"), "{errors:?}");
}

#[test]
fn notifications_to_a_device_that_is_away_are_dropped() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let mut hub = Hub::start(&devices(&[("lamp", &format!("tcp://{address}"))]));
    hub.wait("lamp", "down");
    for _ in 0..300 {
        assert_eq!(hub.post(r#"{"jsonrpc":"2.0","method":"lamp.open"}"#), "");
    }
    let listener = TcpListener::bind(address).expect("the port again");
    let (stream, _) = listener.accept().expect("a connection");
    let first = BufReader::new(&stream).lines().next().expect("a line").expect("a line");
    assert!(first.contains("rpc.discover"), "{first}");
    // the device says nothing, and the hub ends nevertheless
    hub.running.send_signal("TERM");
    assert_eq!(hub.running.status().code(), Some(0));
}

#[test]
fn a_call_whose_caller_has_gone_is_counted() {
    let (is_called, told) = mpsc::channel();
    let lamp = device(move |_, stream| {
        let is_called = is_called.clone();
        answer_lines(&stream, |line| {
            undescribed(line, |_| {
                is_called.send(()).expect("the test");
                String::new()
            })
        });
    });
    let hub = Hub::start(&devices(&[("lamp", &lamp)]));
    hub.wait_for(has_asked);
    let body = r#"{"jsonrpc":"2.0","method":"lamp.x","id":1}"#;
    let head = format!("POST /rpc HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n", hub.host);
    let mut stream = TcpStream::connect(&hub.host).expect("connected");
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).expect("sent");
    told.recv_timeout(LIMIT).expect("the device is called");
    drop(stream);
    // its place is taken until the device must have answered
    hub.wait_for(|devices| devices[0]["errors"] == 2 && devices[0]["inFlight"] == 1);
}

#[test]
fn methods_of_equal_names_hold_nobody_up() {
    let method = |number: u32| {
        format!("{{\"name\":\"m.{}\",\"params\":[]}}", char::from_u32(0x4e00 + number).expect("a letter"))
    };
    let methods: Vec<_> = (0..10_000).map(method).collect();
    let document = format!("{{\"openrpc\":\"1.3.2\",\"methods\":[{}]}}", methods.join(","));
    let many = device_of_lines(move |line| {
        let call: Value = serde_json::from_str(line).expect("a call");
        format!("{{\"jsonrpc\":\"2.0\",\"result\":{document},\"id\":{}}}\n", call["id"]).into_bytes()
    });
    let hub = Hub::start(&devices(&[("many", &many)]));
    let (status, out, errors) = run(&["list", "--mcp", "--timeout", "60s", &format!("http://{}/mcp", hub.host)]);
    assert_eq!((status, out.lines().count()), (0, 10_000), "{errors}");
}

#[tokio::test]
async fn subscriptions_have_limits() {
    let hub = Hub::start(&devices(&[]));
    let user = hub.socket().await;
    for methods in [vec!["x".repeat(257)], vec!["x".to_owned(); 257]] {
        let refused = user.call::<usize>("hub.subscribe", &json!({ "methods": methods })).await;
        assert!(matches!(refused, Err(CallError::Peer(error)) if error.code.0 == -32602));
    }
}

#[test]
fn the_tools_of_a_user_are_those_of_the_devices_that_it_sees() {
    let hub = Hub::start_with(&format!("{}{USERS}", devices(&[("lamp", &echo("a")), ("fan", &echo("b"))])), TOKENS);
    let address = format!("http://{}/mcp", hub.host);
    let list = |token: &str| {
        let header = format!("Authorization: Bearer {token}");
        let (status, out, errors) = run(&["list", "--mcp", &address, "--header", &header]);
        assert_eq!(status, 0, "{errors}");
        out
    };
    let (panel, admin) = (list(TOKENS[0].1), list(TOKENS[1].1));
    assert!(panel.contains("lamp_call") && !panel.contains("fan_call"), "{panel}");
    assert!(admin.contains("lamp_call") && admin.contains("fan_call"), "{admin}");
    let header = format!("Authorization: Bearer {}", TOKENS[0].1);
    let call =
        |method: &str| run(&["call", "--mcp", &address, "--header", &header, "lamp_call", &format!("method={method}")]);
    let (status, out, errors) = call("get");
    assert_eq!((status, out.trim()), (0, r#"["a","get",null]"#), "{errors}");
    let (status, _, errors) = call("set");
    assert_eq!(status, 1);
    assert!(errors.contains("Not allowed"), "{errors}");
}

#[test]
fn a_client_has_so_many_connections() {
    let text = devices(&[]).replace("0\"\n", "0\"\nconnections = 2\n");
    let hub = Hub::start(&text);
    let open: Vec<_> = (0..2).map(|_| TcpStream::connect(&hub.host).expect("connected")).collect();
    let mut third = TcpStream::connect(&hub.host).expect("accepted by the system");
    third.set_read_timeout(Some(LIMIT)).expect("set");
    let mut byte = [0; 1];
    assert!(matches!(third.read(&mut byte), Ok(0) | Err(_)), "it is closed at once");
    drop(open);
    let begun = Instant::now();
    loop {
        let mut stream = TcpStream::connect(&hub.host).expect("accepted by the system");
        stream.set_read_timeout(Some(LIMIT)).expect("set");
        // an error means that the hub has not seen the ends of the others yet
        _ = stream.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        let mut answer = String::new();
        if stream.read_to_string(&mut answer).is_ok_and(|len| len != 0) {
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            return;
        }
        assert!(begun.elapsed() < LIMIT);
    }
}
