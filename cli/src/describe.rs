//! What a peer says of its methods.

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;

use nanojsonrpc::RawValue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fault::Fault;
use crate::folders;
use crate::openrpc::{self, Document, Structure};
use crate::peer::Peer;

/// A method, or a tool.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Method {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) summary: String,
    /// The schema of the params as an object; `None` if the peer does not tell.
    pub(crate) params: Option<Value>,
    /// The names of the params in their order.
    #[serde(default)]
    pub(crate) order: Vec<String>,
    /// Whether params are sent as an array alone.
    #[serde(default)]
    pub(crate) by_position: bool,
}

/// A method that lists methods.
pub(crate) struct Source {
    pub(crate) method: &'static str,
    /// The member of the result with the list; empty if the result is the list.
    member: &'static str,
}

/// OpenRPC 1.3 §Service Discovery Method, and what devices have that know no OpenRPC: Shelly, Klipper, and servers that followed XML-RPC.
pub(crate) const SOURCES: &[Source] = &[
    Source { method: "rpc.discover", member: "methods" },
    Source { method: "Shelly.ListMethods", member: "methods" },
    Source { method: "list_endpoints", member: "endpoints" },
    Source { method: "system.listMethods", member: "" },
];

impl Source {
    pub(crate) fn read(&self, result: RawValue<'_>) -> Result<Vec<Method>, Fault> {
        let json = result.as_json();
        let result: Value = serde_json::from_str(json).map_err(|error| self.unusable(&error))?;
        let list = if self.member.is_empty() { Some(&result) } else { result.get(self.member) };
        let list = list.and_then(Value::as_array).ok_or_else(|| self.unusable(&"it has no list of methods"))?;
        if list.iter().any(Value::is_object) {
            let document = Document::read(result).map_err(|fault| self.unusable(&fault))?;
            return Ok(document.methods.iter().map(|method| Method::from_openrpc(method, &document)).collect());
        }
        // names alone
        let named = |name: &Value| Method { name: text(Some(name)), ..Method::default() };
        Ok(list.iter().filter(|name| name.is_string()).map(named).collect())
    }

    fn unusable(&self, why: &dyn fmt::Display) -> Fault {
        Fault::Lost(format!("the result of {}: {why}", self.method))
    }
}

/// The tools of a page of `tools/list`.
pub(crate) fn tools(page: &Value) -> Vec<Method> {
    let tools = page.get("tools").and_then(Value::as_array);
    tools.into_iter().flatten().filter_map(Method::from_tool).collect()
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

impl Method {
    fn from_openrpc(method: &openrpc::Method, document: &Document) -> Self {
        Self {
            name: method.name.clone(),
            summary: method.description.clone(),
            params: Some(document.by_name(method)),
            order: method.params.iter().map(|(name, ..)| name.clone()).collect(),
            by_position: method.structure == Structure::ByPosition,
        }
    }

    /// A tool of the Model Context Protocol.
    fn from_tool(tool: &Value) -> Option<Self> {
        let name = tool.get("name")?.as_str()?.to_owned();
        let summary = text(tool.get("description").or_else(|| tool.get("title")));
        let params = tool.get("inputSchema").cloned();
        let properties = params.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        let order = properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default();
        Some(Self { name, summary, params, order, by_position: false })
    }

    /// Whether a param must be there.
    pub(crate) fn requires(&self, name: &str) -> bool {
        let required = self.params.as_ref().and_then(|params| params.get("required")).and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|known| known.as_str() == Some(name)))
    }

    /// The schema of a param.
    pub(crate) fn schema(&self, name: &str) -> Option<&Value> {
        self.params.as_ref()?.get("properties")?.get(name)
    }

    /// The params, in JSON, by name: those of an array get the names in the order of the method.
    fn by_name(&self, params: Option<&str>) -> Option<Value> {
        let params = params.map_or(Some(Value::Object(Map::new())), |params| serde_json::from_str(params).ok())?;
        let Value::Array(values) = params else { return Some(params) };
        // more values than names: the method decides
        let names = self.order.iter().cloned();
        (values.len() <= self.order.len()).then(|| Value::Object(names.zip(values).collect()))
    }

    /// Refuses params that break the schema of the method.
    pub(crate) fn check(&self, params: Option<&str>) -> Result<(), String> {
        let Some((schema, params)) = self.params.as_ref().zip(self.by_name(params)) else { return Ok(()) };
        // a schema that is wrong itself is no fault of the caller
        let Ok(validator) = jsonschema::validator_for(schema) else { return Ok(()) };
        let Err(error) = validator.validate(&params) else { return Ok(()) };
        let path = error.instance_path().to_string();
        Err(if path.is_empty() { error.to_string() } else { format!("{path}: {error}") })
    }
}

