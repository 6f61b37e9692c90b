//! Identity and capabilities of a client.

use super::call::Meta;
use crate::json::{ObjectWriter, RawValue, ToJson, ValueWriter, Writer, Written};
use crate::mcp::Revision;
use crate::mcp::types::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, LoggingLevel, PROTOCOL_VERSION};
use crate::mcp::value::{Member as _, is_declared, write_text};
use crate::message;

pub(super) const ROOTS: u8 = 1;
pub(super) const SAMPLING: u8 = 2;
pub(super) const ELICITATION: u8 = 4;

/// Identity and capabilities of a client.
#[derive(Clone, Copy)]
pub(super) struct Identity {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// Replaces name and version.
    pub(super) implementation: Option<&'static (dyn ToJson + Sync)>,
    pub(super) capabilities: u8,
    pub(super) declared: &'static [(&'static str, RawValue<'static>)],
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) wants_progress: bool,
}

impl core::fmt::Debug for Identity {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Identity {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str} {=str}", self.name, self.version);
    }
}

impl Identity {
    pub(super) fn write_capabilities<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(|object| {
            for (bit, name) in [(ROOTS, "roots"), (SAMPLING, "sampling"), (ELICITATION, "elicitation")] {
                if self.capabilities & bit != 0 && !is_declared(self.declared, name) {
                    object.member_with(name, |out| out.object(|_| {}));
                }
            }
            self.declared.iter().for_each(|(name, value)| object.member(name, value));
        })
    }

    /// Appends the `_meta` of the request `id`, with the members that the program `adds`, and ends it.
    pub(super) fn close(&self, revision: Option<Revision>, id: i64, adds: Meta<'_>, out: &mut Writer<'_>) {
        let is_stateless = revision.is_some_and(Revision::is_stateless);
        if self.wants_progress || is_stateless || adds.is_some() {
            out.put_name("_meta");
            out.put_byte(b'{');
            let mut meta = ObjectWriter::over(out);
            if self.wants_progress {
                meta.member("progressToken", &id);
            }
            if is_stateless {
                write_text(&mut meta, PROTOCOL_VERSION, Revision::LATEST.as_str());
                meta.member(CLIENT_INFO, self);
                meta.member_with(CLIENT_CAPABILITIES, |out| self.write_capabilities(out));
                self.log_level.write_to(&mut meta, LOG_LEVEL);
            }
            if let Some((members, put)) = adds {
                put(members, out);
            }
            out.put_byte(b'}');
        }
        out.put_byte(b'}');
        put_end(id, out);
    }
}

/// Appends the end of every request.
#[inline(never)]
pub(super) fn put_end(id: i64, out: &mut Writer<'_>) {
    message::put_end(|out| out.put_signed(id), out);
}

/// The implementation.
impl ToJson for Identity {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self.implementation {
            Some(implementation) => out.value(implementation),
            None => out.object(|object| {
                write_text(object, "name", self.name);
                write_text(object, "version", self.version);
            }),
        }
    }
}
