//! What an interrupt and the main loop have in common.

use core::cell::RefCell;

use critical_section::Mutex;

/// A place in a static that is empty until something is put there, and used by one at a time.
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

    /// Masks interrupts while `f` works; gives the default, and does nothing, while the place is empty.
    pub fn with<R: Default>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        critical_section::with(|section| {
            // not `borrow_mut`, which links a panic
            let mut place = self.0.borrow(section).try_borrow_mut().ok()?;
            place.as_mut().map(f)
        })
        .unwrap_or_default()
    }
}
