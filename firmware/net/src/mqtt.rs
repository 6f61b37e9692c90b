//! JSON-RPC over MQTT 5: the device is a client of a broker, and answers the calls on its topic.
//!
//! `minimq` keeps the session alive and owns no memory. `rust-mqtt` without a heap was not chosen: it takes packets from its own
//! allocator, whose reset is unsafe.
//!
//! Calls use QoS 1, answers use QoS 0, because the client can store only a few packets that wait for an acknowledgement, and more calls
//! may arrive meanwhile. TCP delivers an answer unless the connection breaks.

use core::net::Ipv4Addr;

use embassy_futures::select::{Either, select};
use embassy_net::tcp::TcpSocket;
use embassy_net::{HardwareAddress, Stack};
use embassy_time::{Duration, Instant, Timer, with_timeout};
use embedded_io_async::{ErrorType, Read, Write};
use minimq::{Buffers, ConfigBuilder, Connection, Io, Property, Publication, QoS, Session, TopicFilter, Will};
use nanojsonrpc::Server;
use nanojsonrpc::broker::mqtt::{self, Delivery, Layout, Outcome};
use nanojsonrpc::broker::{Recent, Topic};

use crate::board::{Board, DeviceService, News, Shared};

/// The address of the broker.
pub const BROKER: (Ipv4Addr, u16) = (Ipv4Addr::new(10, 0, 2, 100), 1883);
/// The maximum length of an answer.
pub const ANSWER: usize = 512;
/// The maximum length of a packet from the broker.
pub const PACKET: usize = 1024;
/// The buffer for sent packets that the broker has not acknowledged.
pub const WAITING: usize = 1536;
/// The maximum length of the topics of the device and its callers.
const TOPIC: usize = 64;
/// The maximum length of correlation data.
const CORRELATION: usize = 32;
/// The pause between two attempts to connect.
const PAUSE: Duration = Duration::from_secs(1);
/// The time in which an equal call is a duplicate: longer than a reconnection, after which the broker sends calls again. `minimq` does not
/// show the DUP flag, which would tell a duplicate from a call that is equal on purpose.
const WINDOW: Duration = Duration::from_secs(30);

/// A socket whose `flush` does not wait for the peer.
///
/// `minimq` flushes its acknowledgement of a call before it returns the call. `flush` of embassy-net waits for the acknowledgement of
/// TCP, which the peer delays: 10 ms per call on the emulator, 40 ms to a broker on Linux. embassy-net sends written bytes without a
/// flush.
struct Unflushed<'s>(TcpSocket<'s>);

impl ErrorType for Unflushed<'_> {
    type Error = embassy_net::tcp::Error;
}

impl Read for Unflushed<'_> {
    async fn read(&mut self, room: &mut [u8]) -> Result<usize, Self::Error> {
        self.0.read(room).await
    }
}

impl Write for Unflushed<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        self.0.write(bytes).await
    }

    async fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Buffers, to be stored in a static.
pub struct Memory {
    packet: [u8; PACKET],
    waiting: [u8; WAITING],
    received: [u8; 512],
    sent: [u8; 1024],
}

