//! The URLs of metadata.

use core::fmt;

use super::url::{Url, written};
use crate::error::{Error, ErrorKind};
use crate::json::Writer;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

/// The URLs where metadata may be, in the order in which a client requests them until one answers with 200.
///
/// ```
/// use nanojsonrpc::mcp::authorization::WellKnown;
///
/// let urls = WellKnown::of_resource("https://example.com/public/mcp")?;
/// assert!(urls.map(|url| url.to_string()).eq([
///     "https://example.com/.well-known/oauth-protected-resource/public/mcp",
///     "https://example.com/.well-known/oauth-protected-resource",
/// ]));
/// let mut buffer = [0; 128];
/// let mut urls = WellKnown::of_issuer("https://auth.example.com/tenant1")?;
/// let url = urls.next().unwrap();
/// assert_eq!(url.write(&mut buffer)?, "https://auth.example.com/.well-known/oauth-authorization-server/tenant1");
/// assert!(urls.map(|url| url.to_string()).eq([
///     "https://auth.example.com/.well-known/openid-configuration/tenant1",
///     "https://auth.example.com/tenant1/.well-known/openid-configuration",
/// ]));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 9728 §3.1; RFC 8414 §3.1, §5; OpenID Connect Discovery 1.0 §4.1; 2026-07-28, Authorization Server Discovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct WellKnown<'u> {
    urls: [Option<MetadataUrl<'u>>; 3],
}

impl<'u> WellKnown<'u> {
    /// The URLs of the metadata of the server at `url`, for a client whose [challenge](super::Challenge) names none: with the path of the
    /// server, then without.
    ///
    /// # Errors
    /// [`InvalidValue`](ErrorKind::InvalidValue) if `url` is no URL of HTTP, or has a user name or a fragment.
    pub fn of_resource(url: &'u str) -> Result<Self, Error> {
        let url = Url::split(url)?;
        let root = MetadataUrl { parts: [url.origin, RESOURCE, "", ""] };
        let below = MetadataUrl { parts: [url.origin, RESOURCE, url.path_or_nothing(), url.query] };
        Ok(Self { urls: [Some(below), Some(root).filter(|root| *root != below), None] })
    }

    /// The URLs of the metadata of an authorization server: its `issuer` is one of
    /// [`authorization_servers`](super::ProtectedResource::authorization_servers).
    ///
    /// # Errors
    /// [`InvalidValue`](ErrorKind::InvalidValue) if `issuer` is no URL of HTTP, or has a user name, a query or a fragment.
    pub fn of_issuer(issuer: &'u str) -> Result<Self, Error> {
        let url = Url::split(issuer)?;
        if !url.query.is_empty() {
            return Err(Error::new(ErrorKind::InvalidValue, issuer.len().saturating_sub(url.query.len())));
        }
        // "any terminating "/" MUST be removed" (RFC 8414 §3.1)
        let path = url.path.strip_suffix('/').unwrap_or(url.path);
        let inserted = |name| Some(MetadataUrl { parts: [url.origin, name, path, ""] });
        let appended = MetadataUrl { parts: [url.origin, path, OPENID, ""] };
        Ok(Self { urls: [inserted(SERVER), inserted(OPENID), Some(appended).filter(|_| !path.is_empty())] })
    }
}

impl<'u> Iterator for WellKnown<'u> {
    type Item = MetadataUrl<'u>;

    fn next(&mut self) -> Option<MetadataUrl<'u>> {
        let [first, rest @ ..] = self.urls;
        let [second, third] = rest;
        self.urls = [second, third, None];
        first
    }
}

impl core::iter::FusedIterator for WellKnown<'_> {}

/// One URL of metadata. [`Display`](fmt::Display) and [`write`](Self::write) write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MetadataUrl<'u> {
    parts: [&'u str; 4],
}

impl<'u> MetadataUrl<'u> {
    /// The URL of the metadata of a server, as its challenges name it.
    pub(super) fn of_resource(url: &'u str) -> Result<Self, Error> {
        WellKnown::of_resource(url)?.next().ok_or(Error::new(ErrorKind::InvalidValue, 0))
    }

    /// The parts in order.
    pub(super) const fn parts(&self) -> [&'u str; 4] {
        self.parts
    }

    /// Whether `target`, that of a request, is the path of this URL. The query counts.
    pub(super) fn is_at(&self, target: &str) -> bool {
        let [_, path @ ..] = self.parts;
        let rest = path.into_iter().try_fold(target, |rest, part| rest.strip_prefix(part));
        rest.is_some_and(str::is_empty)
    }

    /// Writes the URL to the front of `out`.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if `out` is too short.
    pub fn write<'o>(&self, out: &'o mut [u8]) -> Result<&'o str, Error> {
        let mut out = Writer::new(out);
        self.parts.iter().for_each(|part| out.put(part.as_bytes()));
        written(out)
    }
}

impl fmt::Display for MetadataUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| f.write_str(part))
    }
}
