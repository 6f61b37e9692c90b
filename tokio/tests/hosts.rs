//! Servers of hosts: listeners, layers of tower, services of the core, reconnecting clients, traces.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nanojsonrpc::mcp::{Schema, Service, ToolCall};
use nanojsonrpc::server::AsyncRoutes;
use nanojsonrpc::{Dialect, ErrorObject, Router};
use nanojsonrpc_tokio::{
    CallError, Client, Closed, ExponentialBuilder, Methods, Options, Request, Response, Served, ServedAsync, Server,
    Trace, connect,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tower::ServiceBuilder;

fn methods() -> Methods<()> {
    let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let count = move |(), (number,): (u64,)| {
        let before = count.fetch_add(number, std::sync::atomic::Ordering::Relaxed);
        async move { Ok(before) }
    };
    Methods::new(()).request("count", count).request("ping", async |(), ()| Ok("pong")).request(
        "sleep",
        async |(), (millis,): (u64,)| {
            sleep(Duration::from_millis(millis)).await;
            Ok(millis)
        },
    )
}

/// Serves until the sender is used or dropped.
async fn listening<S>(
    server: Server<nanojsonrpc_tokio::Same<S>>,
) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>)
where
    nanojsonrpc_tokio::Same<S>: nanojsonrpc_tokio::MakeService + Sync + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(async move { server.serve(listener, async { _ = stopped.await }).await });
    (address, stop, task)
}

