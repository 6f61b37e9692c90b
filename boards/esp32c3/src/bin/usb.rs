//! A lamp on an ESP32-C3, over its own USB connector (USB-serial-JTAG).
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use esp_hal::usb::usb_serial_jtag::UsbSerialJtag;

esp_bootloader_esp_idf::esp_app_desc!();

#[esp_rtos::main]
async fn main(_spawner: Spawner) -> ! {
    let chip = esp_hal::init(esp_hal::Config::default());
    let (reader, writer) = UsbSerialJtag::new(chip.USB_DEVICE).into_async().split();
    esp32c3::serve(reader, writer, chip.GPIO8, chip.TIMG0, chip.FROM_CPU_INTR0).await
}
