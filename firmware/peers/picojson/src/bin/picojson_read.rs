//! The kind of a message, from picojson's events: its members, and the type of its id.
#![no_std]
#![no_main]

use picojson::{BitStackStruct, Event, PullParser, SliceParser};
use probe::{Expect, Shape, used};

const JSONRPC: u8 = 1;
const METHOD: u8 = 2;
const ID: u8 = 4;
const RESULT: u8 = 8;
const ERROR: u8 = 16;

/// Whether these members form a message.
fn is_message(seen: u8) -> bool {
    seen & JSONRPC != 0
        && match seen & (METHOD | RESULT | ERROR) {
            METHOD => true,
            RESULT | ERROR => seen & ID != 0,
            _ => false,
        }
}

fn job(text: &[u8], _: &mut [u8]) -> bool {
    // for strings with escapes
    let mut scratch = [0; 256];
    let mut parser = SliceParser::<BitStackStruct<u64, u8>>::with_config_and_buffer_from_slice(text, &mut scratch);
    // the brackets around the members of a message: one more in a batch
    let (mut depth, mut top) = (0, 1);
    let (mut seen, mut member) = (0, 0);
    loop {
        match parser.next_event() {
            Ok(Event::StartArray) => {
                if depth == 0 {
                    top = 2;
                }
                depth += 1;
            }
            Ok(Event::StartObject) => {
                depth += 1;
                if depth == top {
                    seen = 0;
                }
            }
            Ok(Event::EndObject) => {
                if depth == top && !is_message(seen) {
                    return false;
                }
                depth -= 1;
            }
            // picojson accepts the wrong bracket as the end of an object
            Ok(Event::EndArray) if depth == top => return false,
            Ok(Event::EndArray) => depth -= 1,
            Ok(Event::Key(key)) if depth == top => {
                member = match key.as_ref() {
                    "jsonrpc" => JSONRPC,
                    "method" => METHOD,
                    "id" => ID,
                    "result" => RESULT,
                    "error" => ERROR,
                    _ => 0,
                };
                if seen & member != 0 {
                    return false;
                }
                seen |= member;
            }
            Ok(Event::String(string)) if depth == top => {
                used(string.as_ref());
                if member == JSONRPC && string.as_ref() != "2.0" {
                    return false;
                }
            }
            Ok(Event::Number(number)) if depth == top => used(&number),
            Ok(Event::EndDocument) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

probe::firmware!(job, Expect::reading(Shape::ALL, 63));
