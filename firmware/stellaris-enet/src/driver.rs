//! Reads frames from the receive FIFO and writes frames to the transmit FIFO.
//!
//! Both FIFOs consist of words of four bytes. The low half of the first word of a frame is a length; its high half is the first two bytes
//! of the frame. The length of a received frame includes itself (2) and the checksum (4). The length of a sent frame is that of its
//! payload, without the header of 14 bytes.

use core::task::Context;

use embassy_net_driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_sync::waitqueue::AtomicWaker;

use crate::register::{
    ALL, AMUL, BADCRC, Bus, CRC, Causes, DUPLEX, NEWTX, NPR, PADEN, RECEIVED, RSTFIFO, RXEN, Register, SENT, TXEN,
};

/// The maximum length of a frame, without its checksum.
pub const MAX_FRAME: usize = 1514;
/// The length of a frame's header: two addresses and a type.
const HEADER: usize = 14;
const LENGTH: usize = 2;
const CHECKSUM: usize = 4;
/// The size of the length field, the frame and the checksum, in whole words.
const BUFFER: usize = (LENGTH + MAX_FRAME + CHECKSUM).next_multiple_of(4);

/// Wakes the task that waits for the controller. It is stored in a static, which the driver and the interrupt share.
pub type Waiting = AtomicWaker;

/// The work of the interrupt handler: clears the causes and wakes the driver.
///
/// A frame that arrives after the acknowledgement raises the interrupt again, so no frame is missed.
pub fn interrupt(causes: &mut impl Causes, waiting: &Waiting) {
    causes.acknowledge(ALL);
    waiting.wake();
}

/// Buffers for one frame in each direction, to be stored in a static: 3,040 bytes.
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

/// The driver of the controller.
///
/// # Limits
/// Frames of up to [`MAX_FRAME`] bytes. The driver drops longer ones, and those shorter than a header.
pub struct Enet<'w, B> {
    bus: B,
    waiting: &'w Waiting,
    address: [u8; 6],
    frames: &'w mut Frames,
    has_yielded: bool,
    dropped: u32,
}

impl<'w, B: Bus> Enet<'w, B> {
    /// Starts the controller with this hardware `address`.
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

    /// Counts the frames with an invalid length, which the driver has dropped. The count wraps.
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }

    /// The registers, for tests.
    #[cfg(test)]
    pub(crate) const fn bus(&mut self) -> &mut B {
        &mut self.bus
    }

    /// Whether the transmit FIFO can take a frame. If not, the end of the transmission wakes the driver.
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

    /// Reads a frame from the FIFO into the buffer, from byte 2 on, and returns its end there. `None` if its length is invalid; the words
    /// that the length announces are read nevertheless, because the next frame follows them.
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

    /// Returns one frame, then none until the network task has run again. Meanwhile other tasks run, so that another socket can listen in
    /// place of one that the frame has opened, before the next frame arrives.
    fn receive(&mut self, cx: &mut Context<'_>) -> Option<(Received<'_>, Sending<'_, B>)> {
        self.waiting.register(cx.waker());
        let waiting = self.bus.read(Register::NumberOfPackets) & NPR;
        if core::mem::take(&mut self.has_yielded) && waiting != 0 {
            cx.waker().wake_by_ref();
            return None;
        }
        // the network may answer a received frame at once, so there must be room for the answer
        if waiting == 0 || !self.is_free() {
            return None;
        }
        // the interrupt of an invalid frame is already acknowledged, so look for the next frame here
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

/// Permission to send one frame.
pub struct Sending<'a, B> {
    bus: &'a mut B,
    buffer: &'a mut [u8; BUFFER],
}

impl<B: Bus> TxToken for Sending<'_, B> {
    /// Sends the frame that `f` writes.
    ///
    /// # Panics
    /// If `len` is greater than [`MAX_FRAME`]; the driver's capabilities announce that limit.
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
