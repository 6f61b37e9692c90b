//! The methods of a session, for the blocking and the asynchronous one.

/// The methods of a session. The arguments: `async` and `.await`, or nothing; the methods of the connection and of the server.
macro_rules! methods {
    (
        { $($async:tt)* } { $($await:tt)* }
        $answer_subrequest:ident $answer_found:ident $answer_until:ident $wait:ident $read_until:ident $write:ident $open:ident $flush:ident
    ) => {
        /// Finds the common revision with the server. Call it first on a new stream.
        ///
        /// # Errors
        /// See [`SessionError`]. If the answer to `server/discover` is an error or [late](Self::until), and the client has no
        /// fixed [revision](Client::revision), `initialize` follows.
        pub $($async)* fn connect(&mut self) -> Result<Connected<'_>, Failed<'_, R, W>> {
            self.begin()$($await)*?;
            let len = self.connection.written(|out| self.client.connect(out)).map_err(ConnectionError::Message)?;
            self.send(len)$($await)*?;
            let answer = loop {
                match self.wait()$($await)* {
                    Err(SessionError::Late) => {
                        let client = &mut *self.client;
                        let mut falls_back = false;
                        let written = self.connection.written(|out| {
                            falls_back = client.fall_back(out)?;
                            Ok(())
                        });
                        let len = written.map_err(ConnectionError::Message)?;
                        if !falls_back {
                            return Err(SessionError::Late);
                        }
                        self.send(len)$($await)*?;
                    }
                    answer => break answer?,
                }
            };
            let revision = match answer.ending {
                Ending::Connected(revision) => revision,
                _ => Revision::LATEST_SESSION,
            };
            let is_lenient = self.client.is_lenient;
            Ok(Connected { revision, result: self.connection.result(&answer, Ok)?, is_lenient })
        }

        /// Calls `each` with every tool of the server, page after page.
        ///
        /// # Errors
        /// See [`SessionError`]; [`Refused`](SessionError::Refused) at the first invalid tool: `each` was called with the tools before it.
        pub $($async)* fn list_tools(&mut self, mut each: impl FnMut(&mut C, Tool<'_>)) -> Result<(), Failed<'_, R, W>> {
            let each = |context: &mut C, raw: RawValue<'_>| Ok(each(context, Tool::read(raw)?));
            self.list(method::TOOLS_LIST, "tools", each)$($await)*
        }

        /// Calls `each` with every resource of the server, page after page.
        ///
        /// # Errors
        /// As [`list_tools`](Self::list_tools).
        pub $($async)* fn list_resources(
            &mut self,
            mut each: impl FnMut(&mut C, Resource<'_>),
        ) -> Result<(), Failed<'_, R, W>> {
            let each = |context: &mut C, raw: RawValue<'_>| Ok(each(context, Resource::read(raw)?));
            self.list(method::RESOURCES_LIST, "resources", each)$($await)*
        }

        /// Calls `each` with every resource template of the server, page after page.
        ///
        /// # Errors
        /// As [`list_tools`](Self::list_tools).
        pub $($async)* fn list_resource_templates(
            &mut self,
            mut each: impl FnMut(&mut C, ResourceTemplate<'_>),
        ) -> Result<(), Failed<'_, R, W>> {
            let each = |context: &mut C, raw: RawValue<'_>| Ok(each(context, ResourceTemplate::read(raw)?));
            self.list(method::RESOURCES_TEMPLATES_LIST, "resourceTemplates", each)$($await)*
        }

        /// Calls `each` with every prompt of the server, page after page.
        ///
        /// # Errors
        /// As [`list_tools`](Self::list_tools).
        pub $($async)* fn list_prompts(
            &mut self,
            mut each: impl FnMut(&mut C, Prompt<'_>),
        ) -> Result<(), Failed<'_, R, W>> {
            let each = |context: &mut C, raw: RawValue<'_>| Ok(each(context, Prompt::read(raw)?));
            self.list(method::PROMPTS_LIST, "prompts", each)$($await)*
        }

        /// Calls `each` with every skill that the server lists, page after page: of the extension `io.modelcontextprotocol/skills`. A server may
        /// have more: see [`get_skill`](Self::get_skill).
        ///
        /// # Errors
        /// As [`list_tools`](Self::list_tools).
        pub $($async)* fn list_skills(&mut self, mut each: impl FnMut(&mut C, Skill<'_>)) -> Result<(), Failed<'_, R, W>> {
            let each = |context: &mut C, raw: RawValue<'_>| Ok(each(context, Skill::read(raw)?));
            self.list(method::SKILLS_LIST, "skills", each)$($await)*
        }

        /// Gets the skill whose `SKILL.md` is at `uri`. [`SkillResource::verifies`](crate::mcp::types::SkillResource::verifies) checks a file that
        /// [`read_resource`](Self::read_resource) reads.
        ///
        /// # Errors
        /// See [`SessionError`].
        pub $($async)* fn get_skill(&mut self, uri: &str) -> Result<GetSkillResult<'_>, Failed<'_, R, W>> {
            let answer = self.answered(Call::skill(uri).any())$($await)*?;
            self.connection.result(&answer, GetSkillResult::read)
        }

        /// Lists a directory, or its first page: see [`Call::directory`].
        ///
        /// # Errors
        /// See [`SessionError`].
        pub $($async)* fn read_directory(&mut self, uri: &str) -> Result<ReadDirectoryResult<'_>, Failed<'_, R, W>> {
            let answer = self.answered(Call::directory(uri).any())$($await)*?;
            self.connection.result(&answer, ReadDirectoryResult::read)
        }

        /// Calls a tool. The arguments are an object, or `&()`. A failed tool sets `is_error` in its result.
        ///
        /// # Errors
        /// See [`SessionError`].
        pub $($async)* fn call_tool<A: ToJson>(
            &mut self,
            name: &str,
            arguments: &A,
        ) -> Result<CallToolResult<'_>, Failed<'_, R, W>> {
            let answer = self.answered(Call::tool(name, arguments).any())$($await)*?;
            self.connection.result(&answer, CallToolResult::read)
        }

        /// Calls a tool and reads its structured content into your type, which may borrow from the connection.
        ///
        /// # Errors
        /// See [`SessionError`]: [`Tool`](SessionError::Tool) if the tool has failed; [`Refused`](SessionError::Refused) with
        /// [`MissingField`](ErrorKind::MissingField) if there is no structured content; [`Payload`](SessionError::Payload).
        #[cfg(feature = "serde")]
        pub $($async)* fn call_tool_as<'c, T: serde::Deserialize<'c>, A: ToJson>(
            &'c mut self,
            name: &str,
            arguments: &A,
        ) -> Result<T, Failed<'c, R, W>> {
            let answer = self.answered(Call::tool(name, arguments).any())$($await)*?;
            let missing = |result: RawValue<'_>| Error::new(ErrorKind::MissingField, result.offset());
            if answer.ending != Ending::Result {
                return self.connection.result(&answer, |result| Err(missing(result)));
            }
            let (text, room) = self.connection.text_and_room(answer.span);
            let result = ToolResult(result_in(text));
            if result.is_error() {
                return Err(SessionError::Tool(result));
            }
            let content = result.structured().ok_or(SessionError::Refused(missing(result.0), text))?;
            content.read_with(room.scratch(0, Some(content))).map_err(SessionError::Payload)
        }

        /// Reads a resource.
        ///
        /// # Errors
        /// See [`SessionError`].
        pub $($async)* fn read_resource(&mut self, uri: &str) -> Result<ReadResourceResult<'_>, Failed<'_, R, W>> {
            let answer = self.answered(Call::resource(uri).any())$($await)*?;
            self.connection.result(&answer, ReadResourceResult::read)
        }

        /// Gets a prompt. The arguments are an object of strings, or `&()`.
        ///
        /// # Errors
        /// See [`SessionError`].
        pub $($async)* fn get_prompt<A: ToJson>(
            &mut self,
            name: &str,
            arguments: &A,
        ) -> Result<GetPromptResult<'_>, Failed<'_, R, W>> {
            let answer = self.answered(Call::prompt(name, arguments).any())$($await)*?;
            self.connection.result(&answer, GetPromptResult::read)
        }

        /// Requests values of the argument `name` that begin with `value`.
        ///
        /// # Errors
        /// See [`SessionError`].
        pub $($async)* fn complete(
            &mut self,
            reference: Reference<'_>,
            name: &str,
            value: &str,
        ) -> Result<CompleteResult<'_>, Failed<'_, R, W>> {
            let answer = self.answered(Call::completion(reference, name, value).any())$($await)*?;
            self.connection.result(&answer, CompleteResult::read)
        }

        /// Sets the least severe level of log messages: at once in a session; in 2026-07-28 with each later request.
        ///
        /// # Errors
        /// See [`SessionError`].
        pub $($async)* fn set_log_level(&mut self, level: LoggingLevel) -> Result<(), Failed<'_, R, W>> {
            self.client.identity.log_level = Some(level);
            if self.client.negotiated().is_some_and(Revision::is_stateless) {
                return Ok(());
            }
            self.call(&Call::set_level(level))$($await)*.map(|_| ())
        }

        /// Makes any call and returns its result as JSON, for calls without a method here: [`Call::of`], [`Call::subscribe`].
        ///
        /// # Errors
        /// See [`SessionError`].
        pub $($async)* fn call<A: ToJson>(&mut self, call: &Call<'_, A>) -> Result<RawValue<'_>, Failed<'_, R, W>> {
            let answer = self.answered(call.any())$($await)*?;
            self.connection.result(&answer, Ok)
        }

        /// Handles the messages that have arrived since the last call; if there are none, reads once and handles the input. Returns `false`
        /// at the end of the stream.
        ///
        /// # Errors
        /// [`Connection`](SessionError::Connection).
        pub $($async)* fn handle_incoming(&mut self) -> Result<bool, Failed<'static, R, W>> {
            // a call whose future was dropped has ended
            self.client.forget();
            // the read that returned the last answer may have read messages after it
            if self.take_all()$($await)*? {
                return Ok(true);
            }
            self.connection.$read_until(never())$($await)*?;
            let goes_on = !self.connection.has_ended();
            self.take_all()$($await)*?;
            Ok(goes_on)
        }

        /// Prepares a request: refuses to send on a closed stream, and ends a call whose future was dropped.
        $($async)* fn begin(&mut self) -> Result<(), Failed<'static, R, W>> {
            self.connection.$open()$($await)*?;
            self.client.forget();
            Ok(())
        }

        /// Handles the messages in the framer while no call is in flight. Returns whether there were any.
        $($async)* fn take_all(&mut self) -> Result<bool, Failed<'static, R, W>> {
            let Self { client, connection, server, context, .. } = self;
            let found = connection.next_to_answer();
            let were_any = found.is_some();
            let mut sort = |server: &mut _, context: &mut _, text: &[u8], fault: Option<crate::frame::FrameError>, room: Room<'_>| {
                sort(client, server, context, text, fault, room)
            };
            if let Some(found) = found {
                connection.$answer_found(found, server, context, &mut sort)$($await)*?;
            }
            // no call is in flight, so only a late answer to a handshake ends the wait
            while connection.$answer_until(server, context, &mut sort)$($await)*?.is_some() {}
            Ok(were_any)
        }

        /// Calls `each` with every element of a list, page after page.
        $($async)* fn list(
            &mut self,
            method: &str,
            member: &str,
            mut each: impl FnMut(&mut C, RawValue<'_>) -> Result<(), Error>,
        ) -> Result<(), Failed<'_, R, W>> {
            let mut pages = self.client.pages();
            // the page before, which has the cursor
            let mut last = None;
            loop {
                self.begin()$($await)*?;
                let (text, mut room) = self.connection.text_and_room(last.clone().unwrap_or(0..0));
                let mut out = Writer::new(&mut room);
                // read before
                let cursor = last.and_then(|_| self.client.next_cursor(result_in(text)).ok()?);
                let call = Call::page(method, cursor);
                self.client.send(&call, (), &mut out).map_err(|refused| ConnectionError::Message(refused.error))?;
                let len = out.len();
                let mut answer = self.sent(len)$($await)*?;
                if answer.ending == Ending::Result {
                    let (text, _) = self.connection.text_and_room(answer.span.clone());
                    let page = result_in(text);
                    let read = each_in(page, member, |element| each(self.context, element));
                    match read.and_then(|()| self.client.next_cursor(page)) {
                        Ok(None) => return Ok(()),
                        Ok(Some(cursor)) if pages.repeats(cursor) => return Err(SessionError::RepeatedCursor),
                        Ok(Some(cursor)) if !pages.count_page(cursor) => return Err(SessionError::Pages),
                        Ok(Some(_)) => {}
                        Err(error) => answer.ending = Ending::Refused(error),
                    }
                }
                if answer.ending != Ending::Result {
                    return self.connection.result(&answer, |_| Ok(()));
                }
                last = Some(answer.span);
            }
        }

        /// Makes a call, and repeats it with the input that the server requires.
        $($async)* fn answered(&mut self, call: AnyCall<'_>) -> Result<Answer, Failed<'static, R, W>> {
            self.begin()$($await)*?;
            let written = self.connection.written(|out| self.client.send_with((), out, |out| call.open(out)).map(|_| ()));
            let mut len = written.map_err(|refused| ConnectionError::Message(refused.error))?;
            for _ in 0..=MAX_ROUNDS {
                let answer = self.sent(len)$($await)*?;
                if answer.ending != Ending::InputRequired {
                    return Ok(answer);
                }
                len = match self.repeated(&call, answer.span.clone())$($await)*? {
                    Ok(len) => len,
                    Err(error) => return Ok(Answer { ending: Ending::Refused(error), ..answer }),
                };
            }
            // a message for the next round was written, but is not sent
            self.client.forget();
            Err(SessionError::Rounds)
        }

        /// Writes a call again, with the answers of the program's server to the required input. Returns its length, or the fault of the
        /// required input.
        $($async)* fn repeated(
            &mut self,
            call: &AnyCall<'_>,
            required: Range<usize>,
        ) -> Result<Result<usize, Error>, Failed<'static, R, W>> {
            self.connection.check_open()?;
            let Self { client, connection, server, context, .. } = self;
            let (text, mut room) = connection.text_and_room(required);
            let result = result_in(text);
            let mut out = Writer::new(&mut room);
            let meta = call.open(&mut out).map_err(ConnectionError::Message)?;
            let requests = match input_requests(result) {
                Ok(requests) => requests,
                Err(error) => return Ok(Err(error)),
            };
            if let Some(requests) = requests {
                out.put_name("inputResponses");
                out.put_byte(b'{');
                for (key, request) in requests.members() {
                    let InputRequest { method, params, .. } = match InputRequest::read(request) {
                        Ok(request) => request,
                        Err(error) => return Ok(Err(error)),
                    };
                    out.put_raw_name(key);
                    let method = input_method(method).map_err(SessionError::Input)?;
                    let written = server.$answer_subrequest(context, method, params, out.rest())$($await)*;
                    out.put_in_place(written.map_err(SessionError::Input)?);
                }
                out.put_byte(b'}');
            }
            let sent = client.send_with((), &mut out, |out| put_state(result, out).map(|()| meta));
            sent.map_err(|refused| ConnectionError::Message(refused.error))?;
            Ok(Ok(out.len()))
        }

        /// Sends the message of `len` bytes that is in its room.
        $($async)* fn send(&mut self, len: usize) -> Result<(), Failed<'static, R, W>> {
            self.connection.$write(len)$($await)*?;
            Ok(self.connection.$flush()$($await)*?)
        }

        /// Sends the call of `len` bytes that is in its room, and waits for its answer.
        $($async)* fn sent(&mut self, len: usize) -> Result<Answer, Failed<'static, R, W>> {
            if let Err(error) = self.send(len)$($await)* {
                self.client.forget();
                return Err(error);
            }
            let answer = self.wait()$($await)*;
            if let Err(SessionError::Late) = answer {
                let client = &mut *self.client;
                let cancelled = self.connection.written(|out| client.cancel_current(out));
                if let Ok(len) = cancelled {
                    self.send(len)$($await)*?;
                }
            }
            if answer.is_err() {
                self.client.forget();
            }
            answer
        }

        /// Waits for the answer to the request that was sent last.
        $($async)* fn wait(&mut self) -> Result<Answer, Failed<'static, R, W>> {
            let deadline = (self.deadline)();
            let Self { client, connection, server, context, .. } = self;
            let sort = |server: &mut _, context: &mut _, text: &[u8], fault: Option<crate::frame::FrameError>, room: Room<'_>| {
                sort(client, server, context, text, fault, room)
            };
            match connection.$wait(server, context, deadline, sort)$($await)*? {
                Waited::For(span, ending) => Ok(Answer { span, ending }),
                Waited::Late => Err(SessionError::Late),
                Waited::Closed => Err(SessionError::Closed),
            }
        }
    };
}

pub(super) use methods;
