//! Public types have the sizes that `docs/device.md` lists. `firmware/jobs/src/bin/sizes.rs` checks them on an ARM.
#![cfg(all(feature = "serde", target_pointer_width = "64"))]

use nanojsonrpc::client::Client;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::json::Deserializer;
use nanojsonrpc::server::{Exchange, Reply};
use nanojsonrpc::*;

macro_rules! sizes {
    ($($type:ty = $arm:literal, $wide:literal;)*) => {
        /// The name of the type, its size on an ARM, its size on this machine in the table, and its measured size.
        const SIZES: &[(&str, usize, usize, usize)] = &[$((stringify!($type), $arm, $wide, size_of::<$type>())),*];
    };
}
include!("sizes_table.rs");

#[test]
fn the_table_of_sizes_is_true() {
    let table = include_str!("../../docs/device.md");
    for (name, arm, documented, found) in SIZES {
        // what an output that grows needs: a reference in a writer, the span of a room in an exchange
        let words = match *name {
            "Writer<'_>" | "Reply<'_>" if cfg!(feature = "alloc") => 1,
            "Exchange<'_, '_>" if cfg!(feature = "alloc") => 2,
            _ => 0,
        };
        // the number of calls that a connection keeps
        let fewer = usize::from(name.starts_with("Framer") && !cfg!(all(feature = "embedded-io", feature = "serde")));
        assert_eq!(documented + words * size_of::<usize>(), *found + fewer * size_of::<usize>(), "{name}");
        let row = format!("| `{name}` | {arm} | {documented} |");
        assert!(table.contains(&row), "no row {row}");
    }
}

#[test]
fn a_client_whose_ids_are_integers_takes_64_bytes_less_a_slot() {
    assert_eq!(size_of::<Client<u32, 8>>() - size_of::<Client<u32, 8, 0>>(), 8 * 64);
}
