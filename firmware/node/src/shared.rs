//! Data that an interrupt shares with the main loop.

use core::cell::RefCell;

use critical_section::Mutex;

/// A slot in a static that starts empty, and has one user at a time.
pub struct Shared<T>(Mutex<RefCell<Option<T>>>);

impl<T> Shared<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(RefCell::new(None)))
    }

    pub fn put(&self, value: T) {
        critical_section::with(|section| {
            if let Ok(mut place) = self.0.borrow(section).try_borrow_mut() {
                *place = Some(value);
            }
        });
    }

    /// Masks interrupts while `f` runs. While the slot is empty, does nothing and returns the default.
    pub fn with<R: Default>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        critical_section::with(|section| {
            // not `borrow_mut`, which links a panic
            let mut place = self.0.borrow(section).try_borrow_mut().ok()?;
            place.as_mut().map(f)
        })
        .unwrap_or_default()
    }
}
