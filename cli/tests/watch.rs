//! `jrpc watch` at devices of each kind, and between clients and a device.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails so")]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;

use common::{LIMIT, Running, answer_lines, device, script};

/// A line without its time, which must be one.
fn behind_time(line: &str) -> &str {
    let (time, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
    let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "00:00:00.000", "{line}");
    rest
}

const ALL: &str = r#"printf '%s\n' '{"jsonrpc":"2.0","method":"lamp.tick","params":{ "n" : [1, 2] }}'
printf '%s\n' '{"jsonrpc":"2.0","method":"hub.time","id":"a"}'
printf '%s\n' '[{"jsonrpc":"2.0","result":3,"id":1},{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":2}]'
printf 'boot \033[31mred\n'
printf '%s\n' '{"jsonrpc":"2.0","method":"lamp.off"}'
"#;

#[test]
fn each_message_of_a_device_is_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (lines, errors, status) = Running::start(&["watch", &script(folder.path(), ALL)]).end();
    let lines: Vec<_> = lines.iter().map(|line| behind_time(line)).collect();
    assert_eq!(
        lines,
        [
            r#"← notification lamp.tick {"n":[1,2]}"#,
            r#"← request "a" hub.time"#,
            "← answer to 1 3",
            r#"← error for 2 {"code":-32601,"message":"Method not found"}"#,
            r"← unreadable boot \u{1b}[31mred (expected a value at byte 0)",
            "← notification lamp.off",
        ]
    );
    assert_eq!(status, Some(5));
    assert!(errors.len() == 1 && errors[0].ends_with("it has closed the stream"), "{errors:?}");
}

#[test]
fn kinds_methods_and_a_count_choose_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let device = script(folder.path(), &format!("{ALL}{ALL}"));
    for (arguments, expected) in [
        (&["--kind", "unreadable,error", "--count", "3"][..], &["error", "unreadable", "error"][..]),
        (&["--method", "lamp.*", "--method", "!*.tick", "--count", "2"], &["notification lamp.off"; 2]),
        (&["--method", "!*", "--for", "24h"], &[]),
        (&["--kind", "request", "--method", "hub.*", "--count", "1"], &["request"]),
    ] {
        let (lines, errors, status) = Running::start(&[&["watch", &device], arguments].concat()).end();
        let is_refused = arguments.contains(&"24h");
        assert_eq!(status, Some(if is_refused { 2 } else { 0 }), "{arguments:?}: {errors:?}");
        assert_eq!(lines.len(), expected.len(), "{arguments:?}: {lines:?}");
        for (line, expected) in lines.iter().zip(expected) {
            assert!(behind_time(line).starts_with(&format!("← {expected}")), "{line}");
        }
    }
}

#[test]
fn a_time_and_signals_end_it_with_0() {
    let (silent, stop) = ("exec:sleep 60", ["TERM", "INT"]);
    assert_eq!(Running::start(&["watch", silent, "--for", "50ms"]).end(), (vec![], vec![], Some(0)));
    let folder = tempfile::tempdir().expect("a folder");
    for name in stop {
        let device = script(folder.path(), "echo up\nexec sleep 60");
        let running = Running::start(&["watch", &device]);
        assert!(running.line().contains("unreadable up"));
        running.send_signal(name);
        assert_eq!(running.end(), (vec![], vec![], Some(0)), "{name}");
    }
}

#[test]
fn the_end_of_the_reader_ends_it_quietly() {
    let folder = tempfile::tempdir().expect("a folder");
    let device = script(folder.path(), "while echo tick; do sleep 0.01; done");
    let mut running = Running::start(&["watch", &device]);
    running.line();
    running.stop_reading();
    assert_eq!(running.end(), (vec![], vec![], Some(0)));
}

