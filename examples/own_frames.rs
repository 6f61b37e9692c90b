//! A device that answers in frames of its own: COBS, as on a serial line, and a length before each message. Prints the bytes of a call and of
//! its answer, and shows that a broken frame costs one message.
//!
//!     cargo run --example own_frames --features embedded-io

use nanojsonrpc::connection::serve;
use nanojsonrpc::frame::{Frame, Framer};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::{Router, Server};

mod arguments;
mod frames;

use frames::{Cobs, LengthPrefix};

/// The answers of the device to the bytes of a hub.
fn answered<F: Frame>(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn core::error::Error>> {
    let mut pipe: Pipe<512> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(bytes)?;
    hub.close();
    let mut server = Server::new(Router::new().request("level", |level: &mut u32| Ok(*level)));
    serve(&device, &device, &mut Framer::<F, 128>::new(), &mut [0; 256], &mut server, &mut 42)?;
    let mut answers = vec![0; 512];
    let len = hub.try_read(&mut answers)?;
    answers.truncate(len);
    Ok(answers)
}

fn framed<F: Frame>(text: &str) -> Result<Vec<u8>, nanojsonrpc::Error> {
    let mut frame = vec![0; text.len().saturating_add(8)];
    let len = F::encode(text.as_bytes(), &mut frame)?;
    frame.truncate(len);
    Ok(frame)
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    arguments::words("Prints a call and its answer in frames of its own: COBS, and a length before each message.", []);
    let (call, answer) = (r#"{"jsonrpc":"2.0","method":"level","id":1}"#, r#"{"jsonrpc":"2.0","result":42,"id":1}"#);
    let cobs = framed::<Cobs>(call)?;
    println!("cobs:   {} -> {}", cobs.escape_ascii(), answered::<Cobs>(&cobs)?.escape_ascii());
    assert_eq!(answered::<Cobs>(&cobs)?, framed::<Cobs>(answer)?);
    // the end of the frame before is lost, and nothing else
    assert!(answered::<Cobs>(&[b"\x09{\"id\"\0", &cobs[..]].concat())?.ends_with(&framed::<Cobs>(answer)?));

    let length = framed::<LengthPrefix>(call)?;
    println!("length: {} -> {}", length.escape_ascii(), answered::<LengthPrefix>(&length)?.escape_ascii());
    assert_eq!(answered::<LengthPrefix>(&length)?, framed::<LengthPrefix>(answer)?);
    Ok(())
}
