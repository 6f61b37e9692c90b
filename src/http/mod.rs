//! JSON-RPC over HTTP without a socket: a head and a body in, exactly one status, a few headers and a body out.
//!
//! The program parses HTTP, with `httparse` or its own server, and passes the method, the target and the headers. [`Endpoint::begin`]
//! looks at the head, before any byte of the body is read; [`Endpoint::answer`] reads the message and calls the handlers.
//!
//! | request | status |
//! |---|---|
//! | `POST` with a request, or a batch with one | 200, the answer |
//! | `POST` with notifications or responses only | 204, or [202](Endpoint::accepting) |
//! | no JSON-RPC message in the body | 400, an error response if there is one to give |
//! | `Content-Length` that is no number, repeated, beside `Transfer-Encoding`, or not the length of the body | 400 |
//! | a page of another [origin](Origins) | 403 |
//! | another [path](Endpoint::at) | 404 |
//! | another method | 405, `Allow: POST`; `GET` where [events](Endpoint::with_events) are served: 200, a stream |
//! | no length, or chunks where they are [not read](Endpoint::reading_chunks) | 411 |
//! | a body that is longer than the buffer | 413 |
//! | no [JSON media type](is_json), or an encoded body | 415 |
//! | `Expect` that is not `100-continue` | 417 |
//! | an output that is too short for the shortest answer to each call; no handler was called | 500 |
//! | a transfer coding that is not `chunked` | 501 |
//!
//! Errors inside answers do not show in the status: a call that fails is a 200 with an error object.
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
//! # Web pages
//! A page of another site can send a `POST` without asking, but only with the media types of forms, which get 415. For any
//! other, the browser asks first with `OPTIONS`, which gets 405. A page that has a name of this machine rebound to it is refused by
//! its [origin](Origins).
//!
//! # The other direction
//! [`Post`] writes a notification to a webhook, or a call to a server that answers in the body; [`answer_in`] reads that answer.
//! [`Replay`] keeps the last events of a stream for clients that come back with `Last-Event-ID`.
//!
//! Source: RFC 9110, RFC 9112; JSON-RPC 2.0; HTML, Server-sent events.

mod endpoint;
mod head;
mod origin;
mod post;
mod replay;
mod response;
mod value;

pub use endpoint::{Endpoint, Length, Step};
pub use head::Head;
pub use origin::Origins;
pub use post::{Post, Unanswered, Written, answer_in};
pub use replay::{EventId, IdText, Missed, Replay, Stored};
pub use response::{CONTINUE, KEEP_ALIVE, Response, reason};
pub use value::is_json;
#[cfg(feature = "mcp")]
pub(crate) use value::store;
