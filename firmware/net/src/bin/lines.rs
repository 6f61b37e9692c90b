//! JSON-RPC 2.0 in lines on port 80, for six connections at a time.
#![no_std]
#![no_main]

use nanojsonrpc::frame::{Framer, Lines};
use net::lines::{self, LINE};

/// The longest answer, and room for shorter ones.
const SENT: usize = LINE + 256;

net::image!(Framer<Lines, LINE>, Framer::new(), lines::serve, LINE, SENT);
