//! Calls over MQTT 5, with the broker `mosquitto`.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::Broker;
use futures_util::StreamExt as _;
use nanojsonrpc::ErrorObject;
use nanojsonrpc::broker::mqtt::Layout;
use nanojsonrpc_tokio::mqtt::{self, MqttOptions, Presence, Server};
use nanojsonrpc_tokio::{CallError, Client, Closed, Methods, Options};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const LAMP: Layout<'static> = Layout { prefix: "home", name: "lamp" };
const HUB: Layout<'static> = Layout { prefix: "home", name: "hub" };

fn methods(name: &'static str, calls: Arc<AtomicUsize>) -> Methods<Arc<AtomicUsize>> {
    Methods::new(calls)
        .request("name", move |calls: Arc<AtomicUsize>, ()| async move {
            calls.fetch_add(1, Ordering::Relaxed);
            Ok(name)
        })
        .request("sleep", async |calls: Arc<AtomicUsize>, (millis,): (u64,)| {
            calls.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(millis)).await;
            Ok(millis)
        })
        .request("fail", async |_, ()| -> Result<(), ErrorObject<'static>> { Err(ErrorObject::new(-32010, "too hot")) })
        .notification("add", async |calls: Arc<AtomicUsize>, (number,): (usize,)| {
            calls.fetch_add(number, Ordering::Relaxed);
        })
}

fn options(port: u16, id: &str) -> MqttOptions {
    MqttOptions::new(id, "127.0.0.1", port)
}

struct Service {
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
    calls: Arc<AtomicUsize>,
}

/// Serves in a connection of its own, and waits until it answers.
async fn serve(connected: MqttOptions, name: &'static str, group: Option<&str>, options: Options) -> Service {
    let (calls, broker) = (Arc::new(AtomicUsize::new(0)), mqtt::Broker::connect(connected));
    let (stop, stopped) = oneshot::channel::<()>();
    let mut server = Server::new(methods(name, Arc::clone(&calls))).options(options);
    if let Some(group) = group {
        server = server.group(group);
    }
    broker.ready().await;
    let serving = tokio::spawn(async move {
        server.serve(&broker, &LAMP.requests::<64>().unwrap(), async { _ = stopped.await }).await
    });
    sleep(Duration::from_millis(300)).await;
    Service { stop, serving, calls }
}

fn caller(broker: &Broker, options: Options) -> Client {
    let broker = mqtt::Broker::connect(self::options(broker.port(), "hub"));
    broker.client(&LAMP.requests::<64>().unwrap(), &HUB.answers::<64>().unwrap(), options).unwrap()
}

