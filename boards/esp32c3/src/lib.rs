//! The parts of an ESP32-C3 that both programs use.
#![no_std]

use device::Device;
use embassy_time::{Duration, Ticker};
use embedded_io_async::{Read, Write};
use esp_hal::gpio::{Level, Output, OutputConfig};
use esp_hal::peripherals::{FROM_CPU_INTR0, GPIO8, TIMG0};
use esp_hal::timer::timg::TimerGroup;

/// Serves forever on the line, with the LED of a SuperMini, which lights at the low level.
pub async fn serve(
    mut reader: impl Read,
    mut writer: impl Write,
    led: GPIO8<'static>,
    timers: TIMG0<'static>,
    interrupt: FROM_CPU_INTR0<'static>,
) -> ! {
    esp_rtos::start(TimerGroup::new(timers).timer0, interrupt);
    let mut led = Output::new(led, Level::High, OutputConfig::default());
    let mut device = Device::new(|on: bool| led.set_level(Level::from(!on)));
    let mut ticker = Ticker::every(Duration::from_secs(1));
    loop {
        // goes on after an error of the line
        _ = device::run(&mut reader, &mut writer, &mut device, async || ticker.next().await).await;
    }
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    esp_hal::system::software_reset()
}
