//! A stream that begins as another protocol ends; one that only looks like it does not.

use crate::frames::{Found, cut, frames, message};
use nanojsonrpc::frame::{ContentLength, Events, Frame, FrameErrorKind, Framer, Lines, Values};

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"open\",\"id\":1}";

/// The error of a stream that begins as another protocol, at its first byte.
fn other() -> Found {
    Err((FrameErrorKind::OtherProtocol, 0))
}

/// The items of `front` and two calls, in each form that a frame would read.
fn begun<F: Frame, const N: usize>(front: &[u8]) -> Vec<Found> {
    let behind = format!("\r\n{CALL}\nContent-Length: {}\r\n\r\n{CALL}\n{CALL}\n", CALL.len());
    frames::<F, N>(&[front, behind.as_bytes()].concat())
}

#[test]
fn a_stream_that_begins_as_another_protocol_is_over() {
    let long = ["POST /", &"x".repeat(2000), " HTTP/1.1\r\n\r\n"].concat();
    for front in [
        &b"POST /rpc?a=b HTTP/1.1\r\nHost: 127.0.0.1:7000\r\nContent-Type: text/plain\r\n\r\n"[..],
        b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
        b"OPTIONS /?HTTP/1.1 HTTP/1.0\r\n\r\n",
        // a page may send braces in a query
        b"POST /?{\"a\":{} HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x16\x03\x01\x02\0\x01\0\x01\xFC\x03\x03",
        b"\x15\x03\x03\0\x02\x02\x46",
        long.as_bytes(),
    ] {
        // a target that is longer than the buffer hides nothing
        assert_eq!(begun::<Lines, 512>(front), [other()], "{}", front.escape_ascii());
        assert_eq!(begun::<Lines, 8>(front), [other()], "{}", front.escape_ascii());
        assert_eq!(begun::<Lines, 2048>(front), [other()], "{}", front.escape_ascii());
        assert_eq!(begun::<Values, 512>(front), [other()], "{}", front.escape_ascii());
        assert_eq!(begun::<Values, 8>(front), [other()], "{}", front.escape_ascii());
        assert_eq!(begun::<ContentLength, 512>(front), [other()], "{}", front.escape_ascii());
        assert_eq!(begun::<ContentLength, 8>(front), [other()], "{}", front.escape_ascii());
    }
    // also without a line end
    assert_eq!(frames::<Lines, 64>(b"GET / HTTP/1."), [other()]);
    // a buffer that ends inside the version hides nothing either
    for len in 3..40 {
        let front = [&b"GET /"[..], &vec![b'x'; len], b" HTTP/1.1\r\n\r\n"].concat();
        assert_eq!(begun::<Lines, 32>(&front), [other()], "{len}");
    }
}

#[test]
fn a_banner_is_no_protocol() {
    for banner in [
        "GET ",
        "GET",
        "GET /",
        "POST / HTTP",
        "POST / HTTP/",
        "POST / HTTP/1",
        "POST / HTTP/2.0",
        "GET HTTP/1.1",
        "LISTENING ON HTTP/1.1",
        "Serving HTTP/1.1",
        "GET / b HTTP/1.1",
        "GET  HTTP/1.1",
        "post / HTTP/1.1",
        "HTTP server",
        "XHTTP/1.1",
        "HTTP",
        "SSH",
        "SSH-",
        "SSH-keys loaded",
        "SSHD-1",
        "SSH-3 x",
        "GETTING /dev/ttyS0 HTTP",
        "\u{16}",
        "\u{16}\u{1}",
        "\u{3}\u{16}",
        "I (345) boot: HTTP/1.1",
        "U-Boot 2024.01",
        "READY",
        "OK /dev/ttyS0",
        "E-MAIL 1",
        "A",
        "-",
        "a GET / HTTP/1.1",
        " / HTTP/1.1",
        "[boot] GET / HTTP/1.1",
    ] {
        let line = [banner, "\n", CALL, "\n"].concat();
        let call = message(&CALL.as_bytes().escape_ascii().to_string());
        assert_eq!(
            frames::<Lines, 64>(line.as_bytes()),
            [message(&banner.as_bytes().escape_ascii().to_string()), call.clone()]
        );
        let found = frames::<Values, 64>(line.as_bytes());
        assert!(found.len() == 2 && found[0].is_err() && found[1] == call, "{banner}: {found:?}");
        let header = format!("{banner}\nContent-Length: {}\r\n\r\n{CALL}", CALL.len());
        let found = frames::<ContentLength, 64>(header.as_bytes());
        assert_eq!(found.last(), Some(&call), "{banner}");
        // at the end of the stream
        assert_eq!(frames::<Lines, 64>(banner.as_bytes()).len(), 1);
    }
}

#[test]
fn only_the_front_of_a_stream_counts() {
    let stream = "{}\nPOST / HTTP/1.1\n{}\n\u{16}\u{3}\nSSH-2.0-x\n";
    let text = |text: &str| message(&text.as_bytes().escape_ascii().to_string());
    let lines = ["{}", "POST / HTTP/1.1", "{}", "\u{16}\u{3}", "SSH-2.0-x"].map(text);
    assert_eq!(frames::<Lines, 32>(stream.as_bytes()), lines);
    // a stream of HTTP has another frame
    assert_eq!(cut::<Events, 64>(b"POST / HTTP/1.1\ndata: {}\n\n", || 3), [message("{}")]);
    let mut framer = Framer::<Lines, 32>::new();
    for _ in 0..2 {
        // after the end of a stream, the front of the next one
        assert_eq!((framer.push(b"1\n2"), framer.next().is_some(), framer.finish().is_some()), (3, true, true));
        assert!(framer.finish().is_none() && framer.push(b"SSH-2.0\n") == 8);
        assert!(!framer.is_over() && framer.next().is_some_and(|found| found.is_err()) && framer.is_over());
        assert!(framer.finish().is_none() && framer.push(b"3\n") == 2 && framer.next().is_none());
        framer.clear();
        assert!(!framer.is_over());
    }
}
