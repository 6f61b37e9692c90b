//! The web pages that may send requests.

/// The web pages that may send requests. A request that no page has sent has no `Origin`, and is always let through.
///
/// "Servers MUST validate the `Origin` header on all incoming connections to prevent DNS rebinding attacks." (2026-07-28,
/// Security)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Origins<'e> {
    /// Those of this machine: `http` or `https`, `localhost`, `127.0.0.1` or `[::1]`, any port.
    #[default]
    Local,
    /// These and no others, each as browsers write it: `https://example.com`, `http://lamp.local:8080`.
    Only(&'e [&'e str]),
    /// All of them: for a server that asks everybody for a secret.
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

/// The rest of `text` behind the first of these prefixes that it begins with.
#[inline(never)]
fn behind<'t>(text: &'t [u8], prefixes: &[&[u8]]) -> Option<&'t [u8]> {
    prefixes.iter().find_map(|prefix| text.strip_prefix(*prefix))
}
