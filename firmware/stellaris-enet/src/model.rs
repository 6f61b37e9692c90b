//! A software model of the controller, based on the data sheet: FIFOs of words, causes, an interrupt line.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::vec::Vec;

use crate::register::{ALL, Bus, Causes, NEWTX, RECEIVED, RSTFIFO, RXEN, Register, SENT, TXEN};

/// The number of frames that the receive FIFO can hold.
const FRAMES: usize = 31;

#[derive(Default)]
pub(crate) struct State {
    causes: u32,
    mask: u32,
    receive_control: u32,
    transmit_control: u32,
    address: [u32; 2],
    /// The words of each frame in the receive FIFO.
    received: VecDeque<VecDeque<u32>>,
    sending: Vec<u32>,
    is_busy: bool,
    /// The sent frames, without checksums.
    pub(crate) wire: Vec<Vec<u8>>,
    /// The number of errors of the driver, such as reads from an empty FIFO, and incomplete frames.
    pub(crate) faults: u32,
}

/// A handle to the model. The driver, the interrupt and the wire have clones, which share the state.
#[derive(Clone, Default)]
pub(crate) struct Model(pub(crate) Rc<RefCell<State>>);

impl Model {
    /// Simulates the arrival of a frame.
    pub(crate) fn arrive(&self, frame: &[u8]) {
        let len = u16::try_from(2 + frame.len() + 4).expect("a frame of the test");
        self.arrive_with_length(len, frame);
    }

    /// Simulates the arrival of a frame whose length in the FIFO is `len`.
    pub(crate) fn arrive_with_length(&self, len: u16, frame: &[u8]) {
        let mut state = self.0.borrow_mut();
        if state.receive_control & RXEN == 0 || state.received.len() == FRAMES {
            return;
        }
        let bytes = [&len.to_le_bytes()[..], frame, &[0xC5; 4]].concat();
        let words = usize::from(len).div_ceil(4).max(1);
        let word =
            |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes.get(at * 4 + byte).copied().unwrap_or(0)));
        state.received.push_back((0..words).map(word).collect());
        state.causes |= RECEIVED;
    }

    /// Simulates the end of the transmission.
    pub(crate) fn finish(&self) {
        let mut state = self.0.borrow_mut();
        state.is_busy = false;
        state.causes |= SENT;
    }

    /// Whether the interrupt line is raised.
    pub(crate) fn is_raised(&self) -> bool {
        let state = self.0.borrow();
        state.causes & state.mask != 0
    }

    pub(crate) fn address(&self) -> [u8; 6] {
        let [low, high] = self.0.borrow().address.map(u32::to_le_bytes);
        [low[0], low[1], low[2], low[3], high[0], high[1]]
    }

    pub(crate) fn frames(&self) -> usize {
        self.0.borrow().received.len()
    }
}

impl Bus for Model {
    fn read(&mut self, register: Register) -> u32 {
        let mut state = self.0.borrow_mut();
        match register {
            Register::Data => {
                let Some(frame) = state.received.front_mut() else {
                    state.faults += 1;
                    return 0;
                };
                let word = frame.pop_front().unwrap_or(0);
                if frame.is_empty() {
                    state.received.pop_front();
                }
                word
            }
            Register::NumberOfPackets => u32::try_from(state.received.len()).expect("31 at most"),
            Register::TransmissionRequest => u32::from(state.is_busy),
            Register::InterruptMask => state.mask,
            Register::ReceiveControl => state.receive_control,
            Register::TransmitControl => state.transmit_control,
            Register::Address0 => state.address[0],
            Register::Address1 => state.address[1],
        }
    }

    fn write(&mut self, register: Register, value: u32) {
        let mut state = self.0.borrow_mut();
        match register {
            Register::Data if state.is_busy => state.faults += 1,
            Register::Data => state.sending.push(value),
            Register::TransmissionRequest if value & NEWTX != 0 => {
                let words = core::mem::take(&mut state.sending);
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let len = bytes.first_chunk().map_or(0, |len| usize::from(u16::from_le_bytes(*len)));
                match bytes.get(2..2 + 14 + len) {
                    // the words hold the frame and nothing else
                    Some(frame) if state.transmit_control & TXEN != 0 && bytes.len() < 2 + 14 + len + 4 => {
                        state.wire.push(frame.to_vec());
                        state.is_busy = true;
                    }
                    _ => state.faults += 1,
                }
            }
            Register::TransmissionRequest | Register::NumberOfPackets => {}
            Register::InterruptMask => state.mask = value & ALL,
            Register::ReceiveControl => {
                if value & RSTFIFO != 0 {
                    state.received.clear();
                }
                state.receive_control = value & !RSTFIFO;
            }
            Register::TransmitControl => state.transmit_control = value,
            Register::Address0 => state.address[0] = value,
            Register::Address1 => state.address[1] = value,
        }
    }
}

impl Causes for Model {
    fn acknowledge(&mut self, causes: u32) {
        self.0.borrow_mut().causes &= !causes;
    }
}
