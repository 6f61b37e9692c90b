//! Writes the frames of defmt to the standard error of the host, by semihosting.
//!
//! Only the main loop logs; a frame from an interrupt could split another frame.
#![expect(unsafe_code, reason = "`Logger` is an unsafe trait")]

use cortex_m_semihosting::hio::{self, HostStream};

use crate::shared::Shared;

struct Log {
    encoder: defmt::Encoder,
    host: HostStream,
}

static LOG: Shared<Log> = Shared::new();

/// Opens the host's standard error. Without a host for semihosting, there is no log.
pub fn start() {
    if let Ok(host) = hio::hstderr() {
        LOG.put(Log { encoder: defmt::Encoder::new(), host });
    }
}

impl Log {
    /// The encoder, and the function that writes its bytes.
    fn parts(&mut self) -> (&mut defmt::Encoder, impl FnMut(&[u8])) {
        let Self { encoder, host } = self;
        // a lost log must not cause a panic
        (encoder, |bytes: &[u8]| _ = host.write_all(bytes))
    }
}

#[defmt::global_logger]
struct Logger;

// SAFETY: only one caller at a time uses the encoder.
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
