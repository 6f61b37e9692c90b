//! Generated clients over connections, blocking and `async`; builds of different age; futures that are `Send`.
#![cfg(all(feature = "embedded-io-async", unix, not(miri)))]

use std::os::unix::net::UnixStream;

use embedded_io_adapters::std::FromStd;
use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::connection::{CallError, Connection, ConnectionError, serve, serve_async};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::service::{AsyncCaller, Caller};
use nanojsonrpc::{Client, Dialect, ErrorCode, ErrorKind, ErrorObject, Router, Server, Writer};

type FanResult<T> = Result<T, ErrorObject<'static>>;

mod old {
    use super::{FanResult, OldSpeed};

    #[nanojsonrpc::service(prefix = "fan.", client = OldClient)]
    pub(crate) trait Old {
        async fn set(&mut self, rpm: u16) -> FanResult<u16>;
        fn speed(&self) -> u16;
        fn report(&self) -> OldSpeed;
        #[notification]
        async fn stalled(&mut self, at: &str);
    }
}

mod new {
    use super::{FanResult, Speed};

    /// Two params, a field of a result and a method more.
    #[nanojsonrpc::service(prefix = "fan.", client = NewClient)]
    pub(crate) trait New {
        async fn set(&mut self, rpm: u16, ramp: Option<u8>) -> FanResult<u16>;
        fn speed(&self) -> u16;
        fn detail(&self) -> Speed;
        fn report(&self, unit: Option<u8>) -> Speed;
        #[notification]
        async fn stalled(&mut self, at: &str);
    }
}