impl Memory {
    pub const fn new() -> Self {
        Self { packet: [0; PACKET], waiting: [0; WAITING], received: [0; 512], sent: [0; 1024] }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

/// The topics of the device.
struct Topics {
    requests: Topic<TOPIC>,
    presence: Topic<TOPIC>,
    blinked: Topic<TOPIC>,
}

/// Keeps a connection to the broker. The name of the device is `chip-` and the last byte of its address.
pub async fn run<const OUTPUT: usize>(
    stack: Stack<'static>,
    memory: &'static mut Memory,
    shared: &Shared<OUTPUT>,
) -> Option<()> {
    let HardwareAddress::Ethernet(address) = stack.hardware_address();
    let [.., last] = address.0;
    let digit = |digit: u8| b"0123456789abcdef"[usize::from(digit & 15)];
    let name = [b'c', b'h', b'i', b'p', b'-', digit(last >> 4), digit(last)];
    let name = core::str::from_utf8(&name).unwrap_or_default();
    let layout = Layout { prefix: "net", name };
    let requests = layout.requests().ok()?;
    let topics = Topics { requests, presence: layout.presence().ok()?, blinked: layout.state("blinked").ok()? };
    let Memory { packet, waiting, received, sent } = memory;
    // the broker removes the presence of a device that disconnects
    let will = Will::new(&topics.presence, b"", &[]).ok()?.retained().qos(QoS::AtLeastOnce);
    let config = ConfigBuilder::new(Buffers::new(packet, waiting)).client_id(name).ok()?;
    let mut session = Session::new(config.keepalive_interval(10).will(will).ok()?);
    // recognizes a call that the broker delivers again after a reconnection
    let mut recent = Recent::new().within(WINDOW.as_ticks());
    stack.wait_config_up().await;
    loop {
        let mut socket = TcpSocket::new(stack, &mut received[..], &mut sent[..]);
        socket.set_timeout(Some(Duration::from_secs(15)));
        socket.set_nagle_enabled(false);
        if let Ok(Ok(())) = with_timeout(Duration::from_secs(5), socket.connect(BROKER)).await
            && let Ok(Ok(mut connection)) =
                with_timeout(Duration::from_secs(5), session.connect(Unflushed(socket))).await
        {
            _ = answer(&mut connection, &topics, &mut recent, shared).await;
        }
        Timer::after(PAUSE).await;
    }
}

/// The topic and the correlation data of an answer.
type Reply = minimq::OwnedResponseTarget<TOPIC, CORRELATION>;

/// Answers calls and publishes notifications until the connection breaks.
async fn answer<T: Io, const OUTPUT: usize>(
    connection: &mut Connection<'_, '_, T>,
    topics: &Topics,
    recent: &mut Recent<16>,
    shared: &Shared<OUTPUT>,
) -> Option<()> {
    let mut server = Server::with_routes(DeviceService);
    let mut news = shared.news(None)?;
    let at_least_once = minimq::SubscriptionOptions::default().maximum_qos(QoS::AtLeastOnce);
    connection.subscribe(&[TopicFilter::new(&topics.requests).options(at_least_once)], &[]).await.ok()?;
    let online = Publication::new(&topics.presence, &b"{}"[..]).qos(QoS::AtLeastOnce).retain();
    connection.publish(online).await.ok()?;
    let mut output = [0; ANSWER];
    loop {
        publish_news(connection, &topics.blinked, &mut news).await?;
        let (reply, source, len, expiry) = match select(connection.recv(), news.changed()).await {
            Either::Second(()) => continue,
            Either::First(message) => {
                let message = message.ok()?;
                // a call whose response topic is too long gets no answer
                let Ok(reply) = message.reply_owned() else { continue };
                // a client of MQTT 3.1.1 has no response topic, but may name itself in the call
                let source: Option<Topic<TOPIC>> = match message.response_topic() {
                    Some(_) => None,
                    None => mqtt::source_topic(message.payload()).ok().flatten(),
                };
                let topic = message.response_topic().or(source.as_deref());
                let Some((len, expiry)) =
                    shared.with_output(|board, _| handle(&mut server, board, recent, &message, topic, &mut output))
                else {
                    continue;
                };
                (reply, source, len, expiry)
            }
        };
        let reply: Option<Reply> = reply;
        let Some(topic) = reply.as_ref().map(Reply::topic).or(source.as_deref()) else { continue };
        let correlation = reply.as_ref().and_then(Reply::correlation_data);
        let all = [
            Property::CorrelationData(correlation.unwrap_or_default()),
            Property::MessageExpiryInterval(expiry.unwrap_or_default()),
        ];
        let from = usize::from(correlation.is_none());
        let properties = all.get(from..if expiry.is_some() { 2 } else { 1 }).unwrap_or_default();
        let answer = Publication::new(topic, &output[..len]).properties(properties);
        connection.publish(answer).await.ok()?;
    }
}

/// Returns the length of the answer and its expiry in seconds; `None` if there is nothing to publish.
fn handle(
    server: &mut Server<DeviceService>,
    board: &mut Board,
    recent: &mut Recent<16>,
    message: &minimq::InboundPublish<'_>,
    response_topic: Option<&str>,
    output: &mut [u8; ANSWER],
) -> Option<(usize, Option<u32>)> {
    let expiry = message.properties().iter().find_map(|property| match property {
        Ok(Property::MessageExpiryInterval(seconds)) => Some(seconds),
        _ => None,
    });
    let delivery = Delivery {
        payload: message.payload(),
        is_retained: message.retained(),
        response_topic,
        correlation_data: message.correlation_data(),
        is_dup: false,
        packet_id: None,
        now: Instant::now().as_ticks(),
        expiry,
        waited: 0,
    };
    match mqtt::answer(server, board, recent, &delivery, output) {
        Outcome::Publish(publish) => Some((publish.payload.len(), publish.expiry)),
        _ => None,
    }
}

async fn publish_news<T: Io>(connection: &mut Connection<'_, '_, T>, topic: &str, news: &mut News<'_>) -> Option<()> {
    let mut text = [0; 96];
    while let Some(len) = news.next(|stored| {
        let len = stored.data.len();
        text.get_mut(..len).map(|place| place.copy_from_slice(stored.data)).map(|()| len)
    }) {
        connection.publish(Publication::new(topic, &text[..len])).await.ok()?;
    }
    Some(())
}
