//! JSON-RPC over HTTP without a socket: turns a head and a body into one status, a few headers and a body.
//!
//! The program parses HTTP with `httparse` or its own server, and passes the method, the target and the headers. [`Endpoint::begin`]
//! checks the head before the body is read; [`Endpoint::answer`] reads the message and calls the handlers.
//!
//! | request | status |
//! |---|---|
//! | `POST` with a request, or with another text that gets an answer, unless it is in a row below | 200, the answer |
//! | `POST` with notifications or responses only | 204, or [202](Endpoint::accepting) |
//! | an unreadable body: neither a JSON-RPC message nor an object with a readable id; or a batch that is refused as a whole | 400, with an error response if the server writes one |
//! | `Content-Length` that is not a number, is repeated, comes with `Transfer-Encoding`, or differs from the length of the body; `Transfer-Encoding` in HTTP/1.0; chunks that cannot be decoded | 400 |
//! | a web page of another [origin](Origins); a stream that a page of another site [may open](#streams) | 403 |
//! | a header name that is not a token, such as one with white space before the colon | 400 |
//! | `Host` that is repeated, is not a host with an optional port, or is missing in [HTTP/1.1](Head::minor_version) | 400 |
//! | another [path](Endpoint::at) | 404 |
//! | another method | 405, `Allow: POST`; with [events](Endpoint::with_events), `GET` gets 200 and a stream |
//! | no length, or chunks where they are [not read](Endpoint::reading_chunks) | 411 |
//! | a body longer than the buffer | 413 |
//! | no [JSON media type](is_json), or [no media type](Endpoint::reading_untyped) | 415 |
//! | a body with a content encoding | 415, `Accept-Encoding: identity` |
//! | `Expect` that is not `100-continue` | 417 |
//! | an output too short for the shortest answer to each call; no handler was called | 500 |
//! | a transfer coding other than `chunked` | 501 |
//!
//! The status does not show errors inside answers: a failed call gets 200 and an error object.
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use nanojsonrpc::http::{Endpoint, Head, Length, Step};
//! use nanojsonrpc::{Router, Server};
//!
//! let mut server = Server::new(Router::new().request("subtract", |_: &mut (), (a, b): (i64, i64)| Ok(a - b)));
//! let endpoint = Endpoint::new().at("/rpc");
//! let head = Head::from_headers("POST", "/rpc", [("Content-Type", "application/json"), ("Content-Length", "61")]);
//! let (mut body, mut output) = ([0; 128], [0; 128]);
//!
//! let Step::Read { length: Length::Known(len), .. } = endpoint.begin(&head, body.len()) else { unreachable!() };
//! // in place of a socket
//! body[..len].copy_from_slice(br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
//! let response = endpoint.answer(&mut server, &mut (), &head, &body[..len], &mut output);
//! assert_eq!(response.status(), 200);
//! assert_eq!(response.headers(), [("content-type", "application/json")]);
//! assert_eq!(response.body(), br#"{"jsonrpc":"2.0","result":19,"id":1}"#);
//!
//! let response = endpoint.answer(&mut server, &mut (), &Head::new("GET", "/rpc"), b"", &mut output);
//! assert_eq!(response.status(), 405);
//! assert_eq!(response.headers(), [("allow", "POST")]);
//! # }
//! ```
//!
//! # Duties of the program
//! The program sets [`Head::minor_version`] to that of HTTP/1. The endpoint then answers 400 to a request of HTTP/1.1 without `Host`, ignores
//! `Expect` of HTTP/1.0, and marks the responses to HTTP/1.0 and to `Connection: close` as [closing](Response::closes). After such a
//! response, the program reads no further request and closes the connection, first for writing (RFC 9112 §9.6).
//!
//! # Web pages
//! A page of another site can send a `POST` without a preflight only with the media types of forms, which get 415. For any other media
//! type, the browser first sends `OPTIONS`, which gets 405. So for pages of another allowed [origin](Origins), the program must answer
//! `OPTIONS` and add `Access-Control-Allow-Origin` (Fetch, CORS protocol).
//!
//! DNS rebinding lets the host name of a foreign page resolve to this machine. The origin of the page is still foreign, so its `POST` is
//! refused. A `GET` of the page has no `Origin`; it is refused because of its [host](Origins::allow_host).
//!
//! # Streams
//! A page of any site can send a `GET` whose response it does not read, with `<img>` or with `fetch` in the mode `no-cors`. Browsers send
//! no `Origin` with it. Each stream that it opened would hold a connection, and a device has few. So a `GET` opens a stream of
//! [events](Endpoint::with_events), or of `mcp::http`, only with one of these headers:
//!
//! | header | sent by |
//! |---|---|
//! | an allowed `Origin` | a page of another origin that reads the response, such as with `EventSource` |
//! | `Sec-Fetch-Site: same-origin` or `none` | browsers, to HTTPS and to this machine: for a page of the server itself. Programs: `curl --header 'Sec-Fetch-Site: none'` |
//! | `Last-Event-ID` without another `Sec-Fetch-Site`; a page sends it to another site only after a preflight, or with `Origin` | a client that reconnects; `fetch` of a page of the server itself |
//! | in `mcp::http` in place of these two: `MCP-Protocol-Version` or `Mcp-Session-Id` | clients of MCP |
//!
//! `Accept: text/event-stream` is no such header, because `fetch` can set it in the mode `no-cors`.
//!
//! The first `GET` of these clients gets 403: of a program that sends none of these headers; and of an `EventSource` in a page of the
//! server itself on plain HTTP, unless the server is on the machine of the browser, because browsers then send no `Sec-Fetch-Site`. Such a
//! page uses `fetch` with `Last-Event-ID: 0`, which requests all stored events. [`Origins::Any`] requires no header.
//!
//! On plain HTTP, pages of any site still can send requests and open connections. Each request is refused at its head, but its connection
//! stays open until the program closes it: close the connections that are idle for the longest time. A page behind DNS rebinding can send
//! any header, so there only the host protects streams.
//!
//! # Calls by GET
//! People and devices of Shelly call methods by `GET /rpc/Switch.Set?id=0&on=true`. An endpoint answers 404, unless the program asks
//! [`Endpoint::read_target`] first. This is off by default, because a page of any site can send a `GET` without a preflight, with `<img>` or
//! a link, and browsers send no `Origin` with it. The call is refused with 403 if it has a foreign `Origin`; if it has none and `Host` is a
//! name that a [foreign site can have](Origins::allow_host); or if `Sec-Fetch-Site` says that another site sends it. Browsers send that
//! header only to HTTPS and to this machine. So on plain HTTP, a page that knows or guesses the address of a device can call its methods,
//! but cannot read the answers. Read targets only for methods that any page may call, or behind a proxy that authenticates; a
//! [`Layer`](crate::server::Layer) can refuse the others.
//!
//! # HTTP/2 and HTTP/3
//! In HTTP/2 and HTTP/3 the frames show the end of a body, so a body needs no `Content-Length` (RFC 9113 §8.1.1, RFC 9114 §4.1.2). But an
//! endpoint answers a body without a length with 411. Receive the body first, and set [`Head::content_length`] to its length. To check the
//! head before the body arrives, use an endpoint that [reads chunks](Endpoint::reading_chunks) and set [`Head::transfer_encoding`] to
//! `chunked`; the program then receives the body to its end. Pass `:method` and `:path` as the method and the target, not as headers, whose
//! names have no colon.
//!
//! ```
//! use nanojsonrpc::http::{Endpoint, Head, Length, Step};
//!
//! let endpoint = Endpoint::new().reading_chunks();
//! let mut head = Head::from_headers("POST", "/rpc", [("content-type", "application/json")]);
//! let streamed = Head { transfer_encoding: Some(b"chunked"), ..head };
//! assert_eq!(endpoint.begin(&streamed, 64), Step::Read { length: Length::Chunks, is_awaited: false });
//! head.content_length = Some(b"61");
//! assert_eq!(endpoint.begin(&head, 64), Step::Read { length: Length::Known(61), is_awaited: false });
//! ```
//!
//! # The other direction
//! [`Post`] writes a notification to a webhook, or a call to a server that answers in the body; [`read_head`] reads the head of the response,
//! and [`answer_in`] the answer.
//! [`Replay`] stores the last events of a stream for clients that reconnect with `Last-Event-ID`.
//!
//! Source: RFC 9110, RFC 9112; JSON-RPC 2.0; HTML, Server-sent events.

mod chunked;
mod endpoint;
mod head;
mod host;
mod origin;
mod post;
mod replay;
mod reply_head;
mod response;
mod target;
mod value;

pub use chunked::{ChunkError, ChunkErrorKind, Chunked, Decoded};
pub use endpoint::{Endpoint, Length, Step};
pub use head::Head;
pub use origin::Origins;
pub use post::{Post, Request, Unanswered, answer_in};
pub use replay::{EventId, Missed, Replay, Stored};
pub use reply_head::{InvalidHead, read_head};
pub use response::{CONTINUE, KEEP_ALIVE, Response, reason};
#[cfg(feature = "mcp")]
pub(crate) use response::{put_content_length, put_header};
pub use target::{MAX_TARGET_PARAMS, call_in_target};
pub use value::is_json;
#[cfg(all(feature = "mcp", feature = "embedded-io"))]
pub(crate) use value::number;
#[cfg(feature = "mcp")]
pub(crate) use value::store;
