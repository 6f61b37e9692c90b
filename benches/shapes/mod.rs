//! Ten shapes of JSON-RPC messages, each with many different texts, and the two readers that every benchmark compares.
//!
//! The texts come from a fixed seed, so every run has the same texts. A benchmark reads all of them in turn, because the branch predictor
//! learns repeated texts, which makes a reader look faster the more it branches on the text. 512 short messages are too few for that
//! (docs/speed.md), so each shape has a megabyte.
#![allow(dead_code, unreachable_pub, reason = "every benchmark has this as a module, and none uses all of it")]

use core::fmt::Write as _;
use core::hint::black_box;

use nanojsonrpc::{Id, Message};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The bytes of the texts of a shape: as many as a second-level cache holds.
const BYTES: usize = 1_000_000;
/// The number of texts of a shape of long texts.
const FEWEST: usize = 128;

/// One shape: its name and its texts.
pub struct Shape {
    /// The name, as tables print it.
    pub name: &'static str,
    /// Whether each text is one request.
    pub is_request: bool,
    /// Whether each text is an array of messages.
    pub is_batch: bool,
    /// Different texts: [`BYTES`] in all, and at least [`FEWEST`].
    pub texts: Vec<Text>,
}

/// A text, and the parts that a reader must find there.
pub struct Text {
    /// The text of the message.
    pub bytes: Vec<u8>,
    /// The message of the text, or the messages of the batch.
    pub messages: Vec<Parts>,
}

/// The parts of one message, as spelled in the text.
#[derive(Debug, PartialEq)]
pub struct Parts {
    /// The id with its quotation marks, if the message has one.
    pub id: Option<String>,
    /// The method without its quotation marks.
    pub method: Option<String>,
    /// The params or the result.
    pub payload: Option<String>,
}

impl Shape {
    /// The mean size of a text in bytes.
    pub fn mean_len(&self) -> usize {
        self.texts.iter().map(|text| text.bytes.len()).sum::<usize>() / self.texts.len()
    }

    /// Panics if a text repeats, or if a reader finds other parts than the generator wrote.
    pub fn assert_read_right(&self) {
        let different: std::collections::HashSet<&[u8]> = self.texts.iter().map(|text| &*text.bytes).collect();
        assert!(different.len() == self.texts.len() && different.len() >= FEWEST, "{}: too few texts", self.name);
        for text in &self.texts {
            assert_eq!(parts_by_nanojsonrpc(&text.bytes), text.messages, "nanojsonrpc, {}", self.name);
            assert_eq!(parts_by_serde_json(&text.bytes, self.is_batch), text.messages, "serde_json, {}", self.name);
        }
    }
}

/// Reads a text with this crate and passes each message to the benchmark. Returns whether the text is valid.
#[inline]
pub fn read_with_nanojsonrpc(text: &[u8]) -> bool {
    match Message::parse(text) {
        Ok(Message::Batch(batch)) => {
            batch.elements().for_each(|element| _ = black_box(&element.and_then(Message::<64, 64>::try_from)));
            true
        }
        message => black_box(&message).is_ok(),
    }
}

/// An envelope that borrows all its parts: serde_json reads a message into it without copying.
#[derive(Deserialize)]
pub struct Borrowed<'a> {
    pub jsonrpc: &'a str,
    #[serde(borrow)]
    pub method: Option<&'a str>,
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub error: Option<&'a RawValue>,
}

