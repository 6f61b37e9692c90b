//! The lamp on machines of QEMU: no interrupts, no HAL; one loop polls the serial line and a clock.
#![no_std]

use core::convert::Infallible;
use core::future::poll_fn;
use core::task::Poll;

use device::Device;
use embassy_futures::block_on;
use embedded_io_async::{ErrorType, Read, Write};

/// The serial line and the clock of a machine.
pub trait Machine: Copy {
    /// The steps of the clock in a second.
    const RATE: u32;

    fn start(self);
    /// The next received byte, if there is one.
    fn receive(self) -> Option<u8>;
    /// Sends `byte`; waits until there is room.
    fn send(self, byte: u8);
    /// The time in steps, which wraps.
    fn now(self) -> u32;
}

/// Serves forever.
pub fn serve<M: Machine>(machine: M) -> ! {
    machine.start();
    let mut device = Device::new(|_| {});
    let mut last = machine.now();
    // `block_on` polls without a pause, so no waker is needed
    let mut tick = async || {
        poll_fn(|_| {
            if machine.now().wrapping_sub(last) < M::RATE {
                return Poll::Pending;
            }
            last = last.wrapping_add(M::RATE);
            Poll::Ready(())
        })
        .await;
    };
    loop {
        _ = block_on(device::run(Line(machine), Line(machine), &mut device, &mut tick));
    }
}

struct Line<M>(M);

impl<M> ErrorType for Line<M> {
    type Error = Infallible;
}

impl<M: Machine> Read for Line<M> {
    async fn read(&mut self, place: &mut [u8]) -> Result<usize, Infallible> {
        let mut len = 0;
        poll_fn(|_| {
            for (place, byte) in place.iter_mut().zip(core::iter::from_fn(|| self.0.receive())) {
                *place = byte;
                len += 1;
            }
            if len == 0 { Poll::Pending } else { Poll::Ready(Ok(len)) }
        })
        .await
    }
}

impl<M: Machine> Write for Line<M> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        for byte in bytes {
            self.0.send(*byte);
        }
        Ok(bytes.len())
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A register of `T`, which is `u8` or `u32`.
pub struct Register<T>(*mut T);

impl<T: Copy> Register<T> {
    /// # Safety
    /// `address` is that of a register of this width, whose reads and writes do not affect memory.
    pub const unsafe fn at(address: usize) -> Self {
        Self(core::ptr::without_provenance_mut(address))
    }

    pub fn read(&self) -> T {
        // SAFETY: guaranteed by the caller of `at`.
        unsafe { self.0.read_volatile() }
    }

    pub fn write(&self, value: T) {
        // SAFETY: guaranteed by the caller of `at`.
        unsafe { self.0.write_volatile(value) };
    }
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
