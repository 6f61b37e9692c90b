//! On any bytes: the verdict, the contents, the kind and the offset are those of a reference.
#![no_main]

#[path = "../../tests/common/entry_points.rs"]
mod entry_points;
mod judged;
// a part of it is for the other targets
#[allow(dead_code)]
mod reference;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| judged::is_judged_as_by_the_reference(text));
