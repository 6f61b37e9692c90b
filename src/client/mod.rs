//! The client side: chooses ids for calls, and matches responses with calls.
//!
//! A [`Client`] does no input or output and has no clock. It writes messages into a [`Writer`]; the program gives it the received texts
//! and the time. For calls from many tasks, one task owns the client, and the tag of a call is a channel to the task that waits for its
//! answer: the example `threads`, and the package `nanojsonrpc-tokio`. A gateway forwards calls: [`Client::accept`].
//!
//! ```
//! # fn main() -> Result<(), Box<dyn core::error::Error>> {
//! use nanojsonrpc::client::{Answer, Client};
//! use nanojsonrpc::{Envelope, Writer};
//!
//! #[derive(Clone, Copy, PartialEq, Debug)]
//! enum Job { Difference, Sum }
//!
//! let mut client: Client<Job, 8> = Client::new();
//! let mut buffer = [0; 128];
//! let mut out = Writer::new(&mut buffer);
//! client.call("subtract", &[42, 23], Job::Difference, &mut out)?;
//! assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
//!
//! let response = Envelope::parse(br#"{"jsonrpc":"2.0","result":19,"id":1}"#)?;
//! assert_eq!(client.accept(&response), Some(Answer::To(Job::Difference)));
//! assert_eq!(response.result().and_then(|result| result.as_i64()), Some(19));
//! assert_eq!(client.accept(&response), Some(Answer::Duplicate));
//! # Ok(()) }
//! ```

mod answer;
mod call_batch;
mod count;
mod drain;
mod incoming;
mod pending;
mod refused;
mod sending;
#[cfg(any(feature = "mcp", all(feature = "serde", feature = "embedded-io")))]
mod sent;

use crate::error::{Error, ErrorKind};
use crate::json::{ToJson, Writer};
use crate::message::sealed::Sealed as _;
use crate::message::{Dialect, Id, Payload, Request};
use count::{exact, following};
use sending::Sending;
pub(crate) use sending::put_numbered;

#[cfg(any(feature = "mcp", all(feature = "serde", feature = "embedded-io")))]
pub(crate) use answer::answered_id;
pub use answer::{Addressee, Answer};
pub use call_batch::{CallBatch, WithDeadline};
pub use incoming::{Incoming, Received};
use pending::{ALONE, Call, Pending, STAYS, UNSENT};
pub use refused::CallRefused;
#[cfg(any(feature = "mcp", all(feature = "serde", feature = "embedded-io")))]
pub(crate) use sent::{Sent, number_of};

/// Chooses ids for calls, and keeps up to `N` calls in flight, each with a tag of the caller, until they are answered, cancelled or
/// expired.
///
/// Ids are the integers from 1 (or [`with_first_id`](Self::with_first_id)) to 2^53 - 1, the greatest integer that every JSON reader keeps
/// exact (RFC 8259 §6). Then the count restarts at 1. No two calls in flight have the same id.
///
/// # Limits
/// `N` calls in flight. A look-up takes time linear in `N`. Ids that the caller chooses, and ids that [`receive`](Self::receive) reads,
/// have at most `ID` bytes, 64 by default; integers of 64 bits always fit. If all ids are integers, use `Client<T, N, 0>`: each slot takes
/// 56 bytes less on 32-bit chips and 64 bytes less on hosts. Then [`receive`](Self::receive) refuses each message with another id.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Client<T, const N: usize, const ID: usize = 64> {
    pending: Pending<T, N, ID>,
    /// The first id of the current count.
    first: i64,
    /// The next id to try. It is skipped if it is in flight.
    next: i64,
    /// The number of the last batch.
    batch: u16,
    dialect: Dialect,
}

impl<T, const N: usize, const ID: usize> Client<T, N, ID> {
    /// A client without calls in flight.
    pub const fn new() -> Self {
        Self { pending: Pending::new(), first: 1, next: 1, batch: 0, dialect: Dialect::JSON_RPC }
    }

