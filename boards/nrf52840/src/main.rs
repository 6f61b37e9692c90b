//! A lamp on an nRF52840-DK, over the connector "nRF USB".
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_nrf::bind_interrupts;
use embassy_nrf::config::{Config, HfclkSource};
use embassy_nrf::gpio::{Level, Output, OutputDrive};
use embassy_nrf::peripherals::USBD;
use embassy_nrf::usb::vbus_detect::{self, HardwareVbusDetect};
use embassy_nrf::usb::{self as nrf_usb, Driver};

bind_interrupts!(struct Irqs {
    USBD => nrf_usb::InterruptHandler<USBD>;
    CLOCK_POWER => vbus_detect::InterruptHandler;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut config = Config::default();
    // USB needs the precision of the crystal
    config.hfclk_source = HfclkSource::ExternalXtal;
    let chip = embassy_nrf::init(config);
    // the LED lights at the low level
    let mut led = Output::new(chip.P0_13, Level::High, OutputDrive::Standard);
    let driver = Driver::new(chip.USBD, Irqs, HardwareVbusDetect::new(Irqs));
    usb::serve(driver, "Lamp on an nRF52840", |on| led.set_level(Level::from(!on))).await;
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    cortex_m::peripheral::SCB::sys_reset()
}
