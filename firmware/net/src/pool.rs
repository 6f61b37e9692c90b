//! Buffers for as many connections as may be open.

use core::cell::{RefCell, RefMut};

use embassy_time::Timer;

use crate::slots::CONNECTIONS;

/// A buffer for each connection. A socket without a connection needs none.
pub struct Pool<T>(pub [RefCell<T>; CONNECTIONS]);

impl<T> Pool<T> {
    /// A free buffer. The one of a connection that has been sent away is free after its task has run.
    pub async fn take(&self) -> RefMut<'_, T> {
        loop {
            if let Some(buffer) = self.0.iter().find_map(|buffer| buffer.try_borrow_mut().ok()) {
                return buffer;
            }
            Timer::after_millis(1).await;
        }
    }
}
