//! The rule by which web pages may send requests.

/// The web pages that may send requests. A request without `Origin` comes from no page and is allowed, with one exception: browsers send no
/// `Origin` with the `GET` of a page to its own site, and with a `GET` whose response the page cannot read, such as that of an `<img>`. So
/// a `GET` without `Origin` opens a stream only if it [shows](crate::http#streams) that no page of another site sends it, and only at a
/// [host](Self::allow_host) that no other site can have.
///
/// This protects a server against pages. It does not authenticate clients: a program can send any header.
///
/// "Servers MUST validate the `Origin` header on all incoming connections to prevent DNS rebinding attacks." (MCP 2026-07-28, Security)
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Origins<'e> {
    /// Pages of this machine: `http` or `https`; `localhost`, `127.0.0.1` or `[::1]`; any port.
    #[default]
    Local,
    /// Only these origins, each spelled as browsers do: `https://example.com`, `http://lamp.local:8080`.
    Only(&'e [&'e str]),
    /// The origins for which this function returns `true`, such as those of extensions and webviews, which have schemes of their own. It gets
    /// the value of `Origin`.
    ///
    /// ```
    /// use nanojsonrpc::http::Origins;
    ///
    /// let origins = Origins::By(|origin| Origins::Local.allow(origin) || origin.starts_with(b"vscode-webview://"));
    /// assert!(origins.allow(b"http://localhost:3000") && origins.allow(b"vscode-webview://1a2b"));
    /// assert!(!origins.allow(b"https://vscode-webview.example"));
    /// ```
    By(fn(&[u8]) -> bool),
    /// All pages: for a server that authenticates every request.
    Any,
}

impl Origins<'_> {
    /// Whether pages of `origin` may send requests.
    pub fn allow(&self, origin: &[u8]) -> bool {
        match self {
            Self::Local => is_local(origin),
            Self::Only(origins) => origins.iter().any(|known| known.as_bytes() == origin),
            Self::By(allow) => allow(origin),
            Self::Any => true,
        }
    }

    /// Whether a `GET` without `Origin` may open a stream at `host`, the value of `Host` or `:authority`.
    ///
    /// With DNS rebinding, the host name of a foreign site resolves to the address of this machine. The browser then treats a `GET` of its
    /// page as a request to its own site. So `host` must be one of the allowed origins without its scheme, or a host that no foreign site
    /// can have: an address, a name without a dot, or a name under `local`, `localhost` or `internal`. A server that streams events under
    /// another name lists its own origin.
    ///
    /// ```
    /// use nanojsonrpc::http::Origins;
    ///
    /// assert!(Origins::Local.allow_host(b"lamp.local:8080") && Origins::Local.allow_host(b"192.168.1.7"));
    /// assert!(!Origins::Local.allow_host(b"rpc.example"));
    /// assert!(Origins::Only(&["https://rpc.example"]).allow_host(b"rpc.example"));
    /// ```
    ///
    /// Source: Fetch, `Origin` header; RFC 6761, RFC 6762.
    pub fn allow_host(&self, host: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::Only(origins) if origins.iter().any(|origin| is_at(origin, host)) => true,
            Self::Local | Self::Only(_) | Self::By(_) => !may_be_foreign(host),
        }
    }

    /// Whether a request with this `origin` may be answered.
    pub(crate) fn allow_request(&self, origin: Option<&[u8]>) -> bool {
        origin.is_none_or(|origin| self.allow(origin))
    }

    /// Whether a `GET` without `Origin` may open a stream at `host`. `is_marked`: it has a header that no page of another site can send
    /// without a preflight.
    pub(crate) fn allow_stream(&self, host: Option<&[u8]>, is_marked: bool) -> bool {
        matches!(self, Self::Any) || is_marked && host.is_none_or(|host| self.allow_host(host))
    }
}

/// Whether `origin` is a scheme and `host`.
fn is_at(origin: &str, host: &[u8]) -> bool {
    behind(origin.as_bytes(), &[b"http://", b"https://"]).is_some_and(|known| known.eq_ignore_ascii_case(host))
}

/// Whether a site on the internet may have `host` as its name.
fn may_be_foreign(host: &[u8]) -> bool {
    let len = host.iter().take_while(|byte| **byte != b':').count();
    let name = host.get(..len).unwrap_or_default();
    let last = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    match last {
        // an IPv6 address
        [b'[', ..] => false,
        // a name that ends with a number is an IPv4 address (URL §3.5)
        [_, ..] if last.iter().all(u8::is_ascii_digit) => false,
        [first, ..] if last.len() == len => !first.is_ascii_alphanumeric(),
        _ => ![&b"local"[..], b"localhost", b"internal"].iter().any(|known| last.eq_ignore_ascii_case(known)),
    }
}

fn is_local(origin: &[u8]) -> bool {
    let host = behind(origin, &[b"http://", b"https://"]);
    match host.and_then(|host| behind(host, &[b"localhost", b"127.0.0.1", b"[::1]"])) {
        Some([]) => true,
        Some([b':', port @ ..]) => !port.is_empty() && port.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Returns the rest of `text` after the first matching prefix.
#[inline(never)]
fn behind<'t>(text: &'t [u8], prefixes: &[&[u8]]) -> Option<&'t [u8]> {
    prefixes.iter().find_map(|prefix| text.strip_prefix(*prefix))
}