/// The params in a line: `level: integer, reason?: string`.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.params.is_none() {
            return Ok(());
        }
        let params = self.order.iter().map(|name| {
            let mark = if self.requires(name) { "" } else { "?" };
            let kind = match self.schema(name).and_then(|schema| schema.get("type")) {
                Some(Value::String(kind)) => format!(": {kind}"),
                Some(Value::Array(kinds)) => {
                    format!(": {}", kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"))
                }
                _ => String::new(),
            };
            format!("{name}{mark}{kind}")
        });
        write!(f, "({})", params.collect::<Vec<_>>().join(", "))
    }
}

/// What `jrpc list` has seen of a peer, so that the shell completes its methods, and calls are checked, without asking again.
fn store(peer: &Peer) -> Option<PathBuf> {
    let mut name: String = format!("{}{}", peer.address, if peer.is_mcp { " mcp" } else { "" });
    name = name.bytes().fold(String::new(), |name, byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' => name + char::from(byte).encode_utf8(&mut [0; 4]),
        _ => format!("{name}_{byte:02x}"),
    });
    name.truncate(200);
    folders::file("XDG_CACHE_HOME", ".cache", format!("{name}.json"))
}

/// Keeps the methods of a peer. Without a folder for it, nothing is kept.
pub(crate) fn keep(peer: &Peer, methods: &[Method]) {
    let Some(path) = store(peer) else { return };
    let write = || {
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        // whole or not at all
        let new = path.with_extension(format!("{}.new", std::process::id()));
        std::fs::File::create(&new)?.write_all(&serde_json::to_vec(methods)?)?;
        std::fs::rename(&new, &path)
    };
    // a cache that cannot be written is no cache
    _ = write();
}

/// The methods that were kept; none if there are none.
pub(crate) fn kept(peer: &Peer) -> Vec<Method> {
    let read = || serde_json::from_slice(&std::fs::read(store(peer)?).ok()?).ok();
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r##"{"openrpc":"1.3.2","components":{"schemas":{"Level":{"type":"integer","maximum":100}}},"methods":[
        {"name":"set","summary":"Sets.","params":[
            {"name":"level","required":true,"schema":{"$ref":"#/components/schemas/Level"}},
            {"name":"reason","schema":{"type":["string","null"]}}]},
        {"name":"off","params":[]}]}"##;

    fn set() -> Method {
        let methods = SOURCES[0].read(RawValue::parse(DOCUMENT.as_bytes()).expect("valid")).expect("read");
        assert_eq!(
            methods.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["set(level, reason?: string|null)", "off()"]
        );
        methods[0].clone()
    }

    #[test]
    fn params_are_checked_by_name_and_by_position() {
        let set = set();
        for params in [r#"{"level":20}"#, "[20]", r#"[20,null]"#, r#"{"level":1,"reason":"x"}"#] {
            assert_eq!(set.check(Some(params)), Ok(()), "{params}");
        }
        for (params, reason) in [
            (Some(r#"{"level":101}"#), "/level: 101 is greater than the maximum of 100"),
            (Some(r#"["x"]"#), "/level: \"x\" is not of type \"integer\""),
            (None, "\"level\" is a required property"),
            (Some(r#"{"level":1,"reason":7}"#), "/reason: 7 is not of types"),
        ] {
            assert!(
                set.check(params).is_err_and(|fault| fault.starts_with(reason)),
                "{params:?}: {:?}",
                set.check(params)
            );
        }
    }

    #[test]
    fn lists_of_names_are_methods_without_params() {
        let methods =
            SOURCES[1].read(RawValue::parse(br#"{"methods":["Switch.Set","Sys.GetStatus"]}"#).expect("valid"));
        let methods = methods.expect("read");
        assert_eq!(methods.iter().map(ToString::to_string).collect::<Vec<_>>(), ["Switch.Set", "Sys.GetStatus"]);
        assert_eq!(methods[0].check(Some("[1]")), Ok(()));
        assert!(SOURCES[2].read(RawValue::NULL).is_err());
    }
}
