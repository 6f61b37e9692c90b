//! The rule by which web pages may send requests.

/// The web pages that may send requests. A request that does not come from a page has no `Origin`, and is always allowed.
///
/// "Servers MUST validate the `Origin` header on all incoming connections to prevent DNS rebinding attacks." (2026-07-28,
/// Security)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Origins<'e> {
    /// Pages of this machine: `http` or `https`; `localhost`, `127.0.0.1` or `[::1]`; any port.
    #[default]
    Local,
    /// Only these origins, each spelled as browsers do: `https://example.com`, `http://lamp.local:8080`.
    Only(&'e [&'e str]),
    /// All pages: for a server that authenticates every request.
    Any,
}

impl Origins<'_> {
    /// Whether pages of `origin` may send requests.
    pub fn allow(&self, origin: &[u8]) -> bool {
        match self {
            Self::Local => is_local(origin),
            Self::Only(origins) => origins.iter().any(|known| known.as_bytes() == origin),
            Self::Any => true,
        }
    }
}

fn is_local(origin: &[u8]) -> bool {
    let host = behind(origin, &[b"http://", b"https://"]);
    match host.and_then(|host| behind(host, &[b"localhost", b"127.0.0.1", b"[::1]"])) {
        Some([]) => true,
        Some([b':', first, digits @ ..]) => first.is_ascii_digit() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Returns the rest of `text` after the first matching prefix.
#[inline(never)]
fn behind<'t>(text: &'t [u8], prefixes: &[&[u8]]) -> Option<&'t [u8]> {
    prefixes.iter().find_map(|prefix| text.strip_prefix(*prefix))
}