/// Reads a text with serde_json and passes each message to the benchmark. Returns whether the text is valid.
#[inline]
pub fn read_with_serde_json(text: &[u8], is_batch: bool) -> bool {
    if is_batch {
        let batch = serde_json::from_slice::<Vec<Borrowed<'_>>>(text);
        batch.iter().flatten().for_each(|element| _ = black_box(element));
        batch.is_ok()
    } else {
        black_box(&serde_json::from_slice::<Borrowed<'_>>(text)).is_ok()
    }
}

/// The parts that this crate finds in a text.
pub fn parts_by_nanojsonrpc(text: &[u8]) -> Vec<Parts> {
    let id = |id: Id| match id {
        Id::String(text) => Some(format!("\"{text}\"")),
        other => Some(other.to_string()),
    };
    let parts = |message| match message {
        Message::Request(request) => Parts {
            id: id(request.id),
            method: Some(request.method.to_string()),
            payload: request.params.map(|params| params.to_string()),
        },
        Message::Notification(notification) => Parts {
            id: None,
            method: Some(notification.method.to_string()),
            payload: notification.params.map(|params| params.to_string()),
        },
        Message::Response(response) => {
            Parts { id: id(response.id), method: None, payload: response.outcome.ok().map(|result| result.to_string()) }
        }
        Message::Batch(_) => panic!("a batch in a batch"),
    };
    match Message::parse(text).unwrap() {
        Message::Batch(batch) => batch.elements().map(|element| parts(element.unwrap().try_into().unwrap())).collect(),
        message => vec![parts(message)],
    }
}

/// The parts that serde_json finds in a text.
pub fn parts_by_serde_json(text: &[u8], is_batch: bool) -> Vec<Parts> {
    let messages: Vec<Borrowed<'_>> =
        if is_batch { serde_json::from_slice(text).unwrap() } else { vec![serde_json::from_slice(text).unwrap()] };
    let parts = |message: Borrowed<'_>| {
        assert!(message.jsonrpc == "2.0" && message.error.is_none());
        Parts {
            id: message.id.map(|id| id.to_string()),
            method: message.method.map(str::to_string),
            payload: message.params.or(message.result).map(|payload| payload.to_string()),
        }
    };
    messages.into_iter().map(parts).collect()
}

/// The names of the ten shapes: eight realistic shapes, and two that are made to be slow.
pub const NAMES: [&str; 10] = [
    "tiny request",
    "notification",
    "tools/call",
    "response 2 KB",
    "text 67 KB",
    "numbers 102 KB",
    "batch of 64",
    "pretty",
    "escapes 4 KB",
    "nested 2 KB",
];

/// All ten shapes.
pub fn all() -> [Shape; 10] {
    NAMES.map(named)
}

/// The shape called `name`. Its texts are the same whether other shapes are generated or not.
pub fn named(name: &'static str) -> Shape {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let single = |is_request, texts| Shape { name, is_request, is_batch: false, texts };
    match name {
        "tiny request" => single(true, random.texts(|random| random.tiny_request().text())),
        "notification" => single(false, random.texts(|random| random.notification().text())),
        "tools/call" => single(true, random.texts(|random| random.tools_call().text())),
        "response 2 KB" => single(false, random.texts(|random| random.response().text())),
        "text 67 KB" => single(false, random.texts(|random| random.document().text())),
        "numbers 102 KB" => single(false, random.texts(|random| random.numbers().text())),
        "batch of 64" => Shape { name, is_request: false, is_batch: true, texts: random.texts(Random::batch) },
        "pretty" => single(true, random.texts(|random| random.pretty().text())),
        "escapes 4 KB" => single(false, random.texts(|random| random.escapes().text())),
        "nested 2 KB" => single(true, random.texts(|random| random.nested().text())),
        _ => panic!("no shape is called {name}"),
    }
}

/// A message under construction: the order of its members, and the white space between them.
struct Draft {
    parts: Parts,
    id_first: bool,
    is_pretty: bool,
}

impl Draft {
    fn request(id: String, method: &str, params: String) -> Self {
        Self::new(Some(id), Some(method.to_string()), params)
    }

    fn new(id: Option<String>, method: Option<String>, payload: String) -> Self {
        Self { parts: Parts { id, method, payload: Some(payload) }, id_first: false, is_pretty: false }
    }