#[tokio::test]
async fn a_listener_serves_many_and_ends_gracefully() {
    let (address, stop, task) = listening(Server::new(methods())).await;
    let clients: Vec<_> =
        futures_util::future::join_all((0..20).map(async |_| Client::over(TcpStream::connect(address).await.unwrap())))
            .await;
    for client in &clients {
        assert_eq!(client.call::<String>("ping", &()).await.unwrap(), "pong");
    }
    let calling = clients[0].clone();
    let call = tokio::spawn(async move { calling.call::<u64>("sleep", &[200]).await });
    sleep(Duration::from_millis(50)).await;
    stop.send(()).unwrap();
    // the call that runs is answered, the others are ended
    assert_eq!(call.await.unwrap().unwrap(), 200);
    assert!(matches!(clients[1].call::<String>("ping", &()).await, Err(CallError::Closed(_))));
    drop(clients);
    timeout(Duration::from_secs(5), task).await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn more_clients_wait_until_others_leave() {
    let (address, _stop, _task) = listening(Server::new(methods()).connections(1)).await;
    let first = Client::over(TcpStream::connect(address).await.unwrap());
    first.call::<String>("ping", &()).await.unwrap();
    let second = Client::over(TcpStream::connect(address).await.unwrap());
    assert!(timeout(Duration::from_millis(100), second.call::<String>("ping", &())).await.is_err());
    drop(first);
    timeout(Duration::from_secs(5), second.call::<String>("ping", &())).await.unwrap().unwrap();
}

#[tokio::test]
async fn layers_of_tower_are_errors_of_calls() {
    let service =
        ServiceBuilder::new().load_shed().concurrency_limit(1).timeout(Duration::from_millis(50)).service(methods());
    let (near, far) = duplex(4096);
    let _server = connect(far, service, Options::new());
    let client = Client::over(near);
    let (slow, shed) = tokio::join!(client.call::<u64>("sleep", &[10_000]), client.call::<String>("ping", &()));
    assert!(matches!(slow, Err(CallError::Peer(error)) if error.code.0 == -32001));
    assert!(matches!(shed, Err(CallError::Peer(error)) if error.code.0 == -32000));
    assert_eq!(client.call::<String>("ping", &()).await.unwrap(), "pong");
}

#[nanojsonrpc::service(prefix = "lamp.", client = LampClient)]
trait Lamp {
    fn set(&mut self, level: u8) -> u8;
    fn level(&self) -> u8;
}

impl Lamp for u8 {
    fn set(&mut self, level: u8) -> u8 {
        std::mem::replace(self, level)
    }

    fn level(&self) -> u8 {
        *self
    }
}

#[tokio::test]
async fn a_declared_service_is_served_and_called() {
    let (near, far) = duplex(4096);
    let _server = connect(far, Served::new(LampService::server(3_u8), ()), Options::new());
    let client = Client::over(near);
    assert_eq!(LampClient::set_async(&client, 7).await.unwrap(), 3);
    // the state of a connection stays
    assert_eq!(LampClient::level_async(&client).await.unwrap(), 7);
    assert_eq!(client.call::<u8>("lamp.level", &()).await.unwrap(), 7);
}

#[tokio::test]
async fn asynchronous_routes_of_the_core_run_side_by_side() {
    let router = Router::new().request_async("sleep", async |count: &mut Arc<Mutex<u32>>, (millis,): (u64,)| {
        sleep(Duration::from_millis(millis)).await;
        *count.lock().unwrap() += 1;
        Ok(())
    });
    let router = router.boxed(|routes, context, call, exchange| Box::pin(routes.route(context, call, exchange)));
    let count = Arc::new(Mutex::new(0));
    let (near, far) = duplex(4096);
    let _server = connect(far, ServedAsync::new(nanojsonrpc::Server::new(router), Arc::clone(&count)), Options::new());
    let client = Client::over(near);
    let calls = (0..10).map(|_| client.call::<()>("sleep", &[100]));
    timeout(Duration::from_millis(500), futures_util::future::join_all(calls)).await.unwrap();
    assert_eq!(*count.lock().unwrap(), 10);
}

#[tokio::test]
async fn a_server_of_mcp_sends_progress_before_the_answer() {
    async fn count(peer: &mut Client, mut call: ToolCall<'_>) -> nanojsonrpc::server::Replied {
        for step in 1..=2 {
            if let Some(message) = call.progress(step, Some(2), None).map(<[u8]>::to_vec) {
                peer.send_text(message).await.unwrap();
            }
        }
        call.text("counted")
    }
    let service = Service::new("counter", "1").tool_async("count", "Counts.", Schema::NO_ARGUMENTS, count);
    let routes =
        service.router().boxed(|routes, context, call, exchange| Box::pin(routes.route(context, call, exchange)));
    let server = nanojsonrpc::Server::new(routes).with_dialect(Dialect::MCP);
    let (mut near, far) = duplex(4096);
    let serving = Server::per_connection(move |peer: &Client| ServedAsync::new(server.clone(), peer.clone()));
    tokio::spawn(async move { serving.options(Options::new().dialect(Dialect::MCP)).serve_stream(far).await });
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count","_meta":{"progressToken":"p"}}}"#,
    ] {
        near.write_all(text.as_bytes()).await.unwrap();
        near.write_all(b"\n").await.unwrap();
    }
    let mut received = String::new();
    while received.lines().count() < 4 || !received.ends_with('\n') {
        let mut bytes = [0; 1024];
        let len = timeout(Duration::from_secs(5), near.read(&mut bytes)).await.unwrap().unwrap();
        received.push_str(std::str::from_utf8(&bytes[..len]).unwrap());
    }
    let lines: Vec<_> = received.lines().collect();
    assert!(lines[1].contains("notifications/progress") && lines[2].contains("notifications/progress"), "{lines:?}");
    assert!(lines[3].contains("counted"), "{lines:?}");
}

#[tokio::test]
async fn a_gateway_passes_texts_on() {
    let (near, far) = duplex(4096);
    let _device = connect(
        far,
        Methods::new(())
            .raw("exact", async |(), request: Request| Response::pass(request.message().clone()))
            .request("hot", async |(), ()| -> Result<(), ErrorObject<'static>> {
                Err(ErrorObject::new(-32010, "too hot"))
            }),
        Options::new(),
    );
    let device = Client::over(near);
    let (mut near, far) = duplex(4096);
    let _gateway = connect(far, device, Options::new());
    near.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"exact\",\"params\":[1.50, 1e3],\"id\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"hot\",\"id\":0.5}\n").await.unwrap();
    let mut received = String::new();
    while received.lines().count() < 2 {
        let mut bytes = [0; 1024];
        let len = timeout(Duration::from_secs(5), near.read(&mut bytes)).await.unwrap().unwrap();
        received.push_str(std::str::from_utf8(&bytes[..len]).unwrap());
    }
    assert_eq!(
        received,
        "{\"jsonrpc\":\"2.0\",\"result\":[1.50, 1e3],\"id\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32010,\"message\":\"too hot\"},\"id\":0.5}\n"
    );
}

