//! The methods of the device, declared once for all protocols.

use core::cell::{Cell, RefCell};

use embassy_futures::select::{Either, select};
use embassy_sync::blocking_mutex::raw::{CriticalSectionRawMutex, NoopRawMutex};
use embassy_sync::signal::Signal;
use embassy_sync::watch::{Receiver, Watch};
use embassy_time::{Duration, Instant, Timer};
use nanojsonrpc::http::{Replay, Stored};
use nanojsonrpc::{ErrorObject, Notification};

use crate::chip::{Register, stack};

/// The methods.
#[nanojsonrpc::service(mcp)]
pub trait Device {
    /// Whether the LED is lit.
    #[method("led.get")]
    #[tool(read_only)]
    fn led(&mut self) -> bool;
    /// Switches the LED, and returns whether it was lit.
    #[method("led.set")]
    #[tool(destructive = false, idempotent)]
    fn set_led(&mut self, on: bool) -> bool;
    /// Blinks with this period in milliseconds, at least 10; 0 stops it. Returns the blinks since the last call.
    #[tool(destructive = false)]
    fn blink(&mut self, every: u32) -> Result<u32, ErrorObject<'static>>;
    /// Adds two integers.
    #[tool(read_only)]
    fn add(&self, a: i64, b: i64) -> Result<i64, ErrorObject<'static>>;
    /// The state of the device.
    #[tool(read_only)]
    fn status(&self) -> Status;
}

/// The state of the device.
#[derive(serde::Serialize, nanojsonrpc::Schema)]
pub struct Status {
    /// Milliseconds since the start.
    pub uptime: u64,
    /// Open connections.
    pub connections: u32,
    /// Connections that were closed for another one, or because they were idle.
    pub evicted: u32,
    /// Handshakes that were given up for another one.
    pub half_open: u32,
    /// The greatest depth of the stack, in bytes.
    pub stack: u32,
    /// The memory that the stack may use, in bytes.
    pub stack_room: u32,
}

/// Counts for the method `status`.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub connections: u32,
    pub evicted: u32,
    pub half_open: u32,
}

pub static COUNTS: critical_section::Mutex<Cell<Counts>> =
    critical_section::Mutex::new(Cell::new(Counts { connections: 0, evicted: 0, half_open: 0 }));

/// Applies `change` to the counts.
pub fn count(change: impl FnOnce(&mut Counts)) {
    critical_section::with(|section| {
        let mut counts = COUNTS.borrow(section).get();
        change(&mut counts);
        COUNTS.borrow(section).set(counts);
    });
}

/// The context of the handlers.
pub struct Board {
    led: Register,
    /// The period in milliseconds; 0 while the LED does not blink.
    period: u32,
    blinks: u32,
}

impl Device for Board {
    fn led(&mut self) -> bool {
        self.led.read() != 0
    }

    fn set_led(&mut self, on: bool) -> bool {
        let was_on = self.led();
        self.led.write(u32::from(on));
        was_on
    }

    fn blink(&mut self, every: u32) -> Result<u32, ErrorObject<'static>> {
        if (1..10).contains(&every) {
            return Err(ErrorObject::new(-32001, "too fast: at least 10 ms"));
        }
        self.period = every;
        PERIOD.signal(());
        Ok(core::mem::take(&mut self.blinks))
    }

    fn add(&self, a: i64, b: i64) -> Result<i64, ErrorObject<'static>> {
        a.checked_add(b).ok_or(ErrorObject::INVALID_PARAMS)
    }

    fn status(&self) -> Status {
        let counts = critical_section::with(|section| COUNTS.borrow(section).get());
        let (stack, stack_room) = stack::peak();
        let len = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        Status {
            uptime: Instant::now().as_millis(),
            connections: counts.connections,
            evicted: counts.evicted,
            half_open: counts.half_open,
            stack: len(stack),
            stack_room: len(stack_room),
        }
    }
}

/// The params of the notification `blinked`.
#[derive(serde::Serialize)]
pub struct Blinked {
    pub count: u32,
    pub led: bool,
}

