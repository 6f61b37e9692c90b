//! Buffers for the maximum number of open connections.

use embassy_sync::blocking_mutex::raw::NoopRawMutex;
use embassy_sync::mutex::{Mutex, MutexGuard};
use embassy_time::Timer;

use crate::slots::CONNECTIONS;

/// A buffer that at most one connection holds.
pub type Buffer<T> = Mutex<NoopRawMutex, T>;

/// One buffer for each connection. A socket without a connection needs no buffer.
pub struct Pool<T>(pub [Buffer<T>; CONNECTIONS]);

impl<T> Pool<T> {
    /// Waits for a free buffer. The buffer of an evicted connection becomes free when its task has run.
    pub async fn take(&self) -> MutexGuard<'_, NoopRawMutex, T> {
        loop {
            if let Some(buffer) = self.0.iter().find_map(|buffer| buffer.try_lock().ok()) {
                return buffer;
            }
            Timer::after_millis(1).await;
        }
    }
}
