//! JSON-RPC 2.0 in lines on port 80, for six connections at a time.
#![no_std]
#![no_main]

use nanojsonrpc::frame::{Framer, Lines};
use net::board::Shared;
use net::lines::{self, LINE};
use net::link::{self, Place};
use net::pool::{Buffer, Pool};
use net::slots::{CONNECTIONS, SLOTS, Slots};
use static_cell::{ConstStaticCell, StaticCell};

/// The window of a peer.
const RECEIVED: usize = 512;
/// The longest answer, and room for shorter ones.
const SENT: usize = LINE + 256;

type Framers = Pool<Framer<Lines, LINE>>;

#[embassy_executor::task(pool_size = SLOTS)]
async fn slot(place: Place, framers: &'static Framers, shared: &'static Shared<LINE>) -> ! {
    link::serve(place, async |link| {
        let mut framer = framers.take().await;
        lines::serve(link, &mut framer, shared).await
    })
    .await
}

#[embassy_executor::task]
async fn blink(shared: &'static Shared<LINE>) -> ! {
    shared.blink().await
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static ALL: StaticCell<Slots> = StaticCell::new();
    static SHARED: StaticCell<Shared<LINE>> = StaticCell::new();
    static OUTPUT: ConstStaticCell<[u8; LINE]> = ConstStaticCell::new([0; LINE]);
    static FRAMERS: ConstStaticCell<Framers> =
        ConstStaticCell::new(Pool([const { Buffer::new(Framer::new()) }; CONNECTIONS]));
    static SOCKETS: ConstStaticCell<[([u8; RECEIVED], [u8; SENT]); SLOTS]> =
        ConstStaticCell::new([([0; RECEIVED], [0; SENT]); SLOTS]);
    net::start(|spawner, stack, led| {
        let shared = &*SHARED.init(Shared::new(led, OUTPUT.take()));
        let (slots, framers) = (&*ALL.init_with(Slots::new), &*FRAMERS.take());
        for (at, (received, sent)) in SOCKETS.take().iter_mut().enumerate() {
            let place = Place { stack, slots, slot: at, port: 80, received, sent };
            net::start_socket(spawner, slot(place, framers, shared));
        }
        net::start_socket(spawner, blink(shared));
    })
}