    fn bytes(&self) -> Vec<u8> {
        let Parts { id, method, payload } = &self.parts;
        let id = id.as_ref().map(|id| ("id", id.clone()));
        let name = if method.is_some() { "params" } else { "result" };
        let rest = [
            method.as_ref().map(|method| ("method", format!("\"{method}\""))),
            payload.as_ref().map(|payload| (name, payload.clone())),
        ];
        let mut members = vec![("jsonrpc", "\"2.0\"".to_string())];
        members.extend(id.clone().filter(|_| self.id_first));
        members.extend(rest.into_iter().flatten());
        members.extend(id.filter(|_| !self.id_first));
        let (open, colon, comma, close) =
            if self.is_pretty { ("{\n  ", ": ", ",\n  ", "\n}\n") } else { ("{", ":", ",", "}") };
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\"{colon}{value}")).collect();
        format!("{open}{}{close}", members.join(comma)).into_bytes()
    }

    fn text(self) -> Text {
        Text { bytes: self.bytes(), messages: vec![self.parts] }
    }
}

/// Prints a value like an editor: one line for each member and element, indented by two spaces for each level.
fn indented(compact: &str, mut level: usize) -> String {
    let mut pretty = String::new();
    let (mut in_string, mut is_escaped) = (false, false);
    for c in compact.chars() {
        if in_string || !matches!(c, '{' | '[' | '}' | ']' | ',' | ':') {
            in_string ^= c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            pretty.push(c);
            continue;
        }
        match c {
            '{' | '[' => level += 1,
            '}' | ']' => level -= 1,
            _ => {}
        }
        if matches!(c, '}' | ']') {
            pretty.push('\n');
            pretty.push_str(&"  ".repeat(level));
        }
        pretty.push(c);
        match c {
            ':' => pretty.push(' '),
            '{' | '[' | ',' => {
                pretty.push('\n');
                pretty.push_str(&"  ".repeat(level));
            }
            _ => {}
        }
    }
    pretty
}

