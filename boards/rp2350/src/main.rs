//! A lamp on a Raspberry Pi Pico 2 (RP2350), over USB.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::peripherals::USB;
use embassy_rp::usb::{Driver, InterruptHandler};
use embassy_rp::{bind_interrupts, config::Config};

bind_interrupts!(struct Irqs {
    USBCTRL_IRQ => InterruptHandler<USB>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let chip = embassy_rp::init(Config::default());
    let mut led = Output::new(chip.PIN_25, Level::Low);
    usb::serve(Driver::new(chip.USB, Irqs), "Lamp on an RP2350", |on| led.set_level(Level::from(on))).await;
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    cortex_m::peripheral::SCB::sys_reset()
}
