//! The reply of a handler.

#[cfg(feature = "alloc")]
mod too_long;

use core::marker::PhantomData;

#[cfg(feature = "serde")]
use super::MIN_ANSWER_LEN;
use super::progress::{Progress, Replied};
use super::{Failure, Processed};
use crate::error::{Error, ErrorKind};
#[cfg(feature = "serde")]
use crate::json::{PayloadError, SHOWS_PATHS};
use crate::json::{RawValue, Room, ToJson, Writer};
#[cfg(feature = "serde")]
use crate::message::Str;
use crate::message::{
    Dialect, ERROR, ErrorCode, ErrorObject, Params, SUCCESS, Standard, ToMessage, put_beginning, put_end, put_error,
};

/// Writes the reply to one request. Each method that writes a reply consumes the `Reply`.
///
/// A reply that does not fit the output is replaced by the error -32603 with the id of the request. If the output grows, the message of this
/// error is `answer too long: 10035 bytes`; the result is written once more to count its bytes, but no handler is called again. An error for params that do not fit
/// their type, by -32602 with the standard message.
///
/// ```
/// use nanojsonrpc::{Params, Router, Server, server::{Replied, Reply}};
///
/// fn echo(_: &mut (), params: Params<'_>, reply: Reply<'_>) -> Replied {
///     reply.success(&params)
/// }
///
/// let mut server = Server::new(Router::new().request("echo", echo));
/// let mut output = [0; 96];
/// let answer = server.process(&mut (), br#"{"jsonrpc":"2.0","method":"echo","params":["a", 1],"id":1}"#, &mut output).answer();
/// assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":["a", 1],"id":1}"#[..]));
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Reply<'r> {
    out: Writer<'r>,
    progress: &'r mut Progress,
    /// The id as spelled in the request; empty if no call is open.
    id: &'r [u8],
}

/// The memory of a reply while the bytes of its answer are counted.
#[derive(Default)]
struct Counted<'r>(#[cfg(feature = "alloc")] Option<&'r mut [u8]>, PhantomData<&'r ()>);

impl<'r> Reply<'r> {
    pub(super) const fn new(out: Writer<'r>, progress: &'r mut Progress, id: &'r [u8]) -> Self {
        Self { out, progress, id }
    }

    /// Writes `message`, such as a notification of progress, into the room of the reply and returns its bytes. The program sends them
    /// before the reply.
    ///
    /// ```
    /// use nanojsonrpc::server::{Replied, Reply};
    /// use nanojsonrpc::{Notification, Params, Router, Server};
    ///
    /// fn measure(sent: &mut [u8; 41], _: Params<'_>, mut reply: Reply<'_>) -> Replied {
    ///     if let Ok(text) = reply.ahead(&Notification::new("almost.there")) {
    ///         sent.copy_from_slice(text);
    ///     }
    ///     reply.success(&21)
    /// }
    ///
    /// let mut server = Server::new(Router::new().request("measure", measure));
    /// let (mut sent, mut output) = ([0; 41], [0; 96]);
    /// let answer = server.process(&mut sent, br#"{"jsonrpc":"2.0","method":"measure","id":1}"#, &mut output).answer();
    /// assert_eq!(&sent, br#"{"jsonrpc":"2.0","method":"almost.there"}"#);
    /// assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":21,"id":1}"#[..]));
    /// ```
    ///
    /// # Errors
    /// As [`Writer::message`]. Then nothing is written.
    pub fn ahead(&mut self, message: &(impl ToMessage + ?Sized)) -> Result<&[u8], Error> {
        self.out.message(message)?;
        let len = self.out.len();
        self.out.truncate(0);
        Ok(self.out.taken_back(len))
    }

    /// The room for the reply, which is free until the reply is written. If it grows, the strings with escapes of `params` fit.
    #[inline(always)]
    pub(crate) fn scratch(&mut self, params: &Params<'_>) -> &mut [u8] {
        debug_assert!(self.out.is_empty(), "a reply writes nothing before its answer");
        #[cfg(all(feature = "alloc", feature = "serde"))]
        if self.out.grows() {
            self.out.reserve_escaped(params.raw());
        }
        _ = params;
        self.out.buffer()
    }

