use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};
use std::vec;
use std::vec::Vec;

use embassy_net_driver::{Driver, HardwareAddress, RxToken, TxToken};

use crate::model::Model;
use crate::{Enet, Frames, MAX_FRAME, Waiting, interrupt};

const ADDRESS: [u8; 6] = [2, 3, 5, 7, 11, 13];

fn leak<T>(value: T) -> &'static mut T {
    std::boxed::Box::leak(std::boxed::Box::new(value))
}

/// Counts the wake-ups of the network task.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

struct Bench {
    model: Model,
    enet: Enet<'static, Model>,
    waiting: &'static Waiting,
    count: Arc<Count>,
    waker: Waker,
}

impl Bench {
    fn new() -> Self {
        let waiting: &'static Waiting = leak(Waiting::new());
        let (model, count) = (Model::default(), Arc::<Count>::default());
        let waker = Waker::from(count.clone());
        Self { enet: Enet::new(model.clone(), waiting, leak(Frames::new()), ADDRESS), model, waiting, count, waker }
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        let (received, _) = self.enet.receive(&mut Context::from_waker(&self.waker))?;
        Some(received.consume(|frame| frame.to_vec()))
    }

    /// Receives frames as embassy-net does: until there is none and no waker was called.
    fn receive_all(&mut self) -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        loop {
            let before = self.woken();
            match self.receive() {
                Some(frame) => frames.push(frame),
                None if self.woken() == before => return frames,
                None => {}
            }
        }
    }

    fn send(&mut self, frame: &[u8]) -> bool {
        let sending = self.enet.transmit(&mut Context::from_waker(&self.waker));
        sending.map(|sending| sending.consume(frame.len(), |place| place.copy_from_slice(frame))).is_some()
    }

    fn woken(&self) -> usize {
        self.count.0.load(Ordering::Relaxed)
    }

    /// Runs the interrupt handler while the line is raised, as the chip does.
    fn interrupts(&mut self) -> usize {
        let mut runs = 0;
        while self.model.is_raised() {
            interrupt(&mut self.model.clone(), self.waiting);
            runs += 1;
            assert!(runs < 10, "the interrupt does not end");
        }
        runs
    }

    fn faults(&self) -> u32 {
        self.model.0.borrow().faults
    }
}

/// Returns a frame of `len` bytes whose neighbouring bytes differ.
fn frame(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 + at / 256 + 1).to_le_bytes()[0]).collect()
}

#[test]
fn frames_of_every_length_arrive_byte_for_byte() {
    let mut bench = Bench::new();
    for len in 14..=MAX_FRAME {
        bench.model.arrive(&frame(len));
        assert_eq!(bench.receive_all(), [frame(len)], "{len} bytes");
    }
    assert_eq!((bench.faults(), bench.enet.dropped()), (0, 0));
}

#[test]
fn frames_of_every_length_are_sent_byte_for_byte() {
    let mut bench = Bench::new();
    for len in 14..=MAX_FRAME {
        assert!(bench.send(&frame(len)));
        assert_eq!(bench.model.0.borrow_mut().wire.pop(), Some(frame(len)), "{len} bytes");
        bench.model.finish();
    }
    assert_eq!(bench.faults(), 0);
}

#[test]
fn frames_behind_one_another_keep_their_order() {
    let mut bench = Bench::new();
    let frames: Vec<Vec<u8>> = (0..31).map(|at| frame(14 + at * 48)).collect();
    frames.iter().for_each(|frame| bench.model.arrive(frame));
    assert_eq!(bench.receive_all(), frames);
    assert_eq!(bench.faults(), 0);
}

#[test]
fn one_frame_a_poll_is_handed_out_and_the_task_is_woken_for_the_next() {
    let mut bench = Bench::new();
    bench.model.arrive(&frame(60));
    bench.model.arrive(&frame(61));
    assert_eq!(bench.receive(), Some(frame(60)));
    assert_eq!((bench.receive(), bench.woken()), (None, 1));
    assert_eq!(bench.receive(), Some(frame(61)));
    assert_eq!((bench.receive(), bench.woken()), (None, 1));
}

