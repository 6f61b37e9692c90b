//! Peers on a serial port.
//!
//! ```no_run
//! use nanojsonrpc_tokio::{Client, serial};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::over(serial::open("/dev/ttyACM0", 115_200)?);
//! println!("{}", client.call::<u8>("level", &()).await?);
//! # Ok(()) }
//! ```

use std::io;

use tokio_serial::{SerialPortBuilderExt as _, SerialStream};

/// Opens a serial port with 8 data bits, no parity and one stop bit, at `baud` bits a second.
///
/// # Errors
/// The port does not exist, or is in use.
pub fn open(path: &str, baud: u32) -> io::Result<SerialStream> {
    tokio_serial::new(path, baud).open_native_async().map_err(io::Error::from)
}