    /// Reads params into a type that may borrow from the message. Strings with escapes are decoded into the end of the output, and the
    /// type borrows them from there. The reply may contain the value.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use nanojsonrpc::server::{Replied, Reply};
    /// use nanojsonrpc::{Params, Router, Server};
    ///
    /// fn unit(_: &mut (), params: Params<'_>, mut reply: Reply<'_>) -> Replied {
    ///     match reply.read::<(&str,)>(&params) {
    ///         Ok((unit,)) => reply.success(unit),
    ///         Err(problem) => reply.refuse(&params, problem),
    ///     }
    /// }
    ///
    /// let mut server = Server::new(Router::new().request("unit", unit));
    /// let mut output = [0; 128];
    /// let text = br#"{"jsonrpc":"2.0","method":"unit","params":["\u00b0C"],"id":1}"#;
    /// let answer = server.process(&mut (), text, &mut output).answer();
    /// assert_eq!(answer, Some(r#"{"jsonrpc":"2.0","result":"°C","id":1}"#.as_bytes()));
    /// # }
    /// ```
    ///
    /// # Limits
    /// A decoded string takes room from the reply, as long as the shortest answer still fits. Otherwise only a type that owns its text can
    /// read a string with an escape, up to [`MAX_ESCAPED`](crate::json::MAX_ESCAPED) bytes.
    ///
    /// # Errors
    /// As [`Params::read`].
    #[cfg(feature = "serde")]
    pub fn read<'p, T: serde::Deserialize<'p>>(&mut self, params: &Params<'p>) -> Result<T, PayloadError>
    where
        'r: 'p,
    {
        let len = params.raw().map_or(0, RawValue::escaped_len);
        let scratch = self.out.take_end(len, MIN_ANSWER_LEN.saturating_add(self.id.len()));
        params.read_with(scratch)
    }

    /// Answers with a result.
    pub fn success<T: ToJson + ?Sized>(mut self, result: &T) -> Replied {
        let mut counted = Counted::default();
        loop {
            if self.open(SUCCESS) {
                self.out.put_value(result);
            }
            if let Some(replied) = self.close_or_count(&mut counted) {
                return replied;
            }
        }
    }

    /// Answers with an error.
    pub fn error<D: ToJson>(mut self, error: ErrorObject<'_, D>) -> Replied {
        self.put_error(&error)
    }

    /// [`error`](Self::error), for callers that would copy the reply.
    pub(super) fn put_error<D: ToJson>(&mut self, error: &ErrorObject<'_, D>) -> Replied {
        let mut counted = Counted::default();
        loop {
            if self.open_error(error.code) {
                error.put_to(&mut self.out);
            }
            // the length of this error is not that of the answer
            #[cfg(all(feature = "alloc", feature = "serde"))]
            if matches!(error.message, Str::Payload(problem) if problem.is_shortage()) {
                let replied = self.close();
                self.keep_shortage(&error.message);
                return replied;
            }
            if let Some(replied) = self.close_or_count(&mut counted) {
                #[cfg(feature = "serde")]
                self.keep_shortage(&error.message);
                return replied;
            }
        }
    }

    /// [`put_error`](Self::put_error) for params that cannot be read, with the path of the value where that fits.
    #[cfg(feature = "serde")]
    pub(super) fn put_problem(&mut self, params: Option<RawValue<'_>>, problem: PayloadError) -> Replied {
        let error = ErrorObject::from(problem);
        let params = params.filter(|_| SHOWS_PATHS);
        if let Some(path) = params.map(|params| params.path_to(problem.offset())).filter(|path| !path.is_empty()) {
            let found = params.and_then(|params| problem.found_in(params));
            let failure = (error.code, (error.message, ", in params", path, found));
            if self.open_error(error.code) {
                put_failure(&failure, &mut self.out);
            }
            let replied = self.close();
            self.keep_shortage(&error.message);
            if replied.is_whole() {
                return replied;
            }
            self.reopen();
            self.progress.fault = None;
        }
        self.put_error(&error)
    }

    /// Keeps the fault for the observer, if `message` says that a string in the params could not be decoded.
    #[cfg(feature = "serde")]
    fn keep_shortage(&mut self, message: &Str<'_>) {
        match message {
            Str::Payload(problem) if problem.is_shortage() => self.progress.fault = Some(problem.error()),
            _ => {}
        }
    }

    /// Replaces the answer, which did not fit and is now -32603, by `error`, which fits.
    #[cfg(feature = "serde")]
    pub(super) fn again(&mut self, error: Standard) -> Replied {
        self.reopen();
        self.progress.fault = None;
        self.standard_error(error)
    }

    /// [`put_error`](Self::put_error) for an error without data.
    #[inline(always)]
    pub(super) fn standard_error(&mut self, error: Standard) -> Replied {
        self.put_error(&ErrorObject::standard(error))
    }

    /// Answers with an error of a type that the program defines.
    ///
    /// ```
    /// use nanojsonrpc::{Dialect, ErrorCode, server::Exchange};
    ///
    /// let mut output = [0; 128];
    /// let text = br#"{"jsonrpc":"2.0","method":"heat","id":1}"#;
    /// let mut exchange = Exchange::new(text, &mut output, Dialect::JSON_RPC);
    /// assert!(exchange.next_message().is_some());
    /// let replied = exchange.reply().failure(&(ErrorCode(-32001), ("too hot: ", 90)));
    /// assert!(replied.is_whole());
    /// ```
    pub fn failure<E: Failure + ?Sized>(mut self, error: &E) -> Replied {
        let mut counted = Counted::default();
        loop {
            if self.open_error(error.code()) {
                put_failure(error, &mut self.out);
            }
            if let Some(replied) = self.close_or_count(&mut counted) {
                return replied;
            }
        }
    }

    /// The number of bytes after the result.
    #[cfg(any(feature = "alloc", feature = "mcp"))]
    pub(crate) fn closing_len(&self) -> usize {
        b",\"id\":}".len().saturating_add(self.id.len())
    }

    /// The id as spelled in the request; `None` if no call is open.
    pub fn id(&self) -> Option<RawValue<'r>> {
        RawValue::optional(self.id, self.id)
    }

