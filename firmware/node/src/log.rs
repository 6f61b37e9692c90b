//! defmt's frames to the standard error of the machine that emulates, by semihosting.
//!
//! Only the main loop logs; a frame of an interrupt would end up inside another one.
#![expect(unsafe_code, reason = "to be a logger is a promise")]

use cortex_m_semihosting::hio::{self, HostStream};

use crate::shared::Shared;

struct Log {
    encoder: defmt::Encoder,
    host: HostStream,
}

static LOG: Shared<Log> = Shared::new();

/// Opens the host's standard error. Without a host that listens there is no log.
pub fn start() {
    if let Ok(host) = hio::hstderr() {
        LOG.put(Log { encoder: defmt::Encoder::new(), host });
    }
}

impl Log {
    /// The encoder, and where it writes.
    fn parts(&mut self) -> (&mut defmt::Encoder, impl FnMut(&[u8])) {
        let Self { encoder, host } = self;
        // a log that is lost is not worth a panic
        (encoder, |bytes: &[u8]| _ = host.write_all(bytes))
    }
}

#[defmt::global_logger]
struct Logger;

// SAFETY: the encoder is used by one at a time, whoever calls.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        LOG.with(|log| {
            let (encoder, write) = log.parts();
            encoder.start_frame(write);
        });
    }

    unsafe fn flush() {}

    unsafe fn release() {
        LOG.with(|log| {
            let (encoder, write) = log.parts();
            encoder.end_frame(write);
        });
    }

    unsafe fn write(bytes: &[u8]) {
        LOG.with(|log| {
            let (encoder, write) = log.parts();
            encoder.write(bytes, write);
        });
    }
}