/// SplitMix64 by Sebastiano Vigna: small, and random enough to choose words.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    /// Generates different texts: [`BYTES`] in all, and at least [`FEWEST`].
    fn texts(&mut self, mut draw: impl FnMut(&mut Self) -> Text) -> Vec<Text> {
        let (mut texts, mut seen, mut bytes) = (Vec::new(), std::collections::HashSet::new(), 0);
        while texts.len() < FEWEST || bytes < BYTES {
            let text = draw(self);
            if seen.insert(text.bytes.clone()) {
                bytes += text.bytes.len();
                texts.push(text);
            }
        }
        texts
    }

    /// An integer of one to `digits` digits.
    fn integer(&mut self, digits: u32) -> u64 {
        let digits = self.below(digits.into()) as u32 + 1;
        self.below(10u64.pow(digits))
    }

    /// A reading of a sensor: integers, fractions of many lengths, and sometimes an exponent.
    fn reading(&mut self) -> String {
        let sign = if self.one_in(4) { "-" } else { "" };
        let integer = self.integer(4);
        match self.below(16) {
            0..4 => format!("{sign}{integer}"),
            15 => format!("{sign}{}.{}e-{}", self.below(10), self.integer(6), self.below(20)),
            _ => {
                let places = self.below(7) as usize + 1;
                format!("{sign}{integer}.{:0places$}", self.below(10u64.pow(places as u32)))
            }
        }
    }

    fn hex(&mut self, digits: usize) -> String {
        format!("{:016x}", self.next())[..digits].to_string()
    }

    fn sentence(&mut self, words: u64) -> String {
        let words: Vec<_> = (0..words).map(|_| self.pick(&WORDS)).collect();
        words.join(" ")
    }

    /// A number, or sometimes a string.
    fn id(&mut self) -> String {
        if self.one_in(4) { format!("\"{}\"", self.hex(4)) } else { self.integer(4).to_string() }
    }

    fn tiny_request(&mut self) -> Draft {
        let method = self.pick(&["subtract", "add", "get_data", "led.set", "move_to", "eth_call", "ping2", "read_adc"]);
        let (one, other) = (self.integer(3), self.integer(3));
        let params = match self.below(4) {
            0 => format!("{{\"x\":{one}}}"),
            1 => format!("[\"{}\"]", self.hex(4)),
            _ => format!("[{one},{other}]"),
        };
        Draft { id_first: self.one_in(3), ..Draft::request(self.id(), method, params) }
    }

    fn notification(&mut self) -> Draft {
        let method = self.pick(&["notifications/progress", "sensors.changed", "textDocument/didSave", "log.message"]);
        let params = format!(
            "{{\"token\":\"{}\",\"progress\":{},\"total\":{},\"done\":{},\"message\":\"{}\"}}",
            self.hex(8),
            self.reading(),
            self.integer(4),
            self.one_in(2),
            self.sentence(3),
        );
        Draft::new(None, Some(method.to_string()), params)
    }

    fn tools_call(&mut self) -> Draft {
        let params = format!(
            "{{\"name\":\"{}\",\"arguments\":{{\"path\":\"/{}/{}.rs\",\"query\":\"{}\",\"limit\":{},\"recursive\":{},\
             \"range\":[{},{}],\"filter\":{{\"kind\":\"{}\",\"since\":null}}}},\"_meta\":{{\"progressToken\":\"{}\"}}}}",
            self.pick(&["read_file", "search", "set_thermostat", "query_database", "run"]),
            self.pick(&WORDS),
            self.pick(&WORDS),
            self.sentence(8),
            self.integer(3),
            self.one_in(2),
            self.integer(4),
            self.integer(4),
            self.pick(&WORDS),
            self.hex(16),
        );
        let request = Draft::request(self.id(), "tools/call", params);
        Draft { id_first: true, ..request }
    }

    fn response(&mut self) -> Draft {
        let mut result = "{\"devices\":[".to_string();
        while result.len() < 1_900 {
            if !result.ends_with('[') {
                result.push(',');
            }
            write!(
                result,
                "{{\"id\":\"{}\",\"name\":\"{}\",\"value\":{},\"unit\":\"{}\",\"online\":{},\"tags\":[\"{}\",\"{}\"],\
                 \"battery\":{},\"parent\":null}}",
                self.hex(8),
                self.sentence(2),
                self.reading(),
                self.pick(&["°C", "hPa", "lx", "%", "V"]),
                !self.one_in(4),
                self.pick(&WORDS),
                self.pick(&WORDS),
                self.below(100),
            )
            .unwrap();
        }
        write!(result, "],\"cursor\":\"{}\"}}", self.hex(16)).unwrap();
        Draft { id_first: self.one_in(2), ..Draft::new(Some(self.id()), None, result) }
    }

    /// The result of a tool that reads a file: prose and code, with escapes and non-ASCII words.
    fn document(&mut self) -> Draft {
        let mut result = "{\"content\":[{\"type\":\"text\",\"text\":\"".to_string();
        while result.len() < 67_000 {
            match self.below(64) {
                0..48 => result.push_str(self.pick(&WORDS)),
                48..54 => {
                    result.push_str(self.pick(&["Übergröße", "café", "naïve", "Привет", "日本語", "π≈3", "→", "😀"]))
                }
                54..56 => write!(result, "\\\"{}\\\"", self.pick(&WORDS)).unwrap(),
                56 => result.push_str(self.pick(&["\\u00e9t\\u00e9", "\\ud83d\\ude00", "a\\/b", "\\u2014"])),
                57 => result.push_str("C:\\\\temp"),
                58..60 => write!(result, "{}", self.reading()).unwrap(),
                60 => result.push_str("\\n\\n"),
                _ => write!(result, "\\n\\t{}", self.pick(&WORDS)).unwrap(),
            }
            result.push(' ');
        }
        result.push_str("\"}],\"isError\":false}");
        Draft { id_first: true, ..Draft::new(Some(self.id()), None, result) }
    }

    /// A string that consists of escapes; half of them are surrogate pairs.
    fn escapes(&mut self) -> Draft {
        let mut result = "\"".to_string();
        while result.len() < 4_000 {
            let (high, low) = (self.below(0x400) + 0xD800, self.below(0x400) + 0xDC00);
            match self.below(6) {
                0 => write!(result, "\\u{:04x}", self.below(0xD800)).unwrap(),
                1 => result.push_str(self.pick(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"])),
                2 => write!(result, "\\u{high:04X}\\u{low:04X}").unwrap(),
                _ => write!(result, "\\u{high:04x}\\u{low:04x}").unwrap(),
            }
        }
        result.push('"');
        Draft::new(Some(self.id()), None, result)
    }

    /// Nested arrays and objects, up to sixty levels deep.
    fn nested(&mut self) -> Draft {
        let mut params = "[".to_string();
        while params.len() < 2_000 {
            let mut closing = Vec::new();
            for _ in 0..self.below(40) + 20 {
                let (opening, end) = if self.one_in(2) { ("[", ']') } else { ("{\"a\":", '}') };
                params.push_str(opening);
                closing.push(end);
            }
            write!(params, "{}", self.below(10)).unwrap();
            params.extend(closing.iter().rev());
            params.push(',');
        }
        params.push_str("0]");
        Draft::request(self.id(), "tree.set", params)
    }

    fn numbers(&mut self) -> Draft {
        let mut params = format!("{{\"channel\":{},\"samples\":[{}", self.below(16), self.reading());
        while params.len() < 102_000 {
            params.push(',');
            params.push_str(&self.reading());
        }
        params.push_str("]}");
        Draft::new(None, Some("scope.samples".to_string()), params)
    }

    /// Requests, and sometimes a notification.
    fn batch(&mut self) -> Text {
        let drafts: Vec<_> = (0..64)
            .map(|_| {
                let mut draft = self.tiny_request();
                draft.parts.id = draft.parts.id.filter(|_| !self.one_in(5));
                draft
            })
            .collect();
        let bytes = [b"[", &*drafts.iter().map(Draft::bytes).collect::<Vec<_>>().join(&b","[..]), b"]"].concat();
        Text { bytes, messages: drafts.into_iter().map(|draft| draft.parts).collect() }
    }

    fn pretty(&mut self) -> Draft {
        let params = format!(
            "{{\"name\":\"{}\",\"arguments\":{{\"path\":\"/{}/{}.rs\",\"query\":\"{}\",\"limit\":{},\"recursive\":{},\
             \"ranges\":[[{},{}],[{},{}]],\"edits\":[{{\"line\":{},\"insert\":\"{}\"}},{{\"line\":{},\"insert\":\"{}\"}}],\
             \"filter\":{{\"kind\":\"{}\",\"since\":null}}}}}}",
            self.pick(&["read_file", "search", "set_thermostat", "query_database", "run"]),
            self.pick(&WORDS),
            self.pick(&WORDS),
            self.sentence(6),
            self.integer(3),
            self.one_in(2),
            self.integer(4),
            self.integer(4),
            self.integer(4),
            self.integer(4),
            self.integer(4),
            self.sentence(5),
            self.integer(4),
            self.sentence(5),
            self.pick(&WORDS),
        );
        let request = Draft::request(self.id(), "tools/call", indented(&params, 1));
        Draft { id_first: true, is_pretty: true, ..request }
    }
}

const WORDS: [&str; 40] = [
    "a",
    "is",
    "of",
    "the",
    "and",
    "one",
    "sensor",
    "window",
    "kitchen",
    "temperature",
    "reads",
    "every",
    "minute",
    "garden",
    "north",
    "value",
    "pressure",
    "north-east",
    "attic",
    "valve",
    "between",
    "configuration",
    "hall",
    "lamp",
    "because",
    "message",
    "returns",
    "quickly",
    "measured",
    "door",
    "battery",
    "gateway",
    "to",
    "in",
    "cellar",
    "pump",
    "humidity",
    "level",
    "threshold",
    "off",
];
