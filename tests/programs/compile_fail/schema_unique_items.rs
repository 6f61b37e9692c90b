//! Unique elements of a type that cannot be compared.
//! says: can't compare `Level` with `Level`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg_attr(feature = "advised", derive(PartialEq))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Level(u8);

#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Room {
    #[schema(unique_items)] // wrong
    lamps: heapless::Vec<Level, 4>,
}

fn main() {}
