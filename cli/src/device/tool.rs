//! The methods of a device as tools of the Model Context Protocol.

use std::collections::{HashMap, HashSet};

use nanojsonrpc::RawValue;
use nanojsonrpc::mcp::method;
use serde_json::{Map, Value, json};

use crate::openrpc::{Document, Method, Structure};

/// The greatest length of the name of a tool that clients accept.
const NAME: usize = 64;
/// The greatest length of the part that names the device.
pub(super) const PREFIX: usize = 32;

/// A tool.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tool {
    /// Its name among those of all devices.
    pub(crate) name: String,
    /// Its name before it was made unique.
    base: String,
    definition: Map<String, Value>,
    route: Route,
}

/// What a call of a tool becomes.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Route {
    /// A call of this method; with these names, if its params are passed by position.
    Method(String, Option<Vec<String>>),
    /// A call of the method in the arguments.
    Any,
    /// A call of this tool of an MCP server.
    Tool(String),
}

/// The arguments of a call without any.
pub(crate) const NO_ARGUMENTS: RawValue<'_> = match RawValue::constant("{}") {
    Some(value) => value,
    None => RawValue::NULL,
};

/// A tool of an MCP server as a method of OpenRPC.
pub(super) fn as_method(name: &str, tool: &Map<String, Value>) -> Value {
    let schema = tool.get("inputSchema");
    let is_required = |name: &str| {
        let required = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|other| other == name))
    };
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let params = properties.into_iter().flatten();
    let params: Vec<_> =
        params.map(|(name, schema)| json!({ "name": name, "schema": schema, "required": is_required(name) })).collect();
    let description = tool.get("description").and_then(Value::as_str).unwrap_or_default();
    let result = json!({ "name": "result", "schema": tool.get("outputSchema").unwrap_or(&Value::Bool(true)) });
    json!({ "name": name, "description": description, "paramStructure": "by-name", "params": params, "result": result })
}

/// `text` as a part of the name of a tool: "letters, digits, underscores, hyphens" are what all clients accept.
pub(super) fn plain(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let parts: Vec<_> = plain.split('_').filter(|part| !part.is_empty()).collect();
    parts.join("_")
}

/// The last `len` bytes of `text`, which is ASCII.
pub(super) fn last(text: &str, len: usize) -> &str {
    text.get(text.len().saturating_sub(len)..).unwrap_or_default()
}

impl Tool {
    pub(super) fn new(prefix: &str, name: &str, definition: Map<String, Value>, route: Route) -> Self {
        let name = plain(name);
        // the ends tell more than the fronts: of a path, of a name with name spaces
        let name = last(&name, NAME - 1 - prefix.len().min(PREFIX / 2));
        let base = format!("{}_{name}", last(prefix, NAME - 1 - name.len()).trim_start_matches('_'));
        Self { name: base.clone(), base, definition, route }
    }

    pub(super) fn of_method(prefix: &str, device: &str, document: &Document, method: &Method) -> Self {
        let is_by_position = method.structure == Structure::ByPosition;
        let names = || method.params.iter().map(|(name, ..)| name.clone()).collect();
        let mut description = method.description.clone();
        if !description.is_empty() {
            description.push('\n');
        }
        description.push_str(&format!("The method {} of the device {device}.", method.name));
        let mut definition = Map::new();
        definition.insert("description".to_owned(), description.into());
        definition.insert("inputSchema".to_owned(), document.by_name(method));
        Self::new(prefix, &method.name, definition, Route::Method(method.name.clone(), is_by_position.then(names)))
    }

