//! The memory of the page, which no code allocates. All of the page's `unsafe` is here.

use core::cell::UnsafeCell;

use crate::calls::Client;
use crate::methods::Session;
use crate::serve::Speaker;
use crate::{OUTPUT, TEXT};

/// Room for as many brackets as a text may have open, before the text: see `depth`.
pub(crate) const BRACKETS: usize = 63;
/// Room for a text behind brackets.
pub(crate) type Room = [u8; BRACKETS + TEXT];

/// Memory that starts as zero, so the module does not contain it.
struct Buffers {
    text: Room,
    output: [u8; OUTPUT],
    messages: [u8; TEXT],
    buffer: [u8; 1 << 20],
    mcp: Kept,
}

struct State {
    session: Option<Session>,
    client: Option<Client>,
}

/// Everything that outlives a call from JavaScript.
pub(crate) struct Page<'p> {
    pub(crate) text: &'p mut Room,
    pub(crate) output: &'p mut [u8; OUTPUT],
    /// The texts of the messages of a stream.
    pub(crate) messages: &'p mut [u8; TEXT],
    /// The buffer of a framer, and room for notifications.
    pub(crate) buffer: &'p mut [u8; 1 << 20],
    pub(crate) session: &'p mut Option<Session>,
    pub(crate) mcp: &'p mut Kept,
    pub(crate) client: &'p mut Option<Client>,
}

impl Page<'_> {
    /// The first `len` bytes of the text.
    pub(crate) fn text(&self, len: usize) -> &[u8] {
        text(self.text, len)
    }
}

/// The first `len` bytes of a text.
pub(crate) fn text(room: &Room, len: usize) -> &[u8] {
    room.get(BRACKETS..).and_then(|text| text.get(..len)).unwrap_or_default()
}

struct Memory<T>(UnsafeCell<T>);

// SAFETY: WebAssembly without shared memory has one thread.
unsafe impl<T> Sync for Memory<T> {}

static BUFFERS: Memory<Buffers> = Memory(UnsafeCell::new(Buffers {
    text: [0; BRACKETS + TEXT],
    output: [0; OUTPUT],
    messages: [0; TEXT],
    buffer: [0; 1 << 20],
    mcp: Kept::EMPTY,
}));
static STATE: Memory<State> = Memory(UnsafeCell::new(State { session: None, client: None }));

/// Lends the page to `work`. Only the exported functions call it, once each.
pub(crate) fn with_page<R>(work: impl FnOnce(Page<'_>) -> R) -> R {
    // SAFETY: there is one thread, an exported function calls this once, and none of them calls another or JavaScript, so that
    // no second reference exists.
    let (Buffers { text, output, messages, buffer, mcp }, State { session, client }) =
        unsafe { (&mut *BUFFERS.0.get(), &mut *STATE.0.get()) };
    work(Page { text, output, messages, buffer, session, mcp, client })
}

/// Storage for one [`Speaker`], whose type cannot be named.
#[repr(align(16))]
pub(crate) struct Kept {
    place: [u8; Self::LEN],
    speaker: Option<unsafe fn(*mut u8) -> *mut dyn Speaker>,
}

impl Kept {
    const LEN: usize = 16 * 1024;
    pub(crate) const EMPTY: Self = Self { place: [0; Self::LEN], speaker: None };

    /// Stores `speaker` over the last one, without dropping that.
    pub(crate) fn put<S: Speaker + 'static>(&mut self, speaker: S) {
        const { assert!(size_of::<S>() <= Self::LEN && align_of::<S>() <= 16) };
        // SAFETY: the place is aligned and long enough.
        unsafe { self.place.as_mut_ptr().cast::<S>().write(speaker) };
        self.speaker = Some(|place| place.cast::<S>() as *mut dyn Speaker);
    }

    /// Forgets the speaker.
    pub(crate) const fn clear(&mut self) {
        self.speaker = None;
    }

    pub(crate) fn get(&mut self) -> Option<&mut dyn Speaker> {
        let speaker = self.speaker?;
        // SAFETY: `put` has written a value of the type that its function casts to, and nothing has moved it.
        Some(unsafe { &mut *speaker(self.place.as_mut_ptr()) })
    }
}

/// An import that is linked only if some code can panic. The page refuses a module with imports.
#[cfg(target_family = "wasm")]
mod panic {
    unsafe extern "C" {
        fn panicked() -> !;
    }

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        // SAFETY: it does not return.
        unsafe { panicked() }
    }
}
