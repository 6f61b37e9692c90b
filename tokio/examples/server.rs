//! A server on TCP, whose calls run side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use nanojsonrpc_tokio::{Methods, Options, Server, Trace};
use tokio::net::TcpListener;
use tower::ServiceBuilder;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    tracing_subscriber::fmt().init();
    let methods = Methods::new(Arc::new(AtomicU8::new(3)))
        .request("lamp.set", async |lamp: Arc<AtomicU8>, (level,): (u8,)| Ok(lamp.swap(level, Ordering::Relaxed)))
        .request("lamp.fade", async |lamp: Arc<AtomicU8>, (level, millis): (u8, u64)| {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            Ok(lamp.swap(level, Ordering::Relaxed))
        });
    let server = Server::new(ServiceBuilder::new().layer(Trace::new()).service(methods))
        .options(Options::new().deadline(Duration::from_secs(10)).idle(Duration::from_secs(60)));
    server.serve(TcpListener::bind("127.0.0.1:4000").await?, async { _ = tokio::signal::ctrl_c().await }).await;
    Ok(())
}
