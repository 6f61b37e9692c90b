//! `jrpc call` and `jrpc list` as users run them: output, standard error and status.

mod common;

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::{Duration, Instant};

use common::{command, device_of_lines, device_with, finish, folder, jrpc, jrpc_with};

fn ok(arguments: &[&str]) -> String {
    let (status, output, said) = jrpc(arguments);
    assert_eq!((status, said.as_str()), (0, ""), "{arguments:?}: {output}");
    output
}

#[test]
fn a_result_is_printed_and_all_else_is_said() {
    let device = device_with(
        b"ets Jun  8 2016 \x1b[2J boot\n{\"jsonrpc\":\"2.0\",\"method\":\"lamp.changed\",\"params\":[20]}\n\
          {\"jsonrpc\":\"2.0\",\"result\":{ \"level\" : 20.50 },\"id\":$id}\n",
    );
    let (status, output, said) = jrpc(&["call", &device, "lamp.set", "level:=20"]);
    assert_eq!((status, output.as_str()), (0, "{\"level\":20.50}\n"));
    assert_eq!(said, "skipped: ets Jun  8 2016 \\u{1b}[2J boot\nnotification lamp.changed [20]\n");
    assert_eq!(jrpc(&["call", &device, "lamp.set", "--raw"]).1, "{ \"level\" : 20.50 }\n");
}

