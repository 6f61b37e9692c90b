//! Buffers for as many connections as may be open.

use embassy_sync::blocking_mutex::raw::NoopRawMutex;
use embassy_sync::mutex::{Mutex, MutexGuard};
use embassy_time::Timer;

use crate::slots::CONNECTIONS;

/// A buffer that one connection has at a time.
pub type Buffer<T> = Mutex<NoopRawMutex, T>;

/// A buffer for each connection. A socket without a connection needs none.
pub struct Pool<T>(pub [Buffer<T>; CONNECTIONS]);

impl<T> Pool<T> {
    /// A free buffer. The one of a connection that has been sent away is free after its task has run.
    pub async fn take(&self) -> MutexGuard<'_, NoopRawMutex, T> {
        loop {
            if let Some(buffer) = self.0.iter().find_map(|buffer| buffer.try_lock().ok()) {
                return buffer;
            }
            Timer::after_millis(1).await;
        }
    }
}
