//! A lamp on an ESP32-C3, over UART0: the USB connector of a DevKit, or an adapter at GPIO20 and GPIO21.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use esp_hal::uart::{Config, Uart};

esp_bootloader_esp_idf::esp_app_desc!();

#[esp_rtos::main]
async fn main(_spawner: Spawner) -> ! {
    let chip = esp_hal::init(esp_hal::Config::default());
    // 115,200 baud, which is always possible
    let Ok(uart) = Uart::new(chip.UART0, Config::default()) else { esp_hal::system::software_reset() };
    let (reader, writer) = uart.with_rx(chip.GPIO20).with_tx(chip.GPIO21).into_async().split();
    esp32c3::serve(reader, writer, chip.GPIO8, chip.TIMG0, chip.FROM_CPU_INTR0).await
}
