//! Frames in and out of the FIFOs.
//!
//! Both FIFOs have words of four bytes. The low half of the first word of a frame is a length, its high half has the
//! first two bytes of the frame. The length of a received frame counts itself (2) and the checksum (4). The length of a
//! sent frame counts its payload only, without the header of 14 bytes.

use core::task::Context;

use embassy_net_driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_sync::waitqueue::AtomicWaker;

use crate::register::{
    ALL, AMUL, BADCRC, Bus, CRC, Causes, DUPLEX, NEWTX, NPR, PADEN, RECEIVED, RSTFIFO, RXEN, Register, SENT, TXEN,
};

/// The longest frame, without its checksum.
pub const MAX_FRAME: usize = 1514;
/// The header of a frame: two addresses and a type.
const HEADER: usize = 14;
const LENGTH: usize = 2;
const CHECKSUM: usize = 4;
/// The length, the frame and the checksum, in whole words.
const BUFFER: usize = (LENGTH + MAX_FRAME + CHECKSUM).next_multiple_of(4);

/// The task that waits for the controller. A static has it, for the driver and the interrupt.
pub type Waiting = AtomicWaker;

/// The work of the interrupt: clears its causes and wakes the driver.
///
/// A frame that arrives after the acknowledgement raises the interrupt again, so no frame waits unseen.
pub fn interrupt(causes: &mut impl Causes, waiting: &Waiting) {
    causes.acknowledge(ALL);
    waiting.wake();
}

/// A frame in each direction, for a static: 3,040 bytes.
pub struct Frames {
    received: [u8; BUFFER],
    sent: [u8; BUFFER],
}

impl Frames {
    /// Empty buffers.
    pub const fn new() -> Self {
        Self { received: [0; BUFFER], sent: [0; BUFFER] }
    }
}

impl Default for Frames {
    fn default() -> Self {
        Self::new()
    }
}

/// The controller.
///
/// # Limits
/// Frames: up to [`MAX_FRAME`] bytes; the driver drops longer ones and those shorter than a header.
pub struct Enet<'w, B> {
    bus: B,
    waiting: &'w Waiting,
    address: [u8; 6],
    frames: &'w mut Frames,
    has_yielded: bool,
    dropped: u32,
}

impl<'w, B: Bus> Enet<'w, B> {
    /// Starts the controller with this hardware address.
    pub fn new(mut bus: B, waiting: &'w Waiting, frames: &'w mut Frames, address: [u8; 6]) -> Self {
        let [a, b, c, d, e, f] = address;
        bus.write(Register::InterruptMask, 0);
        bus.write(Register::ReceiveControl, RSTFIFO);
        bus.write(Register::Address0, u32::from_le_bytes([a, b, c, d]));
        bus.write(Register::Address1, u32::from_le_bytes([e, f, 0, 0]));
        bus.write(Register::TransmitControl, DUPLEX | CRC | PADEN | TXEN);
        bus.write(Register::ReceiveControl, BADCRC | AMUL | RXEN);
        bus.write(Register::InterruptMask, RECEIVED);
        Self { bus, waiting, address, frames, has_yielded: false, dropped: 0 }
    }

