//! Fails to build if the size of a public type differs from that in `docs/device.md`.
#![no_std]
#![no_main]

use nanojsonrpc::client::Client;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::json::Deserializer;
use nanojsonrpc::server::{Exchange, Reply};
use nanojsonrpc::*;

macro_rules! sizes {
    ($($type:ty = $arm:literal, $wide:literal;)*) => {$(const _: [(); $arm] = [(); size_of::<$type>()];)*};
}
include!("../../../../tests/limits/sizes_table.rs");

fn job(_: &[u8], _: &mut [u8]) -> bool {
    true
}

probe::firmware!(job);
