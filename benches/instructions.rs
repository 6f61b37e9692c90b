//! Reads each text of one shape once, for `benches/count`, which counts the instructions.
//!
//! `instructions SHAPE READER` prints how many texts it has read; the reader is `message`, `request`, `envelope` or `serde_json`. Without
//! arguments it reads every shape with every reader.

mod shapes;

use core::hint::black_box;
use std::env;

use nanojsonrpc::{Envelope, Request};
use shapes::{Shape, Text};

const READERS: [&str; 4] = ["message", "request", "envelope", "serde_json"];

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [shape, reader] = &arguments[..] else {
        for shape in shapes::all() {
            shape.assert_read_right();
            READERS.iter().for_each(|reader| read(&shape, reader));
        }
        return;
    };
    let name = shapes::NAMES.iter().find(|name| *name == shape).expect("the name of a shape");
    let shape = shapes::named(name);
    read(&shape, reader);
    println!("{}", shape.texts.len());
}

fn read(shape: &Shape, reader: &str) {
    match reader {
        "message" => counted(&shape.texts, |text| _ = shapes::read_with_nanojsonrpc(text)),
        "request" => counted(&shape.texts, |text| _ = black_box(&Request::parse(text))),
        "envelope" => counted(&shape.texts, |text| _ = black_box(&Envelope::parse(text))),
        "serde_json" => counted(&shape.texts, |text| _ = shapes::read_with_serde_json(text, shape.is_batch)),
        _ => panic!("no reader is called {reader}"),
    }
}

/// `benches/count` counts the instructions of this function by its name.
#[inline(never)]
fn counted(texts: &[Text], read: impl Fn(&[u8])) {
    texts.iter().for_each(|text| read(&text.bytes));
}
