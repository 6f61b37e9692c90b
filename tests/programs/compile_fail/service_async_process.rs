//! A service that waits, in a server that does not.
//! says: serve a router with an `async` handler by `process_async`
#![allow(dead_code)]
#[nanojsonrpc::service]
trait Fan {
    async fn speed(&self) -> u16;
}

struct Blower;

impl Fan for Blower {
    async fn speed(&self) -> u16 {
        7
    }
}

#[cfg(not(feature = "advised"))]
fn main() {
    let mut server = FanService::server(Blower);
    _ = server.process(&mut (), b"", &mut [0; 64]).answer(); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let mut server = FanService::server(Blower);
    let (mut context, mut output) = ((), [0; 64]);
    drop(server.process_async(&mut context, b"", &mut output));
}
