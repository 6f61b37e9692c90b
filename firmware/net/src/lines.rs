//! JSON-RPC in lines.

use nanojsonrpc::Server;
use nanojsonrpc::frame::{Buffer, Framer, FramerOver, Lines};

use crate::board::{DeviceService, Shared};
use crate::link::{End, Link};

/// The maximum length of a line with its line end, and of an answer.
pub const LINE: usize = 512;
/// The maximum length of a notification.
const NOTIFICATION: usize = 96;

/// Answers each line, and sends notifications of the device between the answers.
pub async fn serve(link: &mut Link<'_>, framer: &mut Framer<Lines, LINE>, shared: &Shared<LINE>) -> End {
    framer.clear();
    serve_behind(link, framer, shared).await
}

/// Serves a connection whose first bytes are already in the framer.
pub(crate) async fn serve_behind<B: Buffer, const OUTPUT: usize>(
    link: &mut Link<'_>,
    framer: &mut FramerOver<Lines, B>,
    shared: &Shared<OUTPUT>,
) -> End {
    match answer(link, framer, shared).await {
        Ok(()) => End::Done,
        Err(end) => end,
    }
}

async fn answer<B: Buffer, const OUTPUT: usize>(
    link: &mut Link<'_>,
    framer: &mut FramerOver<Lines, B>,
    shared: &Shared<OUTPUT>,
) -> Result<(), End> {
    let mut server = Server::with_routes(DeviceService);
    let Some(mut news) = shared.news(None) else { return Ok(()) };
    loop {
        // make room first, because an answer is written in one piece
        link.make_room(LINE).await?;
        let answered = shared.with_output(|board, output| {
            let line = framer.next()?;
            // the line end takes one byte
            let (room, _) = output.split_at_mut(LINE - 1);
            let answer = match line {
                Ok(text) => server.process(board, text, room).answer(),
                Err(error) => server.refuse(error, room).answer(),
            };
            let Some(len) = answer.map(<[u8]>::len) else { return Some(Ok(())) };
            Some(link.put(&output[..len]).and_then(|()| link.put(b"\n")))
        });
        if let Some(done) = answered {
            done?;
            link.note();
            continue;
        }
        let put = |link: &mut Link<'_>, text: &[u8]| link.put(text).and_then(|()| link.put(b"\n"));
        while let Some(done) = news.next(|stored| (link.room() > NOTIFICATION).then(|| put(link, stored.data))) {
            done?;
        }
        if let Some(len) = link.read(framer.spare(), news.changed()).await? {
            framer.filled(len);
        }
    }
}
