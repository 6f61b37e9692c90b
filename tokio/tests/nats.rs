//! Calls over NATS, with the broker `nats-server`.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::Broker;
use futures_util::StreamExt as _;
use nanojsonrpc::ErrorObject;
use nanojsonrpc::broker::nats::Layout;
use nanojsonrpc_tokio::nats::{NO_RESPONDERS, Server, client};
use nanojsonrpc_tokio::{CallError, Client, Closed, Methods, Options};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const LAMP: Layout<'static> = Layout { prefix: "home", name: "lamp" };

fn methods(name: &'static str, calls: Arc<AtomicUsize>) -> Methods<Arc<AtomicUsize>> {
    Methods::new(calls)
        .request("name", move |calls: Arc<AtomicUsize>, ()| async move {
            calls.fetch_add(1, Ordering::Relaxed);
            Ok(name)
        })
        .request("sleep", async |_, (millis,): (u64,)| {
            sleep(Duration::from_millis(millis)).await;
            Ok(millis)
        })
        .request("fail", async |_, ()| -> Result<(), ErrorObject<'static>> { Err(ErrorObject::new(-32010, "too hot")) })
        .notification("add", async |calls: Arc<AtomicUsize>, (number,): (usize,)| {
            calls.fetch_add(number, Ordering::Relaxed);
        })
        .request("count", async |calls: Arc<AtomicUsize>, ()| Ok(calls.load(Ordering::Relaxed)))
}

async fn connect(broker: &Broker) -> async_nats::Client {
    async_nats::connect(format!("127.0.0.1:{}", broker.port())).await.unwrap()
}

struct Service {
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
    calls: Arc<AtomicUsize>,
}

/// Serves in a connection of its own, and waits until the broker knows that.
async fn serve(broker: &Broker, name: &'static str, options: Options) -> Service {
    let (calls, connection) = (Arc::new(AtomicUsize::new(0)), connect(broker).await);
    let (stop, stopped) = oneshot::channel::<()>();
    let server = Server::new(methods(name, Arc::clone(&calls))).options(options).group("lamps");
    let serving = connection.clone();
    let serving = tokio::spawn(async move {
        server.serve(&serving, &LAMP.requests::<64>().unwrap(), async { _ = stopped.await }).await
    });
    tokio::task::yield_now().await;
    connection.flush().await.unwrap();
    Service { stop, serving, calls }
}

async fn caller(broker: &Broker, options: Options) -> Client {
    client(&connect(broker).await, &LAMP.requests::<64>().unwrap(), None, options).unwrap()
}

#[tokio::test]
async fn a_call_has_a_result_or_an_error_and_a_notification_arrives() {
    let broker = Broker::start("nats-server");
    let service = serve(&broker, "a", Options::new()).await;
    let client = caller(&broker, Options::new()).await;
    assert_eq!(client.call::<String>("name", &()).await.unwrap(), "a");
    let Err(CallError::Peer(error)) = client.call::<()>("fail", &()).await else { panic!() };
    assert_eq!((error.code.0, error.message.as_str()), (-32010, "too hot"));
    let Err(CallError::Peer(error)) = client.call::<()>("nothing", &()).await else { panic!() };
    assert_eq!(error.code.0, -32601);
    client.notify("add", &[4]).await.unwrap();
    let begun = Instant::now();
    while service.calls.load(Ordering::Relaxed) != 5 {
        assert!(begun.elapsed() < Duration::from_secs(5));
        sleep(Duration::from_millis(5)).await;
    }
    // what was received before the end is answered
    let late = client.clone();
    let late = tokio::spawn(async move { late.call::<u64>("sleep", &[200]).await });
    sleep(Duration::from_millis(50)).await;
    service.stop.send(()).unwrap();
    service.serving.await.unwrap().unwrap();
    assert_eq!(late.await.unwrap().unwrap(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn messages_are_handled_in_their_order() {
    let broker = Broker::start("nats-server");
    let _service = serve(&broker, "a", Options::new()).await;
    let client = caller(&broker, Options::new()).await;
    for count in 1..=200_usize {
        client.notify("add", &[1]).await.unwrap();
        assert_eq!(client.call::<usize>("count", &()).await.unwrap(), count);
    }
}

#[tokio::test]
async fn a_batch_has_one_answer_and_a_slow_call_holds_no_other_up() {
    let broker = Broker::start("nats-server");
    let _service = serve(&broker, "a", Options::new()).await;
    let client = caller(&broker, Options::new()).await;
    let mut batch = client.batch();
    let slow = batch.call("sleep", &[100]).unwrap();
    batch.notify("add", &[5]).unwrap();
    let missing = batch.call("nothing", &()).unwrap();
    let mut answers = batch.send().await.unwrap();
    assert_eq!(answers.take::<u64>(slow).unwrap(), 100);
    assert!(matches!(answers.take::<i64>(missing), Err(CallError::Peer(error)) if error.code.0 == -32601));

    let waiting = client.clone();
    let waiting = tokio::spawn(async move { waiting.call::<u64>("sleep", &[1000]).await });
    sleep(Duration::from_millis(50)).await;
    timeout(Duration::from_millis(800), client.call::<usize>("count", &())).await.unwrap().unwrap();
    assert_eq!(waiting.await.unwrap().unwrap(), 1000);
}

#[tokio::test]
async fn limits_of_time_and_of_places() {
    let broker = Broker::start("nats-server");
    let options = Options::new().deadline(Duration::from_millis(300)).calls(1).queue(1).max_len(300);
    let _service = serve(&broker, "a", options).await;
    let client = caller(&broker, Options::new()).await;
    let calls = futures_util::future::join_all((0..3).map(|_| client.call::<u64>("sleep", &[5000])));
    let mut codes: Vec<i64> = calls
        .await
        .into_iter()
        .map(|outcome| if let Err(CallError::Peer(error)) = outcome { error.code.0 } else { panic!("{outcome:?}") })
        .collect();
    codes.sort_unstable();
    assert_eq!(codes, [-32001, -32001, -32000]);
    let Err(CallError::Peer(error)) = client.call::<()>("name", &["x".repeat(300)]).await else { panic!() };
    assert_eq!(error.code.0, -32600);
}

#[tokio::test]
async fn a_service_on_an_idle_connection_ends_at_once() {
    let broker = Broker::start("nats-server");
    let service = serve(&broker, "a", Options::new()).await;
    // the broker pings a new connection after 2 s, and then after minutes, as the connection does
    sleep(Duration::from_secs(4)).await;
    service.stop.send(()).unwrap();
    timeout(Duration::from_secs(20), service.serving).await.expect("it ends").unwrap().unwrap();
}

#[tokio::test]
async fn a_queue_group_shares_the_calls() {
    let broker = Broker::start("nats-server");
    let (one, two) = (serve(&broker, "one", Options::new()).await, serve(&broker, "two", Options::new()).await);
    let client = caller(&broker, Options::new()).await;
    for _ in 0..100 {
        client.call::<String>("name", &()).await.unwrap();
    }
    let counts = [one.calls.load(Ordering::Relaxed), two.calls.load(Ordering::Relaxed)];
    assert!(counts[0] > 10 && counts[1] > 10 && counts[0] + counts[1] == 100, "{counts:?}");
}

#[tokio::test]
async fn events_are_notifications() {
    let broker = Broker::start("nats-server");
    let (requests, events) = (LAMP.requests::<64>().unwrap(), LAMP.events::<64>().unwrap());
    let hub = client(&connect(&broker).await, &requests, Some(&events), Options::new()).unwrap();
    let mut notifications = std::pin::pin!(hub.notifications());
    let lamp = client(&connect(&broker).await, &events, None, Options::new()).unwrap();
    let ticking = async {
        loop {
            lamp.notify("tick", &[1]).await.unwrap();
            sleep(Duration::from_millis(20)).await;
        }
    };
    let tick = tokio::select! {
        tick = notifications.next() => tick.unwrap().unwrap(),
        () = ticking => panic!(),
        () = sleep(Duration::from_secs(5)) => panic!("no event"),
    };
    assert_eq!(tick.text(), r#"{"jsonrpc":"2.0","method":"tick","params":[1]}"#);
}

#[tokio::test]
async fn a_call_without_a_service_ends_at_once() {
    let broker = Broker::start("nats-server");
    let client = caller(&broker, Options::new()).await;
    let call = timeout(Duration::from_secs(5), client.call::<()>("name", &())).await.unwrap();
    assert!(matches!(call, Err(CallError::Peer(error)) if error.code == NO_RESPONDERS));
    let mut batch = client.batch();
    let (one, two) = (batch.call("name", &()).unwrap(), batch.call("name", &()).unwrap());
    let mut answers = timeout(Duration::from_secs(5), batch.send()).await.unwrap().unwrap();
    for slot in [one, two] {
        assert!(matches!(answers.take::<()>(slot), Err(CallError::Peer(error)) if error.code == NO_RESPONDERS));
    }
}

#[tokio::test]
async fn a_call_ends_with_the_broker_and_later_calls_find_the_next_one() {
    let mut broker = Broker::start("nats-server");
    let _service = serve(&broker, "a", Options::new()).await;
    let client = caller(&broker, Options::new()).await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call::<u64>("sleep", &[30_000]).await });
    sleep(Duration::from_millis(200)).await;
    broker.kill();
    let ended = timeout(Duration::from_secs(5), call).await.unwrap().unwrap();
    assert!(matches!(ended, Err(CallError::Closed(Closed::Failed(_)))), "{ended:?}");
    broker.restart();
    let begun = Instant::now();
    // the service may come back after the client
    while !matches!(client.call::<String>("name", &()).await, Ok(name) if name == "a") {
        assert!(begun.elapsed() < Duration::from_secs(20));
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn an_invalid_subject_is_refused() {
    let broker = Broker::start("nats-server");
    let connection = connect(&broker).await;
    assert!(client(&connection, "home.*.rpc", None, Options::new()).is_err());
    let server = || Server::new(methods("a", Arc::default()));
    for (subject, group) in [("home..rpc", "lamps"), ("home.lamp.rpc", "l.*")] {
        let refused = server().group(group).serve(&connection, subject, std::future::pending()).await;
        assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    }
    let serving = connection.clone();
    let serving = tokio::spawn(async move { server().serve(&serving, "a", std::future::pending()).await });
    sleep(Duration::from_millis(50)).await;
    connection.drain().await.unwrap();
    assert_eq!(serving.await.unwrap().unwrap_err().kind(), std::io::ErrorKind::NotConnected);
}
