//! A serial line over USB (CDC ACM) on which a [`Device`] serves one host after another.
#![no_std]

use device::Device;
use embassy_futures::join::join;
use embassy_futures::select::select;
use embassy_time::{Duration, Ticker};
use embassy_usb::class::cdc_acm::{BufferedReceiver, CdcAcmClass, CdcAcmError, Sender, State};
use embassy_usb::driver::Driver;
use embassy_usb::{Builder, Config};
use embedded_io_async::{ErrorType, Read, Write};
use static_cell::{ConstStaticCell, StaticCell};

/// The longest packet of a bulk endpoint at full speed.
const PACKET: u16 = 64;

/// Serves forever. Call it once. `lamp` switches the lamp.
pub async fn serve<D: Driver<'static>>(driver: D, product: &'static str, lamp: impl FnMut(bool)) {
    static STATE: StaticCell<State<'static>> = StaticCell::new();
    static CONFIG: ConstStaticCell<[u8; 128]> = ConstStaticCell::new([0; 128]);
    static CONTROL: ConstStaticCell<[u8; PACKET as usize]> = ConstStaticCell::new([0; PACKET as usize]);
    static RECEIVED: ConstStaticCell<[u8; PACKET as usize]> = ConstStaticCell::new([0; PACKET as usize]);

    // the ids of pid.codes for tests; a product needs its own
    let mut config = Config::new(0x1209, 0x0001);
    config.manufacturer = Some("nanojsonrpc");
    config.product = Some(product);
    config.serial_number = Some("1");
    let mut builder = Builder::new(driver, config, CONFIG.take(), &mut [], &mut [], CONTROL.take());
    let class = CdcAcmClass::new(&mut builder, STATE.init(State::new()), PACKET);
    let mut bus = builder.build();

    let (mut sender, receiver, control) = class.split_with_control();
    let mut receiver = receiver.into_buffered(RECEIVED.take());
    let mut device = Device::new(lamp);
    let mut ticker = Ticker::every(Duration::from_secs(1));
    let served = async {
        loop {
            receiver.wait_connection().await;
            while !control.dtr() {
                control.control_changed().await;
            }
            // the program that opens the port next is another host
            let closed = async {
                while control.dtr() {
                    control.control_changed().await;
                }
            };
            let (reader, writer) = (Reader(&mut receiver), Writer { sender: &mut sender, ends_full: false });
            _ = select(device::run(reader, writer, &mut device, async || ticker.next().await), closed).await;
        }
    };
    join(bus.run(), served).await;
}

struct Reader<'p, D: Driver<'static>>(&'p mut BufferedReceiver<'static, D>);

impl<D: Driver<'static>> ErrorType for Reader<'_, D> {
    type Error = CdcAcmError;
}

impl<D: Driver<'static>> Read for Reader<'_, D> {
    async fn read(&mut self, place: &mut [u8]) -> Result<usize, CdcAcmError> {
        loop {
            // an empty packet is not the end of the stream
            match self.0.read(place).await {
                Ok(0) if !place.is_empty() => {}
                read => return read,
            }
        }
    }
}

struct Writer<'p, D: Driver<'static>> {
    sender: &'p mut Sender<'static, D>,
    /// Whether the last packet was full.
    ends_full: bool,
}

impl<D: Driver<'static>> ErrorType for Writer<'_, D> {
    type Error = CdcAcmError;
}

impl<D: Driver<'static>> Write for Writer<'_, D> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, CdcAcmError> {
        let len = self.sender.write(bytes).await?;
        self.ends_full = len == usize::from(PACKET);
        Ok(len)
    }

    /// The host waits for more after a full packet; an empty packet ends the transfer.
    async fn flush(&mut self) -> Result<(), CdcAcmError> {
        if self.ends_full {
            self.sender.write_packet(&[]).await.map_err(|_| CdcAcmError::NotConnected)?;
            self.ends_full = false;
        }
        Ok(())
    }
}
