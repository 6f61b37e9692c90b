//! Identity and capabilities of a client.

use crate::json::{RawValue, ToJson, Writer};
use crate::mcp::Revision;
use crate::mcp::types::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, LoggingLevel, PROTOCOL_VERSION};
use crate::mcp::value::{Value as _, is_declared, put_object, put_text};
use crate::message;

pub(super) const ROOTS: u8 = 1;
pub(super) const SAMPLING: u8 = 2;
pub(super) const ELICITATION: u8 = 4;

/// Identity and capabilities of a client.
#[derive(Clone, Copy)]
pub(super) struct About {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// Replaces name and version.
    pub(super) implementation: Option<&'static (dyn ToJson + Sync)>,
    pub(super) capabilities: u8,
    pub(super) declared: &'static [(&'static str, RawValue<'static>)],
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) wants_progress: bool,
}

impl core::fmt::Debug for About {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for About {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str} {=str}", self.name, self.version);
    }
}

impl About {
    pub(super) fn put_info(&self, out: &mut Writer<'_>) {
        match self.implementation {
            Some(implementation) => out.put_value(implementation),
            None => put_object(out, |out| {
                put_text(out, "name", self.name);
                put_text(out, "version", self.version);
            }),
        }
    }

    pub(super) fn put_capabilities(&self, out: &mut Writer<'_>) {
        put_object(out, |out| {
            for (bit, name) in [(ROOTS, "roots"), (SAMPLING, "sampling"), (ELICITATION, "elicitation")] {
                if self.capabilities & bit != 0 && !is_declared(self.declared, name) {
                    out.put_name(name);
                    out.put(b"{}");
                }
            }
            for (name, value) in self.declared {
                out.put_name(name);
                value.put(out);
            }
        });
    }

    /// Appends the `_meta` of the request `id`, and ends it.
    pub(super) fn close(&self, revision: Option<Revision>, id: i64, out: &mut Writer<'_>) {
        let is_stateless = revision.is_some_and(Revision::is_stateless);
        if self.wants_progress || is_stateless {
            out.put_name("_meta");
            put_object(out, |out| {
                if self.wants_progress {
                    out.put_name("progressToken");
                    put_id(id, out);
                }
                if is_stateless {
                    put_text(out, PROTOCOL_VERSION, Revision::LATEST.as_str());
                    out.put_name(CLIENT_INFO);
                    self.put_info(out);
                    out.put_name(CLIENT_CAPABILITIES);
                    self.put_capabilities(out);
                    if let Some(level) = self.log_level {
                        put_text(out, LOG_LEVEL, level.as_str());
                    }
                }
            });
        }
        out.put_byte(b'}');
        put_end(id, out);
    }
}

/// Appends the end of every request.
#[inline(never)]
pub(super) fn put_end(id: i64, out: &mut Writer<'_>) {
    message::put_end(|out| put_id(id, out), out);
}

pub(super) fn put_id(id: i64, out: &mut Writer<'_>) {
    out.put_integer(id < 0, id.unsigned_abs());
}
