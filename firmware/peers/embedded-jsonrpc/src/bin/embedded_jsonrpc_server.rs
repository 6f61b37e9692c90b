//! A server with four methods, three of them with typed params, on messages after a Content-Length. Its ids are unsigned
//! integers, it supports no batches, and it answers notifications.
#![no_std]
#![no_main]

use core::convert::Infallible;

use embassy_futures::block_on;
use embedded_io_async::{ErrorType, Read, Write};
use embedded_jsonrpc::stackfuture::StackFuture;
use embedded_jsonrpc::{
    DEFAULT_HANDLER_STACK_SIZE, JSONRPC_VERSION, RpcError, RpcErrorCode, RpcHandler, RpcRequest, RpcResponse, RpcServer,
};
use probe::used;
use serde::{Deserialize, Serialize};

/// The longest measured message has 2,047 bytes; its headers count, too.
const MESSAGE: usize = 2100;

// the critical section of the chip
#[cfg(target_arch = "arm")]
use cortex_m as _;
#[cfg(target_arch = "riscv32")]
use riscv as _;

/// A stream that yields a header and the text once, and writes the answer without its header to `out`.
struct Stream<'t> {
    header: &'t [u8],
    text: &'t [u8],
    out: &'t mut [u8],
    /// Whether a call was answered with a result.
    is_answered: bool,
}

impl ErrorType for Stream<'_> {
    type Error = Infallible;
}

impl Read for Stream<'_> {
    async fn read(&mut self, place: &mut [u8]) -> Result<usize, Infallible> {
        let source = if self.header.is_empty() { &mut self.text } else { &mut self.header };
        let len = source.len().min(place.len());
        let (now, later) = source.split_at_checked(len).unwrap_or_default();
        if let Some(place) = place.get_mut(..len) {
            for (place, byte) in place.iter_mut().zip(now) {
                *place = *byte;
            }
        }
        *source = later;
        Ok(len)
    }
}

impl Write for Stream<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        if bytes.first() == Some(&b'{') {
            for (place, byte) in self.out.iter_mut().zip(bytes) {
                *place = *byte;
            }
        }
        self.is_answered = !bytes.ends_with(br#""result":null}"#);
        Ok(bytes.len())
    }
}

/// A method with params `P`.
struct Method<P, R>(fn(P) -> Option<R>);

impl<P: for<'de> Deserialize<'de>, R: Serialize> RpcHandler for Method<P, R> {
    fn handle<'a>(
        &'a self,
        id: Option<u64>,
        _: &'a str,
        request: &'a [u8],
        response: &'a mut [u8],
    ) -> StackFuture<'a, Result<usize, RpcError>, DEFAULT_HANDLER_STACK_SIZE> {
        StackFuture::from(async move {
            let Ok((request, _)) = serde_json_core::from_slice::<RpcRequest<P>>(request) else {
                return Err(RpcErrorCode::InvalidParams.into());
            };
            let result = request.params.and_then(self.0);
            let answer = RpcResponse { jsonrpc: JSONRPC_VERSION, id, error: None, result };
            serde_json_core::to_slice(&answer, response).map_err(|_| RpcErrorCode::InternalError.into())
        })
    }
}

#[derive(Deserialize)]
struct Led {
    on: bool,
    #[serde(default)]
    level: i32,
}

static SUBTRACT: Method<(i32, i32), i32> = Method(|(a, b)| a.checked_sub(b));
static LED_GET: Method<[i32; 0], bool> = Method(|[]| Some(true));
static LEVEL: Method<(i32,), i32> = Method(|(scale,)| Some(7i32.wrapping_mul(scale)));
static LED_SET: Method<Led, bool> = Method(|led| {
    used(&led.level);
    Some(led.on)
});

fn header(len: usize, place: &mut [u8; 24]) -> &[u8] {
    let text = b"Content-Length: 0000\r\n\r\n";
    for (place, byte) in place.iter_mut().zip(text) {
        *place = *byte;
    }
    let mut len = len;
    for place in place.iter_mut().skip(16).take(4).rev() {
        *place = b'0' + (len % 10) as u8;
        len /= 10;
    }
    place
}

const QUESTION: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"error":null,"result":19}"#;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut server: RpcServer<'_, Infallible, 1, 4, MESSAGE> = RpcServer::new();
    let methods: [(&str, &dyn RpcHandler); 4] =
        [("subtract", &SUBTRACT), ("led.get", &LED_GET), ("level", &LEVEL), ("led.set", &LED_SET)];
    for (name, method) in methods {
        used(&server.register_handler(name, method).is_ok());
    }
    let mut place = [0; 24];
    let mut stream = Stream { header: header(text.len(), &mut place), text, out, is_answered: false };
    block_on(server.serve(&mut stream)).is_ok() && stream.is_answered
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(QUESTION, ANSWER));