#[test]
fn params_and_ids_are_sent_as_they_are_given() {
    let echo = device_of_lines(|line| {
        let id = line.rsplit_once("\"id\":").expect("a request").1.trim_end_matches('}');
        format!("{{\"jsonrpc\":\"2.0\",\"result\":[{line}],\"id\":{id}}}\n").into_bytes()
    });
    for (arguments, sent) in [
        (&["m"][..], r#"[{"jsonrpc":"2.0","method":"m","id":1}]"#),
        (&["m", "a=b", "c:=[1,{}]"], r#"[{"jsonrpc":"2.0","method":"m","params":{"a":"b","c":[1,{}]},"id":1}]"#),
        (&["m\"", "[1, 2]", "--id", "7"], r#"[{"jsonrpc":"2.0","method":"m\"","params":[1,2],"id":7}]"#),
        (&["m", "--id", "abc"], r#"[{"jsonrpc":"2.0","method":"m","id":"abc"}]"#),
        (&["m", "--id", "1.50"], r#"[{"jsonrpc":"2.0","method":"m","id":1.50}]"#),
    ] {
        assert_eq!(ok(&[&["call", &echo], arguments].concat()), format!("{sent}\n"));
    }
    let three = ok(&["call", &echo, "m", "--id", "9", "--repeat", "3"]);
    assert!(three.lines().zip(9..).all(|(line, id)| line.ends_with(&format!("\"id\":{id}}}]"))), "{three}");
    let (status, output, _) = jrpc_with(&["call", &echo, "m", "-"], b" {\"a\":\n1} ");
    assert_eq!(
        (status, output.as_str()),
        (0, "[{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":1},\"id\":1}]\n")
    );
}

#[test]
fn each_class_of_failure_has_its_status() {
    let silent = device_of_lines(|_| Vec::new());
    let answer = |answer| device_with(answer);
    for (arguments, status, said) in [
        (vec![answer(b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-5,\"message\":\"too\\u001b hot\",\"data\":[1]},\"id\":$id}\n")], 1,
            "error -5: too\\u{1b} hot\ndata: [1]\n"),
        (vec!["lamp".to_owned()], 2, "known names: none"),
        (vec!["tcp://x".to_owned()], 2, "expected tcp://HOST:PORT"),
        (vec![silent, "--timeout".to_owned(), "50ms".to_owned()], 3, "jrpc: no answer in time\n"),
        (vec![answer(b"{\"jsonrpc\":\"2.0\",\"result\":tru,\"id\":$id}\n")], 4, "^ byte 29 of 37\n"),
        (vec![answer(b"{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":\"$id\"}\n"), "--timeout".to_owned(), "50ms".to_owned()], 3,
            "answer to \"1\" 1\njrpc: no answer in time\n"),
        (vec!["tcp://127.0.0.1:1".to_owned()], 5, "Connection refused"),
        (vec!["exec:true".to_owned()], 5, "the peer has closed the stream"),
        (vec!["serial:///dev/nowhere".to_owned()], 5, "serial:///dev/nowhere"),
        (vec!["unix:/nowhere/lamp.sock".to_owned()], 5, "unix:/nowhere/lamp.sock: "),
    ] {
        let (peer, rest) = arguments.split_first().expect("a peer");
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        let found = jrpc(&[&["call", peer, "m"], &rest[..]].concat());
        assert_eq!((found.0, found.1.as_str()), (status, ""), "{arguments:?}: {}", found.2);
        assert!(found.2.contains(said), "{arguments:?}: {}", found.2);
    }
}

#[test]
fn a_lenient_peer_is_read_by_one_word() {
    let device = device_with(b"{\"id\":\"$id\",\"src\":\"shelly\",\"result\":{\"was_on\":false}}\n");
    assert_eq!(
        ok(&["call", &device, "Switch.Set", "id:=0", "on:=true", "--dialect", "lenient"]),
        "{\"was_on\":false}\n"
    );
}

#[test]
fn an_answer_of_100_mb_ends_the_call() {
    let device = device_of_lines(|_| {
        let mut answer = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"".to_vec();
        answer.resize(100 << 20, b'x');
        answer.extend_from_slice(b"\"}\n");
        answer
    });
    let (status, output, said) = jrpc(&["call", &device, "m"]);
    assert_eq!((status, output.as_str()), (4, ""), "{said}");
    assert!(said.len() < 300, "{said}");
    let (status, output, _) = jrpc(&["call", &device, "m", "--max-len", "200000000"]);
    assert_eq!((status, output.len()), (0, (100 << 20) - 34 + 3));
}

#[test]
fn each_frame_reaches_a_device() {
    let answer = r#"{"jsonrpc":"2.0","result":"ok","id":1}"#;
    let head = format!("Content-Length: {}\r\n\r\n{answer}", answer.len());
    let event = format!("data: {answer}\n\n");
    for (frame, end, sent) in [
        ("lf", "}\n", format!("{answer}\n")),
        ("cr", "}\r", format!("{answer}\r")),
        ("crlf", "}\r\n", format!("{answer}\r\n")),
        ("nul", "}\0", format!("{answer}\0")),
        ("etx", "}\x03", format!("{answer}\x03")),
        ("bytes:1e", "}\x1e", format!("{answer}\x1e")),
        ("bytes:2d2d3e", "}-->", format!("{answer}-->")),
        ("content-length", "}", head),
        ("values", "}", answer.to_owned()),
        ("events", "}\n\n", event),
    ] {
        let path = folder().join(format!("{}.sock", frame.replace(':', "-")));
        let listener = UnixListener::bind(&path).expect("a socket");
        let device = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let (mut received, mut byte) = (Vec::new(), [0]);
            while !received.ends_with(end.as_bytes()) {
                stream.read_exact(&mut byte).expect("a byte");
                received.extend_from_slice(&byte);
            }
            stream.write_all(sent.as_bytes()).expect("sent");
        });
        assert_eq!(ok(&["call", &format!("unix:{}", path.display()), "m", "--frame", frame]), "\"ok\"\n", "{frame}");
        device.join().expect("served");
    }
}

#[test]
fn a_batch_is_one_text_whose_answers_are_in_order() {
    let file = folder().join("calls");
    std::fs::write(&file, "# the lamp\nlamp.set level:=20 'reason=a b'\n\nlamp.level\n").expect("written");
    let device = device_of_lines(|line| {
        assert_eq!(
            line,
            concat!(
                r#"[{"jsonrpc":"2.0","method":"lamp.set","params":{"level":20,"reason":"a b"},"id":1},"#,
                r#"{"jsonrpc":"2.0","method":"lamp.level","id":2}]"#
            )
        );
        b"[{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"no\"},\"id\":2},{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":1}]\n".to_vec()
    });
    let (status, output, said) = jrpc(&["call", &device, "--batch", file.to_str().expect("a name")]);
    assert_eq!((status, said.as_str()), (1, ""));
    assert_eq!(
        output,
        "{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":1}\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"no\"},\"id\":2}\n"
    );
    std::fs::write(&file, "on\noff 'x\n").expect("written");
    let (status, _, said) = jrpc(&["call", &device, "--batch", file.to_str().expect("a name")]);
    assert_eq!((status, said.as_str()), (2, "jrpc: line 2: a quotation mark has no end\n"));
}

