//! A server on the UART of an nRF52840 with embassy: the task runs `serve_async`, with an `async` handler.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_nrf::buffered_uarte::{self, BufferedUarte};
use embassy_nrf::gpio::{Level, Output, OutputDrive};
use embassy_nrf::{bind_interrupts, peripherals, uarte};
use embassy_time::{Instant, Timer};
use nanojsonrpc::connection::serve_async;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{ErrorObject, Router, Server};

bind_interrupts!(struct Irqs {
    UARTE0 => buffered_uarte::InterruptHandler<peripherals::UARTE0>;
});

/// The context of the handlers.
struct Board {
    led: Output<'static>,
}

/// Lights the LED for a while, and answers afterwards.
async fn flash(board: &mut Board, (millis,): (u16,)) -> Result<bool, ErrorObject<'static>> {
    board.led.set_low();
    Timer::after_millis(millis.into()).await;
    board.led.set_high();
    Ok(true)
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let chip = embassy_nrf::init(embassy_nrf::config::Config::default());
    let mut board = Board { led: Output::new(chip.P0_13, Level::High, OutputDrive::Standard) };
    let (mut receiving, mut sending) = ([0; 256], [0; 256]);
    let mut uart = BufferedUarte::new(
        chip.UARTE0,
        chip.TIMER0,
        chip.PPI_CH0,
        chip.PPI_CH1,
        chip.PPI_GROUP0,
        chip.P0_08,
        chip.P0_06,
        Irqs,
        uarte::Config::default(),
        &mut receiving,
        &mut sending,
    );
    let mut server = Server::new(
        Router::new()
            .request_async("flash", flash)
            .request("uptime", |_: &mut Board| Ok(Instant::now().as_millis()))
            .notification("led", |board: &mut Board, (on,): (bool,)| board.led.set_level(Level::from(!on))),
    );
    let (mut framer, mut output) = (Framer::<Lines, 512>::new(), [0; 512]);
    loop {
        let (reader, writer) = uart.split_by_ref();
        // goes on after an error of the line
        _ = serve_async(reader, writer, &mut framer, &mut output, &mut server, &mut board).await;
    }
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    cortex_m::peripheral::SCB::sys_reset()
}
