//! The methods from §7 of the specification, and a few others to test a server. `stdio`, `tcp` and the page in `page/` serve them.
//!
//! | method | params | result |
//! |---|---|---|
//! | `subtract` | two integers, by position or as `minuend` and `subtrahend` | their difference |
//! | `sum` | integers | their sum |
//! | `get_data` | none | `["hello",5]` |
//! | `echo` | any | the params, byte for byte |
//! | `fail` | any | the error 1, with the params as its data |
//! | `large` | a number of bytes | a text of this length; -32603 if the text does not fit the output |
//! | `updates` | none | the number of notifications `update` on this connection |
//!
//! These methods also work without serde. With serde, `subtract` could take `(i64, i64)` or a struct.

use nanojsonrpc::server::route::Routes;
use nanojsonrpc::server::{Replied, Reply};
use nanojsonrpc::{Dialect, ErrorObject, Params, RawValue, Router, Server, json::Kind};

/// The maximum length of a message in bytes.
const MESSAGE: usize = 16 * 1024;
/// The maximum number of elements of a batch.
const BATCH: usize = 256;
/// Room for a message and its line end.
pub(crate) const INPUT: usize = MESSAGE + 2;
/// Room for the result of `echo`, and in a batch for an error with the id of each element.
pub(crate) const OUTPUT: usize = 2 * MESSAGE + BATCH * 160;

/// The text of `large`, longer than any output. The page has a shorter one, because browsers download it.
static TEXT: [u8; LARGE] = [b'x'; LARGE];
const LARGE: usize = if cfg!(target_family = "wasm") { 100 } else { 2 * OUTPUT };

/// The state of one connection.
#[derive(Default)]
pub(crate) struct Session {
    updates: u32,
}

/// A server with all these methods.
pub(crate) fn server() -> Server<impl Routes<Session>> {
    let router = Router::new()
        .request("subtract", |_: &mut Session, params: Params<'_>| subtract(params))
        .request("sum", |_: &mut Session, params: Params<'_>| sum(params))
        .request("get_data", |_: &mut Session| Ok(("hello", 5)))
        .request("echo", |_: &mut Session, params: Params<'_>, reply: Reply<'_>| reply.success(&params))
        .request("fail", |_: &mut Session, params: Params<'_>, reply: Reply<'_>| fail(params, reply))
        .request("large", |_: &mut Session, params: Params<'_>| large(params))
        .request("updates", |session: &mut Session| Ok(session.updates))
        .notification("update", |session: &mut Session, _: Params<'_>| {
            session.updates = session.updates.wrapping_add(1);
        });
    Server::new(router).with_dialect(Dialect::JSON_RPC.with_max_len(MESSAGE).with_max_batch(BATCH))
}

fn invalid_params(message: &'static str) -> ErrorObject<'static> {
    ErrorObject::INVALID_PARAMS.with_message(message)
}

fn subtract(params: Params<'_>) -> Result<i64, ErrorObject<'static>> {
    let wrong = invalid_params("Invalid params: subtract wants two integers, [minuend, subtrahend] or by these names");
    let (minuend, subtrahend) = match params.raw() {
        Some(params) if params.kind() == Kind::Object => (params.get("minuend"), params.get("subtrahend")),
        Some(params) if params.elements().count() == 2 => (params.element(0), params.element(1)),
        _ => return Err(wrong),
    };
    let integer = |value: Option<RawValue<'_>>| value.and_then(RawValue::as_i64).ok_or(wrong);
    let difference = integer(minuend)?.checked_sub(integer(subtrahend)?);
    difference.ok_or(invalid_params("Invalid params: the difference is out of 64 bits"))
}

fn sum(params: Params<'_>) -> Result<i64, ErrorObject<'static>> {
    let wrong = invalid_params("Invalid params: sum wants an array of integers");
    let terms = params.raw().filter(|params| params.kind() == Kind::Array).ok_or(wrong)?;
    let total = terms.elements().try_fold(0i64, |total, term| total.checked_add(term.as_i64()?));
    total.ok_or(wrong)
}

fn fail(params: Params<'_>, reply: Reply<'_>) -> Replied {
    let error = ErrorObject::new(1, "Failed, as asked");
    reply.error(ErrorObject { data: params.raw(), ..error })
}

fn large(params: Params<'_>) -> Result<&'static str, ErrorObject<'static>> {
    let len = params.element(0).and_then(RawValue::as_i64).and_then(|len| usize::try_from(len).ok());
    let text = len.and_then(|len| TEXT.get(..len)).and_then(|text| core::str::from_utf8(text).ok());
    text.ok_or(invalid_params("Invalid params: large wants a number of bytes"))
}
