//! Skills of a service: `skills/list`, `skills/get`, `resources/directory/read`.
#![cfg(feature = "mcp")]

use crate::peer::{Client, REVISIONS};
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{
    Digest, GetSkillResult, List, ReadDirectoryResult, Skill, SkillResource, SkillResources,
};
use nanojsonrpc::mcp::{ReadCall, Service, Subscriptions, uri_template};
use nanojsonrpc::message::Str;
use nanojsonrpc::{ErrorKind, RawValue, Writer};
use serde_json::{Value, json};

const GUIDE: &str = "---\nname: lamp\ndescription: How to switch the lamp.\n---\nSee refs/levels.md.\n";
const LEVELS: &str = "0 is off.\n";
const URI: &str = "skill://home/lamp/SKILL.md";
const LEVELS_URI: &str = "skill://home/lamp/refs/levels.md";

const fn json_of(text: &'static str) -> RawValue<'static> {
    match RawValue::constant(text) {
        Some(value) => value,
        None => panic!("not JSON"),
    }
}

static FILES: [SkillResource<'_>; 2] =
    [SkillResource::of(URI, GUIDE.as_bytes()), SkillResource::of(LEVELS_URI, LEVELS.as_bytes())];
static LAMP: Skill<'_> = Skill::new(
    Str::Plain(URI),
    json_of(r#"{"name":"lamp","description":"How to switch the lamp."}"#),
    SkillResources::Files(List::of(&FILES)),
);
static TODAY: Skill<'_> = Skill::new(
    Str::Plain("skill://today/SKILL.md"),
    json_of(r#"{"name":"today","description":"The plan of today.","license":"MIT"}"#),
    SkillResources::Dynamic,
);

/// The context: the resources and skills that the client may see, by the beginning of their URI.
type Allowed = &'static str;

fn read(_: &mut Allowed, call: ReadCall<'_>) -> nanojsonrpc::server::Replied {
    call.text(GUIDE)
}

fn service() -> Service<Allowed, impl Features<Allowed>> {
    Service::new("lamp", "1.0.0")
        .skill(URI, &LAMP)
        .resource("lamp:state", "state", "text/plain", read)
        .resource(URI, "lamp", "text/markdown", read)
        .resource(LEVELS_URI, "levels", "text/markdown", read)
        .resource("skill://home/lamp/refs/more/a.txt", "a", "text/plain", read)
        .resource("skill://home/lamp/refs/more/b.txt", "b", "text/plain", read)
        .resource("skill://home/lamps", "lamps", "text/plain", read)
        .resource_template(uri_template!("skill://today/{file}"), "today", "text/markdown", read)
        .skill("skill://today/SKILL.md", &TODAY)
        .shown_if(|allowed, candidate| candidate.name.starts_with(*allowed))
}

fn entry() -> Value {
    json!({
        "uri": URI,
        "frontmatter": {"name": "lamp", "description": "How to switch the lamp."},
        "resources": [
            {"uri": URI, "digest": "sha256:9b3fd250427db04b1bc43caf0e0d70d6b614efe410c960dcd95f0b5ca5413390", "size": GUIDE.len()},
            {"uri": LEVELS_URI, "digest": "sha256:4db78536eeda6572937321752101944e15be7ae53af11763c4b31620e42450ff", "size": LEVELS.len()},
        ],
    })
}

fn today() -> Value {
    json!({
        "uri": "skill://today/SKILL.md",
        "frontmatter": {"name": "today", "description": "The plan of today.", "license": "MIT"},
        "resources": "dynamic",
    })
}

#[test]
fn skills_are_listed_and_found_in_each_revision() {
    for revision in REVISIONS {
        let mut client = Client::new(service(), "", revision);
        assert_eq!(client.result("skills/list", json!({})), json!({"skills": [entry(), today()]}));
        assert_eq!(client.result("skills/get", json!({"uri": URI})), json!({"skill": entry()}));
        for (params, message) in [
            (json!({"uri": "lamp:state"}), "Unknown skill"),
            (json!({"uri": "skill://home/lamp"}), "Unknown skill"),
            (json!({"uri": 7}), "Invalid params: expected a string as uri"),
            (json!({}), "Invalid params: expected a string as uri"),
        ] {
            assert_eq!(client.error("skills/get", params), (-32602, message.into()), "{revision}");
        }
    }
}

#[test]
fn a_list_of_skills_has_pages() {
    let mut client = Client::new(service().page_len(1), "", "2026-07-28");
    let mut first = client.result("skills/list", json!({}));
    let cursor = first["nextCursor"].take();
    assert_eq!(first["skills"], json!([entry()]));
    assert_eq!(client.result("skills/list", json!({"cursor": cursor})), json!({"skills": [today()]}));
    assert_eq!(client.error("skills/list", json!({"cursor": "2"})).0, -32602);
}

#[test]
fn the_extension_is_declared_and_so_are_resources() {
    let extension = json!({"io.modelcontextprotocol/skills": {"directoryRead": true}});
    let only = || Service::<Subscriptions<4>>::new("lamp", "1.0.0").skill(URI, &LAMP);
    let discovered = Client::new(only(), Subscriptions::new(), "2026-07-28").result("server/discover", json!({}));
    assert_eq!(discovered["capabilities"], json!({"resources": {}, "extensions": extension}));
    let subscribing = only().subscriptions(|subscriptions| subscriptions);
    let discovered = Client::new(subscribing, Subscriptions::new(), "2026-07-28").result("server/discover", json!({}));
    let resources = json!({"subscribe": true, "listChanged": true});
    assert_eq!(discovered["capabilities"], json!({"resources": resources, "extensions": extension}));
    // a service with subscriptions, but without skills
    let subscribing = Service::<Subscriptions<4>>::new("lamp", "1.0.0").subscriptions(|subscriptions| subscriptions);
    let mut client = Client::new(subscribing, Subscriptions::new(), "2026-07-28");
    assert_eq!(client.result("server/discover", json!({}))["capabilities"], json!({}));
    for method in ["skills/list", "skills/get", "resources/directory/read"] {
        assert_eq!(client.error(method, json!({"uri": URI})).0, -32601, "{method}");
    }
}

#[test]
fn a_directory_has_each_file_and_directory_once() {
    let directory = |uri: &str, name: &str| json!({"uri": uri, "name": name, "mimeType": "inode/directory"});
    for revision in REVISIONS {
        let mut client = Client::new(service(), "", revision);
        for (uri, resources) in [
            (
                "skill://home/lamp",
                json!([
                    {"uri": URI, "name": "lamp", "mimeType": "text/markdown"},
                    directory("skill://home/lamp/refs", "refs"),
                ]),
            ),
            (
                "skill://home/lamp/refs",
                json!([
                    {"uri": LEVELS_URI, "name": "levels", "mimeType": "text/markdown"},
                    directory("skill://home/lamp/refs/more", "more"),
                ]),
            ),
            (
                "skill://home",
                json!([
                    directory("skill://home/lamp", "lamp"),
                    {"uri": "skill://home/lamps", "name": "lamps", "mimeType": "text/plain"},
                ]),
            ),
            ("skill:/", json!([directory("skill://home", "home")])),
        ] {
            let result = client.result("resources/directory/read", json!({"uri": uri}));
            assert_eq!(result, json!({"resources": resources}), "{uri}");
        }
        for uri in [URI, "skill://home/", "skill://home/lam", "skill://today", "skill:", "lamp:state", ""] {
            let error = client.error("resources/directory/read", json!({"uri": uri}));
            assert_eq!(error, (-32602, "Directory not found".into()), "{uri}");
        }
        assert_eq!(client.error("resources/directory/read", json!({})).0, -32602);
    }
}

#[test]
fn a_directory_that_does_not_fit_is_an_error() {
    let mut client = Client::new(service(), "", "2026-07-28");
    client.room = 200;
    assert_eq!(client.error("resources/directory/read", json!({"uri": "skill://home/lamp"})).0, -32603);
}

#[test]
fn hidden_skills_and_files_do_not_exist() {
    let mut client = Client::new(service(), "skill://today", "2026-07-28");
    assert_eq!(client.result("skills/list", json!({})), json!({"skills": [today()]}));
    assert_eq!(client.error("skills/get", json!({"uri": URI})), (-32602, "Unknown skill".into()));
    assert_eq!(client.error("resources/directory/read", json!({"uri": "skill://home/lamp"})).0, -32602);
    client.context = "skill://home/lamp/refs";
    let result = client.result("resources/directory/read", json!({"uri": "skill://home/lamp"}));
    assert_eq!(result["resources"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_entry_is_read_as_it_was_written() {
    for skill in [LAMP, TODAY] {
        let mut buffer = [0; 1024];
        let mut out = Writer::new(&mut buffer);
        out.value(&GetSkillResult::new(skill)).unwrap();
        let text = out.written().to_vec();
        let read = GetSkillResult::read(RawValue::parse(&text).unwrap()).unwrap();
        out.clear();
        out.value(&read).unwrap();
        assert_eq!(out.written(), text);
    }
    let SkillResources::Files(files) = LAMP.resources else { panic!("no files") };
    let [guide, levels]: [SkillResource<'_>; 2] = core::array::from_fn(|at| files.iter().nth(at).unwrap());
    assert!(guide.verifies(GUIDE.as_bytes()) && levels.verifies(LEVELS.as_bytes()));
    // of the same length, and with the same front
    assert!(!guide.verifies(GUIDE.replace("lamp", "door").as_bytes()) && !levels.verifies(b"0 is off.\n\n"));
    assert!(!SkillResource { size: 0, ..levels }.verifies(LEVELS.as_bytes()));
}

#[test]
fn an_entry_that_no_host_may_load_is_refused() {
    let hex = "0123456789abcdef".repeat(4);
    let file = |digest: &str| format!(r#"{{"uri":"a","digest":"{digest}","size":1}}"#);
    let skill = |resources: &str| format!(r#"{{"uri":"a","frontmatter":{{}},"resources":{resources}}}"#);
    for (resources, kind) in [
        (r#""all""#.to_owned(), ErrorKind::UnexpectedType),
        ("null".into(), ErrorKind::UnexpectedType),
        (format!("[{}]", file("sha256:00")), ErrorKind::InvalidValue),
        (format!("[{}]", file(&hex)), ErrorKind::InvalidValue),
        (format!("[{}]", file(&format!("sha512:{hex}"))), ErrorKind::InvalidValue),
        (format!("[{}]", file(&format!("sha256:{hex}0"))), ErrorKind::InvalidValue),
        (format!("[{}]", file(&format!("sha256:{}", hex.to_uppercase()))), ErrorKind::InvalidValue),
        (r#"[{"uri":"a","size":1}]"#.into(), ErrorKind::MissingField),
    ] {
        let text = skill(&resources);
        let read = Skill::read(RawValue::parse(text.as_bytes()).unwrap());
        assert_eq!(read.map(|_| ()).map_err(|error| error.kind()), Err(kind), "{text}");
    }
    let text = skill(&format!("[{}]", file(&format!("sha256:{hex}"))));
    assert!(Skill::read(RawValue::parse(text.as_bytes()).unwrap()).is_ok());
    assert_eq!(Digest::read(RawValue::parse(b"7").unwrap()).unwrap_err().kind(), ErrorKind::UnexpectedType);
    assert!(ReadDirectoryResult::read(RawValue::parse(br#"{"resources":[],"nextCursor":"2"}"#).unwrap()).is_ok());
}

#[test]
fn a_resource_of_a_skill_is_made_at_run_time_too() {
    let made = SkillResource::of(URI, std::hint::black_box(GUIDE).as_bytes());
    assert_eq!(format!("{made:?}"), format!("{:?}", FILES[0]));
}