    /// The tool of a device that does not tell its methods.
    pub(super) fn any(prefix: &str, device: &str) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "method": { "type": "string" },
                "params": { "type": ["object", "array"], "description": "The params, by name or by position" }
            },
            "required": ["method"]
        });
        let mut definition = Map::new();
        let description = format!("Calls any method of the device {device}, which does not tell its methods.");
        definition.insert("description".to_owned(), description.into());
        definition.insert("inputSchema".to_owned(), schema);
        Self::new(prefix, "call", definition, Route::Any)
    }

    /// The params of a call of the tool `name` of an MCP server.
    pub(super) fn of_server(name: &str, arguments: RawValue<'_>) -> String {
        format!("{{\"name\":{},\"arguments\":{}}}", Value::from(name), arguments.as_json())
    }

    /// Gives it another name, if this one is in `taken`. `numbers` has the next number for each name.
    pub(crate) fn make_unique(&mut self, taken: &HashSet<String>, numbers: &mut HashMap<String, u32>) {
        while taken.contains(&self.name) {
            let number = numbers.entry(self.base.clone()).or_insert(2);
            let end = format!("_{number}");
            let len = NAME.saturating_sub(end.len());
            self.name = format!("{}{end}", self.base.get(..len).unwrap_or(&self.base));
            *number += 1;
        }
    }

    /// Whether it is the same but for the number in its name.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (&self.base, &self.definition, &self.route) == (&other.base, &other.definition, &other.route)
    }

    /// As lists show it.
    pub(crate) fn definition(&self) -> Value {
        let mut whole = self.definition.clone();
        whole.insert("name".to_owned(), self.name.as_str().into());
        Value::Object(whole)
    }

    /// The method as the hub's users call it: of an MCP server, the tool.
    pub(crate) fn method(&self, arguments: RawValue<'_>) -> Option<String> {
        match &self.route {
            Route::Method(name, _) | Route::Tool(name) => Some(name.clone()),
            Route::Any => {
                arguments.get("method").and_then(|method| method.as_str_raw()).map(|method| method.to_string())
            }
        }
    }

    /// The method and the params of a call with these arguments, an object. Values keep their text: a number beyond 64 bits, say.
    pub(super) fn call(&self, arguments: RawValue<'_>) -> Result<(String, Option<String>), String> {
        let text = |value: RawValue<'_>| value.as_json().to_owned();
        Ok(match &self.route {
            Route::Tool(name) => (method::TOOLS_CALL.to_owned(), Some(Self::of_server(name, arguments))),
            Route::Any => match arguments.get("method").and_then(|method| method.as_str_raw()) {
                Some(method) => (method.to_string(), arguments.get("params").map(text)),
                None => return Err("expected a string as method".to_owned()),
            },
            Route::Method(method, None) => (method.clone(), arguments.members().next().map(|_| text(arguments))),
            Route::Method(method, Some(names)) => {
                let is_unknown = |given: &String| !names.contains(given);
                if let Some(name) = arguments.members().map(|(name, _)| name.to_string()).find(is_unknown) {
                    return Err(format!("no param is named {name:?}"));
                }
                let given = names.iter().rposition(|name| arguments.get(name).is_some()).map_or(0, |last| last + 1);
                let value = |name: &String| arguments.get(name).map_or("null".to_owned(), text);
                let values: Vec<_> = names.iter().take(given).map(value).collect();
                (method.clone(), Some(format!("[{}]", values.join(","))))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_what_clients_accept() {
        let name = |prefix, method| Tool::new(prefix, method, Map::new(), Route::Any).name;
        assert_eq!(name("lamp", "lamp.set/level"), "lamp_lamp_set_level");
        assert_eq!(name("lamp", &"ü.x".repeat(40)).len(), NAME);
        let mut tool = Tool::new("a", &"b".repeat(80), Map::new(), Route::Any);
        let taken = tool.name.clone();
        let taken = HashSet::from([format!("{}_2", &taken[..NAME - 2]), taken]);
        tool.make_unique(&taken, &mut HashMap::new());
        assert!(tool.name.len() == NAME && tool.name.ends_with("_3"), "{}", tool.name);
    }

    #[test]
    fn arguments_become_params() {
        let call = |route, arguments: &str| {
            Tool::new("d", "m", Map::new(), route).call(RawValue::parse(arguments.as_bytes()).expect("JSON"))
        };
        let params = |params: &str| Ok(("m".to_owned(), Some(params.to_owned())));
        let names = || Route::Method("m".into(), Some(vec!["a".into(), "b".into(), "c".into()]));
        assert_eq!(call(names(), r#"{ "b": 1e999, "a": 1 }"#), params("[1,1e999]"));
        assert_eq!(call(names(), r#"{ "c": 3 }"#), params("[null,null,3]"));
        assert_eq!(call(names(), "{}"), params("[]"));
        assert_eq!(call(names(), r#"{ "d": 3 }"#), Err("no param is named \"d\"".into()));
        assert_eq!(call(Route::Method("m".into(), None), "{}"), Ok(("m".into(), None)));
        assert_eq!(call(Route::Method("m".into(), None), r#"{"n":9e99}"#), params(r#"{"n":9e99}"#));
        assert_eq!(call(Route::Any, r#"{"method":"m","params":[1.50]}"#), params("[1.50]"));
        assert!(call(Route::Any, "{}").is_err());
        let (method, params) = call(Route::Tool("a\"b".into()), r#"{"n":1.0}"#).expect("a call");
        assert_eq!(
            (method.as_str(), params.as_deref()),
            ("tools/call", Some(r#"{"name":"a\"b","arguments":{"n":1.0}}"#))
        );
    }
}
