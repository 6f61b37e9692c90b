//! Requests about skills and directories. Extension `io.modelcontextprotocol/skills` (SEP-2640).

use super::Service;
use super::feature::{AsyncFeatures, Choice, Definition, Definitions, Features, Kind, OfRequest, Shown, With, before};
use super::feature::{RESOURCES, SKILLS};
use super::operation::SkillOperation;
use super::page::{self, Unlisted};
use super::refusal::{Data, Refusal};
use super::request::{Frame, NO_URI, RequestContext, Target};
use super::subscriptions::Keeper;
use super::task_request::TaskRequest;
use crate::json::{ArrayWriter, ObjectWriter, RawStr};
use crate::mcp::types::Skill;
use crate::mcp::value::{Object, write_text};
use crate::server::Reply;

/// A skill among the registrations.
#[derive(Clone, Copy, Debug)]
pub struct ListedSkill(Definition);

impl<C, F: Definitions> Service<C, F> {
    /// Registers a skill: its URI, and its entry, which lists its files. The files are registered as resources:
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::{List, Resource, Skill, SkillResource, SkillResources};
    /// use nanojsonrpc::mcp::{ReadCall, Service};
    /// use nanojsonrpc::message::Str;
    /// use nanojsonrpc::RawValue;
    ///
    /// // `include_str!("skills/lamp/SKILL.md")` in a program
    /// const GUIDE: &str = "---\nname: lamp\ndescription: How to switch the lamp.\n---\nCall `switch` once.\n";
    /// const URI: &str = "skill://lamp/SKILL.md";
    /// static FILES: [SkillResource<'_>; 1] = [SkillResource::of(URI, GUIDE.as_bytes())];
    /// static LAMP: Skill<'_> = Skill::new(
    ///     Str::Plain(URI),
    ///     RawValue::constant(r#"{"name":"lamp","description":"How to switch the lamp."}"#).unwrap(),
    ///     SkillResources::Files(List::of(&FILES)),
    /// );
    /// static FILE: Resource<'_> = Resource {
    ///     description: Some(Str::Plain("How to switch the lamp.")),
    ///     mime_type: Some(Str::Plain("text/markdown")),
    ///     ..Resource::new(Str::Plain(URI), Str::Plain("lamp"))
    /// };
    ///
    /// let mut server = Service::new("lamp", "1.0.0")
    ///     .skill(URI, &LAMP)
    ///     .resource_as(URI, &FILE, |_: &mut (), call: ReadCall<'_>| call.text(GUIDE))
    ///     .server();
    /// let get = br#"{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"skill://lamp/SKILL.md","_meta":{
    ///     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    /// let mut output = [0; 512];
    /// let answer = server.process(&mut (), get, &mut output).answer().unwrap_or_default();
    /// let front = br#"{"jsonrpc":"2.0","result":{"resultType":"complete","skill":{"uri":"skill://lamp/SKILL.md","frontmatter":{"name":"lamp","#;
    /// assert!(answer.starts_with(front));
    /// ```
    ///
    /// The service then answers `skills/list`, `skills/get` and `resources/directory/read`, and declares the extension with `directoryRead`; a
    /// program that [declares](Self::declaring) `extensions` itself adds `"io.modelcontextprotocol/skills":{"directoryRead":true}` to it.
    ///
    /// # Limits
    /// The parent directory of `SKILL.md` has the `name` in the front matter, which is equal to that of the file; the service does not compare
    /// them. A directory has the registered resources with a full URI, not those of templates. Its list is one page: if it does not fit
    /// the output, the answer is -32603.
    pub fn skill(self, uri: &'static str, skill: &'static Skill<'static>) -> Service<C, With<F, ListedSkill>> {
        self.and(ListedSkill(Definition::full(Kind::Skill, uri, skill)))
    }
}

impl<F: Definitions> Definitions for With<F, ListedSkill> {
    fn find(&self, choice: &mut dyn Choice) -> Option<&Definition> {
        match self.before.find(choice) {
            None if choice.is(&self.registration.0) => Some(&self.registration.0),
            found => found,
        }
    }
}

impl<C, F: Features<C>> Features<C> for With<F, ListedSkill> {}

