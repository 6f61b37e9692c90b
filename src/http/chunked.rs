//! The decoder of `Transfer-Encoding: chunked`.

use core::fmt;

use crate::copy::copy_down;

/// Decodes a body with `Transfer-Encoding: chunked` in place, from pieces of any length: the data moves to the front of each piece. So a
/// program receives into the free part of its buffer for the body, decodes that part, and goes on behind the data. Extensions of chunks
/// and trailers are skipped.
///
/// ```
/// use nanojsonrpc::http::{ChunkError, Chunked};
///
/// /// Returns the length of the body, and of the request after it.
/// fn read(mut socket: impl FnMut(&mut [u8]) -> usize, body: &mut [u8]) -> Result<Option<(usize, usize)>, ChunkError> {
///     let (mut chunked, mut len) = (Chunked::new(), 0);
///     while len < body.len() {
///         let received = socket(&mut body[len..]);
///         let decoded = chunked.decode(&mut body[len..][..received])?;
///         len += decoded.len;
///         if decoded.is_complete {
///             return Ok(Some((len, received - decoded.read)));
///         }
///     }
///     Ok(None) // longer than the buffer: `Endpoint::too_long`
/// }
///
/// let mut stream = b"4\r\n{\"a\"\r\n3;x=y\r\n:1}\r\n0\r\n\r\nPOST".chunks(5);
/// let mut socket = |room: &mut [u8]| {
///     let piece = stream.next().unwrap_or_default();
///     room[..piece.len()].copy_from_slice(piece);
///     piece.len()
/// };
/// let mut body = [0; 16];
/// assert_eq!(read(&mut socket, &mut body), Ok(Some((7, 4))));
/// assert_eq!(&body[..7], br#"{"a":1}"#);
/// ```
///
/// # Limits
/// The line before each chunk has at most [`MAX_LINE_LEN`](Self::MAX_LINE_LEN) bytes, and so have the line of the last chunk and the
/// trailers together. The length of the body is that of the caller's buffer. To see that a body is complete, a buffer needs one byte more
/// than the body.
///
/// Source: RFC 9112 §7.1.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Chunked {
    state: State,
    /// The length of the current chunk, and then of the rest of its data.
    left: usize,
    /// The length of the line so far.
    line_len: usize,
    offset: usize,
}

/// The expected byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum State {
    /// The first digit of a size.
    Size,
    /// chunk-size = 1*HEXDIG
    Digits,
    /// chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
    Extension,
    /// The LF of the line of a size.
    SizeEnd,
    Data,
    /// The CR and the LF behind the data.
    DataEnd,
    DataLineFeed,
    /// trailer-section = *( field-line CRLF )
    Trailers,
    Trailer,
    TrailerEnd,
    /// The LF of the empty line.
    End,
    Complete,
    Failed(ChunkErrorKind),
}

/// The result of [`Chunked::decode`] for one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Decoded {
    /// The length of the data, which is at the front of the piece.
    pub len: usize,
    /// The length of the part of the piece that belongs to the body: the whole piece, unless the body is complete.
    pub read: usize,
    /// Whether the body is complete.
    pub is_complete: bool,
}

impl Chunked {
    /// The maximum length of the line before a chunk, and of the last line with the trailers.
    ///
    /// ```
    /// use nanojsonrpc::http::{ChunkErrorKind, Chunked};
    ///
    /// assert_eq!(Chunked::MAX_LINE_LEN, 1024);
    /// let error = Chunked::new().decode(&mut [b'0'; 1025]).unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ChunkErrorKind::LineTooLong, 1024));
    /// ```
    pub const MAX_LINE_LEN: usize = 1024;

    /// A decoder at the front of a body.
    pub const fn new() -> Self {
        Self { state: State::Size, left: 0, line_len: 0, offset: 0 }
    }

    /// Decodes the next piece of the body in place. After the end of the body it reads nothing.
    ///
    /// # Errors
    /// [`ChunkError`] if the bytes are no chunks, also at each later call: the end of the body is unknown, so answer with
    /// [`Endpoint::malformed`](super::Endpoint::malformed) and close the connection.
    pub fn decode(&mut self, piece: &mut [u8]) -> Result<Decoded, ChunkError> {
        let (mut read, mut len) = (0, 0);
        loop {
            if self.state == State::Data {
                let run = self.take_data(piece, len, read);
                (len, read) = (len.wrapping_add(run), read.wrapping_add(run));
                self.offset = self.offset.wrapping_add(run);
            }
            if let State::Failed(kind) = self.state {
                return Err(ChunkError { kind, offset: self.offset });
            }
            let is_complete = self.state == State::Complete;
            let Some(byte) = piece.get(read).filter(|_| !is_complete) else {
                return Ok(Decoded { len, read, is_complete });
            };
            match self.step(*byte) {
                Ok(state) => {
                    self.state = state;
                    read = read.wrapping_add(1);
                    self.offset = self.offset.wrapping_add(1);
                }
                Err(kind) => self.state = State::Failed(kind),
            }
        }
    }

