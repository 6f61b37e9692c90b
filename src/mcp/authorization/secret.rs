//! Text that no log may show.

use core::fmt;

use super::url::bytes;
use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, Writer};
use crate::message::Str;

/// A token, an authorization code or the secret of a client. `Debug` and `defmt::Format` do not print it.
///
/// ```
/// use nanojsonrpc::mcp::authorization::Secret;
///
/// let token = Secret::from("mF_9.B5f-4.1JqM");
/// assert_eq!(format!("{token:?}"), "Secret(..)");
/// let mut buffer = [0; 64];
/// assert_eq!(token.write_bearer(&mut buffer)?, "Bearer mF_9.B5f-4.1JqM");
/// assert_eq!(token.expose().as_str(), Some("mF_9.B5f-4.1JqM"));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Secret<'a>(Str<'a>);

impl<'a> Secret<'a> {
    /// The text, undecoded if it is that of a response.
    pub const fn expose(self) -> Str<'a> {
        self.0
    }

    /// Writes the decoded text to the front of `out`, to store it.
    ///
    /// ```
    /// use nanojsonrpc::mcp::authorization::TokenResponse;
    ///
    /// let mut buffer = [0; 64];
    /// // a server in PHP escapes slashes
    /// let response = TokenResponse::read(br#"{"access_token":"ab\/c","token_type":"Bearer"}"#)?;
    /// assert_eq!(response.access_token.decode(&mut buffer)?, "ab/c");
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if `out` is too short; [`InvalidValue`](ErrorKind::InvalidValue) if the text has a byte other than the
    /// visible ASCII characters and the space.
    pub fn decode(self, out: &mut [u8]) -> Result<&str, Error> {
        self.written("", b' ', out)
    }

    /// Writes the value of the header `Authorization` of requests to the server.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if `out` is too short; [`InvalidValue`](ErrorKind::InvalidValue) if the token is empty or has a byte other than
    /// the visible ASCII characters, such as a line end.
    ///
    /// Source: RFC 6750 §2.1; RFC 6749, appendix A.12.
    pub fn write_bearer(self, out: &mut [u8]) -> Result<&str, Error> {
        let header = self.written("Bearer ", b'!', out)?;
        if header.ends_with(' ') { Err(Error::new(ErrorKind::InvalidValue, 0)) } else { Ok(header) }
    }

    /// Writes `front` and the text, whose bytes are visible ASCII from `least`.
    fn written<'o>(self, front: &str, least: u8, out: &'o mut [u8]) -> Result<&'o str, Error> {
        let mut out = Writer::new(out);
        out.put(front.as_bytes());
        let mut at = 0usize;
        bytes(self.0).for_each(|byte| {
            if !(least..=b'~').contains(&byte) {
                out.fail(Error::new(ErrorKind::InvalidValue, at));
            }
            at = at.wrapping_add(1);
            out.put_byte(byte);
        });
        super::url::written(out)
    }
}

impl<'a> From<&'a str> for Secret<'a> {
    fn from(text: &'a str) -> Self {
        Self(Str::Plain(text))
    }
}

impl<'a> From<RawStr<'a>> for Secret<'a> {
    fn from(text: RawStr<'a>) -> Self {
        Self(Str::Raw(text))
    }
}

impl fmt::Debug for Secret<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Secret<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Secret(..)");
    }
}