#[test]
fn impossible_lengths_are_dropped_and_the_frame_behind_them_arrives() {
    // shorter than a header, zero, longer than a frame, the maximum
    for len in [0, 1, 5, 6, 19, 2 + 1515 + 4, 4000, u16::MAX] {
        let mut bench = Bench::new();
        bench.model.arrive_with_length(len, &frame(64));
        bench.model.arrive(&frame(65));
        assert_eq!(bench.receive_all(), [frame(65)], "length {len}");
        assert_eq!((bench.enet.dropped(), bench.faults(), bench.model.frames()), (1, 0, 0), "length {len}");
    }
}

#[test]
fn a_fifo_full_of_impossible_lengths_is_emptied_at_once() {
    let mut bench = Bench::new();
    (0..31).for_each(|_| bench.model.arrive_with_length(3, b""));
    assert_eq!(bench.receive(), None);
    assert_eq!((bench.enet.dropped(), bench.model.frames()), (31, 0));
}

#[test]
fn an_arriving_frame_raises_the_interrupt_which_wakes_the_task_once() {
    let mut bench = Bench::new();
    assert_eq!((bench.receive(), bench.interrupts()), (None, 0));
    bench.model.arrive(&frame(60));
    assert_eq!((bench.interrupts(), bench.woken()), (1, 1));
    assert_eq!(bench.receive_all(), [frame(60)]);
    // a frame that arrives between the last read and the interrupt is not lost
    bench.model.arrive(&frame(61));
    assert_eq!((bench.interrupts(), bench.woken()), (1, 2));
    assert_eq!(bench.receive_all(), [frame(61)]);
}

#[test]
fn a_busy_transmitter_takes_no_frame_and_wakes_the_task_at_its_end() {
    let mut bench = Bench::new();
    assert!(bench.send(&frame(60)));
    assert!(!bench.send(&frame(61)));
    // a received frame stays in the FIFO while there is no room for its answer
    bench.model.arrive(&frame(62));
    assert_eq!((bench.receive(), bench.model.frames()), (None, 1));
    bench.interrupts();
    let before = bench.woken();
    // the task polls again and waits for the end of the transmission
    assert_eq!(bench.receive(), None);
    bench.model.finish();
    assert_eq!((bench.interrupts(), bench.woken()), (1, before + 1));
    assert_eq!(bench.receive_all(), [frame(62)]);
    assert!(bench.send(&frame(61)));
    assert_eq!(bench.model.0.borrow().wire, [frame(60), frame(61)]);
    assert_eq!(bench.faults(), 0);
}

#[test]
fn the_end_of_a_transmission_for_which_nobody_waits_raises_no_interrupt() {
    let mut bench = Bench::new();
    assert!(bench.send(&frame(60)));
    bench.model.finish();
    assert!(!bench.model.is_raised());
}

#[test]
fn the_start_sets_the_address_and_drops_frames_from_before() {
    let model = Model::default();
    crate::Bus::write(&mut model.clone(), crate::Register::ReceiveControl, 1);
    model.arrive(&frame(60));
    let mut enet = Enet::new(model.clone(), leak(Waiting::new()), leak(Frames::new()), ADDRESS);
    assert_eq!((model.frames(), model.address()), (0, ADDRESS));
    assert!(matches!(enet.hardware_address(), HardwareAddress::Ethernet(ADDRESS)));
    assert_eq!(enet.capabilities().max_transmission_unit, MAX_FRAME);
    assert_eq!(crate::Bus::read(enet.bus(), crate::Register::InterruptMask), 1);
}

#[test]
#[should_panic(expected = "range end index")]
fn a_frame_too_long_to_send_is_a_fault_of_the_caller() {
    Bench::new().send(&vec![0; MAX_FRAME + 10]);
}