use new::{New, NewClient, NewService};
use old::{Old, OldClient, OldService};

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Speed {
    rpm: u16,
    #[serde(default)]
    is_steady: bool,
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct OldSpeed {
    rpm: u16,
}

#[derive(Default)]
struct Fan {
    rpm: u16,
    ramp: Option<u8>,
    stalls: Vec<String>,
}

impl Old for Fan {
    async fn set(&mut self, rpm: u16) -> FanResult<u16> {
        tokio::task::yield_now().await;
        if rpm > 3000 {
            return Err(ErrorObject::new(-32001, "too fast"));
        }
        self.rpm = rpm;
        Ok(rpm)
    }

    fn speed(&self) -> u16 {
        self.rpm
    }

    fn report(&self) -> OldSpeed {
        OldSpeed { rpm: self.rpm }
    }

    async fn stalled(&mut self, at: &str) {
        self.stalls.push(at.to_owned());
    }
}

impl New for Fan {
    async fn set(&mut self, rpm: u16, ramp: Option<u8>) -> FanResult<u16> {
        self.ramp = ramp;
        Old::set(self, rpm).await
    }

    fn speed(&self) -> u16 {
        self.rpm
    }

    fn report(&self, _: Option<u8>) -> Speed {
        New::detail(self)
    }

    fn detail(&self) -> Speed {
        Speed { rpm: self.rpm, is_steady: true }
    }

    async fn stalled(&mut self, at: &str) {
        Old::stalled(self, at).await;
    }
}

/// Runs `client` against a server of `routes` in another task. Returns the context of the server.
async fn against<R>(routes: R, client: impl AsyncFnOnce(tokio::io::DuplexStream)) -> Fan
where
    R: nanojsonrpc::server::AsyncRoutes<Fan> + 'static,
{
    let (near, far) = tokio::io::duplex(256);
    let served = async {
        let mut fan = Fan::default();
        let (reader, writer) = tokio::io::split(far);
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let mut server = Server::with_routes(routes);
        serve_async(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output, &mut server, &mut fan)
            .await
            .unwrap();
        fan
    };
    tokio::join!(served, client(near)).0
}

macro_rules! peer {
    ($peer:ident, $stream:ident) => {
        let (reader, writer) = tokio::io::split($stream);
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let (reader, writer) = (FromTokio::new(reader), FromTokio::new(writer));
        let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
        let (mut server, mut context) = (Server::new(Router::<()>::new()), ());
        #[allow(unused_mut)]
        let mut $peer = connection.peer_async(&mut server, &mut context);
    };
}

#[tokio::test]
async fn a_client_calls_a_service_without_blocking() {
    let fan = against(OldService, async |stream| {
        peer!(peer, stream);
        assert_eq!(OldClient::set_async(&mut peer, 1200).await.unwrap(), 1200);
        assert_eq!(OldClient::speed_async(&mut peer).await.unwrap(), 1200);
        let Err(CallError::Peer(error)) = OldClient::set_async(&mut peer, 3001).await else { panic!("an error") };
        assert_eq!((error.code, error.message.to_string()), (ErrorCode(-32001), String::from("too fast")));
        OldClient::stalled_async(&mut peer, "dusk\n").await.unwrap();
        assert_eq!(OldClient::speed_async(&mut peer).await.unwrap(), 1200);
    })
    .await;
    assert_eq!((fan.rpm, fan.stalls), (1200, vec![String::from("dusk\n")]));
}

#[tokio::test]
async fn builds_of_different_age_talk() {
    // a newer client: an older server ignores an unknown param, and lacks the newer method
    let fan = against(OldService, async |stream| {
        peer!(peer, stream);
        assert_eq!(NewClient::set_async(&mut peer, 1200, Some(3)).await.unwrap(), 1200);
        let Err(CallError::Peer(error)) = NewClient::detail_async(&mut peer).await else { panic!("an error") };
        assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
        // a field that the older server does not write has its default
        let report = NewClient::report_async(&mut peer, None).await.unwrap();
        assert_eq!(report, Speed { rpm: 1200, is_steady: false });
        // a method that was declared without params takes none
        let Err(CallError::Peer(error)) = NewClient::report_async(&mut peer, Some(1)).await else { panic!("an error") };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    })
    .await;
    assert_eq!((fan.rpm, fan.ramp), (1200, None));
    // an older client: the newer server does without the param
    let fan = against(NewService, async |stream| {
        peer!(peer, stream);
        assert_eq!(OldClient::set_async(&mut peer, 1200).await.unwrap(), 1200);
        assert_eq!(NewClient::detail_async(&mut peer).await.unwrap(), Speed { rpm: 1200, is_steady: true });
        // and ignores a field that the newer server writes
        assert_eq!(OldClient::report_async(&mut peer).await.unwrap(), OldSpeed { rpm: 1200 });
    })
    .await;
    assert_eq!((fan.rpm, fan.ramp), (1200, None));
}

#[tokio::test]
async fn calls_and_notifications_obey_the_dialect_of_the_server() {
    for (dialect, takes_arrays, takes_scalars) in
        [(Dialect::JSON_RPC, true, false), (Dialect::MCP, false, false), (Dialect::CAUCE, true, true)]
    {
        let (mut framer, mut output, mut sent) = (Framer::<Lines, 64>::new(), [0; 256], [0; 512]);
        let mut connection = Connection::new(&b""[..], &mut sent[..], &mut framer, &mut output);
        let (mut server, mut context) = (Server::new(Router::<()>::new()).with_dialect(dialect), ());
        let mut peer = connection.peer(&mut server, &mut context);
        assert_eq!(Caller::notify(&mut peer, "a", &[1]).is_ok(), takes_arrays);
        assert_eq!(Caller::notify(&mut peer, "a", &1).is_ok(), takes_scalars);
        // the stream ends before the answer
        assert_eq!(matches!(peer.call::<u8>("a", &[1]), Err(CallError::Connection(_))), !takes_arrays);
        assert_eq!(matches!(peer.call::<u8>("a", &1), Err(CallError::Connection(_))), !takes_scalars);
    }
    for (dialect, is_sent) in [(Dialect::JSON_RPC, false), (Dialect::CAUCE, true)] {
        let (stream, _silent) = tokio::io::duplex(256);
        let (reader, writer) = tokio::io::split(stream);
        let (mut framer, mut output) = (Framer::<Lines, 64>::new(), [0; 256]);
        let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
        let (mut server, mut context) = (Server::new(Router::<()>::new()).with_dialect(dialect), ());
        let mut peer = connection.peer_async(&mut server, &mut context);
        assert_eq!(AsyncCaller::notify(&mut peer, "a", &1).await.is_ok(), is_sent);
    }
}

#[tokio::test]
async fn a_call_ends_at_its_deadline() {
    let (stream, _silent) = tokio::io::duplex(256);
    let (reader, writer) = tokio::io::split(stream);
    let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
    let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
    let (mut server, mut context) = (Server::new(Router::<()>::new()), ());
    let mut peer =
        connection.peer_async(&mut server, &mut context).until_async(async || tokio::task::yield_now().await);
    assert!(matches!(OldClient::speed_async(&mut peer).await, Err(CallError::Late)));
}

/// `?` then does the same in both forms: an error that borrows from the connection cannot leave the function that owns it.
#[test]
fn both_forms_of_a_method_have_the_same_errors() {
    use nanojsonrpc::Notification;
    use nanojsonrpc::memory::Pipe;

    /// The type of the error, without its lifetimes.
    fn error<T, E>(_: Result<T, E>) -> &'static str {
        core::any::type_name::<E>()
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        embassy_futures::block_on(future)
    }

    let mut pipe = Pipe::<4096>::new();
    let (device, hub) = pipe.ends();
    hub.close();
    let (mut framer, mut output, mut context) = (Framer::<Lines, 64>::new(), [0; 256], ());
    let mut server = Server::new(Router::<()>::new());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    macro_rules! same {
        ($($method:ident $method_async:ident ($($arguments:expr),*))*) => {$(
            let names = (error(connection.$method($($arguments),*)), error(run(connection.$method_async($($arguments),*))));
            assert_eq!(names.0, names.1, stringify!($method));
        )*};
    }
    same! {
        read read_async()
        answer answer_async(&mut server, &mut context)
        serve serve_async(&mut server, &mut context)
        send send_async(&Notification::new("a"))
        send_text send_text_async(b"[]")
        resume_output resume_output_async()
    }
    let called = error(connection.call::<u8>("a", &()));
    assert_eq!(called, error(run(connection.call_async::<u8>("a", &()))));
    let until = error(connection.call_until::<u8>("a", &(), || true));
    assert_eq!(until, error(run(connection.call_until_async::<u8>("a", &(), core::future::ready(())))));
    // the functions of a client over both callers, and those of the callers
    macro_rules! over {
        ($peer:expr, $peer_async:expr) => {
            let called = error(OldClient::speed($peer));
            assert_eq!(called, error(run(OldClient::speed_async($peer_async))));
            let fallible = error(OldClient::set($peer, 7));
            assert_eq!(fallible, error(run(OldClient::set_async($peer_async, 7))));
            let notified = error(OldClient::stalled($peer, "dusk"));
            assert_eq!(notified, error(run(OldClient::stalled_async($peer_async, "dusk"))));
            assert_ne!(called, notified);
        };
    }
    over!(&mut connection, &mut connection);
    over!(&mut connection.peer(&mut server, &mut context), &mut connection.peer_async(&mut server, &mut context));
    let called = error(connection.peer(&mut server, &mut context).call::<u8>("a", &()));
    assert_eq!(called, error(run(connection.peer_async(&mut server, &mut context).call_async::<u8>("a", &()))));
    let notified = error(connection.peer(&mut server, &mut context).notify("a", &()));
    assert_eq!(notified, error(run(connection.peer_async(&mut server, &mut context).notify_async("a", &()))));
}

