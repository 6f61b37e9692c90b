//! Calls with a common deadline, and calls in a batch.

use super::{ALONE, CallRefused, Client, STAYS, Sending, UNSENT, put_numbered};
use crate::error::{Error, ErrorKind};
use crate::json::{ToJson, Writer};
use crate::message::sealed::Sealed as _;
use crate::message::{Payload, Request};

/// Calls with a deadline; see [`Client::until`].
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "the deadline applies only to calls made through this value"]
pub struct WithDeadline<'c, T, const N: usize, const ID: usize = 64> {
    pub(crate) client: &'c mut Client<T, N, ID>,
    pub(crate) deadline: u32,
}

impl<'c, T, const N: usize, const ID: usize> WithDeadline<'c, T, N, ID> {
    pub(super) const fn new(client: &'c mut Client<T, N, ID>, deadline: u32) -> Self {
        Self { client, deadline }
    }

    /// [`Client::call`] with the deadline.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn call(
        &mut self,
        method: &str,
        params: &(impl ToJson + ?Sized),
        tag: T,
        out: &mut Writer<'_>,
    ) -> Result<i64, CallRefused<T>> {
        self.client.send_numbered(Sending::alone(Some(self.deadline)), method, params, tag, out)
    }

    /// [`Client::request`] with the deadline.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub fn request<const A: usize, const M: usize, P: Payload>(
        &mut self,
        request: &Request<'_, A, M, P>,
        tag: T,
        out: &mut Writer<'_>,
    ) -> Result<(), CallRefused<T>> {
        let (sending, dialect) = (Sending::alone(Some(self.deadline)), self.client.dialect);
        self.client.send(sending, &request.id, tag, out, |out| request.put(out, dialect))
    }

    /// [`Client::batch`], with the deadline for each call in it.
    pub fn batch<'w>(self, out: &'c mut Writer<'w>) -> CallBatch<'c, 'w, T, N, ID> {
        CallBatch::new(self.client, out, Some(self.deadline))
    }
}

/// A batch under construction; see [`Client::batch`]. JSON-RPC 2.0 §6.
///
/// Room for the closing bracket is reserved from the first message on, so [`finish`](Self::finish) never fails. If an unfinished batch is
/// dropped, its text is removed from the output, and its calls from the client.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "an unfinished batch is removed from the output"]
pub struct CallBatch<'c, 'w, T, const N: usize, const ID: usize = 64> {
    client: &'c mut Client<T, N, ID>,
    out: &'c mut Writer<'w>,
    deadline: Option<u32>,
    /// The length of `out` before the batch.
    start: usize,
    len: usize,
    is_finished: bool,
}

impl<'c, 'w, T, const N: usize, const ID: usize> CallBatch<'c, 'w, T, N, ID> {
    pub(super) const fn new(client: &'c mut Client<T, N, ID>, out: &'c mut Writer<'w>, deadline: Option<u32>) -> Self {
        let start = out.len();
        Self { client, out, deadline, start, len: 0, is_finished: false }
    }

    /// The number of appended messages.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no message has been appended.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a request, stores the call with `tag`, and returns its id; see [`Client::call`].
    ///
    /// # Errors
    /// As [`Client::call`]; [`BatchNotAllowed`](ErrorKind::BatchNotAllowed) and
    /// [`BatchTooLong`](ErrorKind::BatchTooLong) by the rules of the client's [`Dialect`](crate::Dialect). Then the
    /// batch is unchanged.
    pub fn call(&mut self, method: &str, params: &(impl ToJson + ?Sized), tag: T) -> Result<i64, CallRefused<T>> {
        let sending = match self.next() {
            Ok(sending) => sending,
            Err(error) => return Err(CallRefused { error, tag }),
        };
        let number = self.client.send_numbered(sending, method, params, tag, self.out)?;
        self.len = self.len.wrapping_add(1);
        Ok(number)
    }

    /// Appends a request with an id that the caller chooses, and stores the call with `tag`; see [`Client::request`].
    ///
    /// # Errors
    /// As [`Client::request`] and [`call`](Self::call). Then the batch is unchanged.
    pub fn request<const A: usize, const M: usize, P: Payload>(
        &mut self,
        request: &Request<'_, A, M, P>,
        tag: T,
    ) -> Result<(), CallRefused<T>> {
        let sending = match self.next() {
            Ok(sending) => sending,
            Err(error) => return Err(CallRefused { error, tag }),
        };
        let dialect = self.client.dialect;
        self.client.send(sending, &request.id, tag, self.out, |out| request.put(out, dialect))?;
        self.len = self.len.wrapping_add(1);
        Ok(())
    }

    /// Appends a notification; see [`Client::notify`].
    ///
    /// # Errors
    /// As [`Client::notify`] and [`call`](Self::call). Then the batch is unchanged.
    pub fn notify(&mut self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<(), Error> {
        let (opening, dialect) = (self.next()?.opening, self.client.dialect);
        self.out.batched(opening, |out| put_numbered(method, params, None, dialect, out))?;
        self.len = self.len.wrapping_add(1);
        Ok(())
    }

    /// Closes the array and returns the number of its messages. Its calls are then in flight. An empty batch writes nothing.
    pub fn finish(mut self) -> usize {
        self.is_finished = self.len == 0 || self.out.bytes(b"]").is_ok();
        self.len
    }

    /// The deadline of the next message, and the bracket or comma before it.
    fn next(&self) -> Result<Sending, Error> {
        let max = self.client.dialect.max_batch();
        if self.len >= max {
            let kind = if max == 0 { ErrorKind::BatchNotAllowed } else { ErrorKind::BatchTooLong };
            return Err(Error::new(kind, self.out.len()));
        }
        Ok(Sending { deadline: self.deadline, opening: if self.len == 0 { b"[" } else { b"," } })
    }
}

impl<T, const N: usize, const ID: usize> Drop for CallBatch<'_, '_, T, N, ID> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.out.truncate(self.start);
        }
        let next = self.client.batch.wrapping_add(1);
        let batch = if next >= STAYS { ALONE.wrapping_add(1) } else { next };
        self.client.batch = batch;
        for call in self.client.pending.calls_mut().filter(|call| call.batch == UNSENT) {
            if !self.is_finished {
                call.tag = None;
            }
            call.batch = batch;
        }
    }
}
