//! What the server is and can do: `initialize` and `server/discover`.

use super::asked::{Asked, Frame, Refusal, put_revisions};
use super::feature::{COMPLETIONS, PROMPTS, RESOURCES, TOOLS};
use crate::json::Writer;
use crate::mcp::Revision;
use crate::mcp::value::{Value as _, put_object, put_some_text, put_text};
use crate::server::Reply;

impl Asked<'_> {
    /// Answers `initialize`, and says by which revision the session is, if it is one.
    #[inline(never)]
    pub(super) fn initialize(&self, kinds: u8, reply: Reply<'_>) -> Option<Revision> {
        let revision = match self.negotiate() {
            Ok(revision) => revision,
            Err(refusal) => {
                refusal.reply(reply);
                return None;
            }
        };
        let session = Self { revision, ..*self };
        session.answer(reply, &|out: &mut Writer<'_>| {
            put_text(out, "protocolVersion", revision.as_str());
            self.put_capabilities(kinds, out);
            out.put_name("serverInfo");
            self.put_implementation(out);
            self.put_instructions(out);
        });
        Some(revision)
    }

    fn negotiate(&self) -> Result<Revision, Refusal<'_>> {
        let requested = self.string("protocolVersion", NO_VERSION)?;
        self.object("capabilities", NO_CAPABILITIES)?;
        self.object("clientInfo", NO_CLIENT_INFO)?;
        Ok(Revision::negotiate(requested.as_str_raw().unwrap_or_default()))
    }

    /// Answers `server/discover`.
    #[inline(never)]
    pub(super) fn discover(&self, kinds: u8, reply: Reply<'_>) {
        let frame = Frame { cache: Some(self.identity.cache), ..Frame::COMPLETE };
        self.answer_in(frame, reply, &|out: &mut Writer<'_>| {
            out.put_name("supportedVersions");
            put_revisions(out);
            self.put_capabilities(kinds, out);
            self.put_instructions(out);
        });
    }

    /// Appends what has been declared, and what is registered and has not been.
    fn put_capabilities(&self, kinds: u8, out: &mut Writer<'_>) {
        let declared = self.identity.declared;
        out.put_name("capabilities");
        put_object(out, |out| {
            for (name, value) in declared {
                out.put_name(name);
                value.put(out);
            }
            for (kind, name) in
                [(TOOLS, "tools"), (RESOURCES, "resources"), (PROMPTS, "prompts"), (COMPLETIONS, "completions")]
            {
                if kinds & kind != 0 && !declared.iter().any(|(declared, _)| *declared == name) {
                    out.put_name(name);
                    out.put(b"{}");
                }
            }
        });
    }

    fn put_instructions(&self, out: &mut Writer<'_>) {
        put_some_text(out, "instructions", self.identity.instructions);
    }
}

const NO_VERSION: &str = "Invalid params: expected a string as protocolVersion";
const NO_CAPABILITIES: &str = "Invalid params: expected an object as capabilities";
const NO_CLIENT_INFO: &str = "Invalid params: expected an object as clientInfo";
