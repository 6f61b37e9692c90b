//! A gateway: devices over TCP below, HTTP and WebSocket above. `kitchen.set` calls `set` of the device `kitchen`.
//!
//! ```sh
//! cargo run -p nanojsonrpc-tokio --features axum --example gateway -- 127.0.0.1:8080 kitchen=127.0.0.1:4001 hall=127.0.0.1:4002
//! ```
//!
//! Params and results pass through as the text that they are. Each call has a deadline. A device that is gone is called again when it is
//! back; its notifications go to every WebSocket and to every listener of `GET /rpc`, under its name.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt as _;
use futures_util::StreamExt as _;
use nanojsonrpc::ErrorObject;
use nanojsonrpc::frame::Lines;
use nanojsonrpc_tokio::axum::{Events, Http, websocket};
use nanojsonrpc_tokio::{Client, ExponentialBuilder, Methods, Options, Request, Response, Server, Trace, stream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;
use tower::ServiceBuilder;

type Devices = Arc<HashMap<String, Client>>;

/// A connection to a device, which is made again whenever it ends.
fn device(address: String) -> Client {
    let options = Options::new().patience(Duration::from_secs(5));
    let waits = ExponentialBuilder::default().with_max_delay(Duration::from_secs(5)).without_max_times().with_jitter();
    let connect = move || {
        let address = address.clone();
        async move {
            let socket = TcpStream::connect(address).await?;
            socket.set_nodelay(true)?;
            Ok(stream::<Lines, _>(socket, &Options::new()))
        }
    };
    Client::reconnecting(connect, waits, options)
}

/// Passes a call on to the device in front of the dot.
async fn pass(devices: Devices, request: Request) -> Response {
    let method = request.method().to_string();
    let Some((device, method)) = method.split_once('.').and_then(|(name, method)| Some((devices.get(name)?, method)))
    else {
        return Response::error(ErrorObject::METHOD_NOT_FOUND);
    };
    let params = request.message().payload();
    if request.is_notification() {
        return device.notify(method, &params).await.map_or_else(Response::error, Response::result);
    }
    device.request(method, &params).await.map_or_else(Response::error, Response::pass)
}

/// Tells all clients what the devices tell.
async fn relay(name: String, device: Client, events: Events, sockets: broadcast::Sender<(String, String)>) {
    let mut notifications = std::pin::pin!(device.notifications());
    while let Some(notification) = notifications.next().await {
        let Ok(notification) = notification else { continue };
        let method = format!("{name}.{}", notification.method());
        _ = events.notify(&method, &notification.payload());
        let params = notification.payload().map(|params| params.as_json().to_owned());
        _ = sockets.send((method, params.unwrap_or_default()));
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().init();
    let mut words = std::env::args().skip(1);
    let address = words.next().ok_or("usage: gateway ADDR:PORT NAME=ADDR:PORT…")?;
    let (events, (sockets, _)) = (Events::new(std::process::id()), broadcast::channel::<(String, String)>(256));
    let mut devices = HashMap::new();
    for word in words {
        let (name, address) = word.split_once('=').ok_or("a device is NAME=ADDR:PORT")?;
        let client = device(address.to_owned());
        tokio::spawn(relay(name.to_owned(), client.clone(), events.clone(), sockets.clone()));
        devices.insert(name.to_owned(), client);
    }
    let service = ServiceBuilder::new().layer(Trace::new()).service(Methods::new(Arc::new(devices)).fallback(pass));
    let (http, listening) = (Http::new(service.clone()).events(events), sockets.clone());
    let socket = Server::per_connection(move |peer: &Client| {
        let (peer, mut told) = (peer.clone(), listening.subscribe());
        tokio::spawn(async move {
            while let Ok((method, params)) = told.recv().await {
                let params = nanojsonrpc::RawValue::parse(params.as_bytes()).ok();
                if peer.is_closed() || peer.notify(&method, &params).await.is_err() {
                    return;
                }
            }
        });
        service.clone()
    });
    let app = axum::Router::new().route("/rpc", http.into()).route("/ws", websocket(socket));
    let listener = TcpListener::bind(&address).await?;
    println!("listening on http://{}/rpc and /ws", listener.local_addr()?);
    // otherwise a small message of a WebSocket may wait 40 ms; an error means that the client has gone
    let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
    axum::serve(listener, app).with_graceful_shutdown(async { _ = tokio::signal::ctrl_c().await }).await?;
    Ok(())
}
