//! Documents of OpenRPC: methods, the schemas of their params, and values that a schema describes.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// The references to follow from one place, and the depth of a value.
const DEPTH: usize = 24;
/// The greatest length of a list or a string that a schema asks for.
const LEN: usize = 1024;

/// A document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) json: Value,
    pub(crate) methods: Vec<Method>,
}

/// A method.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) name: String,
    /// What it does; may be empty.
    pub(crate) description: String,
    /// Its params: names, schemas, and whether they are required.
    pub(crate) params: Vec<(String, Value, bool)>,
    /// How params may be passed.
    pub(crate) structure: Structure,
    /// The schema of its result.
    result: Value,
    examples: Vec<Value>,
}

/// How params are passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Structure {
    ByName,
    ByPosition,
    Either,
}

/// What a reference in the document leads to.
fn resolve<'d>(root: &'d Value, mut value: &'d Value) -> &'d Value {
    for _ in 0..DEPTH {
        let path = value.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
        match path.and_then(|path| root.pointer(path)) {
            Some(found) => value = found,
            None => break,
        }
    }
    value
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl Document {
    /// Reads a document.
    pub(crate) fn read(json: Value) -> Result<Self, String> {
        let found = json.get("methods").and_then(Value::as_array);
        let found = found.ok_or("no document of OpenRPC: it has no list \"methods\"")?;
        let methods = found.iter().map(|method| Method::read(&json, resolve(&json, method)));
        let methods = methods.collect::<Result<_, _>>()?;
        Ok(Self { methods, json })
    }

    /// A schema of this document that stands alone.
    fn rooted(&self, mut schema: Value) -> Value {
        if let (Some(schema), Some(components)) = (schema.as_object_mut(), self.json.get("components")) {
            schema.insert("components".to_owned(), components.clone());
        }
        schema
    }

    /// The schema of the params of `method` as an object.
    pub(crate) fn by_name(&self, method: &Method) -> Value {
        let params = || method.params.iter();
        let properties: Map<_, _> = params().map(|(name, schema, _)| (name.clone(), schema.clone())).collect();
        let required: Vec<_> = params().filter(|(.., required)| *required).map(|(name, ..)| name).collect();
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        if schema.to_string().contains("\"$ref\"") { self.rooted(schema) } else { schema }
    }

    /// The schema of the params of `method` as an array.
    fn by_position(&self, method: &Method) -> Value {
        let schemas: Vec<_> = method.params.iter().map(|(_, schema, _)| schema).collect();
        let least = method.params.iter().take_while(|(.., required)| *required).count();
        let mut schema = json!({ "type": "array", "minItems": least, "maxItems": schemas.len() });
        if let (Some(schema), false) = (schema.as_object_mut(), schemas.is_empty()) {
            schema.insert("prefixItems".to_owned(), json!(schemas));
        }
        self.rooted(schema)
    }

    /// The check of the params of `method`.
    pub(crate) fn check(&self, method: &Method) -> Result<Check, String> {
        let build = |schema: Value| {
            jsonschema::validator_for(&schema).map_err(|error| format!("the schema of {:?}: {error}", method.name))
        };
        let both = (build(self.by_name(method))?, build(self.by_position(method))?);
        Ok(Check { by_name: both.0, by_position: both.1, structure: method.structure })
    }

    /// The result of `method` for `params`: that of the first example with these params, or else a value of its schema.
    pub(crate) fn answer(&self, method: &Method, params: &Value) -> Value {
        let is_same = |example: &&Value| {
            let given: Vec<_> = list(example, "params").iter().map(|param| resolve(&self.json, param)).collect();
            let value = |param: &Value| param.get("value").cloned().unwrap_or_default();
            match params {
                Value::Object(params) => {
                    let given: Map<_, _> = given.iter().map(|param| (text(param, "name"), value(param))).collect();
                    given == *params
                }
                Value::Array(params) => given.iter().map(|param| value(param)).eq(params.iter().cloned()),
                _ => given.is_empty(),
            }
        };
        let found = method.examples.iter().find(is_same).and_then(|example| example.get("result"));
        match found.and_then(|result| resolve(&self.json, result).get("value")) {
            Some(value) => value.clone(),
            None => self.sample(&method.result, DEPTH),
        }
    }

    /// A value of `schema`.
    fn sample(&self, schema: &Value, depth: usize) -> Value {
        let Some(depth) = depth.checked_sub(1) else { return Value::Null };
        let schema = resolve(&self.json, schema);
        let first = |name| list(schema, name).first();
        let given = schema.get("const").or_else(|| schema.get("default"));
        if let Some(value) = given.or_else(|| first("examples")).or_else(|| first("enum")) {
            return value.clone();
        }
        if let Some(choice) = first("oneOf").or_else(|| first("anyOf")) {
            return self.sample(choice, depth);
        }
        let parts = list(schema, "allOf").iter().map(|part| self.sample(part, depth));
        let whole = parts.reduce(|whole, part| match (whole, part) {
            (Value::Object(mut whole), Value::Object(part)) => {
                whole.extend(part);
                Value::Object(whole)
            }
            (whole, part) => {
                if whole.is_null() {
                    part
                } else {
                    whole
                }
            }
        });
        match (whole, self.typed(schema, depth)) {
            (Some(Value::Object(mut whole)), Value::Object(own)) => {
                whole.extend(own);
                Value::Object(whole)
            }
            (Some(whole), _) if !whole.is_null() => whole,
            (_, own) => own,
        }
    }

    /// A value of the type of `schema`.
    fn typed(&self, schema: &Value, depth: usize) -> Value {
        let has = |names: &[&str]| names.iter().any(|name| schema.get(name).is_some());
        let named = schema.get("type").and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
        let number = |name| schema.get(name).and_then(Value::as_f64);
        let len = |name| schema.get(name).and_then(Value::as_u64).map_or(0, |len| len.min(LEN as u64) as usize);
        match named {
            Some("boolean") => Value::Bool(false),
            Some("string") => Value::String("x".repeat(len("minLength"))),
            Some("integer" | "number") => {
                let step = if named == Some("integer") { 1.0 } else { 0.5 };
                let least = number("minimum").or_else(|| Some(number("exclusiveMinimum")? + step));
                let most = number("maximum").or_else(|| Some(number("exclusiveMaximum")? - step));
                let value = 0f64.max(least.unwrap_or(f64::MIN)).min(most.unwrap_or(f64::MAX));
                let whole = if named == Some("integer") { value.ceil() } else { value };
                if whole.fract() == 0.0 && whole.abs() < 9e15 { json!(whole as i64) } else { json!(whole) }
            }
            Some("array") | None if named.is_some() || has(&["items", "prefixItems", "minItems"]) => {
                let front = list(schema, "prefixItems").iter().map(|item| self.sample(item, depth));
                let item = || self.sample(schema.get("items").unwrap_or(&Value::Null), depth);
                let mut items: Vec<_> = front.collect();
                items.resize_with(len("minItems").max(items.len()), item);
                Value::Array(items)
            }
            Some("object") | None if named.is_some() || has(&["properties", "required"]) => {
                let names = list(schema, "required").iter().filter_map(Value::as_str);
                let member = |name: &str| {
                    let value = schema.get("properties").and_then(|properties| properties.get(name));
                    (name.to_owned(), value.map_or(Value::Null, |value| self.sample(value, depth)))
                };
                Value::Object(names.map(member).collect())
            }
            _ => Value::Null,
        }
    }
}

impl Method {
    fn read(root: &Value, method: &Value) -> Result<Self, String> {
        let name = text(method, "name");
        if name.is_empty() {
            return Err("a method has no name".to_owned());
        }
        let params = list(method, "params").iter().map(|param| {
            let param = resolve(root, param);
            let is_required = param.get("required").and_then(Value::as_bool).unwrap_or(false);
            (text(param, "name"), param.get("schema").cloned().unwrap_or(Value::Bool(true)), is_required)
        });
        let words = [text(method, "summary"), text(method, "description")];
        Ok(Self {
            params: params.collect(),
            description: words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n"),
            structure: match method.get("paramStructure").and_then(Value::as_str) {
                Some("by-name") => Structure::ByName,
                Some("by-position") => Structure::ByPosition,
                _ => Structure::Either,
            },
            result: method
                .get("result")
                .and_then(|result| resolve(root, result).get("schema"))
                .cloned()
                .unwrap_or_default(),
            examples: list(method, "examples").iter().map(|example| resolve(root, example).clone()).collect(),
            name,
        })
    }
}

/// The check of params.
pub(crate) struct Check {
    by_name: Validator,
    by_position: Validator,
    structure: Structure,
}

impl Check {
    /// Checks `params`; null stands for none. The error names the place.
    pub(crate) fn params(&self, params: &Value) -> Result<(), String> {
        let none = if self.structure == Structure::ByPosition { json!([]) } else { json!({}) };
        let params = if params.is_null() { &none } else { params };
        match (params, self.structure) {
            (Value::Array(_), Structure::ByName) => return Err("expected params by name".to_owned()),
            (Value::Object(_), Structure::ByPosition) => return Err("expected params by position".to_owned()),
            _ => {}
        }
        let validator = if params.is_array() { &self.by_position } else { &self.by_name };
        validator.validate(params).map_err(|error| {
            let path = error.instance_path().to_string();
            if path.is_empty() { error.to_string() } else { format!("{path}: {error}") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(method: Value) -> Document {
        let level = json!({ "type": "integer", "minimum": 3, "maximum": 100 });
        Document::read(json!({ "methods": [method], "components": { "schemas": {
            "Level": level,
            "Tree": { "type": "object", "required": ["next"], "properties": { "next": { "$ref": "#/components/schemas/Tree" } } },
        } } }))
        .expect("a document")
    }

    #[test]
    fn a_schema_has_a_value_that_it_accepts() {
        for schema in [
            json!({ "const": 7 }),
            json!({ "enum": ["a", "b"] }),
            json!({ "type": "number", "exclusiveMinimum": 2 }),
            json!({ "type": "integer", "maximum": -4 }),
            json!({ "type": "string", "minLength": 3 }),
            json!({ "type": ["boolean", "null"] }),
            json!({ "type": "array", "items": { "$ref": "#/components/schemas/Level" }, "minItems": 2 }),
            json!({ "oneOf": [{ "type": "null" }, { "type": "string" }] }),
            json!({ "allOf": [{ "type": "object", "required": ["a"], "properties": { "a": { "type": "integer" } } }],
                "required": ["b"], "properties": { "b": { "type": "boolean" } } }),
            json!({ "required": ["a"], "properties": { "a": { "default": 5 } } }),
        ] {
            let document = document(json!({ "name": "m", "result": { "name": "r", "schema": schema } }));
            let value = document.answer(&document.methods[0], &Value::Null);
            let validator = jsonschema::validator_for(&document.rooted(schema.clone())).expect("a schema");
            assert!(validator.is_valid(&value), "{schema}: {value}");
        }
        let tree = document(json!({ "name": "m", "result": { "schema": { "$ref": "#/components/schemas/Tree" } } }));
        assert!(tree.answer(&tree.methods[0], &Value::Null)["next"]["next"].is_object(), "bounded");
    }

    #[test]
    fn params_are_checked_in_both_structures() {
        let method = |structure: &str| {
            let document = document(json!({ "name": "set", "paramStructure": structure, "params": [
                { "name": "level", "required": true, "schema": { "$ref": "#/components/schemas/Level" } },
                { "name": "why", "schema": { "type": "string" } },
            ] }));
            document.check(&document.methods[0]).expect("schemas")
        };
        let either = method("either");
        for (params, fault) in [
            (json!({ "level": 3 }), None),
            (json!([3, "x"]), None),
            (json!({ "level": 300 }), Some("/level: 300 is greater than the maximum of 100")),
            (json!([300]), Some("/0: 300 is greater than the maximum of 100")),
            (Value::Null, Some("\"level\" is a required property")),
            (json!([3, "x", 1]), Some("has more than 2 items")),
            (json!({ "level": 3, "why": 1 }), Some("/why: 1 is not of type \"string\"")),
        ] {
            match (either.params(&params), fault) {
                (Ok(()), None) => {}
                (Err(found), Some(fault)) => assert!(found.contains(fault), "{params}: {found}"),
                other => panic!("{params}: {other:?}"),
            }
        }
        assert!(method("by-name").params(&json!([3])).is_err());
        assert!(method("by-position").params(&json!({ "level": 3 })).is_err());
    }

    #[test]
    fn the_first_example_with_the_params_answers() {
        let document = document(json!({ "name": "add",
            "result": { "schema": { "type": "integer" } },
            "examples": [
                { "params": [{ "name": "a", "value": 1 }, { "name": "b", "value": 2 }], "result": { "value": 3 } },
                { "params": [{ "name": "a", "value": 5 }], "result": { "value": 5 } },
            ] }));
        for (params, result) in
            [(json!({ "b": 2, "a": 1 }), 3), (json!([1, 2]), 3), (json!([5]), 5), (json!([6]), 0), (Value::Null, 0)]
        {
            assert_eq!(document.answer(&document.methods[0], &params), json!(result), "{params}");
        }
    }
}
