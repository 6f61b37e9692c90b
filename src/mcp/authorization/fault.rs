//! The reasons why a client does not go on.

use core::fmt;

/// The reason why a client must not go on with an authorization.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Fault {
    /// The metadata is that of another resource than the server. RFC 9728 §3.3, §7.3.
    OtherResource,
    /// The metadata of the server names no authorization server.
    NoAuthorizationServer,
    /// The metadata is that of another issuer than the one whose URL led to it. RFC 8414 §3.3.
    OtherIssuer,
    /// The authorization server does not advertise code challenges with SHA-256. "MCP clients MUST refuse to proceed." (2026-07-28,
    /// Authorization Code Protection)
    NoCodeChallenge,
    /// An endpoint is neither one of HTTPS nor on this machine.
    NotSecure,
    /// The authorization server has no endpoint for the authorization.
    NoAuthorizationEndpoint,
    /// The redirect has a repeated parameter, an invalid percent sign, or a value that does not fit the output.
    InvalidRedirect,
    /// `state` of the redirect is absent or another one.
    OtherState,
    /// `iss` is absent in the redirect, although the server advertises it. RFC 9207 §2.4.
    NoIssuer,
    /// `iss` of the redirect is another issuer than the recorded one. RFC 9207 §2.4.
    WrongIssuer,
    /// The redirect has neither a code nor an error.
    NoCode,
}

impl Fault {
    /// The fault in words, as [`Display`](fmt::Display) prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OtherResource => "the metadata is that of another resource",
            Self::NoAuthorizationServer => "the metadata names no authorization server",
            Self::OtherIssuer => "the metadata is that of another issuer",
            Self::NoCodeChallenge => "the authorization server does not support S256 code challenges",
            Self::NotSecure => "an endpoint of the authorization server is not one of HTTPS",
            Self::NoAuthorizationEndpoint => "the authorization server has no authorization endpoint",
            Self::InvalidRedirect => "the redirect is invalid",
            Self::OtherState => "the redirect has another state",
            Self::NoIssuer => "the redirect names no issuer",
            Self::WrongIssuer => "the redirect names another issuer",
            Self::NoCode => "the redirect has no code",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl core::error::Error for Fault {}
