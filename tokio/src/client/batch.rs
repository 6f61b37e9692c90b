//! Batches of calls.

use bytes::{BufMut as _, Bytes, BytesMut};
use nanojsonrpc::{Growing, ToJson, Writer};
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use super::{Client, Command, read};
use crate::connection::Call;
use crate::error::Closed;
use crate::{CallError, Message};

/// Calls and notifications that are sent in one text.
///
/// ```
/// # async fn run(client: &nanojsonrpc_tokio::Client) -> Result<(), nanojsonrpc_tokio::CallError> {
/// let mut batch = client.batch();
/// let sum = batch.call("add", &[1, 2])?;
/// let level = batch.call("level", &())?;
/// batch.notify("log", &["summed"])?;
/// let mut answers = batch.send().await?;
/// let sum: u32 = answers.take(sum)?;
/// let level: u8 = answers.take(level)?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Batch<'c> {
    client: &'c Client,
    text: BytesMut,
    calls: Vec<Call>,
    answers: Vec<oneshot::Receiver<Result<Message, CallError>>>,
}

/// The place of a call in its batch.
#[derive(Debug)]
pub struct Slot(usize);

/// The answers to a batch.
#[derive(Debug)]
pub struct BatchAnswers(Vec<Option<Result<Message, CallError>>>);

impl Client {
    /// Begins a batch.
    pub fn batch(&self) -> Batch<'_> {
        Batch { client: self, text: BytesMut::new(), calls: Vec::new(), answers: Vec::new() }
    }
}

impl Batch<'_> {
    fn put(&mut self, text: &[u8]) {
        self.text.put_u8(if self.text.is_empty() { b'[' } else { b',' });
        self.text.put_slice(text);
    }

    /// Adds a call.
    ///
    /// # Errors
    /// [`CallError::Unwritable`]; then the batch stays as it was.
    pub fn call(&mut self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<Slot, CallError> {
        let (id, text) = self.client.write(method, params)?;
        self.put(&text);
        let (answer, answered) = oneshot::channel();
        self.calls.push(Call { id, answer });
        self.answers.push(answered);
        Ok(Slot(self.answers.len().saturating_sub(1)))
    }

    /// Adds a notification.
    ///
    /// # Errors
    /// [`CallError::Unwritable`]; then the batch stays as it was.
    pub fn notify(&mut self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<(), CallError> {
        let client = nanojsonrpc::Client::<(), 1, 0>::new().with_dialect(self.client.0.options.dialect);
        let mut text = Growing::new(usize::MAX);
        let mut out = Writer::new(&mut text);
        client.notify(method, params, &mut out).map_err(CallError::Unwritable)?;
        self.put(out.written());
        Ok(())
    }

    /// Sends the batch, and waits for all answers.
    ///
    /// # Errors
    /// [`CallError::Closed`] or [`CallError::Late`] if the batch could not be sent. The outcome of each call is in the answers.
    pub async fn send(mut self) -> Result<BatchAnswers, CallError> {
        if self.text.is_empty() {
            return Ok(BatchAnswers(Vec::new()));
        }
        self.text.put_u8(b']');
        // if this future is dropped, so are the calls
        let calls = self.calls.iter().map(|call| super::Sent {
            client: self.client.clone(),
            id: Some(call.id),
            cancelled: Bytes::new(),
        });
        let mut calls: Vec<_> = calls.collect();
        let mut late = std::pin::pin!(tokio::time::sleep(self.client.0.options.patience));
        let text: Bytes = self.text.freeze();
        tokio::select! {
            sent = self.client.send(Command::Calls(text, self.calls)) => sent?,
            () = &mut late => return Err(CallError::Late),
        }
        let mut answers = Vec::with_capacity(calls.len());
        for (mut answered, call) in self.answers.into_iter().zip(&mut calls) {
            let received = tokio::select! {
                biased;
                received = &mut answered, if !late.is_elapsed() => Some(received.ok()),
                () = &mut late, if !late.is_elapsed() => None,
                // too late to wait, but some answers are there
                else => match answered.try_recv() {
                    Err(oneshot::error::TryRecvError::Empty) => None,
                    received => Some(received.ok()),
                },
            };
            let outcome = match received {
                Some(received) => received.unwrap_or_else(|| Err(self.client.why_closed())),
                None => Err(CallError::Late),
            };
            call.end(&outcome);
            answers.push(Some(outcome));
        }
        Ok(BatchAnswers(answers))
    }
}

impl BatchAnswers {
    /// The result of the call at `slot`, once.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn take<T: DeserializeOwned>(&mut self, slot: Slot) -> Result<T, CallError> {
        let answer = self.0.get_mut(slot.0).and_then(Option::take);
        read(&answer.unwrap_or(Err(CallError::Closed(Closed::Here)))?)
    }
}