    /// Counts ids from `first`: for a device that may restart while answers to its earlier calls are still on their way. Beyond
    /// ±(2^53 − 1), the client uses the lower 53 bits of `first`.
    ///
    /// ```
    /// use nanojsonrpc::{Client, Id, Writer};
    ///
    /// let mut client = Client::<&str, 4>::new().with_first_id(1000);
    /// let mut buffer = [0; 96];
    /// client.call("reboot", &[0], "reboot", &mut Writer::new(&mut buffer))?;
    /// assert!(client.in_flight().eq([(&Id::Number(1000), &"reboot")]));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub const fn with_first_id(mut self, first: i64) -> Self {
        self.first = exact(first);
        self.next = self.first;
        self
    }

    /// Applies the rules of `dialect`: [`receive`](Self::receive) reads by them, and the client refuses to write batches and params that
    /// they exclude.
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The number of calls in flight, at most `N`.
    pub fn len(&self) -> usize {
        self.pending.iter().count()
    }

    /// Whether no call is in flight.
    pub fn is_empty(&self) -> bool {
        self.pending.iter().next().is_none()
    }

    /// The calls in flight, in no particular order.
    pub fn in_flight(&self) -> impl Iterator<Item = (&Id<ID>, &T)> {
        self.pending.iter().filter_map(|call| Some((&call.id, call.tag.as_ref()?)))
    }

    /// Appends a request to `out`, stores the call with `tag`, and returns its id. `params` is serialized once; if the text is `null`, as
    /// for `&()`, the request has no params.
    ///
    /// # Errors
    /// [`TooManyCalls`](ErrorKind::TooManyCalls) if `N` calls are in flight, [`OutputFull`](ErrorKind::OutputFull),
    /// [`InvalidMethod`](ErrorKind::InvalidMethod) if `method` is empty, [`InvalidParams`](ErrorKind::InvalidParams) if the client's
    /// [`Dialect`] excludes such params (a single value needs an array: `&[5]`, not `&5`), and the errors of the params themselves. Then
    /// nothing is written or stored, the next call gets the id, and the [`CallRefused`] returns the tag.
    pub fn call(
        &mut self,
        method: &str,
        params: &(impl ToJson + ?Sized),
        tag: T,
        out: &mut Writer<'_>,
    ) -> Result<i64, CallRefused<T>> {
        self.send_numbered(Sending::alone(None), method, params, tag, out)
    }

    /// Appends a request with an id that the caller chooses, and stores the call with `tag`.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{Client, ErrorKind, Request, Writer};
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// let mut buffer = [0; 128];
    /// let mut out = Writer::new(&mut buffer);
    /// let request = Request::new(nanojsonrpc::Id::try_from("req-7")?, "ping");
    /// client.request(&request, 'p', &mut out)?;
    /// assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"ping","id":"req-7"}"#);
    /// let refused = client.request(&request, 'q', &mut out).unwrap_err();
    /// assert_eq!((refused.error.kind(), refused.tag), (ErrorKind::IdInFlight, 'q'));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`call`](Self::call). [`IdInFlight`](ErrorKind::IdInFlight) if a call with that id is in flight;
    /// [`InvalidId`](ErrorKind::InvalidId) if the id is null, which cannot be matched; [`IdTooLong`](ErrorKind::IdTooLong) if it has more
    /// than `ID` bytes. Then nothing is written or stored.
    pub fn request<const A: usize, const M: usize, P: Payload>(
        &mut self,
        request: &Request<'_, A, M, P>,
        tag: T,
        out: &mut Writer<'_>,
    ) -> Result<(), CallRefused<T>> {
        let dialect = self.dialect;
        self.send(Sending::alone(None), &request.id, tag, out, |out| request.put(out, dialect))
    }

    /// Appends a notification to `out`. `params` is serialized once; if the text is `null`, as for `&()`, the notification has no params.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull), [`InvalidMethod`](ErrorKind::InvalidMethod) if `method` is empty,
    /// [`InvalidParams`](ErrorKind::InvalidParams) if the client's [`Dialect`] excludes such params, and the errors of the params
    /// themselves. Then nothing is written.
    pub fn notify(&self, method: &str, params: &(impl ToJson + ?Sized), out: &mut Writer<'_>) -> Result<(), Error> {
        out.batched(b"", |out| put_numbered(method, params, None, self.dialect, out))
    }

    /// Begins a batch in `out`. [`CallBatch::finish`] ends it.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// let mut client: Client<char, 8> = Client::new();
    /// let mut buffer = [0; 128];
    /// let mut out = Writer::new(&mut buffer);
    /// let mut batch = client.batch(&mut out);
    /// batch.call("sum", &[1, 2], 's')?;
    /// batch.notify("log", &())?;
    /// batch.finish();
    /// assert_eq!(
    ///     out.written(),
    ///     br#"[{"jsonrpc":"2.0","method":"sum","params":[1,2],"id":1},{"jsonrpc":"2.0","method":"log"}]"#
    /// );
    /// assert_eq!(client.len(), 1);
    /// # Ok(()) }
    /// ```
    pub fn batch<'c, 'w>(&'c mut self, out: &'c mut Writer<'w>) -> CallBatch<'c, 'w, T, N, ID> {
        CallBatch::new(self, out, None)
    }

    /// Returns a value through which calls get a deadline. They are late when the clock of the program reaches `deadline`; see
    /// [`expire`](Self::expire).
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// let mut buffer = [0; 64];
    /// let now = u32::MAX; // milliseconds, say: the clock is about to wrap
    /// client.until(now.wrapping_add(500)).call("ping", &(), 'p', &mut Writer::new(&mut buffer))?;
    /// assert_eq!((client.ticks_left(now), client.ticks_left(499)), (Some(500), Some(0)));
    /// assert_eq!(client.expire(498).count(), 0);
    /// assert_eq!(client.expire(499).next().map(|(id, tag)| (id.as_i64(), tag)), Some((Some(1), 'p')));
    /// # Ok(()) }
    /// ```
    pub fn until(&mut self, deadline: u32) -> WithDeadline<'_, T, N, ID> {
        WithDeadline::new(self, deadline)
    }

    /// Reads a received text, one message or a batch. Each step of the iterator reads one message; it matches a response with its call,
    /// and returns requests and notifications of the server, too. A text that may have been the answer to a call ends it, even if it is
    /// refused: see [`accept_refused`](Self::accept_refused).
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// use nanojsonrpc::client::{Answer, Client, Incoming};
    /// use nanojsonrpc::Writer;
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// client.call("ping", &(), 'p', &mut Writer::new(&mut [0; 64]))?;
    /// let text = br#"[{"jsonrpc":"2.0","result":19,"id":1},{"jsonrpc":"2.0","method":"tick"},1]"#;
    /// let mut seen = 0;
    /// for incoming in client.receive(text) {
    ///     match incoming {
    ///         Incoming::Response(answer, _) => assert_eq!(answer, Answer::To('p')),
    ///         Incoming::Notification(notification) => assert_eq!(notification.method, "tick"),
    ///         Incoming::Request(request) => assert_eq!(request.method, "unexpected"),
    ///         Incoming::Refused(refused, answer) => assert_eq!((refused.offset(), answer), (72, Answer::Unknown)),
    ///     }
    ///     seen += 1;
    /// }
    /// assert_eq!(seen, 3);
    /// # Ok(()) }
    /// ```
    pub fn receive<'c, 'a>(&'c mut self, text: &'a [u8]) -> Received<'c, 'a, T, N, ID> {
        Received::new(self, text)
    }

    /// Ends the call with this id and returns its tag; `None` if it is not in flight. A later response to it is a
    /// [`Duplicate`](Answer::Duplicate).
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// let id = client.call("ping", &(), 'p', &mut Writer::new(&mut [0; 64]))?;
    /// assert_eq!(client.cancel(&id.into()), Some('p'));
    /// assert_eq!(client.cancel(&id.into()), None);
    /// # Ok(()) }
    /// ```
    pub fn cancel(&mut self, id: &Id<ID>) -> Option<T> {
        self.pending.take(id)
    }

    /// Lets the call with this id stay in flight after its answers, until the program [cancels](Self::cancel) it: for a call that gets several
    /// answers, such as `message/stream` of A2A. Each is an [`Answer::More`]. Returns the tag of the call; `None` if it is not in flight.
    ///
    /// ```
    /// use nanojsonrpc::{Client, Envelope, Writer, client::Answer};
    ///
    /// let mut client: Client<u32, 2> = Client::new();
    /// let id = client.call("message/stream", &[0], 0, &mut Writer::new(&mut [0; 96]))?.into();
    /// assert!(client.keep(&id).is_some());
    /// for (text, is_final) in [(br#"{"jsonrpc":"2.0","id":1,"result":{"final":false}}"#, false), (br#"{"jsonrpc":"2.0","id":1,"result":{"final":true }}"#, true)] {
    ///     let part = Envelope::parse(text).map_err(nanojsonrpc::Error::from)?;
    ///     assert_eq!(client.accept(&part), Some(Answer::More));
    ///     *client.keep(&id).expect("in flight") += 1;
    ///     assert_eq!(part.result().and_then(|result| result.get("final")?.as_bool()), Some(is_final));
    /// }
    /// assert_eq!(client.cancel(&id), Some(2));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub fn keep(&mut self, id: &Id<ID>) -> Option<&mut T> {
        let call = self.pending.get_mut(id)?;
        call.batch = STAYS;
        call.tag.as_mut()
    }

    /// Returns the ticks from `now` to the earliest deadline of the calls in flight, 0 if it has passed; `None` if no call has a deadline.
    pub fn ticks_left(&self, now: u32) -> Option<u32> {
        self.pending.ticks_left(now)
    }

    /// Writes a request with the next free id, and stores the call.
    fn send_numbered(
        &mut self,
        sending: Sending,
        method: &str,
        params: &(impl ToJson + ?Sized),
        tag: T,
        out: &mut Writer<'_>,
    ) -> Result<i64, CallRefused<T>> {
        let mut number = self.next;
        // the loop ends, because at most `N` ids are in flight
        while self.pending.has(&number) {
            number = following(number);
        }
        let dialect = self.dialect;
        self.send_new(sending, &Id::<0>::Number(number), tag, out, |out| {
            put_numbered(method, params, Some(number), dialect, out)
        })?;
        let following = following(number);
        if following <= self.next {
            self.first = 1;
        }
        self.next = following;
        Ok(number)
    }

    /// Writes and stores a call. On an error, changes nothing.
    fn send<const A: usize>(
        &mut self,
        sending: Sending,
        id: &Id<A>,
        tag: T,
        out: &mut Writer<'_>,
        put: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), CallRefused<T>> {
        if self.pending.has(id) {
            return Err(CallRefused { error: Error::new(ErrorKind::IdInFlight, 0), tag });
        }
        self.send_new(sending, id, tag, out, put)
    }

    /// [`send`](Self::send) with an id that no call in flight has.
    fn send_new<const A: usize>(
        &mut self,
        sending: Sending,
        id: &Id<A>,
        tag: T,
        out: &mut Writer<'_>,
        put: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), CallRefused<T>> {
        match self.write(sending, id, out, put) {
            Ok(call) => {
                call.tag = Some(tag);
                Ok(())
            }
            Err(error) => Err(CallRefused { error, tag }),
        }
    }

    /// Writes a call and returns its slot for the tag. On an error, changes nothing.
    fn write<const A: usize>(
        &mut self,
        sending: Sending,
        id: &Id<A>,
        out: &mut Writer<'_>,
        put: impl FnOnce(&mut Writer<'_>),
    ) -> Result<&mut Call<T, ID>, Error> {
        if id.is_null() {
            return Err(Error::new(ErrorKind::InvalidId, 0));
        }
        let (call, next_slot, following) = self.pending.free_slot()?;
        let before = out.len();
        out.batched(sending.opening, put)?;
        // copied last, because it overwrites the id of the finished call that the slot remembers
        if !call.id.copy_from(id) {
            out.truncate(before);
            return Err(Error::new(ErrorKind::IdTooLong, ID));
        }
        call.set_deadline(sending.deadline);
        (call.batch, *next_slot) = (if sending.opening.is_empty() { ALONE } else { UNSENT }, following);
        Ok(call)
    }
}

impl<T, const N: usize, const ID: usize> Default for Client<T, N, ID> {
    fn default() -> Self {
        Self::new()
    }
}