    /// Writes `message` in place of the answer, for a call that is answered later, as when it opens a stream of notifications. The program
    /// keeps the [`id`](Self::id). Answers with -32603 if `message` does not fit, or if the call is in a batch, whose array may hold only
    /// answers.
    ///
    /// ```
    /// use nanojsonrpc::server::{Replied, Reply};
    /// use nanojsonrpc::{Id, Notification, Params, Response, Router, Server};
    ///
    /// fn open(stream: &mut Option<Id>, _: Params<'_>, reply: Reply<'_>) -> Replied {
    ///     *stream = reply.id().and_then(|id| Id::read(id).ok());
    ///     reply.instead(&Notification::new("opened"))
    /// }
    ///
    /// let mut server = Server::new(Router::new().request("open", open));
    /// let (mut stream, mut output) = (None, [0; 96]);
    /// let processed = server.process(&mut stream, br#"{"jsonrpc":"2.0","method":"open","id":7}"#, &mut output);
    /// assert_eq!(processed.answer(), Some(&br#"{"jsonrpc":"2.0","method":"opened"}"#[..]));
    /// assert!(processed.is_deferred());
    /// // later
    /// let len = Response::success(stream.unwrap(), "done").write(&mut output)?;
    /// assert_eq!(&output[..len], br#"{"jsonrpc":"2.0","result":"done","id":7}"#);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub fn instead(mut self, message: &(impl ToMessage + ?Sized)) -> Replied {
        if self.progress.is_batch || !self.progress.is_open {
            return self.internal_error();
        }
        match self.out.message(message) {
            Ok(()) => {
                self.progress.len = self.progress.len.wrapping_add(self.out.len());
                self.progress.is_open = false;
                self.progress.is_deferred = true;
                Replied { is_whole: true }
            }
            Err(error) => {
                self.out.fail(error);
                self.close()
            }
        }
    }

    /// Answers with -32603.
    pub(super) fn internal_error(mut self) -> Replied {
        self.out.fail(Error::new(ErrorKind::OutputFull, 0));
        self.close()
    }

    /// [`open`](Self::open) for an error with this code.
    #[inline(always)]
    fn open_error(&mut self, code: ErrorCode) -> bool {
        let is_open = self.open(ERROR);
        if is_open {
            self.progress.code = Some(code);
        }
        is_open
    }

    /// Begins the answer; [`close`](Self::close) checks whether it fits. If no call is open, returns `false` and writes nothing.
    fn open(&mut self, opening: &[u8]) -> bool {
        if !self.progress.is_open {
            return false;
        }
        if self.progress.is_batch {
            self.out.put_byte(if self.progress.len == 0 { b'[' } else { b',' });
        }
        put_beginning(opening, self.progress.has_version, &mut self.out);
        true
    }

    /// [`close`](Self::close). If the answer exceeds the limit of an output that grows, returns `None`: the caller writes it again, only to
    /// count its bytes for the error. A loop, because a second call of the writing functions would keep the compiler from inlining them.
    #[inline(always)]
    fn close_or_count(&mut self, counted: &mut Counted<'r>) -> Option<Replied> {
        #[cfg(feature = "alloc")]
        if counted.0.is_some() {
            return Some(self.tell_len(counted));
        }
        let replied = self.close();
        #[cfg(feature = "alloc")]
        if !replied.is_whole && self.count(counted) {
            return None;
        }
        _ = counted;
        Some(replied)
    }

    /// Removes an answer that was closed, if there is one, and opens the call again.
    #[cfg(any(feature = "alloc", feature = "serde"))]
    fn reopen(&mut self) {
        self.progress.len = self.progress.len.wrapping_sub(self.out.len());
        self.progress.is_open = !self.out.is_empty();
        self.out.truncate(0);
    }

    /// Ends the answer, or replaces it by -32603 if it does not fit or cannot be written. Takes `&mut self`, because each caller would copy the reply.
    fn close(&mut self) -> Replied {
        if !self.progress.is_open {
            return Replied { is_whole: false };
        }
        let written = self.end();
        let is_whole = written.is_ok();
        if !is_whole {
            self.progress.fault = written.err();
            self.out.truncate(0);
            self.open(ERROR);
            self.out.put(br#"{"code":-32603,"message":"Internal error"}"#);
            // removes the answer if it does not fit either
            _ = self.end();
        }
        let len = self.progress.len.wrapping_add(self.out.len());
        self.progress.len = len;
        self.progress.is_open = false;
        self.progress.is_whole = is_whole;
        Replied { is_whole }
    }

    /// Writes the id and the end of the answer. Removes the whole answer if it does not fit.
    fn end(&mut self) -> Result<(), Error> {
        match self.id {
            [] => self.out.put_byte(b'}'),
            id => put_end(|out| out.put(id), &mut self.out),
        }
        self.out.finish(0)
    }
}

fn put_failure(error: &(impl Failure + ?Sized), out: &mut Writer<'_>) {
    put_error(error.code(), &error.message(), error.data().as_ref(), out);
}

/// Writes `error` to the front of `output` as an answer with this `id`, without an exchange.
pub(super) fn alone<'o>(error: &ErrorObject<'_>, dialect: Dialect, mut output: Room<'o>) -> Processed<'o> {
    let (mut progress, id) = (Progress::new(true, dialect.writes_version()), dialect.unknown_id());
    let len = output.len();
    Reply::new(output.reborrow().writer(0, len), &mut progress, id.as_bytes()).put_error(error);
    let output: &'o [u8] = output.bytes(0, 0);
    let answer = output.get(..progress.len).filter(|answer| !answer.is_empty());
    Processed::unread(answer, progress.code(), false)
}