    /// Moves the data at `from` to `to`, and returns its length.
    fn take_data(&mut self, piece: &mut [u8], to: usize, from: usize) -> usize {
        let run = self.left.min(piece.len().saturating_sub(from));
        if let Some(rest) = piece.get_mut(to..) {
            copy_down(rest, from.saturating_sub(to), run);
        }
        self.left = self.left.saturating_sub(run);
        if self.left == 0 {
            self.state = State::DataEnd;
        }
        run
    }

    /// Reads a byte that is not data.
    fn step(&mut self, byte: u8) -> Result<State, ChunkErrorKind> {
        use ChunkErrorKind::{InvalidLineEnd, InvalidSize, LineTooLong};
        self.line_len = self.line_len.wrapping_add(1);
        if self.line_len > Self::MAX_LINE_LEN {
            return Err(LineTooLong);
        }
        match (self.state, byte) {
            (State::Size | State::Digits, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = if byte.is_ascii_digit() { byte & 0xF } else { (byte & 0xF).wrapping_add(9) };
                let size = self.left.checked_mul(16).ok_or(ChunkErrorKind::SizeTooLarge)?;
                self.left = size | usize::from(digit);
                Ok(State::Digits)
            }
            (State::Digits | State::Extension, b'\r') => Ok(State::SizeEnd),
            (State::Digits, b';' | b' ' | b'\t') => Ok(State::Extension),
            (State::Size | State::Digits, _) => Err(InvalidSize),
            (State::SizeEnd, b'\n') if self.left == 0 => Ok(State::Trailers),
            (State::SizeEnd, b'\n') => {
                self.line_len = 0;
                Ok(State::Data)
            }
            (State::DataEnd, b'\r') => Ok(State::DataLineFeed),
            (State::DataLineFeed, b'\n') => {
                self.line_len = 0;
                Ok(State::Size)
            }
            (State::Trailers, b'\r') => Ok(State::End),
            (State::Trailer, b'\r') => Ok(State::TrailerEnd),
            (State::TrailerEnd, b'\n') => Ok(State::Trailers),
            (State::End, b'\n') => Ok(State::Complete),
            // "a sender MUST NOT generate a bare CR", and readers that end a line at a bare LF read other chunks (RFC 9112 §2.2)
            (State::Extension | State::Trailers | State::Trailer, b'\t' | b' '..=b'~' | 0x80..) => match self.state {
                State::Extension => Ok(State::Extension),
                _ => Ok(State::Trailer),
            },
            _ => Err(InvalidLineEnd),
        }
    }
}

impl Default for Chunked {
    fn default() -> Self {
        Self::new()
    }
}

/// The kind of a fault in chunks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ChunkErrorKind {
    /// The size of a chunk is not a hexadecimal number, or is followed by something other than an extension.
    InvalidSize,
    /// The size of a chunk exceeds `usize::MAX`.
    SizeTooLarge,
    /// CR LF is expected; or an extension or a trailer has a control character, such as LF without CR.
    InvalidLineEnd,
    /// A line is longer than [`Chunked::MAX_LINE_LEN`].
    LineTooLong,
}

impl ChunkErrorKind {
    /// The kind in words, as [`Display`](fmt::Display) prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidSize => "invalid size of a chunk",
            Self::SizeTooLarge => "size of a chunk too large",
            Self::InvalidLineEnd => "invalid end of a line of chunks",
            Self::LineTooLong => "line of chunks too long",
        }
    }
}

impl fmt::Display for ChunkErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A fault in chunks: its kind and its offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ChunkError {
    kind: ChunkErrorKind,
    offset: usize,
}

impl ChunkError {
    /// The kind of the fault.
    pub const fn kind(self) -> ChunkErrorKind {
        self.kind
    }

    /// The offset of the fault in bytes from the front of the body as it was received.
    pub const fn offset(self) -> usize {
        self.offset
    }
}

impl fmt::Display for ChunkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the body", self.kind, self.offset)
    }
}

impl core::error::Error for ChunkError {}
