//! Support for firmware on an LM3S6965 with JSON-RPC on its Ethernet.
//!
//! | file | contents | `unsafe` |
//! |---|---|---|
//! | `chip` | addresses of registers, the clock tree, the memory of the stack | names the addresses |
//! | `clock` | the time of embassy | – |
//! | `run` | the executor, which sleeps in WFI | exports a symbol, polls |
//! | `board` | the methods, declared once; the notifications | – |
//! | `slots` | which connection leaves for another one | – |
//! | `link` | one connection after the other, with deadlines | – |
//! | `pool` | buffers of the open connections | – |
//! | `any` | the protocol of a connection, by its first bytes | – |
//! | `lines` | JSON-RPC in lines | – |
//! | `http` | JSON-RPC and MCP over HTTP, notifications as events | – |
//! | `websocket` | JSON-RPC over WebSocket | – |
//! | `mqtt` | JSON-RPC over MQTT 5 | – |
#![no_std]
#![deny(unsafe_code)]

pub mod any;
pub mod board;
pub mod chip;
pub mod clock;
pub mod http;
pub mod lines;
pub mod link;
pub mod mqtt;
pub mod pool;
pub mod run;
pub mod slots;
pub mod websocket;

use embassy_executor::{SpawnToken, Spawner};
pub use embassy_net::StackResources;
use embassy_net::{Config, Runner, Stack};
use stellaris_enet::{Enet, mmio::Registers};

/// The least urgent priority: sockets replace what a frame has taken before the next frame is read.
const NETWORK: u8 = 0;
const SOCKETS: u8 = 1;

#[embassy_executor::task]
async fn network(mut runner: Runner<'static, Enet<'static, Registers>>) -> ! {
    runner.run().await
}

/// The program of an image that serves connections: six of them at a time, on port 80.
///
/// `$state`: the buffer of a connection, which is `$empty` at first; `$serve`: the function that serves a connection with it;
/// `$answer`: the longest answer; `$sent`: the room of a socket for answers; `$more`: the function that starts something else
/// with a socket.
#[macro_export]
macro_rules! image {
    ($state:ty, $empty:expr, $serve:path, $answer:expr, $sent:expr $(, $more:path)?) => {
        /// The window of a peer.
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
            // DHCP takes a socket, too
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

/// Starts the chip and the network, and runs what `spawn` starts.
pub fn start<const SOCKETS: usize>(
    resources: &'static mut StackResources<SOCKETS>,
    spawn: impl FnOnce(Spawner, Stack<'static>, chip::Register),
) -> ! {
    chip::stack::paint();
    let Some(chip) = chip::Chip::take() else { cortex_m::peripheral::SCB::sys_reset() };
    clock::start(chip.timer);
    // the seed of TCP: enough on an emulator; a device in a hostile network needs random numbers
    let [a, b, c, d, e, f] = chip.address;
    let seed = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    let config = Config::dhcpv4(Default::default());
    let (stack, runner) = embassy_net::new(chip.enet, config, resources, seed);
    run::run(|spawner| {
        start_task(spawner, network(runner), NETWORK);
        spawn(spawner, stack, chip.led);
    })
}

/// Starts the task of a socket.
pub fn start_socket<S, E>(spawner: Spawner, task: Result<SpawnToken<S>, E>) {
    start_task(spawner, task, SOCKETS);
}

fn start_task<S, E>(spawner: Spawner, task: Result<SpawnToken<S>, E>, priority: u8) {
    // a pool of tasks that is too small shows at the first start
    let Ok(task) = task else { cortex_m::peripheral::SCB::sys_reset() };
    task.metadata().set_priority(priority);
    spawner.spawn(task);
}
