//! JSON-RPC over WebSocket on port 80, for six connections at a time: `/ws`.
#![no_std]
#![no_main]

use net::board::Shared;
use net::link::{self, Place};
use net::pool::{Buffer, Pool};
use net::slots::{CONNECTIONS, SLOTS, Slots};
use net::websocket::{self, ANSWER, MESSAGE, SENT};
use static_cell::{ConstStaticCell, StaticCell};

/// The window of a peer.
const RECEIVED: usize = 512;

type Messages = Pool<[u8; MESSAGE]>;

#[embassy_executor::task(pool_size = SLOTS)]
async fn slot(place: Place, messages: &'static Messages, shared: &'static Shared<ANSWER>) -> ! {
    link::serve(place, async |link| {
        let mut message = messages.take().await;
        websocket::serve(link, &mut message, shared).await
    })
    .await
}

#[embassy_executor::task]
async fn blink(shared: &'static Shared<ANSWER>) -> ! {
    shared.blink().await
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static ALL: StaticCell<Slots> = StaticCell::new();
    static SHARED: StaticCell<Shared<ANSWER>> = StaticCell::new();
    static OUTPUT: ConstStaticCell<[u8; ANSWER]> = ConstStaticCell::new([0; ANSWER]);
    static MESSAGES: ConstStaticCell<Messages> =
        ConstStaticCell::new(Pool([const { Buffer::new([0; MESSAGE]) }; CONNECTIONS]));
    static SOCKETS: ConstStaticCell<[([u8; RECEIVED], [u8; SENT]); SLOTS]> =
        ConstStaticCell::new([([0; RECEIVED], [0; SENT]); SLOTS]);
    net::start(|spawner, stack, led| {
        let shared = &*SHARED.init(Shared::new(led, OUTPUT.take()));
        let (slots, messages) = (&*ALL.init_with(Slots::new), &*MESSAGES.take());
        for (at, (received, sent)) in SOCKETS.take().iter_mut().enumerate() {
            let place = Place { stack, slots, slot: at, port: 80, received, sent };
            net::start_socket(spawner, slot(place, messages, shared));
        }
        net::start_socket(spawner, blink(shared));
    })
}
