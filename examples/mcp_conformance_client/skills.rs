//! Skills of a server: their entries, and the files that agree with them.

use nanojsonrpc::mcp::types::{Digest, ReadResourceResult, ResourceContents, Skill, SkillResource, SkillResources};
use nanojsonrpc::message::Str;
use serde_json::{Map, Value};

/// A skill, as a host holds it while it acts on it.
pub(crate) struct Entry {
    uri: String,
    frontmatter: Value,
    files: Vec<(String, Digest, u64)>,
}

impl Entry {
    /// The entry; `None` for a skill without digests, which this client does not load.
    pub(crate) fn of(skill: &Skill<'_>) -> Option<Self> {
        let SkillResources::Files(files) = skill.resources else { return None };
        let files = files.iter().map(|file| (file.uri.to_string(), file.digest, file.size)).collect();
        let frontmatter = serde_json::from_str(skill.frontmatter.as_json()).ok()?;
        Some(Self { uri: skill.uri.to_string(), frontmatter, files })
    }

    /// The URIs of the files, `SKILL.md` first.
    pub(crate) fn uris(&self) -> Vec<String> {
        let others = self.files.iter().map(|(uri, ..)| uri).filter(|uri| **uri != self.uri);
        [&self.uri].into_iter().chain(others).cloned().collect()
    }

    /// Checks what the server has sent for the file `uri` of this skill.
    pub(crate) fn check(&self, uri: &str, read: &ReadResourceResult<'_>) -> Result<(), String> {
        let (_, digest, size) = self.files.iter().find(|(known, ..)| known == uri).ok_or("not listed")?;
        let Some(ResourceContents::Text(contents)) = read.contents.iter().next() else { return Err("no text".into()) };
        let text = contents.text.to_string();
        if !SkillResource::new(Str::Plain(uri), *digest, *size).verifies(text.as_bytes()) {
            return Err(format!("{uri} is not the listed file"));
        }
        // "hosts MUST parse its YAML frontmatter and compare it field-by-field against the entry's `frontmatter`"
        if uri == self.uri && front(&text).as_ref() != Some(&self.frontmatter) {
            return Err(format!("{uri} has another front matter"));
        }
        Ok(())
    }
}

/// The front matter, of lines with a name and a plain text. A skill with more of YAML is not loaded: a host has a reader of YAML.
fn front(text: &str) -> Option<Value> {
    let (front, _) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    let member = |line: &str| {
        let (name, value) = line.split_once(": ").filter(|(_, value)| value.starts_with(char::is_alphabetic))?;
        Some((name.to_owned(), Value::from(value)))
    };
    front.lines().map(member).collect::<Option<Map<_, _>>>().map(Value::Object)
}
