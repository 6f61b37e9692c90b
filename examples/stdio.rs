//! Answers newline-delimited JSON-RPC 2.0 on standard input and output, with the methods of the specification's §7.
//!
//! ```sh
//! echo '{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}' | cargo run --example stdio
//! ```
//!
//! Memory: one buffer for what comes, one for the answer. `std` is only used to read and write.

#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    reason = "the library's rules; a program may stop"
)]

use std::io::{self, Read, Write};

use nanojsonrpc::{
    Batch, BatchWriter, ClientMessage, Dialect, Error, ErrorObject, Kind, RawValue, Request, Response, ToJson,
    ValueWriter, Written, from_fn,
};

/// The longest line that is read, in bytes.
const LINE: usize = 16 * 1024;
/// The longest batch that is answered.
const BATCH: usize = 256;
/// Room for every answer to a line: what `echo` gives back, and for each element an error with a 64-byte id in which
/// every character is escaped.
const OUTPUT: usize = 2 * LINE + BATCH * 640;

const DIALECT: Dialect = Dialect::JSON_RPC.with_max_len(LINE).with_max_batch(BATCH);

fn main() -> io::Result<()> {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    // one byte more than the longest line, so that a longer one shows
    let (mut input, mut output) = ([0; LINE + 1], [0; OUTPUT]);
    let mut filled = 0;
    let mut is_skipping = false;
    loop {
        let read = stdin.read(&mut input[filled..])?;
        filled += read;
        let mut start = 0;
        while let Some(len) = input[start..filled].iter().position(|byte| *byte == b'\n') {
            if !is_skipping {
                send(&mut stdout, answer(&input[start..start + len], &mut output))?;
            }
            is_skipping = false;
            start += len + 1;
        }
        let is_full = filled - start == input.len();
        if (is_full || read == 0) && !is_skipping {
            send(&mut stdout, answer(&input[start..filled], &mut output))?;
        }
        stdout.flush()?;
        if read == 0 {
            return Ok(());
        }
        if is_full {
            // the rest of a line that is too long, up to the line break
            is_skipping = true;
            start = filled;
        }
        input.copy_within(start..filled, 0);
        filled -= start;
    }
}

fn send(stdout: &mut impl Write, answer: &[u8]) -> io::Result<()> {
    if answer.is_empty() {
        return Ok(());
    }
    stdout.write_all(answer)?;
    stdout.write_all(b"\n")
}

/// The answer to a line; empty if none is to be sent.
fn answer<'o>(line: &[u8], output: &'o mut [u8]) -> &'o [u8] {
    if line.trim_ascii().is_empty() {
        return &[];
    }
    let len = match ClientMessage::parse_as(line, DIALECT) {
        Ok(ClientMessage::Request(request)) => answer_request(request).write(output),
        Ok(ClientMessage::Notification(_)) => return &[],
        Ok(ClientMessage::Batch(batch)) => return answer_batch(batch, output),
        Err(rejection) => match rejection.answer() {
            Some(answer) => answer.write(output),
            None => return &[],
        },
    };
    &output[..len.expect("OUTPUT has room for every answer")]
}

fn answer_batch<'o>(batch: Batch<'_>, output: &'o mut [u8]) -> &'o [u8] {
    let mut answers = BatchWriter::new(output);
    for element in batch {
        let pushed = match element.and_then(ClientMessage::try_from) {
            Ok(ClientMessage::Request(request)) => answers.push(&answer_request(request)),
            Ok(_) => Ok(()),
            Err(rejection) => rejection.answer().map_or(Ok(()), |answer| answers.push(&answer)),
        };
        pushed.expect("OUTPUT has room for every answer");
    }
    answers.finish()
}

fn answer_request(request: Request<'_>) -> Response<'_, 64, impl ToJson> {
    let outcome = call(&request.method, request.params);
    Response { id: request.id, outcome: outcome.map(|reply| from_fn(move |place| reply.write(place))) }
}

/// What a method gives back.
enum Reply<'a> {
    Integer(i64),
    Data,
    Params(Option<RawValue<'a>>),
}

impl Reply<'_> {
    fn write(&self, place: ValueWriter<'_, '_>) -> Result<Written, Error> {
        match self {
            Self::Integer(integer) => place.value(integer),
            Self::Data => place.value(&("hello", 5)),
            Self::Params(params) => place.value(params),
        }
    }
}

fn call<'a>(method: &str, params: Option<RawValue<'a>>) -> Result<Reply<'a>, ErrorObject<'static>> {
    match method {
        "subtract" => subtract(params),
        "sum" => sum(params),
        "get_data" => Ok(Reply::Data),
        "echo" => Ok(Reply::Params(params)),
        _ => Err(ErrorObject::METHOD_NOT_FOUND),
    }
}

fn subtract(params: Option<RawValue<'_>>) -> Result<Reply<'static>, ErrorObject<'static>> {
    let wrong = ErrorObject::INVALID_PARAMS
        .with_message("Invalid params: subtract wants two integers, [minuend, subtrahend] or by these names");
    let (minuend, subtrahend) = match params {
        Some(params) if params.kind() == Kind::Object => (params.get("minuend"), params.get("subtrahend")),
        Some(params) if params.elements().count() == 2 => (params.element(0), params.element(1)),
        _ => return Err(wrong),
    };
    let integer = |value: Option<RawValue<'_>>| value.and_then(RawValue::as_i64).ok_or(wrong);
    let difference = integer(minuend)?.checked_sub(integer(subtrahend)?);
    difference.map(Reply::Integer).ok_or(ErrorObject::INVALID_PARAMS.with_message("Invalid params: out of 64 bits"))
}

fn sum(params: Option<RawValue<'_>>) -> Result<Reply<'static>, ErrorObject<'static>> {
    let wrong = ErrorObject::INVALID_PARAMS.with_message("Invalid params: sum wants an array of integers");
    let terms = params.filter(|params| params.kind() == Kind::Array).ok_or(wrong)?;
    let total = terms.elements().try_fold(0i64, |total, term| total.checked_add(term.as_i64()?));
    total.map(Reply::Integer).ok_or(wrong)
}