async fn until(is_done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_done() {
        assert!(begun.elapsed() < Duration::from_secs(10));
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_call_has_a_result_or_an_error_and_a_notification_arrives() {
    let broker = Broker::start("mosquitto");
    let service = serve(options(broker.port(), "lamp"), "a", None, Options::new()).await;
    let client = caller(&broker, Options::new());
    assert_eq!(client.call::<String>("name", &()).await.unwrap(), "a");
    let Err(CallError::Peer(error)) = client.call::<()>("fail", &()).await else { panic!() };
    assert_eq!((error.code.0, error.message.as_str()), (-32010, "too hot"));
    let Err(CallError::Peer(error)) = client.call::<()>("nothing", &()).await else { panic!() };
    assert_eq!(error.code.0, -32601);
    client.notify("add", &[4]).await.unwrap();
    until(|| service.calls.load(Ordering::Relaxed) == 5).await;
    // what was received before the end is answered
    let late = client.clone();
    let late = tokio::spawn(async move { late.call::<u64>("sleep", &[200]).await });
    until(|| service.calls.load(Ordering::Relaxed) == 6).await;
    service.stop.send(()).unwrap();
    assert_eq!(late.await.unwrap().unwrap(), 200);
    service.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_batch_has_one_answer_and_a_slow_call_holds_no_other_up() {
    let broker = Broker::start("mosquitto");
    let _service = serve(options(broker.port(), "lamp"), "a", None, Options::new()).await;
    let client = caller(&broker, Options::new());
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
    timeout(Duration::from_millis(800), client.call::<String>("name", &())).await.unwrap().unwrap();
    assert_eq!(waiting.await.unwrap().unwrap(), 1000);
}

#[tokio::test]
async fn limits_of_time_and_of_places() {
    let broker = Broker::start("mosquitto");
    let limits = Options::new().deadline(Duration::from_millis(300)).calls(1).queue(1).max_len(300);
    let _service = serve(options(broker.port(), "lamp"), "a", None, limits).await;
    let client = caller(&broker, Options::new());
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
async fn a_group_shares_the_calls() {
    let broker = Broker::start("mosquitto");
    let one = serve(options(broker.port(), "one"), "one", Some("lamps"), Options::new()).await;
    let two = serve(options(broker.port(), "two"), "two", Some("lamps"), Options::new()).await;
    let client = caller(&broker, Options::new());
    for _ in 0..40 {
        client.call::<String>("name", &()).await.unwrap();
    }
    let counts = [one.calls.load(Ordering::Relaxed), two.calls.load(Ordering::Relaxed)];
    assert!(counts[0] > 5 && counts[1] > 5 && counts[0] + counts[1] == 40, "{counts:?}");
}

#[tokio::test]
async fn clients_share_a_topic_of_answers() {
    let broker = Broker::start("mosquitto");
    let _service = serve(options(broker.port(), "lamp"), "a", None, Options::new()).await;
    let connection = mqtt::Broker::connect(options(broker.port(), "hub"));
    let client =
        || connection.client(&LAMP.requests::<64>().unwrap(), &HUB.answers::<64>().unwrap(), Options::new()).unwrap();
    // both count their calls from 1
    let (one, two) = (client(), client());
    for millis in [30, 31, 32] {
        let (slow, quick) = ([millis + 100], [millis]);
        let (slow, quick) = tokio::join!(one.call::<u64>("sleep", &slow), two.call::<u64>("sleep", &quick));
        assert_eq!((slow.unwrap(), quick.unwrap()), (millis + 100, millis));
    }
}

/// Passes packets on, but closes the first connection in place of its first acknowledgement of a message. Counts the deliveries, and those
/// that are marked as delivered again.
async fn cut(port: u16, marked: Arc<[AtomicUsize; 2]>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listening = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut is_first = true;
        loop {
            let (near, _) = listener.accept().await.unwrap();
            let far = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let ((mut from, mut to), (mut back_from, mut back_to)) = (near.into_split(), far.into_split());
            let marked = Arc::clone(&marked);
            let answering = async move {
                while let Some(packet) = packet(&mut back_from).await {
                    if packet[0] >> 4 == 3 {
                        marked[usize::from(packet[0] & 0b1000 != 0)].fetch_add(1, Ordering::Relaxed);
                    }
                    if to.write_all(&packet).await.is_err() {
                        break;
                    }
                }
            };
            let cuts = std::mem::take(&mut is_first);
            let calling = async move {
                while let Some(packet) = packet(&mut from).await {
                    if cuts && packet[0] >> 4 == 4 || back_to.write_all(&packet).await.is_err() {
                        break;
                    }
                }
            };
            tokio::spawn(async move {
                tokio::select! {
                    () = answering => {}
                    () = calling => {}
                }
            });
        }
    });
    listening
}

/// Reads a packet: a byte, the length of the rest, and the rest (MQTT 5 §2.1).
async fn packet(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let mut packet = vec![stream.read_u8().await.ok()?];
    let (mut len, mut shift) = (0, 0);
    loop {
        let byte = stream.read_u8().await.ok()?;
        packet.push(byte);
        len |= usize::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    let head = packet.len();
    packet.resize(head + len, 0);
    stream.read_exact(&mut packet[head..]).await.ok()?;
    Some(packet)
}

#[tokio::test]
async fn a_message_that_is_delivered_twice_is_one_call() {
    let broker = Broker::start("mosquitto");
    for millis in [0, 500] {
        let marked = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let port = cut(broker.port(), Arc::clone(&marked)).await;
        // the broker keeps what was not acknowledged
        let mut kept = options(port, &format!("lamp{millis}"));
        kept.set_clean_start(false).set_session_expiry_interval(Some(60));
        let service = serve(kept, "a", None, Options::new()).await;
        let client = caller(&broker, Options::new());
        assert_eq!(client.call::<u64>("sleep", &[millis]).await.unwrap(), millis);
        until(|| marked[1].load(Ordering::Relaxed) == 1).await;
        assert_eq!(marked[0].load(Ordering::Relaxed), 1);
        sleep(Duration::from_millis(100)).await;
        assert_eq!(service.calls.load(Ordering::Relaxed), 1);
        // an equal message is another call
        assert_eq!(client.call::<u64>("sleep", &[millis]).await.unwrap(), millis);
        assert_eq!(service.calls.load(Ordering::Relaxed), 2);
        service.stop.send(()).unwrap();
        service.serving.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn presence_follows_devices_that_leave_and_that_die() {
    let mut broker = Broker::start("mosquitto");
    let hub = mqtt::Broker::connect(options(broker.port(), "hub"));
    let topic = LAMP.presence::<64>().unwrap();
    let device = |id| mqtt::Broker::connect_as(options(broker.port(), id), &topic, "online").unwrap();
    let online = Presence::Online(topic.to_string(), "online".into());

    let early = device("early");
    early.ready().await;
    sleep(Duration::from_millis(200)).await;
    let mut presences = std::pin::pin!(hub.presence("home/+/presence").await.unwrap());
    let mut next = async || timeout(Duration::from_secs(10), presences.next()).await.unwrap().unwrap();
    assert_eq!(next().await, online);
    // a killed process
    drop(early);
    assert_eq!(next().await, Presence::Offline(topic.to_string()));
    let polite = device("polite");
    assert_eq!(next().await, online);
    polite.close().await;
    assert_eq!(next().await, Presence::Offline(topic.to_string()));

    let _device = device("lamp");
    assert_eq!(next().await, online);
    broker.kill();
    assert_eq!(next().await, Presence::Interrupted);
    broker.restart();
    assert_eq!(next().await, online);
    hub.close().await;
    assert!(timeout(Duration::from_secs(5), presences.next()).await.unwrap().is_none());
}

/// A broker that finds a connection reset publishes the last will, although the peer has said goodbye.
#[tokio::test]
async fn a_connection_is_read_until_the_broker_ends_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let device = mqtt::Broker::connect(options(listener.local_addr().unwrap().port(), "lamp"));
    let (mut stream, _) = listener.accept().await.unwrap();
    assert_eq!(packet(&mut stream).await.unwrap()[0], 0x10);
    stream.write_all(&[0x20, 3, 0, 0, 0]).await.unwrap();
    device.ready().await;
    let closing = tokio::spawn(async move { device.close().await });
    assert_eq!(packet(&mut stream).await.unwrap()[0], 0xE0);
    // an answer to an earlier packet is late
    let silent = timeout(Duration::from_millis(200), stream.read_u8()).await;
    assert!(silent.is_err(), "{silent:?}");
    stream.write_all(&[0xD0, 0]).await.unwrap();
    stream.shutdown().await.unwrap();
    assert_eq!(stream.read_u8().await.unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    timeout(Duration::from_secs(2), closing).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_call_ends_with_the_broker_and_later_calls_find_the_next_one() {
    let mut broker = Broker::start("mosquitto");
    let service = serve(options(broker.port(), "lamp"), "a", None, Options::new()).await;
    let client = caller(&broker, Options::new().patience(Duration::from_secs(8)));
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call::<u64>("sleep", &[30_000]).await });
    until(|| service.calls.load(Ordering::Relaxed) == 1).await;
    broker.kill();
    let ended = timeout(Duration::from_secs(5), call).await.unwrap().unwrap();
    assert!(matches!(ended, Err(CallError::Closed(Closed::Failed(_)))), "{ended:?}");
    broker.restart();
    // the service may come back after the client: then the broker drops the call
    let found = async { while client.request_within(Duration::from_secs(1), "name", &()).await.is_err() {} };
    timeout(Duration::from_secs(30), found).await.unwrap();
}

#[tokio::test]
async fn an_invalid_topic_is_refused_and_a_closed_connection_ends_its_users() {
    let broker = Broker::start("mosquitto");
    let connection = mqtt::Broker::connect(options(broker.port(), "a"));
    assert!(connection.client("home/+/rpc", "answers", Options::new()).is_err());
    assert!(connection.client("home/lamp/rpc", "answers/#", Options::new()).is_err());
    assert!(connection.presence("home/#/presence").await.is_err());
    assert!(mqtt::Broker::connect_as(options(broker.port(), "b"), "home/+", "online").is_err());
    let server = || Server::new(methods("a", Arc::default()));
    for (topic, group) in [("home/#/rpc", "lamps"), ("home/lamp/rpc", "l/a")] {
        let refused = server().group(group).serve(&connection, topic, std::future::pending()).await;
        assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    }
    connection.ready().await;
    let serving = connection.clone();
    let serving = tokio::spawn(async move { server().serve(&serving, "a", std::future::pending()).await });
    sleep(Duration::from_millis(100)).await;
    connection.close().await;
    assert_eq!(serving.await.unwrap().unwrap_err().kind(), std::io::ErrorKind::NotConnected);
}
