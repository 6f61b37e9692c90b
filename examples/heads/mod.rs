//! Heads and bodies of HTTP/1, within the limits of [`super::limits`], for the examples that read heads with `httparse`.
#![allow(dead_code, reason = "each example uses a part")]

use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;

use nanojsonrpc::http::{Chunked, Endpoint, Length, Response};

use super::limits::{PATIENCE, Timed};

/// Takes a head from the front of `buffer`, up to its blank line, and receives what is missing. A head beyond `limit` is cut there, so no
/// parser accepts it.
pub(crate) fn read_head(stream: &TcpStream, buffer: &mut Vec<u8>, limit: usize) -> io::Result<Vec<u8>> {
    let mut timed = Timed::new(stream, PATIENCE);
    let mut searched = 0usize;
    loop {
        let found = buffer.get(searched..).and_then(|rest| rest.windows(4).position(|end| end == b"\r\n\r\n"));
        if let Some(found) = found {
            return Ok(buffer.drain(..searched.saturating_add(found).saturating_add(4)).collect());
        }
        if buffer.len() >= limit {
            return Ok(core::mem::take(buffer));
        }
        searched = buffer.len().saturating_sub(3);
        receive(&mut timed, buffer)?;
    }
}

/// Takes a body of this length from the front of `buffer`, and receives what is missing. `Err` with the response to chunks that cannot be
/// decoded, or are longer than `limit`.
pub(crate) fn read_body(
    stream: &TcpStream,
    buffer: &mut Vec<u8>,
    length: Length,
    limit: usize,
    endpoint: &Endpoint<'_>,
) -> io::Result<Result<Vec<u8>, Response<'static>>> {
    let mut timed = Timed::new(stream, PATIENCE);
    if let Length::Known(len) = length {
        while buffer.len() < len {
            receive(&mut timed, buffer)?;
        }
        return Ok(Ok(buffer.drain(..len).collect()));
    }
    let (mut chunked, mut body) = (Chunked::new(), Vec::new());
    loop {
        let Ok(decoded) = chunked.decode(buffer) else { return Ok(Err(endpoint.malformed())) };
        body.extend_from_slice(buffer.get(..decoded.len).unwrap_or_default());
        buffer.drain(..decoded.read);
        if body.len() > limit {
            return Ok(Err(endpoint.too_long()));
        }
        if decoded.is_complete {
            return Ok(Ok(body));
        }
        receive(&mut timed, buffer)?;
    }
}

/// Appends received bytes to `buffer`. An error if the peer has closed the connection.
fn receive(timed: &mut Timed<'_>, buffer: &mut Vec<u8>) -> io::Result<()> {
    let mut chunk = [0; 4096];
    let len = match timed.read(&mut chunk) {
        Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
        // a signal
        Err(error) if error.kind() == ErrorKind::Interrupted => 0,
        read => read?,
    };
    buffer.extend_from_slice(chunk.get(..len).unwrap_or_default());
    Ok(())
}