    /// The number of frames with an impossible length, which the driver dropped; wraps.
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }

    /// The registers, for tests.
    #[cfg(test)]
    pub(crate) const fn bus(&mut self) -> &mut B {
        &mut self.bus
    }

    /// Whether the transmit FIFO takes a frame. If not, the end of the transmission wakes the driver.
    fn is_free(&mut self) -> bool {
        if self.bus.read(Register::TransmissionRequest) & NEWTX == 0 {
            return true;
        }
        self.bus.write(Register::InterruptMask, RECEIVED | SENT);
        // the transmission may have ended before its interrupt was enabled
        let is_free = self.bus.read(Register::TransmissionRequest) & NEWTX == 0;
        if is_free {
            self.bus.write(Register::InterruptMask, RECEIVED);
        }
        is_free
    }

    /// Takes a frame of the FIFO, and returns its end in the buffer, where it begins at byte 2. `None` if its length is
    /// impossible; the words that the length claims are taken all the same, because the next frame is behind them.
    fn take(&mut self) -> Option<usize> {
        let first = self.bus.read(Register::Data).to_le_bytes();
        let [low, high, ..] = first;
        let len = usize::from(u16::from_le_bytes([low, high]));
        let (words, _) = self.frames.received.as_chunks_mut();
        let mut words = words.iter_mut();
        if let Some(word) = words.next() {
            *word = first;
        }
        for _ in 1..len.div_ceil(4) {
            let word = self.bus.read(Register::Data).to_le_bytes();
            if let Some(place) = words.next() {
                *place = word;
            }
        }
        let end = len.checked_sub(CHECKSUM)?;
        (LENGTH + HEADER..=LENGTH + MAX_FRAME).contains(&end).then_some(end)
    }
}

impl<B: Bus> Driver for Enet<'_, B> {
    type RxToken<'a>
        = Received<'a>
    where
        Self: 'a;
    type TxToken<'a>
        = Sending<'a, B>
    where
        Self: 'a;

    /// Hands out one frame, and then none until the task of the network has run again. Between the two, other tasks
    /// run: a socket that the frame has taken may be replaced before the next frame arrives at it.
    fn receive(&mut self, cx: &mut Context<'_>) -> Option<(Received<'_>, Sending<'_, B>)> {
        self.waiting.register(cx.waker());
        let waiting = self.bus.read(Register::NumberOfPackets) & NPR;
        if core::mem::take(&mut self.has_yielded) && waiting != 0 {
            cx.waker().wake_by_ref();
            return None;
        }
        // a received frame may be answered at once
        if waiting == 0 || !self.is_free() {
            return None;
        }
        // after bad frames the interrupt is acknowledged already, so look for the next frame here
        for _ in 0..waiting {
            if let Some(end) = self.take() {
                self.has_yielded = true;
                let frame = self.frames.received.get_mut(LENGTH..end)?;
                return Some((Received(frame), Sending { bus: &mut self.bus, buffer: &mut self.frames.sent }));
            }
            self.dropped = self.dropped.wrapping_add(1);
        }
        None
    }

    fn transmit(&mut self, cx: &mut Context<'_>) -> Option<Sending<'_, B>> {
        self.waiting.register(cx.waker());
        self.is_free().then_some(Sending { bus: &mut self.bus, buffer: &mut self.frames.sent })
    }

    fn link_state(&mut self, _: &mut Context<'_>) -> LinkState {
        LinkState::Up
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.max_transmission_unit = MAX_FRAME;
        capabilities.max_burst_size = Some(1);
        capabilities
    }

    fn hardware_address(&self) -> HardwareAddress {
        HardwareAddress::Ethernet(self.address)
    }
}

/// A received frame.
pub struct Received<'a>(&'a mut [u8]);

impl RxToken for Received<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
}

/// The right to send a frame.
pub struct Sending<'a, B> {
    bus: &'a mut B,
    buffer: &'a mut [u8; BUFFER],
}

impl<B: Bus> TxToken for Sending<'_, B> {
    /// Sends the frame that `f` writes.
    ///
    /// # Panics
    /// If `len` is greater than [`MAX_FRAME`], which the capabilities exclude.
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let Self { bus, buffer } = self;
        let end = LENGTH + len;
        let result = f(&mut buffer[LENGTH..end]);
        let payload = u16::try_from(len.saturating_sub(HEADER)).unwrap_or(u16::MAX);
        buffer[..LENGTH].copy_from_slice(&payload.to_le_bytes());
        let (words, _) = buffer.as_chunks();
        for word in &words[..end.div_ceil(4)] {
            bus.write(Register::Data, u32::from_le_bytes(*word));
        }
        bus.write(Register::InterruptMask, RECEIVED);
        bus.write(Register::TransmissionRequest, NEWTX);
        result
    }
}
