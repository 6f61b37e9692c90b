//! The proof that a code is redeemed by the client that has requested it, and unguessable texts.

use core::fmt;

use sha2::{Digest, Sha256};

use crate::base64::encode_url;

/// The verifier and the challenge of one authorization: the [request](super::AuthorizationRequest) has the challenge, the
/// [request for the token](super::Grant::Code) the verifier. `Debug` and `defmt::Format` do not print the verifier.
///
/// ```
/// use nanojsonrpc::mcp::authorization::Pkce;
///
/// // 32 bytes of the random number generator; these are those of RFC 7636, appendix B
/// let random = [
///     116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240,
///     91, 88, 5, 88, 83, 132, 141, 121,
/// ];
/// let pkce = Pkce::new(&random);
/// assert_eq!(pkce.verifier(), "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
/// assert_eq!(pkce.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
/// ```
///
/// Source: RFC 7636 §4.1, §4.2, with the method `S256`.
#[derive(Clone, PartialEq, Eq)]
pub struct Pkce {
    verifier: [u8; 43],
    challenge: [u8; 43],
}

impl Pkce {
    /// Creates both from random bytes, which are unguessable and used once.
    pub fn new(random: &[u8; 32]) -> Self {
        let verifier = base64url(random);
        let hash: [u8; 32] = Sha256::digest(verifier).into();
        Self { verifier, challenge: base64url(&hash) }
    }

    /// The `code_verifier`.
    pub fn verifier(&self) -> &str {
        text(&self.verifier)
    }

    /// The `code_challenge` of the method `S256`.
    pub fn challenge(&self) -> &str {
        text(&self.challenge)
    }
}

impl fmt::Debug for Pkce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pkce").field("challenge", &self.challenge()).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Pkce {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Pkce {{ challenge: {=str}, .. }}", self.challenge());
    }
}

/// An unguessable text for the parameter `state` of an [authorization request](super::AuthorizationRequest), or for the id of a session.
///
/// ```
/// use nanojsonrpc::mcp::authorization::Unguessable;
///
/// assert_eq!(Unguessable::new(&[7; 16]).as_str(), "BwcHBwcHBwcHBwcHBwcHBw");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Unguessable([u8; 22]);

impl Unguessable {
    /// Creates the text from random bytes, which are used once.
    pub fn new(random: &[u8; 16]) -> Self {
        Self(base64url(random))
    }

    /// The text: letters, digits, `-` and `_`.
    pub fn as_str(&self) -> &str {
        text(&self.0)
    }
}

impl fmt::Debug for Unguessable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unguessable(..)")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Unguessable {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Unguessable(..)");
    }
}

/// The first `LEN` characters of `bytes` in base64url, without padding (RFC 4648 §5).
fn base64url<const LEN: usize>(bytes: &[u8]) -> [u8; LEN] {
    let mut text = [b'A'; LEN];
    text.iter_mut().zip(encode_url(bytes.iter().copied())).for_each(|(place, character)| *place = character);
    text
}

/// The digits as text.
fn text(digits: &[u8]) -> &str {
    core::str::from_utf8(digits).unwrap_or_default()
}
