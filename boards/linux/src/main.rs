//! A lamp on a Linux board, over a serial port: `linux-board PORT [LED]`
//!
//! `PORT` is a serial port, such as `/dev/ttyAMA0` of a Raspberry Pi. `LED` is a file below `/sys/class/leds` that takes the brightness,
//! such as `/sys/class/leds/ACT/brightness`; without it, the lamp is a line on standard error.

use std::process::ExitCode;
use std::time::Duration;

use device::Device;
use embedded_io_adapters::tokio_1::FromTokio;
use tokio::time::{MissedTickBehavior, interval};
use tokio_serial::{SerialPortBuilderExt, SerialStream};

const BAUD_RATE: u32 = 115_200;

fn light(led: Option<&str>, on: bool) {
    let Some(path) = led else { return eprintln!("lamp: {}", if on { "on" } else { "off" }) };
    if let Err(error) = std::fs::write(path, if on { "1" } else { "0" }) {
        eprintln!("{path}: {error}");
    }
}

async fn serve(port: SerialStream, led: Option<&str>) -> Result<(), Box<dyn core::error::Error>> {
    let (reader, writer) = tokio::io::split(port);
    let mut device = Device::new(|on| light(led, on));
    let mut seconds = interval(Duration::from_secs(1));
    // as the tickers of the other boards: a late tick is followed by the missed ones
    seconds.set_missed_tick_behavior(MissedTickBehavior::Burst);
    // the first tick of tokio is ready at once
    seconds.tick().await;
    let tick = async || _ = seconds.tick().await;
    Ok(device::run(FromTokio::new(reader), FromTokio::new(writer), &mut device, tick).await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (port, led) = match words.as_slice() {
        [port] => (port, None),
        [port, led] => (port, Some(led.as_str())),
        _ => {
            eprintln!("usage: linux-board PORT [LED]");
            return ExitCode::from(2);
        }
    };
    let served = match tokio_serial::new(port, BAUD_RATE).open_native_async() {
        Ok(stream) => serve(stream, led).await,
        Err(error) => Err(error.into()),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{port}: {error}");
            ExitCode::FAILURE
        }
    }
}
