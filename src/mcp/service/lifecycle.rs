//! Identity and capabilities of the server: `initialize` and `server/discover`.

use super::feature::{COMPLETIONS, PROMPTS, RESOURCES, SUBSCRIPTIONS, TOOLS};
use super::refusal::{Refusal, put_revisions};
use super::request::{Frame, RequestContext};
use crate::json::Writer;
use crate::mcp::Revision;
use crate::mcp::value::{Value as _, is_declared, put_object, put_some_text, put_text};
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
        let replied = session.answer(reply, &|out: &mut Writer<'_>| {
            put_text(out, "protocolVersion", revision.as_str());
            self.put_capabilities(kinds, out);
            out.put_name("serverInfo");
            self.put_implementation(out);
            self.put_instructions(out);
        });
        replied.is_whole().then_some(revision)
    }

    fn negotiate(&self) -> Result<Revision, &'static str> {
        let may_lack = |name: &str| self.identity.is_lenient && self.params.get(name).is_none();
        let revision = if may_lack("protocolVersion") {
            Revision::V2024_11_05
        } else {
            let requested = self.string("protocolVersion", NO_VERSION)?;
            Revision::negotiate(requested.as_str_raw().unwrap_or_default())
        };
        self.object("capabilities", NO_CAPABILITIES)?;
        if !may_lack("clientInfo") {
            self.object("clientInfo", NO_CLIENT_INFO)?;
        }
        Ok(revision)
    }

    /// Answers `server/discover`.
    #[inline(never)]
    pub(super) fn discover(&self, kinds: Capabilities, reply: Reply<'_>) {
        let frame = Frame { cache: Some(self.identity.cache), ..Frame::COMPLETE };
        self.answer_in(frame, reply, &|out: &mut Writer<'_>| {
            out.put_name("supportedVersions");
            put_revisions(false, out);
            self.put_capabilities(kinds, out);
            self.put_instructions(out);
        });
    }

    /// Appends the declared capabilities, and those of registrations that were not declared.
    fn put_capabilities(&self, kinds: Capabilities, out: &mut Writer<'_>) {
        let declared = self.identity.declared;
        out.put_name("capabilities");
        put_object(out, |out| {
            for (name, value) in declared {
                out.put_name(name);
                value.put(out);
            }
            let (kinds, capabilities) = kinds;
            for (kind, name, value) in capabilities {
                if kinds & kind != 0 && !is_declared(declared, name) {
                    out.put_name(name);
                    out.put(value.as_bytes());
                }
            }
        });
    }

    fn put_instructions(&self, out: &mut Writer<'_>) {
        put_some_text(out, "instructions", self.identity.instructions);
    }
}

/// The bits of the registered kinds, and the capability of each.
pub(super) type Capabilities = (u8, &'static [(u8, &'static str, &'static str); 4]);

static UNCHANGING: [(u8, &str, &str); 4] = [
    (TOOLS, "tools", "{}"),
    (RESOURCES, "resources", "{}"),
    (PROMPTS, "prompts", "{}"),
    (COMPLETIONS, "completions", "{}"),
];

/// A separate table, which a service without subscriptions does not link.
static CHANGING: [(u8, &str, &str); 4] = [
    (TOOLS, "tools", r#"{"listChanged":true}"#),
    (RESOURCES, "resources", r#"{"subscribe":true,"listChanged":true}"#),
    (PROMPTS, "prompts", r#"{"listChanged":true}"#),
    (COMPLETIONS, "completions", "{}"),
];

/// The capabilities of a service with registrations of `kinds`.
#[inline]
pub(super) const fn capabilities(kinds: u8) -> Capabilities {
    (kinds, if kinds & SUBSCRIPTIONS == 0 { &UNCHANGING } else { &CHANGING })
}

const NO_VERSION: &str = "Invalid params: expected a string as protocolVersion";
const NO_CAPABILITIES: &str = "Invalid params: expected an object as capabilities";
const NO_CLIENT_INFO: &str = "Invalid params: expected an object as clientInfo";