/// A function that owns the connection returns the error of a notification with `?`.
#[tokio::test]
async fn the_error_of_a_notification_borrows_nothing() {
    async fn stalled(stream: tokio::io::DuplexStream) -> Result<(), ConnectionError<std::io::Error, std::io::Error>> {
        peer!(peer, stream);
        OldClient::stalled_async(&mut peer, "dusk").await?;
        Ok(())
    }

    let (near, far) = tokio::io::duplex(256);
    drop(far);
    assert!(matches!(stalled(near).await, Err(ConnectionError::Write(_))));
}

/// A client without a server.
#[tokio::test]
async fn a_client_calls_over_a_connection_alone() {
    let fan = against(OldService, async |stream| {
        let (reader, writer) = tokio::io::split(stream);
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
        assert_eq!(OldClient::set_async(&mut connection, 1200).await.unwrap(), 1200);
        OldClient::stalled_async(&mut connection, "dusk").await.unwrap();
        assert_eq!(OldClient::speed_async(&mut connection).await.unwrap(), 1200);
    })
    .await;
    assert_eq!((fan.rpm, fan.stalls), (1200, vec![String::from("dusk")]));
}

#[test]
fn the_future_of_a_served_service_is_send() {
    fn send<T: Send>(_: &T) {}
    let mut fan = Fan::default();
    let mut server = Server::with_routes(OldService);
    let mut output = [0; 128];
    let text = br#"{"jsonrpc":"2.0","method":"fan.set","params":[1],"id":1}"#;
    let future = server.process_async(&mut fan, text, &mut output);
    send(&future);
}

