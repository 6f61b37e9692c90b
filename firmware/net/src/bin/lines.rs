//! JSON-RPC 2.0 in lines on port 80, for up to six connections.
#![no_std]
#![no_main]

use nanojsonrpc::frame::{Framer, Lines};
use net::lines::{self, LINE};

/// The send buffer of a socket: room for the longest answer, and for shorter ones.
const SENT: usize = LINE + 256;

net::image!(Framer<Lines, LINE>, Framer::new(), lines::serve, LINE, SENT);
