//! Requests of HTTP as clients of the field send them, and their kinds.

use httparse::{EMPTY_HEADER, Status};
use nanojsonrpc::http::{Endpoint, Head};
use nanojsonrpc::{Router, Server};

use crate::inputs;

const CALL: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;

/// The head at the front of `text`, and the rest.
fn parsed<'t>(text: &'t str, use_head: impl FnOnce(&Head<'t>, &'t [u8])) {
    let mut headers = [EMPTY_HEADER; 16];
    let mut request = httparse::Request::new(&mut headers);
    let Ok(Status::Complete(len)) = request.parse(text.as_bytes()) else { panic!("{text}") };
    let pairs = request.headers.iter().map(|header| (header.name, header.value));
    let mut head = Head::from_headers(request.method.unwrap_or_default(), request.path.unwrap_or_default(), pairs);
    head.minor_version = request.version;
    use_head(&head, &text.as_bytes()[len..]);
}

/// The status and the body of the response to a request, and the number of calls.
fn answered(endpoint: &Endpoint<'_>, text: &str) -> (u16, String, u32) {
    let subtract = |calls: &mut u32, (a, b): (i64, i64)| {
        *calls += 1;
        Ok(a - b)
    };
    let (mut calls, mut output, mut answered) = (0, [0; 256], (0, String::new()));
    parsed(text, |head, body| {
        let mut server = Server::new(Router::new().request("subtract", subtract));
        let response = endpoint.answer(&mut server, &mut calls, head, body, &mut output);
        assert!(response.body().is_empty() || response.headers() == [("content-type", "application/json")]);
        answered = (response.status(), String::from_utf8_lossy(response.body()).into_owned());
    });
    (answered.0, answered.1, calls)
}

fn post(headers: &str) -> String {
    format!("POST /rpc HTTP/1.1\r\nHost: device.local\r\n{headers}Content-Length: {}\r\n\r\n{CALL}", CALL.len())
}

#[test]
fn a_media_type_of_the_field_is_that_of_json() {
    for (n, text) in inputs("http").iter().filter(|(n, _)| [44, 47].contains(n)) {
        assert_eq!(answered(&Endpoint::new(), text), (200, ANSWER.into(), 1), "{n}");
    }
    for kind in ["application/json", "application/json-rpc", "application/jsonrequest", "application/vscode-jsonrpc"] {
        for name in [kind.to_owned(), kind.to_uppercase()] {
            for parameters in
                ["", ";charset=utf8", "; charset=UTF-8", " ; Charset=\"utf-8\"", "; q=1;charset=us-ascii", ";"]
            {
                let text = post(&format!("Content-Type: {name}{parameters}\r\n"));
                assert_eq!(answered(&Endpoint::new(), &text), (200, ANSWER.into(), 1), "{text}");
            }
            let text = post(&format!("Content-Type: {name}; charset=utf-16\r\n"));
            assert_eq!(answered(&Endpoint::new(), &text), (415, String::new(), 0), "{text}");
        }
    }
}

#[test]
fn a_request_without_a_media_type_needs_a_setting() {
    let texts = inputs("http").into_iter().filter(|(n, _)| *n == 46).map(|(_, text)| text).chain([post("")]);
    for text in texts {
        assert_eq!(answered(&Endpoint::new(), &text), (415, String::new(), 0), "{text}");
        assert_eq!(answered(&Endpoint::new().reading_untyped(), &text), (200, ANSWER.into(), 1), "{text}");
    }
}

/// The official client of MCP for .NET sends every body in one chunk, without a length.
#[cfg(feature = "mcp")]
#[test]
fn a_body_in_chunks_is_that_of_one_length() {
    use nanojsonrpc::http::{Chunked, Length, Step};
    use nanojsonrpc::mcp::{self, Service};

    const ENDPOINT: Endpoint<'_> = Endpoint::new().reading_chunks();
    for (_, text) in inputs("mcp-http").iter().filter(|(n, _)| *n == 41) {
        let end = text.find("\r\n\r\n").expect("a body") + 4;
        let answer = |pieces: &mut dyn Iterator<Item = &[u8]>| {
            let mut answered = String::new();
            parsed(text, |head, _| {
                assert_eq!(ENDPOINT.begin(head, 0), Step::Read { length: Length::Chunks, is_awaited: false });
                let (mut chunked, mut body, mut len, mut is_complete) = (Chunked::new(), [0; 256], 0, false);
                for piece in pieces {
                    body[len..len + piece.len()].copy_from_slice(piece);
                    let decoded = chunked.decode(&mut body[len..len + piece.len()]).expect("chunks");
                    len += decoded.len;
                    is_complete = decoded.is_complete;
                }
                assert!(is_complete && body[..len].ends_with(b"}}}"));
                let (mut server, mut output) = (Service::new("lamp", "1").server(), [0; 512]);
                let head = mcp::http::Head::from_headers("POST", [("content-type", "application/json")]);
                let response =
                    mcp::http::Endpoint::new().answer(&mut server, &mut (), &head, &body[..len], &mut output);
                answered = format!("{} {}", response.status(), String::from_utf8_lossy(response.body()));
            });
            answered
        };
        let body = &text.as_bytes()[end..];
        let whole = answer(&mut [body].into_iter());
        assert!(whole.starts_with("200 ") && whole.contains("2025-11-25"), "{whole}");
        for at in 0..=body.len() {
            let (front, back) = body.split_at(at);
            assert_eq!(answer(&mut [front, back].into_iter()), whole, "cut at byte {at}");
        }
        for len in 1..4 {
            assert_eq!(answer(&mut body.chunks(len)), whole, "pieces of {len} bytes");
        }
    }
}
