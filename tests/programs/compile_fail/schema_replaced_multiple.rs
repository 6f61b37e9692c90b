//! A step that would replace that of the type.
//! says: `multiple_of` replaces the `multiple_of` of the type: write a multiple of it
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Step(#[schema(multiple_of = 3)] u8);

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Wide {
    #[schema(multiple_of = 2)] // wrong
    step: Step,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Wide {
    #[schema(multiple_of = 6)]
    step: Step,
}

fn main() {}
