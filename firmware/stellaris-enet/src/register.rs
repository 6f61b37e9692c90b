//! Names, offsets and bits of the registers, as in the data sheet.

/// The registers that the driver uses. The value is the offset in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Register {
    /// MACIM: the causes that raise the interrupt.
    InterruptMask = 1,
    /// MACRCTL: control of the receiver.
    ReceiveControl = 2,
    /// MACTCTL: control of the transmitter.
    TransmitControl = 3,
    /// MACDATA: a read takes a word from the receive FIFO, a write appends a word to the transmit FIFO.
    Data = 4,
    /// MACIA0: the first four bytes of the address.
    Address0 = 5,
    /// MACIA1: the last two bytes of the address.
    Address1 = 6,
    /// MACNP: the number of frames in the receive FIFO.
    NumberOfPackets = 13,
    /// MACTR: starts a transmission.
    TransmissionRequest = 14,
}

/// Access to the registers from offset 4 on. MACIACK at offset 0 belongs to the interrupt handler; see [`Causes`].
pub trait Bus {
    /// Reads a register. A read of [`Register::Data`] removes a word from the receive FIFO.
    fn read(&mut self, register: Register) -> u32;
    /// Writes a register.
    fn write(&mut self, register: Register, value: u32);
}

/// Access to MACRIS and MACIACK: the causes of the interrupt.
pub trait Causes {
    /// Clears these causes.
    fn acknowledge(&mut self, causes: u32);
}

/// A frame was received: MACRIS, MACIACK and MACIM.
pub(crate) const RECEIVED: u32 = 1;
/// The transmit FIFO is empty.
pub(crate) const SENT: u32 = 1 << 2;
/// All causes.
pub(crate) const ALL: u32 = 0x7F;

/// MACRCTL: enables the receiver.
pub(crate) const RXEN: u32 = 1;
/// MACRCTL: receives multicast frames.
pub(crate) const AMUL: u32 = 1 << 1;
/// MACRCTL: drops frames with a wrong checksum.
pub(crate) const BADCRC: u32 = 1 << 3;
/// MACRCTL: empties the receive FIFO.
pub(crate) const RSTFIFO: u32 = 1 << 4;

/// MACTCTL: enables the transmitter.
pub(crate) const TXEN: u32 = 1;
/// MACTCTL: pads short frames.
pub(crate) const PADEN: u32 = 1 << 1;
/// MACTCTL: appends the checksum.
pub(crate) const CRC: u32 = 1 << 2;
/// MACTCTL: sends and receives at the same time.
pub(crate) const DUPLEX: u32 = 1 << 4;

/// MACNP: the number of frames.
pub(crate) const NPR: u32 = 0x3F;
/// MACTR: a frame is to be sent, or is being sent.
pub(crate) const NEWTX: u32 = 1;