impl<C, F: AsyncFeatures<C>> AsyncFeatures<C> for With<F, ListedSkill> {
    // "A server declaring this extension therefore MUST also declare the `resources` capability." (Capability Negotiation)
    const KINDS: u8 = F::KINDS | SKILLS | RESOURCES;
    const COUNT: usize = F::COUNT.wrapping_add(1);

    before! { call call_async waits keeper answer_task }
}

/// Answers a request about skills or a directory.
pub(super) fn answer<C>(
    request: &RequestContext<'_>,
    operation: SkillOperation,
    definitions: &dyn Definitions,
    shown: Shown<C>,
    unlisted: Unlisted<C>,
    context: &mut C,
    reply: Reply<'_>,
) {
    if operation == SkillOperation::List {
        return page::list(request, (Kind::Skill, "skills"), definitions, shown, unlisted, context, reply);
    }
    let is_listing = operation == SkillOperation::ReadDirectory;
    let visible = OfRequest { definitions, shown, context: &*context, is_listing, request };
    request.answer_skill(is_listing, &visible, reply);
}

impl<'c> RequestContext<'c> {
    /// Answers `resources/directory/read` or `skills/get` from the definitions that are shown.
    #[inline(never)]
    fn answer_skill(&self, is_directory: bool, visible: &dyn Definitions, reply: Reply<'_>) {
        _ = match self.found(is_directory, visible) {
            Err(refusal) => refusal.reply(reply),
            Ok((uri, _)) if is_directory => self.answer(reply, &|result: &mut ObjectWriter<'_, '_>| {
                result.member_with("resources", |out| out.array(|array| write_children(uri, visible, array)));
            }),
            Ok((_, skill)) => {
                let frame = Frame { cache: Some(self.identity.cache), ..Frame::COMPLETE };
                self.answer_in(frame, reply, &|result: &mut ObjectWriter<'_, '_>| result.member("skill", skill))
            }
        };
    }

    /// The requested URI, and its skill or a resource in its directory.
    fn found<'v>(
        &self,
        is_directory: bool,
        visible: &'v dyn Definitions,
    ) -> Result<(RawStr<'c>, &'v Definition), Refusal<'c>> {
        let uri = self.string("uri", NO_URI)?.as_str_raw().unwrap_or_default();
        let found = visible.find(&mut |definition: &Definition| {
            if is_directory {
                child(uri, definition).is_some()
            } else {
                definition.kind == Kind::Skill && uri == *definition.key
            }
        });
        let message = if is_directory { "Directory not found" } else { "Unknown skill" };
        found.map(|found| (uri, found)).ok_or(Refusal::from(message).with(Data::Uri(uri)))
    }
}

/// A direct child of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Child {
    uri: &'static str,
    name: &'static str,
    is_directory: bool,
}

/// The child of `directory` that the resource `definition` is, or is in.
fn child(directory: RawStr<'_>, definition: &Definition) -> Option<Child> {
    let mut rest = definition.key.bytes();
    let is_inside = directory.bytes().all(|byte| rest.next() == Some(byte)) && rest.next() == Some(b'/');
    if definition.kind != Kind::Resource || !is_inside {
        return None;
    }
    let start = definition.key.len().checked_sub(rest.len())?;
    let len = rest.clone().position(|byte| byte == b'/');
    let end = start.saturating_add(len.unwrap_or(rest.len()));
    let (uri, _) = definition.key.split_at_checked(end)?;
    let name = uri.get(start..).filter(|name| !name.is_empty())?;
    Some(Child { uri, name, is_directory: len.is_some() })
}

/// Writes the children of `directory`, each once.
fn write_children(directory: RawStr<'_>, visible: &dyn Definitions, array: &mut ArrayWriter<'_, '_>) {
    visible.find(&mut |definition: &Definition| {
        let Some(of_this) = child(directory, definition) else { return false };
        if !of_this.is_directory {
            array.element(definition);
            return false;
        }
        let first = visible.find(&mut |earlier: &Definition| child(directory, earlier) == Some(of_this));
        if first.is_some_and(|first| core::ptr::eq(first, definition)) {
            array.element(&Object(|object: &mut ObjectWriter<'_, '_>| {
                write_text(object, "uri", of_this.uri);
                write_text(object, "name", of_this.name);
                write_text(object, "mimeType", "inode/directory");
            }));
        }
        false
    });
}
