//! JSON-RPC over WebSocket at `/ws`: answers calls, and sends the notifications of the device.

use embassy_futures::select::select;
use embassy_time::{Duration, Timer};
use nanojsonrpc::Server;
use nanojsonrpc::frame::websocket::handshake::{Accept, Request, VERSION};
use nanojsonrpc::frame::websocket::{self, Received};
use nanojsonrpc::frame::{Frame, FramerOver, WebSocket};
use nanojsonrpc::http::{Endpoint, Step};

use crate::board::{DeviceService, Shared};
use crate::http::{Head, parse};
use crate::link::{End, Link};

/// The maximum length of the head of the handshake, and of a message.
pub const MESSAGE: usize = 1024;
/// The maximum length of an answer.
pub const ANSWER: usize = 512;
/// The send buffer of a socket: room for an answer with its header, and for shorter messages.
pub const SENT: usize = ANSWER + 256;
/// The maximum header that a server sends before messages of this length.
const HEADER: usize = 4;
/// The maximum length of a notification.
const NOTIFICATION: usize = 96;
/// The maximum length of a pong or a close.
const CONTROL: usize = 2 + websocket::MAX_CONTROL_LEN;
/// The interval between two pings. A peer that answers them is not idle.
const PAUSE: Duration = Duration::from_secs(10);

/// Accepts pages of this machine, and clients that are not browsers.
const ENDPOINT: Endpoint<'_> = Endpoint::new().at("/ws").with_websocket();

type Framer<'b> = FramerOver<WebSocket, &'b mut [u8]>;

/// Serves one connection.
pub async fn serve<const OUTPUT: usize>(
    link: &mut Link<'_>,
    buffer: &mut [u8; MESSAGE],
    shared: &Shared<OUTPUT>,
) -> End {
    serve_behind(link, buffer, 0, shared).await
}

/// Serves a connection whose first `filled` bytes are already in the buffer.
pub(crate) async fn serve_behind<const OUTPUT: usize>(
    link: &mut Link<'_>,
    buffer: &mut [u8],
    filled: usize,
    shared: &Shared<OUTPUT>,
) -> End {
    match upgrade(link, buffer, filled, shared).await {
        Ok(()) => End::Done,
        Err(end) => end,
    }
}

async fn upgrade<const OUTPUT: usize>(
    link: &mut Link<'_>,
    buffer: &mut [u8],
    mut filled: usize,
    shared: &Shared<OUTPUT>,
) -> Result<(), End> {
    let end = loop {
        match handshake(&buffer[..filled]) {
            Ok(Some((accept, end))) => {
                let headers =
                    [("upgrade", "websocket"), ("connection", "Upgrade"), ("sec-websocket-accept", accept.as_str())];
                link.write(Head::new(101, &headers, None, false).text()).await?;
                break end;
            }
            Ok(None) if filled < buffer.len() => {
                let len = link.read(&mut buffer[filled..], core::future::pending()).await?;
                filled += len.unwrap_or(0);
            }
            Ok(None) => return refuse(link, 431).await,
            Err(status) => return refuse(link, status).await,
        }
    };
    link.note();
    // a client waits for the answer to its handshake, so few bytes or none follow the handshake
    let mut rest = [0; 64];
    let Some(rest) = rest.get_mut(..filled - end) else { return Ok(()) };
    rest.copy_from_slice(&buffer[end..filled]);
    let mut framer = nanojsonrpc::frame::Framer::<WebSocket, 0>::over(buffer);
    framer.push(rest);
    messages(link, &mut framer, shared).await
}

async fn refuse(link: &mut Link<'_>, status: u16) -> Result<(), End> {
    let headers = [("upgrade", "websocket"), ("sec-websocket-version", VERSION)];
    let headers = if status == 426 { &headers[..] } else { &[] };
    link.write(Head::new(status, headers, Some(0), true).text()).await
}

/// Parses the head of the handshake; `None` if it is incomplete. The error is the status for a refused handshake.
fn handshake(text: &[u8]) -> Result<Option<(Accept, usize)>, u16> {
    let mut request = Request::new();
    let parsed = parse(text, |name, value| request.header(name, value)).map_err(|_| 400_u16)?;
    let Some(parsed) = parsed else { return Ok(None) };
    match ENDPOINT.begin(&parsed.rpc, 0) {
        Step::Respond(response) if response.status() == 200 => {}
        Step::Respond(response) => return Err(response.status()),
        _ => return Err(405),
    }
    let accept = request.accept().map_err(|refusal| refusal.status())?;
    Ok(Some((accept, parsed.len)))
}

fn send(link: &mut Link<'_>, message: &[u8]) -> Result<(), End> {
    link.put(<WebSocket>::head(message.len()).as_ref())?;
    link.put(message)
}

async fn messages<const OUTPUT: usize>(
    link: &mut Link<'_>,
    framer: &mut Framer<'_>,
    shared: &Shared<OUTPUT>,
) -> Result<(), End> {
    let mut server = Server::with_routes(DeviceService);
    let Some(mut news) = shared.news(None) else { return Ok(()) };
    loop {
        // make room first, because an answer is written in one piece
        link.make_room(ANSWER + HEADER).await?;
        let done = shared.with_output(|board, output| {
            let output = &mut output[..ANSWER];
            let mut control = [0; CONTROL];
            let answer = match framer.next()? {
                Ok(Received::Text(text) | Received::Binary(text)) => server.process(board, text, output).answer(),
                Ok(received @ (Received::Ping(_) | Received::Close(_))) => {
                    let len = received.reply::<websocket::Server>(&mut control).unwrap_or(0);
                    return Some(link.put(&control[..len]));
                }
                Ok(_) => return Some(Ok(())),
                Err(error) => match error.kind().close_code() {
                    Some(code) => {
                        let len = <WebSocket>::close(code, "", &mut control).unwrap_or(0);
                        return Some(link.put(&control[..len]));
                    }
                    None => server.refuse(error, output).answer(),
                },
            };
            Some(answer.map_or(Ok(()), |answer| send(link, answer)))
        });
        if let Some(done) = done {
            done?;
            link.note();
            if framer.frame().is_over() {
                return Ok(());
            }
            continue;
        }
        let news_of = |link: &mut Link<'_>, text: &[u8]| (link.room() > NOTIFICATION).then(|| send(link, text));
        while let Some(done) = news.next(|stored| news_of(link, stored.data)) {
            done?;
        }
        let mut must_ping = false;
        let other = async {
            select(news.changed(), async {
                Timer::after(PAUSE).await;
                must_ping = true;
            })
            .await;
        };
        if let Some(len) = link.read(framer.spare(), other).await? {
            framer.filled(len);
        }
        if must_ping {
            let mut ping = [0; 2];
            let len = <WebSocket>::ping(b"", &mut ping).unwrap_or(0);
            link.put(&ping[..len])?;
        }
    }
}
