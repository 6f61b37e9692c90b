//! A lamp on a Nucleo-F446RE, over the serial line of its debugger.
#![no_std]
#![no_main]

use device::Device;
use embassy_executor::Spawner;
use embassy_stm32::bind_interrupts;
use embassy_stm32::gpio::{Level, Output, Speed};
use embassy_stm32::peripherals::USART2;
use embassy_stm32::usart::{BufferedInterruptHandler, BufferedUart, Config};
use embassy_time::{Duration, Ticker};

bind_interrupts!(struct Irqs {
    USART2 => BufferedInterruptHandler<USART2>;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let chip = embassy_stm32::init(embassy_stm32::Config::default());
    let mut led = Output::new(chip.PA5, Level::Low, Speed::Low);
    let (mut sending, mut receiving) = ([0; 64], [0; 256]);
    // 115,200 baud
    let uart =
        BufferedUart::new(chip.USART2, chip.PA3, chip.PA2, &mut sending, &mut receiving, Irqs, Config::default());
    // the pins fit and the rate is possible, so this is never an error
    let Ok(mut uart) = uart else { return };
    let mut device = Device::new(|on| led.set_level(Level::from(on)));
    let mut ticker = Ticker::every(Duration::from_secs(1));
    loop {
        let (writer, reader) = uart.split_ref();
        // goes on after an error of the line
        _ = device::run(reader, writer, &mut device, async || ticker.next().await).await;
    }
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    cortex_m::peripheral::SCB::sys_reset()
}
