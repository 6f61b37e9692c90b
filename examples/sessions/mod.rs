//! The sessions of an MCP server over HTTP, for `mcp_conformance` and `axum`. Clients may open sessions without end, so a new one ends
//! another: one that its client has never used, or else the one that has been idle the longest. Its client gets 404, and begins anew.

use std::collections::HashMap;
use std::time::Instant;

/// The maximum number of sessions.
const SESSIONS: usize = 1024;

pub(crate) struct Sessions<T> {
    open: HashMap<String, Open<T>>,
}

struct Open<T> {
    state: T,
    is_used: bool,
    last: Instant,
}

impl<T> Sessions<T> {
    pub(crate) fn new() -> Self {
        Self { open: HashMap::new() }
    }

    /// The state of a session that its client uses now.
    pub(crate) fn used(&mut self, id: &str) -> Option<&mut T> {
        let open = self.open.get_mut(id)?;
        (open.is_used, open.last) = (true, Instant::now());
        Some(&mut open.state)
    }

    /// Opens a session. No other client may guess `id`.
    pub(crate) fn open(&mut self, id: String, state: T) {
        if self.open.len() >= SESSIONS {
            let oldest = self.open.iter().min_by_key(|(_, open)| (open.is_used, open.last)).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.open.remove(&id));
        }
        self.open.insert(id, Open { state, is_used: false, last: Instant::now() });
    }

    pub(crate) fn close(&mut self, id: &str) {
        self.open.remove(id);
    }

    /// The states of all sessions.
    #[allow(dead_code, reason = "`mcp_conformance` has no streams of sessions")]
    pub(crate) fn states(&self) -> impl Iterator<Item = &T> {
        self.open.values().map(|open| &open.state)
    }
}
