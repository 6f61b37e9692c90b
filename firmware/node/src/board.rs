//! The context of the methods.

use nanojsonrpc::frame::FrameError;
use nanojsonrpc::{Envelope, Notification};

use crate::chip::Register;
use crate::{clock, serial};

pub struct Board {
    led: Register,
    blinking: Option<Blinking>,
    unreadable: u32,
    misframed: u32,
}

struct Blinking {
    period: u64,
    next: u64,
    count: u32,
}

/// The params of the notification at each blink.
#[derive(serde::Serialize)]
pub struct Blinked {
    pub count: u32,
    pub led: bool,
}

#[derive(serde::Serialize)]
pub struct Temperature {
    pub millicelsius: i32,
}

/// The faults since the start.
#[derive(Clone, Copy, serde::Serialize, defmt::Format)]
pub struct Errors {
    /// Unreadable lines.
    pub unreadable: u32,
    /// Lines that did not arrive whole.
    pub misframed: u32,
    /// Bytes that the line has damaged or lost.
    pub damaged: u32,
}

impl Board {
    pub(crate) const fn new(led: Register) -> Self {
        Self { led, blinking: None, unreadable: 0, misframed: 0 }
    }

    /// The temperature of the chip; `None` directly after the start.
    pub fn temperature(&self) -> Option<Temperature> {
        Some(Temperature { millicelsius: clock::millicelsius()? })
    }

    /// The time since the start, in milliseconds.
    pub fn uptime(&self) -> u64 {
        clock::millis()
    }

    /// Sleeps for `millis` milliseconds. Meanwhile, the interrupt receives bytes.
    pub fn wait(&self, millis: u32) {
        let until = clock::millis() + u64::from(millis);
        while clock::millis() < until {
            cortex_m::asm::wfi();
        }
    }

    /// Sends a message at once.
    pub fn send(&self, message: &[u8]) {
        crate::send(message);
    }

    pub fn led(&mut self) -> bool {
        self.led.read() != 0
    }

    pub fn set_led(&mut self, is_on: bool) {
        self.led.write(u32::from(is_on));
        defmt::debug!("led {}", is_on);
    }

    /// Blinks every `period` milliseconds from now on; 0 stops it. Returns the blinks since the last call.
    pub fn set_blinking(&mut self, period: u32) -> u32 {
        let count = self.blinking.as_ref().map_or(0, |blinking| blinking.count);
        let period = u64::from(period);
        self.blinking = (period != 0).then(|| Blinking { period, next: clock::millis() + period, count: 0 });
        count
    }

    /// The next notification, if its time has come.
    pub(crate) fn blink<'o>(&mut self, output: &'o mut [u8]) -> Option<&'o [u8]> {
        let now = clock::millis();
        let blinking = self.blinking.as_mut().filter(|blinking| blinking.next <= now)?;
        blinking.next = now + blinking.period;
        blinking.count = blinking.count.wrapping_add(1);
        let count = blinking.count;
        let led = !self.led();
        self.led.write(u32::from(led));
        let len = Notification::new("blinked").with_params(&Blinked { count, led }).write(output).ok()?;
        output.get(..len)
    }

    pub fn errors(&self) -> Errors {
        Errors { unreadable: self.unreadable, misframed: self.misframed, damaged: serial::damaged() }
    }

    /// Counts and logs the fault of `line`. The server then reads the line a second time, to answer it.
    pub(crate) fn note(&mut self, line: &Result<&[u8], FrameError>) {
        match line {
            Ok(text) => {
                if let Err(refused) = Envelope::parse(text) {
                    self.unreadable = self.unreadable.wrapping_add(1);
                    defmt::warn!("unreadable: {}", refused.error);
                }
            }
            Err(error) => {
                self.misframed = self.misframed.wrapping_add(1);
                defmt::warn!("misframed: {}", error);
            }
        }
    }
}
