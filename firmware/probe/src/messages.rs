//! The messages for the measurement of jobs.

use crate::Shape;

pub struct Message {
    /// The metric's name.
    pub name: &'static str,
    pub shape: Shape,
    pub len: usize,
    pub write: fn(&mut Text),
}

pub const MESSAGES: [Message; 5] = [
    Message { name: "request", shape: Shape::Request, len: 61, write: |text| text.push(REQUEST) },
    Message { name: "notification", shape: Shape::Notification, len: 151, write: |text| text.push(NOTIFICATION) },
    Message { name: "tools-call", shape: Shape::RequestWithText, len: 317, write: |text| text.push(TOOLS_CALL) },
    Message { name: "response", shape: Shape::Response, len: 2047, write: response },
    Message { name: "batch", shape: Shape::Batch, len: 311, write: batch },
];

const REQUEST: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;

const NOTIFICATION: &str = concat!(
    r#"{"jsonrpc":"2.0","method":"sensors.changed","params":{"sensor":"bme280-03","at":1700000123,"#,
    r#""celsius":21.375,"pascal":101325,"alarm":false,"note":"ok"}}"#
);

const TOOLS_CALL: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"5f0c1d6e-42","method":"tools/call","params":{"name":"set_schedule","arguments":"#,
    r#"{"device":"pump-2","enabled":true,"slots":[{"from":"06:30","to":"06:45"},{"from":"18:00","to":"18:20"}],"#,
    r#""litres":12.5,"comment":"south bed, \"dry\" season\nsee plan"},"_meta":{"progressToken":7,"source":"panel-1"}}}"#
);

/// Readings of sensors: numbers of several shapes, strings, literals, objects in objects.
fn response(text: &mut Text) {
    const READINGS: [&str; 3] = [
        r#"{"id":"bme280-0#","at":17000#####,"value":{"celsius":2#.##,"pascal":10####,"humidity":0.4###},"ok":true}"#,
        r#"{"id":"scd41-1#","at":17000#####,"value":{"co2":4##.#,"drift":-#.##e-3,"raw":[2##,5##,1####]},"ok":false}"#,
        r#"{"id":"door-1#","at":17000#####,"value":null,"label":"north gate, second fence \u00b7 r#","tags":["a#","door"]}"#,
    ];
    text.push(r#"{"jsonrpc":"2.0","result":{"site":"greenhouse 4","readings":["#);
    for reading in READINGS.iter().cycle().take(18) {
        text.push_with_digits(reading);
        text.push(",");
    }
    text.push(r#"{"id":"end"}],"next":null,"more":false},"id":41}"#);
}

fn batch(text: &mut Text) {
    for opening in ["[", ",", ",", ",", ","] {
        text.push(opening);
        text.push(REQUEST);
    }
    text.push("]");
}

/// A request with `depth` brackets open at once: its own and those of the arrays in its params.
pub fn nested(text: &mut Text, depth: usize) {
    text.push(r#"{"jsonrpc":"2.0","method":"m","params":"#);
    (1..depth).for_each(|_| text.push("["));
    (1..depth).for_each(|_| text.push("]"));
    text.push(r#","id":1}"#);
}

/// A text in RAM.
pub struct Text {
    bytes: [u8; 2048],
    len: usize,
    /// The source of the digits.
    seed: u32,
}

impl Text {
    pub fn new() -> Self {
        Self { bytes: [0; 2048], len: 0, seed: 0 }
    }

    pub fn clear(&mut self) {
        (self.len, self.seed) = (0, 0);
    }

    pub fn push(&mut self, part: &str) {
        let end = self.len + part.len();
        self.bytes[self.len..end].copy_from_slice(part.as_bytes());
        self.len = end;
    }

    /// `part` with a digit in place of each `#`.
    fn push_with_digits(&mut self, part: &str) {
        let start = self.len;
        self.push(part);
        for byte in self.bytes[start..self.len].iter_mut().filter(|byte| **byte == b'#') {
            self.seed = self.seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            *byte = b'0' + (self.seed >> 16) as u8 % 10;
        }
    }

    /// Replaces the last bracket with the other kind of closing bracket.
    pub fn break_last_byte(&mut self) {
        self.bytes[self.len - 1] ^= b'}' ^ b']';
    }
}

impl core::ops::Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
