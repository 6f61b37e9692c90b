//! The one text of both drivers, which do what the connection says next: read, write, flush, or let a server answer.

/// Defines a driver in its module. The arguments: `async` and `.await`, or nothing; the crate with the traits of the streams; the trait of the
/// routes, and the method of a server that answers a text; the bound of a deadline, one that never passes, and the macro that keeps one in
/// its place; whether a future that is dropped may have written; the names of the public methods with their documentation, and those of the
/// others.
macro_rules! driver {
    (
        { $($async:tt)* } { $($await:tt)* } $traits:ident $routes:ident $process:ident
        ($($deadline:tt)*) ($($never:tt)*) $pin:ident $may_be_dropped:literal
        $(#[$read_doc:meta])* $read:ident
        $(#[$answer_doc:meta])* $answer:ident
        $(#[$serve_doc:meta])* $serve:ident
        $(#[$send_doc:meta])* $send:ident
        $(#[$send_text_doc:meta])* $send_text:ident
        $(#[$call_doc:meta])* $call:ident
        $(#[$call_until_doc:meta])* $call_until:ident
        $(#[$resume_doc:meta])* $resume:ident
        $(#[$close_doc:meta])* $close:ident
        $answer_until:ident $answer_found:ident $call_serving:ident $notify_serving:ident $wait:ident $read_until:ident $write:ident $write_as:ident
        $open:ident $flush:ident
    ) => {
        use core::ops::Range;

        #[cfg(feature = "serde")]
        use serde::Deserialize;
        use $traits::{Read, Write};

        #[cfg(any(feature = "mcp", feature = "serde"))]
        use super::Waited;
        #[cfg(feature = "serde")]
        use super::call::{CallError, Called, answers};
        #[cfg(feature = "websocket")]
        use super::outgoing::MAX_CLOSE_LEN;
        use super::outgoing::{MESSAGE, first_len, framed, room};
        use super::{Connection, ConnectionError, Outcome, Sorted, advance, is_interrupted};
        use crate::frame::{Buffer, Found, Frame, FrameError, FramerOver};
        #[cfg(feature = "websocket")]
        use crate::frame::{WebSocket, websocket::Side};
        #[cfg(feature = "serde")]
        use crate::json::ToJson;
        use crate::json::{Output, Room};
        #[cfg(feature = "serde")]
        use crate::message::Envelope;
        use crate::message::ToMessage;
        #[cfg(feature = "serde")]
        use crate::server::Router;
        use crate::server::{Event, Observer, Server};

        impl<R: Read, W: Write, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
            $(#[$read_doc])*
            pub $($async)* fn $read(&mut self) -> Outcome<bool, R, W> {
                read_some(&mut self.reader, self.framer, &mut self.has_ended)$($await)*
            }

            $(#[$answer_doc])*
            pub $($async)* fn $answer<S: $routes<C>, H: Observer<C>, C>(
                &mut self,
                server: &mut Server<S, H>,
                context: &mut C,
            ) -> Outcome<(), R, W> {
                self.$answer_until(server, context, |_, _, _, _, _| Sorted::<()>::ToServer)$($await)*.map(|_| ())
            }

            /// Answers every message before the one for which `sort` ends the wait, and returns the span of that one.
            pub(crate) $($async)* fn $answer_until<T, S: $routes<C>, H: Observer<C>, C>(
                &mut self,
                server: &mut Server<S, H>,
                context: &mut C,
                mut sort: impl FnMut(&mut Server<S, H>, &mut C, &[u8], Option<FrameError>, Room<'_>) -> Sorted<T>,
            ) -> Outcome<Option<(Range<usize>, T)>, R, W> {
                while let Some(found) = self.next_to_answer() {
                    let awaited = self.$answer_found(found, server, context, &mut sort)$($await)*?;
                    if awaited.is_some() {
                        // a failed flush does not lose the message; the next method flushes again
                        _ = self.$flush()$($await)*;
                        return Ok(awaited);
                    }
                }
                self.$flush()$($await)*?;
                self.check_output()?;
                Ok(None)
            }

            /// Answers the message, or the fault of the stream, that was found last, unless `sort` handles it. Returns what ends the wait.
            pub(crate) $($async)* fn $answer_found<T, S: $routes<C>, H: Observer<C>, C>(
                &mut self,
                found: Found,
                server: &mut Server<S, H>,
                context: &mut C,
                sort: impl FnOnce(&mut Server<S, H>, &mut C, &[u8], Option<FrameError>, Room<'_>) -> Sorted<T>,
            ) -> Outcome<Option<(Range<usize>, T)>, R, W> {
                if let Err(error) = found {
                    server.observe(context, Event::Misframed(error));
                }
                let (mut ended, mut answered) = (None, None);
                let (opcode, len) = match self.put_control(&found).map_err(ConnectionError::Message)? {
                    Some((None, _)) => return Ok(None),
                    Some((Some(opcode), len)) => (opcode, len),
                    None => {
                        let mut room = room::<F>(self.output.reborrow());
                        let (span, fault) = match found {
                            Ok(span) => (span, None),
                            Err(error) => (self.framer.lost(), Some(error)),
                        };
                        let message = self.framer.text(span.clone());
                        let (len, is_readable) = match (sort(server, context, message, fault, room.reborrow()), fault) {
                            (Sorted::ToServer, None) => {
                                answered = if H::IS_ACTIVE { Some(span) } else { None };
                                let processed = server.$process(context, message, room.reborrow())$($await)*;
                                (processed.answer().map(<[u8]>::len), processed.is_readable())
                            }
                            (Sorted::ToServer, Some(error)) => {
                                (server.refuse(error, &mut room).answer().map(<[u8]>::len), false)
                            }
                            (Sorted::Handled { len, awaited }, _) => {
                                ended = awaited.map(|awaited| (span, awaited));
                                (len, true)
                            }
                        };
                        let Some(len) = self.settle(len, server, context, is_readable) else { return Ok(ended) };
                        (MESSAGE, len)
                    }
                };
                let written = self.$write_as(opcode, len)$($await)*;
                if written.is_err() {
                    self.report_unsent(answered, server, context);
                }
                written.map(|()| ended)
            }

            $(#[$serve_doc])*
            pub $($async)* fn $serve<S: $routes<C>, H: Observer<C>, C>(
                &mut self,
                server: &mut Server<S, H>,
                context: &mut C,
            ) -> Outcome<(), R, W> {
                loop {
                    // the framer may hold messages already. Not by `answer`: 48 bytes of the async driver on thumbv7m
                    self.$answer_until(server, context, |_, _, _, _, _| Sorted::<()>::ToServer)$($await)*?;
                    if self.has_ended {
                        // a framer whose stream was served to its end needs no `clear` before the next one, except after a close of a WebSocket
                        self.allow_unreadable_answer();
                        return Ok(());
                    }
                    self.$read()$($await)*?;
                }
            }

            /// Answers messages until `sort` ends the wait, the stream ends or `deadline` passes.
            #[cfg(any(feature = "mcp", feature = "serde"))]
            pub(crate) $($async)* fn $wait<T, S: $routes<C>, H: Observer<C>, C>(
                &mut self,
                server: &mut Server<S, H>,
                context: &mut C,
                deadline: impl $($deadline)*,
                mut sort: impl FnMut(&mut Server<S, H>, &mut C, &[u8], Option<FrameError>, Room<'_>) -> Sorted<T>,
            ) -> Outcome<Waited<T>, R, W> {
                let mut deadline = $pin!(deadline);
                let mut is_late = false;
                loop {
                    if let Some((span, awaited)) = self.$answer_until(server, context, &mut sort)$($await)*? {
                        return Ok(Waited::For(span, awaited));
                    }
                    if self.has_ended {
                        return Ok(Waited::Closed);
                    }
                    if is_late {
                        return Ok(Waited::Late);
                    }
                    is_late = self.$read_until(&mut deadline)$($await)*?;
                }
            }

            /// Calls `method` and waits for the result, while `server` handles all other messages.
            #[cfg(feature = "serde")]
            pub(super) $($async)* fn $call_serving<'c, T: Deserialize<'c>, S: $routes<C>, H: Observer<C>, C>(
                &'c mut self,
                server: &mut Server<S, H>,
                context: &mut C,
                method: &str,
                params: &(impl ToJson + ?Sized),
                deadline: impl $($deadline)*,
            ) -> Called<'c, T, R, W> {
                self.$open()$($await)*?;
                let dialect = server.dialect();
                let (call, len) = self.put_call(server, context, method, params).map_err(ConnectionError::Message)?;
                self.$write(len)$($await)*?;
                let sort = |server: &mut Server<S, H>, context: &mut C, text: &[u8], fault: Option<FrameError>, _: Room<'_>| {
                    if fault.is_none() && Envelope::parse_as(text, dialect).is_ok_and(|found| call.is_echo(&found, text)) {
                        server.observe(context, Event::Echo(text));
                        return Sorted::Handled { len: None, awaited: None };
                    }
                    answers(text, fault, dialect, call.id)
                };
                match self.$wait(server, context, deadline, sort)$($await)*? {
                    Waited::For(span, answer) => self.outcome(span, answer),
                    Waited::Late => Err(CallError::Late),
                    Waited::Closed => Err(CallError::Closed),
                }
            }

            /// Sends a notification by the rules of `server`.
            #[cfg(feature = "serde")]
            pub(super) $($async)* fn $notify_serving<S, H: Observer<C>, C>(
                &mut self,
                server: &mut Server<S, H>,
                context: &mut C,
                method: &str,
                params: &(impl ToJson + ?Sized),
            ) -> Outcome<(), R, W> {
                self.$open()$($await)*?;
                let written = self.put_by_rules(server, context, method, params, None);
                let len = written.map(|out| out.len()).map_err(ConnectionError::Message)?;
                self.$write(len)$($await)*?;
                self.$flush()$($await)*
            }

            $(#[$call_doc])*
            #[cfg(feature = "serde")]
            pub $($async)* fn $call<'c, T: Deserialize<'c>>(
                &'c mut self,
                method: &str,
                params: &(impl ToJson + ?Sized),
            ) -> Called<'c, T, R, W> {
                self.$call_serving(&mut Server::new(Router::<()>::new()), &mut (), method, params, $($never)*)$($await)*
            }

            $(#[$call_until_doc])*
            #[cfg(feature = "serde")]
            pub $($async)* fn $call_until<'c, T: Deserialize<'c>>(
                &'c mut self,
                method: &str,
                params: &(impl ToJson + ?Sized),
                deadline: impl $($deadline)*,
            ) -> Called<'c, T, R, W> {
                self.$call_serving(&mut Server::new(Router::<()>::new()), &mut (), method, params, deadline)$($await)*
            }

            $(#[$send_doc])*
            pub $($async)* fn $send(&mut self, message: &(impl ToMessage + ?Sized)) -> Outcome<(), R, W> {
                self.$open()$($await)*?;
                let len = self.put(message).map_err(ConnectionError::Message)?;
                self.$write(len)$($await)*?;
                self.$flush()$($await)*
            }

            $(#[$send_text_doc])*
            pub $($async)* fn $send_text(&mut self, text: &[u8]) -> Outcome<(), R, W> {
                if text.is_empty() {
                    return self.$flush()$($await)*;
                }
                self.$open()$($await)*?;
                self.check_text(text).map_err(ConnectionError::Message)?;
                let mut rest = text;
                while !rest.is_empty() {
                    let (first, behind) = rest.split_at_checked(first_len(rest)).unwrap_or_default();
                    let len = self.put_text(first).map_err(ConnectionError::Message)?;
                    self.$write(len)$($await)*?;
                    rest = behind;
                }
                self.$flush()$($await)*
            }

            $(#[$resume_doc])*
            pub $($async)* fn $resume(&mut self) -> Outcome<(), R, W> {
                if F::tail().is_empty() {
                    return self.$open()$($await)*;
                }
                if self.framer.is_output_broken {
                    self.framer.is_unflushed = true;
                    let ended = write_frame(&mut self.writer, self.framer, F::tail())$($await)*;
                    // the part is still open, even if no byte of the tail was written
                    self.framer.is_output_broken = ended.is_err();
                    ended?;
                }
                self.$flush()$($await)*
            }

            /// Writes the message of `len` bytes from its room. A flush follows the last of several messages.
            pub(crate) $($async)* fn $write(&mut self, len: usize) -> Outcome<(), R, W> {
                self.$write_as(MESSAGE, len)$($await)*
            }

            /// Writes the message or reply of `len` bytes from its room.
            $($async)* fn $write_as(&mut self, opcode: u8, len: usize) -> Outcome<(), R, W> {
                let frame = framed::<F>(self.output.reborrow(), len, opcode);
                write_frame(&mut self.writer, self.framer, frame)$($await)*?;
                #[cfg(feature = "alloc")]
                self.output.release();
                Ok(())
            }

            /// As [`check_open`](Self::check_open). Before it refuses to send, it flushes the messages that were written completely.
            pub(crate) $($async)* fn $open(&mut self) -> Outcome<(), R, W> {
                let open = self.check_open();
                if open.is_err() {
                    self.$flush()$($await)*?;
                }
                open
            }

            /// Flushes the writer if a message was written since the last flush. On a network, a flush may wait until the peer
            /// acknowledges, so several answers share one.
            pub(crate) $($async)* fn $flush(&mut self) -> Outcome<(), R, W> {
                while self.framer.is_unflushed {
                    match self.writer.flush()$($await)* {
                        Err(error) if is_interrupted(&error) => {}
                        outcome => {
                            outcome.map_err(ConnectionError::Write)?;
                            self.framer.is_unflushed = false;
                        }
                    }
                }
                Ok(())
            }
        }

        // RFC 6455 §7.1.2
        #[cfg(feature = "websocket")]
        impl<R: Read, W: Write, S: Side, B: Buffer> Connection<'_, R, W, WebSocket<S>, B> {
            $(#[$close_doc])*
            pub $($async)* fn $close(&mut self, code: u16, reason: &str) -> Outcome<(), R, W> {
                // if a close was sent, but its flush failed or was dropped, this flushes it
                self.$open()$($await)*?;
                let mut frame = [0; MAX_CLOSE_LEN];
                let len = WebSocket::<S>::close(code, reason, &mut frame).map_err(ConnectionError::Message)?;
                let frame = frame.get(..len).unwrap_or_default();
                write_frame(&mut self.writer, self.framer, frame)$($await)*?;
                // nothing may follow a close
                self.framer.is_output_broken = true;
                self.$flush()$($await)*?;
                loop {
                    // drop messages that the peer sent before it received the close, and its own close
                    while self.framer.next_span(self.has_ended).is_some() {}
                    if !self.$read()$($await)*? {
                        return Ok(());
                    }
                }
            }
        }

        /// Reads once. Returns `false` at the end of the stream. `G` is the error of the writer.
        pub(super) $($async)* fn read_some<R: Read, G, F: Frame, B: Buffer>(
            reader: &mut R,
            framer: &mut FramerOver<F, B>,
            has_ended: &mut bool,
        ) -> Result<bool, ConnectionError<R::Error, G>> {
            if framer.is_over() {
                *has_ended = true;
                return Ok(false);
            }
            let spare = framer.spare();
            // a read into an empty slice would return 0, as at the end of the stream
            if spare.is_empty() {
                let goes_on = framer.limit() != 0;
                *has_ended |= !goes_on;
                return Ok(goes_on);
            }
            let len = loop {
                match reader.read(spare)$($await)* {
                    Err(error) if is_interrupted(&error) => {}
                    outcome => break outcome.map_err(ConnectionError::Read)?,
                }
            };
            framer.filled(len);
            *has_ended = len == 0;
            Ok(len != 0)
        }

        /// Writes `frame`, which is to be flushed. The output is broken while only a part of it is written. `E` is the error of the reader.
        pub(super) $($async)* fn write_frame<E, W: Write, F, B>(
            writer: &mut W,
            framer: &mut FramerOver<F, B>,
            frame: &[u8],
        ) -> Result<(), ConnectionError<E, W::Error>> {
            let mut rest = frame;
            framer.is_unflushed |= $may_be_dropped;
            // set before the first write, because a dropped future, or a writer that unwinds, may have sent a part
            framer.is_output_broken = true;
            while !rest.is_empty() {
                let written = writer.write(rest)$($await)*;
                let outcome = advance(&mut rest, written);
                if outcome.is_err() {
                    framer.is_output_broken = rest.len() != frame.len();
                }
                outcome?;
            }
            framer.is_output_broken = false;
            framer.is_unflushed = true;
            Ok(())
        }
    };
}

pub(super) use driver;
