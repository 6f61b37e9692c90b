//! Skills: instructions for a language model, which are files of a server. Extension `io.modelcontextprotocol/skills` (SEP-2640).

use super::{CacheScope, Digest, List, Resource};
use crate::error::Error;
use crate::json::{RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{object, unexpected, value};
use crate::message::Str;

object! {
    /// A file of a skill.
    SkillResource
    required {
        /// Its URI, in the directory of the skill.
        uri: Str<'a> = "uri",
        /// The digest of its content.
        digest: Digest = "digest",
        /// The length of its content in bytes.
        size: u64 = "size",
    }
    optional {}
}

impl<'a> SkillResource<'a> {
    /// The file with this URI and content, as a constant of the program: [`Service::skill`](crate::mcp::Service::skill).
    pub const fn of(uri: &'a str, content: &[u8]) -> Self {
        Self::new(Str::Plain(uri), Digest::of(content), content.len() as u64)
    }

    /// Whether this is the content of the file. "A mismatch means the content is not what the entry described. [...] hosts MUST NOT use the
    /// unverified content." (Verification on Read) A match does not make it trustworthy: the server has sent both.
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::SkillResource;
    ///
    /// let file = SkillResource::of("skill://lamp/SKILL.md", b"on");
    /// assert!(file.verifies(b"on") && !file.verifies(b"no"));
    /// ```
    pub fn verifies(&self, content: &[u8]) -> bool {
        self.size == content.len() as u64 && self.digest == Digest::of(content)
    }
}

/// The files of a skill.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SkillResources<'a> {
    /// All of them, `SKILL.md` too, each once. A host must read no other file of the skill.
    Files(List<'a, SkillResource<'a>>),
    /// The server generates them, so they have no digests. A host may refuse such a skill.
    Dynamic,
}

/// In place of the files.
const DYNAMIC: &str = "dynamic";

impl<'a> SkillResources<'a> {
    /// Reads an array of files, or `"dynamic"`.
    ///
    /// # Errors
    /// [`UnexpectedType`](crate::ErrorKind::UnexpectedType) for another value; the errors of a file.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        match raw.as_str_raw() {
            Some(text) if text == *DYNAMIC => Ok(Self::Dynamic),
            Some(_) => Err(unexpected(raw)),
            None => List::read(raw).map(Self::Files),
        }
    }
}

impl ToJson for SkillResources<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::Files(files) => out.value(files),
            Self::Dynamic => out.value(DYNAMIC),
        }
    }
}

value!(SkillResources<'a>);

object! {
    /// A skill, as `skills/list` and `skills/get` return it. Its files are resources.
    ///
    /// All of it is untrusted input of the server: "Hosts MUST NOT honor frontmatter fields that widen the model's tool or filesystem
    /// permissions" (Security Considerations).
    ///
    /// # Limits
    /// A host must accept 512 files and 16 MiB for each skill, and may accept more. This type has no limit.
    Skill
    required {
        /// The URI of its `SKILL.md`, which identifies the skill at its server: `skill://lamp/SKILL.md`. The directory has the name of the
        /// skill.
        uri: Str<'a> = "uri",
        /// The front matter of `SKILL.md`, an object: `name`, `description`, and whatever else its author has written.
        frontmatter: RawValue<'a> = "frontmatter",
        /// Its files.
        resources: SkillResources<'a> = "resources",
    }
    optional {}
}

object! {
    /// The result of `skills/get`.
    GetSkillResult
    required {
        /// The skill.
        skill: Skill<'a> = "skill",
    }
    optional {
        /// How long the client may cache the result, in milliseconds. 2026-07-28.
        ttl_ms: u64 = "ttlMs",
        /// Which clients may cache the result. 2026-07-28.
        cache_scope: CacheScope = "cacheScope",
        /// `complete`. 2026-07-28.
        result_type: Str<'a> = "resultType",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The result of `resources/directory/read`: a page of a directory.
    ReadDirectoryResult
    required {
        /// The files and directories in it. A directory has the media type `inode/directory`.
        resources: List<'a, Resource<'a>> = "resources",
    }
    optional {
        /// The cursor of the next page.
        next_cursor: Str<'a> = "nextCursor",
        /// `complete`. 2026-07-28.
        result_type: Str<'a> = "resultType",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}
