//! A state that a server gives to its client and gets back, unchanged and in time.

use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::url::written;
use crate::base64::{decode_four, encode_url};
use crate::copy::copy;
use crate::error::Error;
use crate::json::{RawStr, Writer};

/// Seals the `requestState` of a result that requires input: the client returns it with the repeated call, and cannot change it, use it in
/// another context, or use it too late. It can read it: seal no secrets.
///
/// "Servers MUST treat `requestState` as attacker-controlled input": a server that stores its calls needs no seal.
///
/// ```
/// use nanojsonrpc::mcp::authorization::{Seal, Unsealed};
/// use nanojsonrpc::RawValue;
///
/// let seal = Seal::new(&[7; 32]); // random bytes, made at the start of the server, or shared by several
/// let (mut text, mut state) = ([0; 128], [0; 64]);
/// // the tool, its arguments, and the user
/// let context: [&[u8]; 3] = [b"book", br#"{"seat":4}"#, b"ada"];
/// let now = 1_000; // in seconds, of any clock that does not go back
/// let sealed = seal.write(b"asked: name", &context, now + 300, &mut text)?;
/// // in the result: `request_state: Some(sealed.into())`; and from the params of the repeated call:
/// let returned = format!("\"{sealed}\"");
/// let returned = RawValue::parse(returned.as_bytes())?.as_str_raw().unwrap();
/// assert_eq!(seal.open(returned, &context, now + 20, &mut state), Ok(&b"asked: name"[..]));
/// assert_eq!(seal.open(returned, &context, now + 301, &mut state), Err(Unsealed::Late));
/// assert_eq!(seal.open(returned, &[b"book", br#"{"seat":4}"#, b"eve"], now, &mut state), Err(Unsealed::Invalid));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// # Limits
/// A sealed state is in base64url: four characters for three bytes of the state and 40 more.
///
/// Source: 2026-07-28, Multi Round-Trip Requests; RFC 2104 with SHA-256, by the crate `hmac`; RFC 4648 §5.
#[derive(Clone, Copy)]
pub struct Seal<'k> {
    key: &'k [u8; 32],
}

impl fmt::Debug for Seal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(..)")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Seal<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Seal(..)");
    }
}

/// The reason why a sealed state cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Unsealed {
    /// The text was not sealed with this key, or for another context.
    Invalid,
    /// The time limit has passed.
    Late,
    /// The output is too short for the state.
    TooLong,
}

impl fmt::Display for Unsealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invalid => "not sealed by this server for this call",
            Self::Late => "sealed too long ago",
            Self::TooLong => "sealed state too long",
        })
    }
}

impl core::error::Error for Unsealed {}

/// The length of the time limit, and of the code at the end.
const TIME_LEN: usize = 8;
const CODE_LEN: usize = 32;

impl<'k> Seal<'k> {
    /// Seals with `key`: unguessable bytes that no client knows.
    pub const fn new(key: &'k [u8; 32]) -> Self {
        Self { key }
    }

    /// Writes `state`, sealed, to the front of `out`. It can be opened up to the time `until`, in the unit of the program, with the same
    /// `context`.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull).
    pub fn write<'o>(&self, state: &[u8], context: &[&[u8]], until: u64, out: &'o mut [u8]) -> Result<&'o str, Error> {
        let time = until.to_be_bytes();
        let code = self.code(&time, state, context);
        let mut out = Writer::new(out);
        encode_url(time.iter().chain(state).chain(&code).copied()).for_each(|character| out.put_byte(character));
        written(out)
    }

    /// Opens `sealed` in the same `context` at the time `now`, and returns the state, at the front of `out`.
    ///
    /// # Errors
    /// [`Unsealed`]. Nothing is known of a state that is not sealed: do not act on it.
    pub fn open<'o>(
        &self,
        sealed: RawStr<'_>,
        context: &[&[u8]],
        now: u64,
        out: &'o mut [u8],
    ) -> Result<&'o [u8], Unsealed> {
        let (mut time, mut code) = ([0; TIME_LEN], [0; CODE_LEN]);
        let characters = sealed.bytes().count();
        let len = decoded_len(characters).and_then(|len| len.checked_sub(TIME_LEN.wrapping_add(CODE_LEN)));
        let len = len.ok_or(Unsealed::Invalid)?;
        let state = out.get_mut(..len).ok_or(Unsealed::TooLong)?;
        let mut places = time.iter_mut().chain(&mut *state).chain(&mut code);
        let mut characters = sealed.bytes();
        loop {
            let mut four = [b'='; 4];
            let mut read = 0_usize;
            for place in &mut four {
                let Some(character) = characters.next() else { break };
                *place = match character {
                    b'-' => b'+',
                    b'_' => b'/',
                    b'+' | b'/' | b'=' => return Err(Unsealed::Invalid),
                    character => character,
                };
                read = read.wrapping_add(1);
            }
            if read == 0 {
                break;
            }
            let (three, len) = decode_four(four).ok_or(Unsealed::Invalid)?;
            three.iter().take(len).zip(&mut places).for_each(|(byte, place)| *place = *byte);
        }
        let expected = self.code(&time, state, context);
        // every byte is compared, so that the time tells nothing of the code
        let difference = expected.iter().zip(&code).fold(0, |all, (one, other)| all | (one ^ other));
        if core::hint::black_box(difference) != 0 {
            state.fill(0);
            return Err(Unsealed::Invalid);
        }
        if now > u64::from_be_bytes(time) {
            return Err(Unsealed::Late);
        }
        Ok(state)
    }

    /// The code of a state. Each part of the context counts with its length, so that no two contexts are the same text.
    fn code(&self, time: &[u8; TIME_LEN], state: &[u8], context: &[&[u8]]) -> [u8; CODE_LEN] {
        let mut code = [0; CODE_LEN];
        // a key may have any length
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.key) else { return code };
        mac.update(time);
        for part in context.iter().chain(&[state]) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        copy(&mac.finalize().into_bytes(), &mut code);
        code
    }
}

/// The number of bytes in so many digits; `None` if there is none.
const fn decoded_len(digits: usize) -> Option<usize> {
    let (whole, rest) = (digits / 4, digits % 4);
    match rest {
        1 => None,
        0 => Some(whole.wrapping_mul(3)),
        _ => Some(whole.wrapping_mul(3).wrapping_add(rest).wrapping_sub(1)),
    }
}