#[tokio::test]
async fn a_client_connects_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let first = tokio::spawn(async move { Server::new(methods()).serve(listener, async { _ = stopped.await }).await });
    let waits = ExponentialBuilder::default().with_min_delay(Duration::from_millis(10)).with_max_times(1000);
    let connect = move || async move {
        Ok(nanojsonrpc_tokio::stream::<nanojsonrpc::frame::Lines, _>(
            TcpStream::connect(address).await?,
            &Options::new(),
        ))
    };
    let client = Client::reconnecting(connect, waits, Options::new());
    assert_eq!(client.call::<String>("ping", &()).await.unwrap(), "pong");
    stop.send(()).unwrap();
    first.await.unwrap();
    // given up during the outage: it is not called afterwards
    assert!(timeout(Duration::from_millis(20), client.call::<u64>("count", &[1])).await.is_err());
    let calling = client.clone();
    let waiting = tokio::spawn(async move { calling.call::<String>("ping", &()).await });
    sleep(Duration::from_millis(100)).await;
    let listener = TcpListener::bind(address).await.unwrap();
    tokio::spawn(async move { Server::new(methods()).serve(listener, std::future::pending()).await });
    assert_eq!(timeout(Duration::from_secs(5), waiting).await.unwrap().unwrap().unwrap(), "pong");
    assert_eq!(client.call::<u64>("count", &[0]).await.unwrap(), 0);
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Write::write(&mut *self.0.lock().unwrap(), bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn calls_are_traced_without_their_payloads() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let (near, far) = duplex(4096);
    let _server = connect(far, ServiceBuilder::new().layer(Trace::new()).service(methods()), Options::new());
    let client = Client::over(near);
    _ = client.call::<String>("ping", &()).await;
    _ = client.call::<String>("secret\n", &["password"]).await;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(
        log.contains("call{method=\"ping\" id=\"1\"}") && log.contains("code=0") && log.contains("micros="),
        "{log}"
    );
    assert!(log.contains("code=-32601") && !log.contains("password"), "{log}");
    assert!(log.contains(r"secret\n") && log.lines().count() == 2, "{log}");
}

#[tokio::test]
async fn a_stream_with_another_protocol_ends() {
    let (mut near, far) = duplex(4096);
    near.write_all(b"POST / HTTP/1.1\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n").await.unwrap();
    let ended = timeout(Duration::from_secs(5), Server::new(methods()).serve_stream(far)).await.unwrap();
    assert!(matches!(ended, Closed::Failed(_)), "{ended:?}");
}

/// The child of the test below, on its standard input and output.
#[cfg(target_os = "linux")]
const CHILD: &str = "NANOJSONRPC_TOKIO_STDIO";

#[cfg(target_os = "linux")]
#[test]
fn a_server_on_pipes_ends_while_its_input_is_open() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    if std::env::var_os(CHILD).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (ended, mut end) = tokio::sync::mpsc::channel::<()>(1);
        let methods = Methods::new(ended).request("end", async |ended: tokio::sync::mpsc::Sender<()>, ()| {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                _ = ended.send(()).await
            });
            Ok("ending")
        });
        return runtime.block_on(async {
            let server = Server::new(methods);
            tokio::select! {
                _ = server.serve_stdio() => {}
                _ = end.recv() => {}
            }
        });
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "a_server_on_pipes_ends_while_its_input_is_open", "--nocapture"]).env(CHILD, "");
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"end\",\"id\":1}\n").unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (done, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(output.lines().map_while(Result::ok).collect::<Vec<_>>()));
    // the thread that reads ends with the child, whose input is still open
    let lines = lines.recv_timeout(Duration::from_secs(5));
    if lines.is_err() {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    drop(input);
    let answer = r#"{"jsonrpc":"2.0","result":"ending","id":1}"#;
    assert!(lines.unwrap().iter().any(|line| line.ends_with(answer)));
}