#[test]
fn peers_have_names_in_a_file() {
    let device = device_with(b"{\"id\":\"$id\",\"result\":1}\n");
    let file = folder().join("peers.toml");
    std::fs::write(&file, format!("[lamp]\naddress = \"{device}\"\ndialect = \"lenient\"\ntimeout = \"5s\"\n"))
        .expect("written");
    let peers = ["--peers", file.to_str().expect("a name")];
    assert_eq!(ok(&[&["call", "lamp", "m"], &peers[..]].concat()), "1\n");
    let (status, _, said) = jrpc(&[&["call", "fan", "m"], &peers[..]].concat());
    assert_eq!((status, said.as_str()), (2, "jrpc: \"fan\" is neither an address nor a name; known names: lamp\n"));
    for (text, reason) in [
        ("[lamp]\naddress = \"tcp://x\"\n", "expected tcp://HOST:PORT"),
        ("[lamp]\n", "the peer \"lamp\" has no address"),
        ("[lamp]\naddress = \"-\"\nspeed = 1\n", "unknown field `speed`"),
        ("[lamp\n", "peers.toml: TOML parse error at line 1"),
    ] {
        std::fs::write(&file, text).expect("written");
        let (status, _, said) = jrpc(&[&["call", "lamp", "m"], &peers[..]].concat());
        assert!(status == 2 && said.contains(reason), "{text}: {said}");
    }
}

#[test]
fn a_list_is_kept_so_that_calls_are_checked_and_completed() {
    let device = device_with(
        b"{\"jsonrpc\":\"2.0\",\"result\":{\"openrpc\":\"1.3.2\",\"methods\":[{\"name\":\"lamp.set\",\"summary\":\"Sets the level.\",\
          \"params\":[{\"name\":\"level\",\"required\":true,\"schema\":{\"type\":\"integer\",\"maximum\":100}},\
          {\"name\":\"mode\",\"schema\":{\"enum\":[\"day\",\"night\"]}}]}]},\"id\":$id}\n",
    );
    assert_eq!(jrpc(&["call", &device, "lamp.set", "level:=101"]).0, 0, "nothing is known yet");
    assert_eq!(ok(&["list", &device]), "lamp.set(level: integer, mode?)  Sets the level.\n");
    let (status, _, said) = jrpc(&["call", &device, "lamp.set", "level:=101"]);
    assert!(status == 2 && said.contains("/level: 101 is greater than the maximum of 100"), "{said}");
    assert_eq!(jrpc(&["call", &device, "lamp.set", "level:=101", "--unchecked"]).0, 0);
    let completed = |words: &[&str]| {
        let index = (words.len() - 1).to_string();
        let mut command = command(&[&["--", "jrpc"], &words[1..]].concat());
        command.envs([("COMPLETE", "bash"), ("_CLAP_IFS", "\n"), ("_CLAP_COMPLETE_INDEX", &index)]);
        let output = finish(command.spawn().expect("started"));
        String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(completed(&["jrpc", "call", &device, "lamp"]), ["lamp.set"]);
    assert_eq!(completed(&["jrpc", "call", &device, "lamp.set", "m"]), ["mode=day", "mode=night"]);
    assert_eq!(completed(&["jrpc", "call", &device, "lamp.set", "mode=day", "l"]), ["level:="]);
}

#[test]
fn a_peer_without_a_description_says_so() {
    let device = device_with(b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"no\"},\"id\":$id}\n");
    let (status, output, said) = jrpc(&["list", &device]);
    assert_eq!((status, output.as_str()), (1, ""));
    assert_eq!(said, "the peer does not describe itself: it knows no rpc.discover\n");
}

#[test]
fn a_device_that_stops_in_the_middle_of_an_answer_ends_the_call() {
    let begun = Instant::now();
    let device = device_with(b"{\"jsonrpc\":\"2.0\",\"resu");
    assert_eq!(jrpc(&["call", &device, "m", "--timeout", "100ms"]).0, 3);
    let (status, _, _) = jrpc(&["call", "exec:read x; printf '{\"id\":1,\"resul'", "m"]);
    assert_eq!(status, 5);
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_device_that_sends_without_end_is_late() {
    let begun = Instant::now();
    let (status, _, said) = jrpc(&["call", "exec:yes", "m", "--timeout", "200ms"]);
    assert_eq!(status, 3);
    assert!(said.starts_with("skipped: y\n") && said.ends_with("jrpc: no answer in time\n"));
    // the texts up to the limit are printed, not those of many seconds
    assert!(begun.elapsed() < common::LIMIT);
    assert!(said.len() < 4 << 20, "{}", said.len());
}

#[test]
fn help_and_the_manual_page_have_an_example_of_each_command() {
    let help = ok(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // a long description goes on in the next line
    let commands = commands.filter(|line| !line.starts_with("   "));
    let commands: Vec<_> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"call") && commands.contains(&"list"), "{commands:?}");
    for command in commands.into_iter().filter(|command| !["help", "man"].contains(command)) {
        let help = ok(&[command, "--help"]);
        assert!(help.contains("Example") && help.contains(&format!("  jrpc {command} ")), "{help}");
        assert!(ok(&["man", command]).contains(&format!("jrpc {command}")), "{command}");
    }
}
