//! Frames that lose their place, streams of other protocols and other ends of messages, by kind.

use nanojsonrpc::frame::{ContentLength, Delimited, Delimiter, Frame, Lines, Values};

use crate::client::{LENIENT, STRICT, called, numbered};
use crate::received;
use crate::streams::served;

const CALL: &str = r#"{"jsonrpc":"2.0","method":"level","id":1}"#;

fn call(id: u8) -> String {
    CALL.replace('1', &id.to_string())
}

fn with_length(text: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

/// The answers of a server over `F` to a stream, and the number of frames that the observer hears of as lost.
#[track_caller]
fn answers<F: Frame>(stream: &str, expected: &[&str], lost: usize) {
    let (answers, events) = served::<F>(stream.as_bytes());
    assert_eq!(answers, expected, "{stream}: {events:?}");
    assert_eq!(events.iter().filter(|event| event.starts_with("misframed")).count(), lost, "{stream}: {events:?}");
}

#[test]
fn values_without_line_feeds_end_after_a_fault() {
    let two = call(2) + &call(3);
    answers::<Values>(&(call(1) + "{'a'}" + &two), &["1", "-32700"], 2);
    answers::<Values>(&(call(1) + "{'a'}\n" + &two), &["1", "-32700", "2", "3"], 1);
    // a call in a broken string does not run, with and without a line feed behind it
    for broken in
        [format!("{{\"a\":\"\\x {} \"}}", call(9)), format!("{{'a':'}} {}'}}", call(9)), format!("[nan, {}]", call(9))]
    {
        let (found, events) = served::<Values>((broken.clone() + &two).as_bytes());
        assert_eq!(found, ["-32700"], "{broken}: {events:?}");
        let (found, _) = served::<Values>((broken.clone() + "\n" + &two).as_bytes());
        assert!(found == ["-32700", "2", "3"] || found == ["-32700"], "{broken}: {found:?}");
    }
    // both calls, the one of the lost answer and the next, end with the observed outcome
    let (stream, _) = numbered(br#"} {"jsonrpc":"2.0","result":3,"id":1}"#);
    let (outcome, sent, events) = called::<Values, 512>(&stream, STRICT);
    assert_eq!(
        (outcome.as_str(), sent.as_str(), events.len()),
        ("no line feed after a text that is not JSON at byte 52 of the stream", "", 2)
    );
}

#[test]
fn a_header_that_is_lost_is_found_again() {
    let (one, two, three) = (with_length(CALL), with_length(&call(2)), with_length(&call(3)));
    for between in ["", "\r\n", "\n\n\r\n"] {
        answers::<ContentLength>(&[&one[..], between, &two].concat(), &["1", "2"], 0);
    }
    for between in ["starting\n", "error: none\n\n at a.rs\n", "{\"level\":\"info\"}\r\n", "12:00 a\r\n\r\n12:01 b\r\n"]
    {
        answers::<ContentLength>(&[&one[..], between, &two, &three].concat(), &["1", "-32700", "2", "3"], 1);
    }
    let type_first = format!("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n{one}");
    let type_last = two.replace("\r\n\r\n", "\r\nContent-Type: x\r\n\r\n");
    answers::<ContentLength>(&[type_first, type_last, three.replace(": 41", ":41")].concat(), &["1", "2", "3"], 0);
    answers::<ContentLength>(&[&one[..], &two].concat().replace("\r\n", "\r\r\n"), &["1", "2"], 0);
    // a length in characters: the text is cut, and its rest is no header. The second error in a row is not sent
    let umlauts = r#"{"jsonrpc":"2.0","method":"äöü","id":4}"#;
    let short = format!("Content-Length: {}\r\n\r\n{umlauts}", umlauts.chars().count());
    answers::<ContentLength>(
        &[&one[..], &short, &two, &short, &three].concat(),
        &["1", "-32700", "2", "-32700", "3"],
        2,
    );
}

#[test]
fn a_stream_of_another_protocol_is_over_for_both_sides() {
    let body = format!("{CALL}\n{}", with_length(CALL));
    for front in [
        "POST / HTTP/1.1\r\nHost: 192.168.1.2\r\nContent-Type: text/plain\r\n\r\n",
        "GET /rpc HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
        "\u{16}\u{3}\u{1}\0\u{5}hello",
        "SSH-2.0-dropbear_2022.83\r\n",
        "HTTP/1.1 400 Bad Request\r\n\r\n",
    ] {
        let stream = [front, &body].concat();
        answers::<Lines>(&stream, &["-32700"], 1);
        answers::<Values>(&stream, &["-32700"], 1);
        answers::<ContentLength>(&stream, &["-32700"], 1);
        for dialect in [STRICT, LENIENT] {
            let expected = ("stream begins as another protocol at byte 0 of the stream", "");
            for (outcome, sent, _) in [
                called::<Lines, 512>(stream.as_bytes(), dialect),
                called::<Values, 512>(stream.as_bytes(), dialect),
                called::<ContentLength, 64>(stream.as_bytes(), dialect),
            ] {
                assert_eq!((outcome.as_str(), sent.as_str()), expected, "{front}");
            }
        }
    }
    // a banner that only begins so
    answers::<Lines>(&format!("GET READY\n{CALL}\n"), &["-32700", "1"], 0);
    answers::<Values>(&format!("SSH is off\n{CALL}\n"), &["-32700", "1"], 1);
}

macro_rules! ended {
    ($($name:ident $ends:literal)*) => {$(
        struct $name;

        impl Delimiter for $name {
            const ENDS: &'static [u8] = $ends;
        }
    )*};
}

ended! { AnyLineEnd b"\r\n" Nul b"\0" Etx b"\x03" Separator b"\x1E\n" }

#[test]
fn each_end_has_a_delimiter() {
    let two = |end: &str| [CALL, end, &call(2), end].concat();
    for end in ["\r", "\n", "\r\n", "\r\r\n"] {
        answers::<Delimited<AnyLineEnd>>(&two(end), &["1", "2"], 0);
    }
    answers::<Delimited<Nul>>(&two("\0"), &["1", "2"], 0);
    answers::<Delimited<Etx>>(&two("\u{3}"), &["1", "2"], 0);
    answers::<Delimited<Separator>>(&["\u{1E}", &two("\n\u{1E}")].concat(), &["1", "2"], 0);
    // a terminal that sends CR: refused by `Lines`, read with the delimiter
    for (_, stream) in received("frame-lines").into_iter().filter(|(n, _)| *n == 100) {
        assert_eq!(served::<Lines>(&stream).0, ["-32700"]);
        assert_eq!(served::<Delimited<AnyLineEnd>>(&stream).0, ["1", "2"]);
    }
}
