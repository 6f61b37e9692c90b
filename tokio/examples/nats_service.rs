//! A service on the subject `home.lamp.rpc` of NATS, and a call of it. Start more of these processes: the queue group shares the calls.
//!
//! `nats-server & cargo run --example nats_service --features nats`

use std::sync::{Arc, Mutex};

use nanojsonrpc::broker::nats::Layout;
use nanojsonrpc_tokio::{BoxError, Methods, Options, nats};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let subject = Layout { prefix: "home", name: "lamp" }.requests::<64>()?;
    let broker = async_nats::connect("127.0.0.1:4222").await?;
    let methods = Methods::new(Arc::new(Mutex::new(7_u8)))
        .request("level", async |level: Arc<Mutex<u8>>, ()| Ok(level.lock().map_or(0, |level| *level)))
        .notification("set", async |level: Arc<Mutex<u8>>, (new,): (u8,)| {
            _ = level.lock().map(|mut level| *level = new);
        });
    let calling = async {
        let client = nats::client(&broker, &subject, None, Options::new())?;
        client.notify("set", &[8]).await?;
        println!("level: {}", client.call::<u8>("level", &()).await?);
        Result::<(), BoxError>::Ok(())
    };
    let stop = async { _ = tokio::signal::ctrl_c().await };
    let (served, called) =
        tokio::join!(nats::Server::new(methods).group("lamps").serve(&broker, &subject, stop), calling);
    served?;
    called
}