#[test]
fn all_texts_are_recorded_whatever_is_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (device, record) = (script(folder.path(), ALL), folder.path().join("session.jsonl"));
    let path = record.to_str().expect("UTF-8");
    for _ in 0..2 {
        let (lines, _, _) = Running::start(&["watch", &device, "--kind", "request", "--record", path]).end();
        assert_eq!(lines.len(), 1);
    }
    let text = std::fs::read_to_string(&record).expect("a recording");
    assert_eq!(text.lines().count(), 10, "{text}");
    assert!(text.lines().all(|line| line.contains(r#""direction":"received""#)), "{text}");
    assert!(text.contains(r#""text":"boot \u001b[31mred""#), "{text}");
    let (lines, errors, status) = Running::start(&["watch", &device, "--record", "/dev/full"]).end();
    assert_eq!((lines.len(), status), (0, Some(6)), "{errors:?}");
    assert!(errors[0].starts_with("jrpc: /dev/full: "), "{errors:?}");
}

#[test]
fn a_lost_device_is_connected_again_only_on_demand() {
    let device =
        device(|count, mut stream| _ = writeln!(stream, r#"{{"jsonrpc":"2.0","method":"up","params":[{count}]}}"#));
    let (lines, errors, status) = Running::start(&["watch", &device, "--reconnect", "--count", "3"]).end();
    assert_eq!(
        lines.iter().map(|line| behind_time(line)).collect::<Vec<_>>(),
        [0, 1, 2].map(|n| format!("← notification up [{n}]"))
    );
    assert_eq!((errors.len(), status), (2, Some(0)), "{errors:?}");
    assert!(errors[0].ends_with("connecting again in 100 ms") && errors[1].ends_with("connecting again in 200 ms"));
    let (lines, _, status) = Running::start(&["watch", &device]).end();
    assert_eq!((lines.len(), status), (1, Some(5)));
}

const CALL: &str = "{ \"jsonrpc\" : \"2.0\",\"method\":\"lamp.set\" ,\"params\":[1.0, \"\\u0041\"],\"id\":7}";
const ANSWER: &str = "{\"id\" :7, \"jsonrpc\":\"2.0\",\"result\":\"\\/\"}";
const NOISE: &[u8] = b"\xff{oops\x1b";

#[test]
fn texts_between_clients_and_a_device_pass_unchanged() {
    let (sender, received) = channel();
    let sender = std::sync::Mutex::new(sender);
    let device = device(move |_, mut stream| {
        let mut reader = BufReader::new(stream.try_clone().expect("a clone"));
        loop {
            let mut line = Vec::new();
            reader.read_until(b'\n', &mut line).expect("read");
            let answer = if line.starts_with(NOISE) { NOISE } else { ANSWER.as_bytes() };
            let is_over = line.is_empty();
            sender.lock().expect("the sender").send(line).expect("the test");
            if is_over {
                break;
            }
            stream.write_all(&[answer, b"\n"].concat()).expect("written");
        }
    });
    let running = Running::start(&["watch", &device, "--listen", "tcp://127.0.0.1:0"]);
    let address = running.address();
    for _ in 0..2 {
        let mut client = TcpStream::connect(address.strip_prefix("tcp://").expect("TCP")).expect("connected");
        let mut reader = BufReader::new(client.try_clone().expect("a clone"));
        for (text, answer) in [(CALL.as_bytes(), ANSWER.as_bytes()), (NOISE, NOISE)] {
            client.write_all(&[text, b"\n"].concat()).expect("written");
            assert_eq!(received.recv_timeout(LIMIT).expect("a line"), [text, b"\n"].concat());
            let mut line = Vec::new();
            reader.read_until(b'\n', &mut line).expect("read");
            assert_eq!(line, [answer, b"\n"].concat());
        }
        for expected in [
            r#"→ request 7 lamp.set [1.0,"\u0041"]"#,
            r#"← answer to 7 "\/""#,
            r"→ unreadable \xff{oops\u{1b} (",
            r"← unreadable \xff{oops\u{1b} (",
        ] {
            let line = running.line();
            assert!(behind_time(&line).starts_with(expected), "{line}");
        }
        drop((client, reader));
        assert_eq!(received.recv_timeout(LIMIT).expect("the end"), b"", "the device sees that its client has gone");
    }
    running.send_signal("TERM");
    assert_eq!(running.end(), (vec![], vec![], Some(0)));
}

#[test]
fn a_client_that_has_sent_all_still_gets_its_answers_and_answers_have_the_method_of_their_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("lamp.sock");
    // it answers once its input has ended
    let device =
        script(folder.path(), "cat > /dev/null\necho '{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":7}'\nexec sleep 60");
    let listen = format!("unix:{}", socket.display());
    let running = Running::start(&["watch", &device, "--listen", &listen, "--method", "lamp.*", "--count", "2"]);
    assert_eq!(running.address(), listen);
    let mut client = UnixStream::connect(&socket).expect("connected");
    writeln!(client, r#"{{"jsonrpc":"2.0","method":"fan.on"}}"#).expect("written");
    writeln!(client, "{CALL}").expect("written");
    client.shutdown(Shutdown::Write).expect("closed");
    let mut answer = String::new();
    client.read_to_string(&mut answer).expect("read");
    assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":7}\n");
    let (lines, errors, status) = running.end();
    assert_eq!((errors, status), (vec![], Some(0)));
    let lines: Vec<_> = lines.iter().map(|line| behind_time(line)).collect();
    assert_eq!(lines, [r#"→ request 7 lamp.set [1.0,"\u0041"]"#, "← answer to 7 3"]);
    assert!(!socket.exists(), "the socket remains");
}

#[test]
fn a_device_that_ends_a_session_ends_the_listener_only_without_reconnect() {
    let device = device(|_, stream| answer_lines(&stream, |_| String::new()));
    // a device that closes each session
    let closing = common::device(|_, stream| drop(stream));
    for (peer, arguments, status) in
        [(&closing, &[][..], Some(5)), (&closing, &["--reconnect"], Some(0)), (&device, &[], Some(0))]
    {
        let arguments = [&["watch", peer, "--listen", "tcp://127.0.0.1:0"], arguments].concat();
        let running = Running::start(&arguments);
        let address = running.address();
        let mut client = TcpStream::connect(address.strip_prefix("tcp://").expect("TCP")).expect("connected");
        if peer == &closing {
            assert_eq!(client.read(&mut [0]).expect("read"), 0);
            assert!(running.error().ends_with("it has closed the stream"));
        }
        if peer == &device {
            writeln!(client, "{CALL}").expect("written");
            running.line();
        }
        if status == Some(0) {
            running.send_signal("INT");
        }
        assert_eq!(running.end(), (vec![], vec![], status), "{arguments:?}");
    }
}
