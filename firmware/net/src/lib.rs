//! Support for firmware on an LM3S6965 with JSON-RPC over Ethernet.
//!
//! | file | contents | `unsafe` |
//! |---|---|---|
//! | `chip` | register addresses, the clock tree, the stack memory | names the addresses |
//! | `clock` | the time driver for embassy | – |
//! | `run` | the executor, which sleeps in WFI | exports a symbol, polls |
//! | `board` | the methods, declared once; notifications | – |
//! | `slots` | the eviction of connections | – |
//! | `link` | serves one connection after another, with deadlines | – |
//! | `pool` | the buffers of open connections | – |
//! | `any` | detects the protocol of a connection by its first bytes | – |
//! | `lines` | JSON-RPC in lines | – |
//! | `http` | JSON-RPC and MCP over HTTP, notifications as events | – |
//! | `websocket` | JSON-RPC over WebSocket | – |
//! | `mqtt` | JSON-RPC over MQTT 5 | – |
//! | `mcp_client` | a client of MCP over Streamable HTTP | – |
#![no_std]
#![deny(unsafe_code)]

pub mod any;
pub mod board;
pub mod chip;
pub mod clock;
pub mod http;
pub mod lines;
pub mod link;
pub mod mcp_client;
pub mod mqtt;
pub mod pool;
pub mod run;
pub mod slots;
pub mod websocket;

use embassy_executor::{SpawnToken, Spawner};
pub use embassy_net::StackResources;
use embassy_net::{Config, Runner, Stack};
use stellaris_enet::{Enet, mmio::Registers};

/// The lowest priority: before the next frame is read, the tasks of sockets listen again in place of sockets that the last frame has
/// opened.
const NETWORK: u8 = 0;
const SOCKETS: u8 = 1;

#[embassy_executor::task]
async fn network(mut runner: Runner<'static, Enet<'static, Registers>>) -> ! {
    runner.run().await
}

/// The program of an image that serves up to six connections on port 80.
///
/// `$state`: the buffer of a connection, initially `$empty`; `$serve`: the function that serves a connection with it; `$answer`: the
/// maximum length of an answer; `$sent`: the send buffer of a socket; `$more`: a function that starts another task with a socket.
#[macro_export]
macro_rules! image {
    ($state:ty, $empty:expr, $serve:path, $answer:expr, $sent:expr $(, $more:path)?) => {
        /// The receive window of a connection.
        const RECEIVED: usize = 512;

        type States = $crate::pool::Pool<$state>;
        type Shared = $crate::board::Shared<{ $answer }>;

        #[embassy_executor::task(pool_size = $crate::slots::SLOTS)]
        async fn slot(place: $crate::link::Place, states: &'static States, shared: &'static Shared) -> ! {
            $crate::link::serve(place, async |link| {
                let mut state = states.take().await;
                $serve(link, &mut state, shared).await
            })
            .await
        }

        #[embassy_executor::task]
        async fn blink(shared: &'static Shared) -> ! {
            shared.blink().await
        }

        #[cortex_m_rt::entry]
        fn main() -> ! {
            use static_cell::{ConstStaticCell, StaticCell};
            use $crate::pool::{Buffer, Pool};
            use $crate::slots::{CONNECTIONS, SLOTS, Slots};

            static ALL: StaticCell<Slots> = StaticCell::new();
            static SHARED: StaticCell<Shared> = StaticCell::new();
            static OUTPUT: ConstStaticCell<[u8; $answer]> = ConstStaticCell::new([0; $answer]);
            static STATES: ConstStaticCell<States> =
                ConstStaticCell::new(Pool([const { Buffer::new($empty) }; CONNECTIONS]));
            static SOCKETS: ConstStaticCell<[([u8; RECEIVED], [u8; $sent]); SLOTS]> =
                ConstStaticCell::new([([0; RECEIVED], [0; $sent]); SLOTS]);
            // DHCP needs a socket, too
            const ALL_SOCKETS: usize = SLOTS + 1 + <[&str]>::len(&[$(stringify!($more))?]);
            static RESOURCES: StaticCell<$crate::StackResources<ALL_SOCKETS>> = StaticCell::new();
            $crate::start(RESOURCES.init_with($crate::StackResources::new), |spawner, stack, led| {
                let shared = &*SHARED.init(Shared::new(led, OUTPUT.take()));
                let (slots, states) = (&*ALL.init_with(Slots::new), &*STATES.take());
                for (at, (received, sent)) in SOCKETS.take().iter_mut().enumerate() {
                    let place = $crate::link::Place { stack, slots, slot: at, port: 80, received, sent };
                    $crate::start_socket(spawner, slot(place, states, shared));
                }
                $crate::start_socket(spawner, blink(shared));
                $($more(spawner, stack, shared);)?
            })
        }
    };
}

/// Starts the chip, the network and the tasks that `spawn` starts.
pub fn start<const SOCKETS: usize>(
    resources: &'static mut StackResources<SOCKETS>,
    spawn: impl FnOnce(Spawner, Stack<'static>, chip::Register),
) -> ! {
    chip::stack::paint();
    let Some(chip) = chip::Chip::take() else { cortex_m::peripheral::SCB::sys_reset() };
    clock::start(chip.timer);
    // seed for TCP: sufficient on an emulator; a device in a hostile network needs random numbers
    let [a, b, c, d, e, f] = chip.address;
    let seed = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    let config = Config::dhcpv4(Default::default());
    let (stack, runner) = embassy_net::new(chip.enet, config, resources, seed);
    run::run(|spawner| {
        start_task(spawner, network(runner), NETWORK);
        spawn(spawner, stack, chip.led);
    })
}

/// Starts the task that serves a socket.
pub fn start_socket<S, E>(spawner: Spawner, task: Result<SpawnToken<S>, E>) {
    start_task(spawner, task, SOCKETS);
}

fn start_task<S, E>(spawner: Spawner, task: Result<SpawnToken<S>, E>, priority: u8) {
    // if the pool of tasks is too small, the first start fails here
    let Ok(task) = task else { cortex_m::peripheral::SCB::sys_reset() };
    task.metadata().set_priority(priority);
    spawner.spawn(task);
}
