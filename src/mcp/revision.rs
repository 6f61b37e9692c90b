//! The revisions of the protocol, and the revision of a session.

use super::value::names;
use crate::json::RawStr;

names! {
    /// A revision of the protocol.
    Revision {
        /// With a session that `initialize` opens. Voice devices use this revision.
        V2024_11_05 = "2024-11-05",
        /// With a session that `initialize` opens, and with batches, which are refused unless the server has a
        /// [dialect](crate::Server::with_dialect) with a [limit](crate::Dialect::with_max_batch) for them; a client reads them [element by element](crate::mcp::client#not-supported). Over HTTP, the
        /// revision of a request that names none.
        V2025_03_26 = "2025-03-26",
        /// With a session that `initialize` opens.
        V2025_06_18 = "2025-06-18",
        /// The latest revision with a session that `initialize` opens.
        V2025_11_25 = "2025-11-25",
        /// Stateless: each request has all data that its answer needs.
        V2026_07_28 = "2026-07-28",
    }
}

impl Revision {
    /// The supported revisions, the latest first.
    pub const ALL: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];
    /// The latest revision with a session.
    pub const LATEST_SESSION: Self = Self::V2025_11_25;
    /// The latest revision. It is stateless.
    pub const LATEST: Self = Self::V2026_07_28;

    /// Whether requests are independent of each other; otherwise `initialize` opens a session.
    pub const fn is_stateless(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    /// The number of the revision for [`Routes::mark`](crate::server::Routes::mark), by which a transport sets the session of the next message; never 0.
    pub(super) const fn mark(self) -> u8 {
        (self as u8).wrapping_add(1)
    }

    /// The revision with this [mark](Self::mark).
    pub(super) fn of_mark(mark: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.mark() == mark)
    }

    /// The revision of the session for a client that requests the revision `requested`: this revision, if it is supported and has sessions;
    /// otherwise "another protocol version it supports. This SHOULD be the latest" (2025-11-25, Lifecycle).
    ///
    /// ```
    /// use nanojsonrpc::RawValue;
    /// use nanojsonrpc::mcp::Revision;
    ///
    /// let requested = RawValue::parse(b"\"2024-01-01\"").ok().and_then(|value| value.as_str_raw()).unwrap_or_default();
    /// assert_eq!(Revision::negotiate(requested), Revision::LATEST_SESSION);
    /// assert!(Revision::ALL.contains(&Revision::LATEST) && Revision::LATEST.is_stateless());
    /// ```
    pub fn negotiate(requested: RawStr<'_>) -> Self {
        let is_requested = |revision: &Self| requested == *revision.as_str();
        Self::ALL
            .into_iter()
            .filter(|revision| !revision.is_stateless())
            .find(is_requested)
            .unwrap_or(Self::LATEST_SESSION)
    }
}