#[test]
fn a_client_calls_a_service_and_blocks() {
    #[nanojsonrpc::service(client = DoorClient)]
    trait Door {
        fn open(&mut self, width: u8) -> FanResult<bool>;
        #[notification]
        fn rattle(&mut self);
    }

    impl Door for (u8, u8) {
        fn open(&mut self, width: u8) -> FanResult<bool> {
            self.0 = width;
            Ok(width > 0)
        }

        fn rattle(&mut self) {
            self.1 += 1;
        }
    }

    let (near, far) = UnixStream::pair().unwrap();
    let served = std::thread::spawn(move || {
        let mut door = (0, 0);
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let mut server = DoorService::server(&mut door);
        serve(FromStd::new(&far), FromStd::new(&far), &mut framer, &mut output, &mut server, &mut ()).unwrap();
        door
    });
    {
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let mut connection = Connection::new(FromStd::new(&near), FromStd::new(&near), &mut framer, &mut output);
        let (mut server, mut context) = (Server::new(Router::<()>::new()), ());
        let mut peer = connection.peer(&mut server, &mut context);
        DoorClient::rattle(&mut peer).unwrap();
        assert!(DoorClient::open(&mut peer, 5).unwrap());
        assert!(!DoorClient::open(&mut peer, 0).unwrap());
        assert!(matches!(OldClient::speed(&mut peer), Err(CallError::Peer(_))));
    }
    drop(near);
    assert_eq!(served.join().unwrap(), (0, 1));
}

#[test]
fn a_call_that_is_refused_gives_back_its_tag() {
    let mut client: Client<char, 1> = Client::new();
    let (mut short, mut buffer) = ([0; 8], [0; 64]);
    for deadline in [None, Some(7)] {
        let refused = match deadline {
            None => OldClient::speed(client.sending('s', &mut Writer::new(&mut short))),
            Some(at) => OldClient::speed(client.until(at).sending('s', &mut Writer::new(&mut short))),
        };
        let refused = refused.map(|call| call.id()).unwrap_err();
        assert_eq!((refused.error.kind(), refused.tag), (ErrorKind::OutputFull, 's'), "{deadline:?}");
    }
    assert!(client.is_empty());
    assert_eq!(OldClient::speed(client.until(7).sending('s', &mut Writer::new(&mut buffer))).unwrap().id(), 1);
}