/// Signals a change of the period.
static PERIOD: Signal<CriticalSectionRawMutex, ()> = Signal::new();

/// The maximum number of clients that receive notifications.
const LISTENERS: usize = 8;

/// The state that all connections share: the board, room for the answer to one message, and the last notifications.
pub struct Shared<const OUTPUT: usize> {
    board: RefCell<Board>,
    output: RefCell<&'static mut [u8; OUTPUT]>,
    events: RefCell<Replay<512>>,
    news: Watch<NoopRawMutex, (), LISTENERS>,
}

impl<const OUTPUT: usize> Shared<OUTPUT> {
    pub const fn new(led: Register, output: &'static mut [u8; OUTPUT]) -> Self {
        Self {
            board: RefCell::new(Board { led, period: 0, blinks: 0 }),
            output: RefCell::new(output),
            // sufficient on an emulator; a device that restarts counts its starts in flash, so that no client takes the events of
            // one start for those of another
            events: RefCell::new(Replay::new(1)),
            news: Watch::new(),
        }
    }

    /// Calls `f` with the board and the room for an answer. `f` moves the answer to its own connection before it returns, so no
    /// connection waits for another one.
    pub fn with_output<R>(&self, f: impl FnOnce(&mut Board, &mut [u8]) -> R) -> R {
        f(&mut self.board.borrow_mut(), &mut self.output.borrow_mut()[..])
    }

    /// Subscribes to the notifications after the one with the id `last`; without it, to those from now on. `None` if there are too many
    /// listeners.
    pub fn news(&self, last: Option<&[u8]>) -> Option<News<'_>> {
        let newest = self.events.borrow().newest().text();
        let mut news = News { events: &self.events, receiver: self.news.receiver()?, last: [0; 32], len: 0 };
        news.set(last.filter(|last| last.len() <= news.last.len()).unwrap_or(newest.as_ref()));
        Some(news)
    }

    /// Blinks, and creates a notification `blinked` at each blink.
    pub async fn blink(&self) -> ! {
        let mut next = None;
        loop {
            let pause = async {
                match next {
                    Some(next) => Timer::at(next).await,
                    None => core::future::pending().await,
                }
            };
            let changed = matches!(select(PERIOD.wait(), pause).await, Either::First(()));
            let mut board = self.board.borrow_mut();
            let period = Duration::from_millis(board.period.into());
            next = match next {
                _ if board.period == 0 => None,
                Some(time) if !changed => Some(time + period),
                _ => Some(Instant::now() + period),
            };
            if changed || next.is_none() {
                continue;
            }
            board.blinks = board.blinks.wrapping_add(1);
            let is_lit = !board.led();
            board.led.write(u32::from(is_lit));
            let blinked = Blinked { count: board.blinks, led: is_lit };
            drop(board);
            let mut text = [0; 96];
            let blinked = Notification::new("blinked").with_params(&blinked).write(&mut text);
            if blinked.is_ok_and(|len| self.events.borrow_mut().push(&text[..len]).is_ok()) {
                self.news.sender().send(());
            }
        }
    }
}

/// A subscription to the notifications.
pub struct News<'s> {
    events: &'s RefCell<Replay<512>>,
    receiver: Receiver<'s, NoopRawMutex, (), LISTENERS>,
    /// The id of the last notification.
    last: [u8; 32],
    len: usize,
}

impl News<'_> {
    fn set(&mut self, id: &[u8]) {
        self.last[..id.len()].copy_from_slice(id);
        self.len = id.len();
    }

    /// Passes the next notification to `put`. If `put` returns `None`, the same notification comes again.
    pub fn next<R>(&mut self, put: impl FnOnce(&Stored<'_>) -> Option<R>) -> Option<R> {
        let events = self.events.borrow();
        let stored = events.after(Some(&self.last[..self.len])).next()?;
        let done = put(&stored)?;
        self.set(stored.id.text().as_ref());
        Some(done)
    }

    /// Waits for a notification.
    pub async fn changed(&mut self) {
        self.receiver.changed().await;
    }
}
