//! Texts that arrive without a stream: the body of an HTTP request, a message of a broker.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::{Sink, Stream};

use crate::codec::Received;
use crate::connection::{Connection, Shared};
use crate::{CallService, Client, Options};

/// Answers one text, a message or a batch, as a connection would: with its limits, deadlines and panics. `None` without an answer. If the
/// future is dropped, its calls are aborted.
///
/// The peer of its requests is a closed handle: there is no way back but the answer.
#[cfg(any(feature = "axum", test))]
pub(crate) async fn once<S>(text: crate::Text, service: S, options: &Options) -> Option<Bytes>
where
    S: CallService + Unpin,
{
    once_received(Ok(text), service, options).await
}

/// `once` for a text that may have exceeded its limit.
pub(crate) async fn once_received<S>(received: Received, service: S, options: &Options) -> Option<Bytes>
where
    S: CallService + Unpin,
{
    let small = options.clone().unread(1);
    // without a receiver, calls of the handlers to the peer end at once; the other channel stays open until everything is answered
    let (peer, _, handle) = Client::channel(&small);
    let (_open, commands, _) = Client::channel(&small);
    let mut slot = Slot { received: Some(received), answer: None };
    Connection::new(&mut slot, Some(service), &mut Shared::new(commands, handle), small).await;
    drop(peer);
    slot.answer
}

/// A transport of one text and its answer.
struct Slot {
    received: Option<Received>,
    answer: Option<Bytes>,
}

impl Stream for Slot {
    type Item = io::Result<Received>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.received.take().map(Ok))
    }
}

impl Sink<Bytes> for Slot {
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(mut self: Pin<&mut Self>, text: Bytes) -> io::Result<()> {
        self.answer = Some(text);
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nanojsonrpc::Dialect;

    use super::*;
    use crate::{Methods, Request, Response};

    async fn answer(text: &'static str) -> Option<String> {
        let methods = Methods::new(())
            .request("sleep", async |(), (millis,): (u64,)| {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                Ok(millis)
            })
            .notification("on", async |(), ()| ())
            .raw("back", async |(), request: Request| match request.peer().call::<u8>("any", &()).await {
                Ok(_) => Response::result(true),
                Err(error) => Response::result(error.to_string()),
            })
            .fallback(async |(), request| {
                assert!(request.peer().notify("heard", &()).await.is_err());
                Response::result(())
            });
        let options = Options::new().deadline(Duration::from_secs(1));
        let answer = once(crate::Text::parse(text, Dialect::JSON_RPC), methods, &options).await?;
        Some(String::from_utf8_lossy(&answer).into_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn each_kind_of_text_has_its_answer() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","method":"sleep","params":[9],"id":1}"#, r#"{"jsonrpc":"2.0","result":9,"id":1}"#),
            (
                r#"[{"jsonrpc":"2.0","method":"sleep","params":[99],"id":1},{"jsonrpc":"2.0","method":"sleep","params":[1],"id":2}]"#,
                r#"[{"jsonrpc":"2.0","result":99,"id":1},{"jsonrpc":"2.0","result":1,"id":2}]"#,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"sleep","params":[2000],"id":1}"#,
                r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Request timed out"},"id":1}"#,
            ),
            ("{", r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#),
            (
                r#"{"jsonrpc":"2.0","method":"back","id":1}"#,
                r#"{"jsonrpc":"2.0","result":"no answer: the connection is closed","id":1}"#,
            ),
        ] {
            assert_eq!(answer(text).await.as_deref(), Some(expected));
        }
        assert_eq!(answer(r#"{"jsonrpc":"2.0","method":"on"}"#).await, None);
        assert_eq!(answer(r#"{"jsonrpc":"2.0","method":"say"}"#).await, None);
        assert_eq!(answer(r#"{"jsonrpc":"2.0","result":1,"id":1}"#).await, None);
    }
}
