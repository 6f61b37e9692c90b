//! A skill: two files of this folder, whose digests the compiler makes.

use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{List, Resource, Skill, SkillResource, SkillResources};
use nanojsonrpc::mcp::{ReadCall, Service};
use nanojsonrpc::message::Str;

use super::App;
use super::fixtures::declared;

const URI: &str = "skill://home/lamp-care/SKILL.md";
const GUIDE: &str = include_str!("skill/SKILL.md");
const BULBS_URI: &str = "skill://home/lamp-care/references/bulbs.md";
const BULBS: &str = include_str!("skill/references/bulbs.md");
const DESCRIPTION: &str = "How to clean a lamp, and which bulbs it takes.";

/// The front matter of the file, as JSON.
const FRONT: &str = r#"{"name":"lamp-care","description":"How to clean a lamp, and which bulbs it takes.","license":"MIT OR Apache-2.0"}"#;

static FILES: [SkillResource<'_>; 2] =
    [SkillResource::of(URI, GUIDE.as_bytes()), SkillResource::of(BULBS_URI, BULBS.as_bytes())];
static SKILL: Skill<'_> = Skill::new(Str::Plain(URI), declared(FRONT), SkillResources::Files(List::of(&FILES)));
static FILE: Resource<'_> = Resource {
    description: Some(Str::Plain(DESCRIPTION)),
    mime_type: Some(Str::Plain("text/markdown")),
    ..Resource::new(Str::Plain(URI), Str::Plain("lamp-care"))
};

pub(crate) fn register(service: Service<App, impl Features<App>>) -> Service<App, impl Features<App>> {
    service.skill(URI, &SKILL).resource_as(URI, &FILE, |_: &mut App, call: ReadCall<'_>| call.text(GUIDE)).resource(
        BULBS_URI,
        "bulbs.md",
        "text/markdown",
        |_: &mut App, call: ReadCall<'_>| call.text(BULBS),
    )
}
