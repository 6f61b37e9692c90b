//! `async` methods that take longer than their time limit.

use core::future::pending;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::Server;

#[nanojsonrpc::service]
trait Oven {
    async fn bake(&mut self, minutes: u8) -> Result<u8, nanojsonrpc::ErrorObject<'static>>;
    fn level(&self) -> u8;
}

#[derive(Clone)]
struct Kitchen {
    level: u8,
}

impl Oven for Kitchen {
    async fn bake(&mut self, minutes: u8) -> Result<u8, nanojsonrpc::ErrorObject<'static>> {
        self.level = minutes;
        if minutes > 9 { pending().await } else { Ok(minutes) }
    }

    fn level(&self) -> u8 {
        self.level
    }
}

#[test]
fn a_late_method_is_dropped_and_its_call_answered() {
    let limited = OvenService::routes(Kitchen { level: 0 }).limited_by(|_| core::future::ready(()));
    let mut server = Server::new::<()>(limited);
    let mut answer = |call: &str| {
        let (mut context, mut output) = ((), [0; 128]);
        let mut processing = pin!(server.process_async(&mut context, call.as_bytes(), &mut output));
        match processing.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(processed) => String::from_utf8_lossy(processed.answer().unwrap_or_default()).into_owned(),
            Poll::Pending => panic!("no time limit"),
        }
    };
    let late = r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Request timed out"},"id":1}"#;
    assert_eq!(answer(r#"{"jsonrpc":"2.0","method":"bake","params":{"minutes":60},"id":1}"#), late);
    assert_eq!(answer(r#"{"jsonrpc":"2.0","method":"level","id":2}"#), r#"{"jsonrpc":"2.0","result":60,"id":2}"#);
    let call = r#"{"jsonrpc":"2.0","method":"bake","params":{"minutes":3},"id":3}"#;
    assert_eq!(answer(call), r#"{"jsonrpc":"2.0","result":3,"id":3}"#);
}
