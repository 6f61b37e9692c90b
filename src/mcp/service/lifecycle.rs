//! Identity and capabilities of the server: `initialize` and `server/discover`.

use super::feature::{COMPLETIONS, PROMPTS, RESOURCES, SKILLS, SUBSCRIPTIONS, TASKS, TOOLS};
use super::refusal::{Refusal, write_revisions};
use super::request::{Frame, RequestContext};
use crate::json::{ObjectWriter, RawValue};
use crate::mcp::Revision;
use crate::mcp::value::{constant, is_declared, write_some_text, write_text};
use crate::server::Reply;

impl RequestContext<'_> {
    /// Answers `initialize` and returns the revision of the session; `None` if the client was refused, or if the answer does
    /// not fit the output.
    #[inline(never)]
    pub(super) fn initialize(&self, kinds: Capabilities, reply: Reply<'_>) -> Option<Revision> {
        let revision = match self.negotiate() {
            Ok(revision) => revision,
            Err(reason) => {
                Refusal::from(reason).reply(reply);
                return None;
            }
        };
        let session = Self { revision, params: self.params.clone(), ..*self };
        let replied = session.answer(reply, &|result: &mut ObjectWriter<'_, '_>| {
            write_text(result, "protocolVersion", revision.as_str());
            self.write_capabilities(kinds, result);
            result.member("serverInfo", self.identity);
            self.write_instructions(result);
        });
        replied.is_whole().then_some(revision)
    }

    fn negotiate(&self) -> Result<Revision, &'static str> {
        let revision = if self.identity.is_lenient && self.params.get("protocolVersion").is_none() {
            Revision::V2024_11_05
        } else {
            let requested = self.string("protocolVersion", NO_VERSION)?;
            Revision::negotiate(requested.as_str_raw().unwrap_or_default())
        };
        self.object("capabilities", NO_CAPABILITIES)?;
        self.object("clientInfo", NO_CLIENT_INFO)?;
        Ok(revision)
    }

    /// Answers `server/discover`.
    #[inline(never)]
    pub(super) fn discover(&self, kinds: Capabilities, reply: Reply<'_>) {
        let frame = Frame { cache: Some(self.identity.cache), ..Frame::COMPLETE };
        self.answer_in(frame, reply, &|result: &mut ObjectWriter<'_, '_>| {
            result.member_with("supportedVersions", |out| write_revisions(false, out));
            self.write_capabilities(kinds, result);
            self.write_instructions(result);
        });
    }

    /// Appends the declared capabilities, and those of registrations that were not declared.
    fn write_capabilities(&self, (kinds, capabilities): Capabilities, result: &mut ObjectWriter<'_, '_>) {
        let declared = self.identity.declared;
        result.member_with("capabilities", |out| {
            out.object(|object| {
                for (name, value) in declared {
                    object.member(name, value);
                }
                for (kind, name, value) in capabilities {
                    if kinds & kind != 0 && !is_declared(declared, name) {
                        object.member(name, value);
                    }
                }
            })
        });
    }

    fn write_instructions(&self, result: &mut ObjectWriter<'_, '_>) {
        write_some_text(result, "instructions", self.identity.instructions);
    }
}

/// The bits of the registered kinds, and the capability of each.
pub(super) type Capabilities = (u8, &'static [Entry]);
/// The bit of a kind, the name of its capability, and the value.
type Entry = (u8, &'static str, RawValue<'static>);

const UNCHANGING: [Entry; 4] = [
    (TOOLS, "tools", constant("{}")),
    (RESOURCES, "resources", constant("{}")),
    (PROMPTS, "prompts", constant("{}")),
    (COMPLETIONS, "completions", constant("{}")),
];

const CHANGING: [Entry; 4] = [
    (TOOLS, "tools", constant(r#"{"listChanged":true}"#)),
    (RESOURCES, "resources", constant(r#"{"subscribe":true,"listChanged":true}"#)),
    (PROMPTS, "prompts", constant(r#"{"listChanged":true}"#)),
    (COMPLETIONS, "completions", constant("{}")),
];

const SKILLED: Entry = (SKILLS, "extensions", constant(r#"{"io.modelcontextprotocol/skills":{"directoryRead":true}}"#));
const TASKS_IN_SESSION: Entry = (TASKS, "tasks", constant(r#"{"cancel":{},"requests":{"tools":{"call":{}}}}"#));
const TASKS_STATELESS: Entry = (TASKS, "extensions", constant(r#"{"io.modelcontextprotocol/tasks":{}}"#));
const SKILLED_TASKS: Entry = (
    TASKS,
    "extensions",
    constant(r#"{"io.modelcontextprotocol/skills":{"directoryRead":true},"io.modelcontextprotocol/tasks":{}}"#),
);

/// The capabilities of a service with registrations of `kinds`. Each is a table of its own, so that a service links only its own.
#[inline]
pub(super) const fn capabilities(kinds: u8, is_stateless: bool) -> &'static [Entry] {
    macro_rules! table {
        ($base:expr) => {
            match (kinds & SKILLS != 0, kinds & TASKS != 0, is_stateless) {
                (false, false, _) => const { &$base },
                (true, false, _) => const { &[$base[0], $base[1], $base[2], $base[3], SKILLED] },
                (false, true, false) => const { &[$base[0], $base[1], $base[2], $base[3], TASKS_IN_SESSION] },
                (false, true, true) => const { &[$base[0], $base[1], $base[2], $base[3], TASKS_STATELESS] },
                (true, true, false) => const { &[$base[0], $base[1], $base[2], $base[3], SKILLED, TASKS_IN_SESSION] },
                (true, true, true) => const { &[$base[0], $base[1], $base[2], $base[3], SKILLED_TASKS] },
            }
        };
    }
    if kinds & SUBSCRIPTIONS == 0 { table!(UNCHANGING) } else { table!(CHANGING) }
}

const NO_VERSION: &str = "Invalid params: expected a string as protocolVersion";
const NO_CAPABILITIES: &str = "Invalid params: expected an object as capabilities";
const NO_CLIENT_INFO: &str = "Invalid params: expected an object as clientInfo";
