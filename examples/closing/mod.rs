//! The end of a connection of HTTP, for the examples that read heads with `httparse`.

use core::time::Duration;
use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};

use httparse::Header;

/// Whether this header ends the connection after the response (RFC 9112 §9.6).
pub(crate) fn is_close(header: &Header<'_>) -> bool {
    let mut options = header.value.split(|byte| *byte == b',');
    header.name.eq_ignore_ascii_case("connection")
        && options.any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"))
}

/// Closes a connection after the client has read the last bytes; drops up to `limit` bytes of input meanwhile. A stream with unread input
/// would be reset (RFC 9112 §9.6).
pub(crate) fn hang_up(stream: &TcpStream, limit: usize) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    io::copy(&mut stream.take(limit as u64), &mut io::sink()).map(drop)
}
