//! One request of a client: its method and params.

use crate::error::{Error, ErrorKind};
use crate::json::{ObjectWriter, RawStr, RawValue, ToJson, ValueWriter, Writer, Written};
use crate::mcp::method;
use crate::mcp::types::{LoggingLevel, Reference};
use crate::mcp::value::write_text;
use crate::message::{CALL, Str};

/// One request of a client; see [`Client::send`](super::Client::send). The client adds the metadata of its revision.
///
/// `A` is the type of the arguments: any type that implements [`ToJson`].
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::Writer;
/// use nanojsonrpc::mcp::Revision;
/// use nanojsonrpc::mcp::client::{Call, Client};
///
/// let mut client: Client<(), 1> = Client::new("me", "1.0.0").connected_as(Revision::V2025_11_25);
/// let mut buffer = [0; 128];
/// let mut out = Writer::new(&mut buffer);
/// client.send(&Call::resource("note:///1"), (), &mut out)?;
/// assert_eq!(
///     out.written(),
///     br#"{"jsonrpc":"2.0","method":"resources/read","params":{"uri":"note:///1"},"id":1}"#
/// );
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Call<'p, A = ()> {
    method: &'p str,
    params: Params<'p, A>,
    meta: Meta<'p>,
}

/// Members of `_meta` that the program adds, and the function that writes them, which only such a program links.
pub(super) type Meta<'p> = Option<(Members<'p>, fn(Members<'_>, &mut Writer<'_>))>;
type Members<'p> = &'p [(&'p str, RawValue<'p>)];

#[derive(Clone, Copy, Debug)]
enum Params<'p, A> {
    Plain(Plain<'p>),
    /// A name, and `arguments`, which are omitted if they are `null`.
    Named(&'p str, &'p A),
    /// The whole object.
    Whole(&'p A),
}

/// Params without arguments of the program.
#[derive(Clone, Copy, Debug)]
enum Plain<'p> {
    None,
    /// A member that is a string.
    Text(&'static str, Spelled<'p>),
    /// The `type`, the name and value of a member; the argument and its value.
    Completion(&'static str, &'static str, Spelled<'p>, &'p str, &'p str),
}

/// A [`Str`] without the variant for errors, whose formatting takes 2 KB of flash.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spelled<'p> {
    Raw(RawStr<'p>),
    Plain(&'p str),
}

impl<'p> Spelled<'p> {
    pub(super) const fn of(text: Str<'p>) -> Self {
        match text {
            Str::Raw(raw) => Self::Raw(raw),
            Str::Plain(text) => Self::Plain(text),
            #[cfg(feature = "serde")]
            Str::Payload(_) => Self::Plain(""),
        }
    }
}

impl ToJson for Spelled<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::Raw(raw) => out.text(raw),
            Self::Plain(text) => out.value(*text),
        }
    }
}

impl<'p> Call<'p> {
    /// The method `method`, without params.
    pub const fn new(method: &'p str) -> Self {
        Self { method, params: Params::Plain(Plain::None), meta: None }
    }

    /// A request about the task `id`: [`TASKS_GET`](method::TASKS_GET), [`TASKS_CANCEL`](method::TASKS_CANCEL) or
    /// [`TASKS_RESULT`](method::TASKS_RESULT).
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::mcp::client::{Call, Client, Incoming, Outcome, TASKS, TaskParams};
    /// use nanojsonrpc::mcp::types::Task;
    /// use nanojsonrpc::mcp::{Revision, method};
    /// use nanojsonrpc::Writer;
    ///
    /// let mut client: Client<(), 1> = Client::new("me", "1.0.0").declaring(&[TASKS]).connected_as(Revision::V2026_07_28);
    /// let mut buffer = [0; 512];
    /// let mut out = Writer::new(&mut buffer);
    /// client.send(&Call::tool("dry", &()), (), &mut out)?;
    /// let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"t-1","status":"working",
    ///     "createdAt":"2026-07-28T10:30:00Z","lastUpdatedAt":"2026-07-28T10:30:00Z","ttlMs":60000}}"#;
    /// let Incoming::Answer((), Outcome::Task(created)) = client.receive(answer, &mut out) else { panic!() };
    /// let task = Task::read_created(created)?;
    /// // after `task.poll_delay_ms()`
    /// out.clear();
    /// client.send(&Call::task(method::TASKS_GET, task.id), (), &mut out)?;
    /// assert!(out.written().starts_with(br#"{"jsonrpc":"2.0","method":"tasks/get","params":{"taskId":"t-1","_meta":"#));
    ///
    /// // in 2025-11-25, the client requests the task
    /// let mut client: Client<(), 1> = Client::new("me", "1.0.0").connected_as(Revision::V2025_11_25);
    /// out.clear();
    /// let params = TaskParams { name: "dry", arguments: &(), ttl_ms: Some(60_000) };
    /// client.send(&Call::of(method::TOOLS_CALL, &params), (), &mut out)?;
    /// let params = br#""params":{"name":"dry","task":{"ttl":60000}}"#;
    /// assert!(out.written().windows(params.len()).any(|part| part == params));
    /// # Ok(()) }
    /// ```
    pub const fn task(method: &'p str, id: Str<'p>) -> Self {
        Self::with_text(method, "taskId", Spelled::of(id))
    }

    /// [`task`](Self::task), without the variant for errors.
    #[cfg(feature = "embedded-io")]
    pub(super) const fn of_task(method: &'p str, id: RawStr<'p>) -> Self {
        Self::with_text(method, "taskId", Spelled::Raw(id))
    }

    const fn with_text(method: &'p str, name: &'static str, text: Spelled<'p>) -> Self {
        Self { method, params: Params::Plain(Plain::Text(name, text)), meta: None }
    }

    /// Requests a page of the list `method`, such as [`TOOLS_LIST`](method::TOOLS_LIST). `cursor` is the cursor in the previous page;
    /// `None` requests the first page.
    pub fn page(method: &'p str, cursor: Option<Str<'p>>) -> Self {
        match cursor {
            Some(cursor) => Self::with_text(method, "cursor", Spelled::of(cursor)),
            None => Self::new(method),
        }
    }

    /// Reads the resource `uri`.
    pub const fn resource(uri: &'p str) -> Self {
        Self::with_text(method::RESOURCES_READ, "uri", Spelled::Plain(uri))
    }

    /// Gets the skill whose `SKILL.md` is at `uri`, for servers with the extension `io.modelcontextprotocol/skills`.
    pub const fn skill(uri: &'p str) -> Self {
        Self::with_text(method::SKILLS_GET, "uri", Spelled::Plain(uri))
    }

    /// Lists the directory `uri`, which has no slash at its end, for servers that declare `directoryRead` with the extension for skills. Their
    /// next pages: [`Call::of`] with `uri` and `cursor`.
    ///
    /// ```
    /// use nanojsonrpc::Writer;
    /// use nanojsonrpc::mcp::Revision;
    /// use nanojsonrpc::mcp::client::{Call, Client};
    ///
    /// let mut client: Client<(), 1> = Client::new("me", "1.0.0").connected_as(Revision::V2025_11_25);
    /// let mut buffer = [0; 128];
    /// let mut out = Writer::new(&mut buffer);
    /// client.send(&Call::directory("skill://lamp"), (), &mut out)?;
    /// let text = br#"{"jsonrpc":"2.0","method":"resources/directory/read","params":{"uri":"skill://lamp"},"id":1}"#;
    /// assert_eq!(out.written(), text);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub const fn directory(uri: &'p str) -> Self {
        Self::with_text(method::RESOURCES_DIRECTORY_READ, "uri", Spelled::Plain(uri))
    }

    /// Subscribes to changes of the resource `uri`. 2024-11-05 to 2025-11-25.
    pub const fn subscribe(uri: &'p str) -> Self {
        Self::with_text(method::RESOURCES_SUBSCRIBE, "uri", Spelled::Plain(uri))
    }

    /// Ends the subscription to the resource `uri`. 2024-11-05 to 2025-11-25.
    pub const fn unsubscribe(uri: &'p str) -> Self {
        Self::with_text(method::RESOURCES_UNSUBSCRIBE, "uri", Spelled::Plain(uri))
    }

    /// Sets the least severe level of log messages. 2024-11-05 to 2025-11-25; [`Client::log_level`](super::Client::log_level) is for
    /// 2026-07-28.
    pub const fn set_level(level: LoggingLevel) -> Self {
        Self::with_text(method::LOGGING_SET_LEVEL, "level", Spelled::Plain(level.as_str()))
    }

    /// Requests values of an argument of a prompt or a resource template.
    pub const fn completion(reference: Reference<'p>, argument: &'p str, value: &'p str) -> Self {
        let (kind, member, text) = match reference {
            Reference::Prompt(name) => ("ref/prompt", "name", name),
            Reference::Resource(uri) => ("ref/resource", "uri", uri),
        };
        let params = Params::Plain(Plain::Completion(kind, member, Spelled::of(text), argument, value));
        Self { method: method::COMPLETION_COMPLETE, params, meta: None }
    }
}

impl<'p, A: ToJson> Call<'p, A> {
    /// Calls the tool `name`. The arguments are an object; `null` arguments, such as `&()`, are omitted.
    pub const fn tool(name: &'p str, arguments: &'p A) -> Self {
        Self { method: method::TOOLS_CALL, params: Params::Named(name, arguments), meta: None }
    }

    /// Gets the prompt `name`. The arguments are an object of strings, or `&()`.
    pub const fn prompt(name: &'p str, arguments: &'p A) -> Self {
        Self { method: method::PROMPTS_GET, params: Params::Named(name, arguments), meta: None }
    }

    /// Any method, with an object as its params. The client adds `_meta`; with an object that has this member, the call is not sent
    /// ([`InvalidParams`](ErrorKind::InvalidParams)): use [`with_meta`](Self::with_meta).
    pub const fn of(method: &'p str, params: &'p A) -> Self {
        Self { method, params: Params::Whole(params), meta: None }
    }

    /// Adds members to `_meta`, such as the context of a trace. The client itself writes `progressToken` and the names that begin with
    /// `io.modelcontextprotocol/`; with such a name, the call is not sent ([`InvalidParams`](ErrorKind::InvalidParams)).
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::mcp::Revision;
    /// use nanojsonrpc::mcp::client::{Call, Client};
    /// use nanojsonrpc::{RawValue, Writer};
    ///
    /// let mut client: Client<(), 1> = Client::new("me", "1.0.0").connected_as(Revision::V2025_11_25);
    /// let mut buffer = [0; 192];
    /// let mut out = Writer::new(&mut buffer);
    /// let trace = [("traceparent", RawValue::parse(br#""00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01""#)?)];
    /// client.send(&Call::resource("note:///1").with_meta(&trace), (), &mut out)?;
    /// let meta = br#","_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}},"id":1}"#;
    /// assert!(out.written().ends_with(meta));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub const fn with_meta(self, members: &'p [(&'p str, RawValue<'p>)]) -> Self {
        Self { meta: Some((members, put_meta)), ..self }
    }

    /// The method.
    pub const fn method(&self) -> &'p str {
        self.method
    }

    /// Appends the request up to the members of its params, and returns what the program adds to `_meta`.
    pub(super) fn open(&self, out: &mut Writer<'_>) -> Result<Meta<'p>, Error> {
        let (plain, arguments) = self.params();
        put_call(self.method, &plain, arguments, out).map(|()| self.meta)
    }

    /// The same call, without the type of its arguments.
    #[cfg(feature = "embedded-io")]
    pub(super) fn any(&self) -> AnyCall<'p> {
        let (plain, arguments) = self.params();
        AnyCall { method: self.method, plain, arguments, meta: self.meta }
    }

    #[inline]
    fn params(&self) -> (Plain<'p>, Option<&'p dyn ToJson>) {
        match self.params {
            Params::Plain(plain) => (plain, None),
            Params::Named(name, arguments) => (Plain::Text("name", Spelled::Plain(name)), Some(arguments)),
            Params::Whole(params) => (Plain::None, Some(params)),
        }
    }
}

/// A [`Call`] with arguments of any type, so that one copy of the code of a session serves all types.
#[cfg(feature = "embedded-io")]
#[derive(Clone, Copy)]
pub(super) struct AnyCall<'p> {
    method: &'p str,
    plain: Plain<'p>,
    arguments: Option<&'p dyn ToJson>,
    meta: Meta<'p>,
}

#[cfg(feature = "embedded-io")]
impl<'p> AnyCall<'p> {
    /// As [`Call::open`].
    pub(super) fn open(&self, out: &mut Writer<'_>) -> Result<Meta<'p>, Error> {
        put_call(self.method, &self.plain, self.arguments, out).map(|()| self.meta)
    }
}

/// Appends a request up to the members of its params. Not generic, so one copy serves all types of arguments.
#[inline(never)]
fn put_call(
    method: &str,
    plain: &Plain<'_>,
    arguments: Option<&dyn ToJson>,
    out: &mut Writer<'_>,
) -> Result<(), Error> {
    put_head(method, out);
    out.put_name("params");
    if let (Plain::None, Some(params)) = (plain, arguments) {
        return put_whole(params, out);
    }
    out.put_byte(b'{');
    let mut params = ObjectWriter::over(out);
    match *plain {
        Plain::None => {}
        Plain::Text(name, text) => params.member(name, &text),
        Plain::Completion(kind, member, text, argument, value) => {
            params.member_with("ref", |out| {
                out.object(|reference| {
                    write_text(reference, "type", kind);
                    reference.member(member, &text);
                })
            });
            params.member_with("argument", |out| {
                out.object(|object| {
                    write_text(object, "name", argument);
                    write_text(object, "value", value);
                })
            });
        }
    }
    if let Some(arguments) = arguments {
        put_arguments(arguments, out);
    }
    Ok(())
}

/// Appends `arguments`, unless they are null.
pub(super) fn put_arguments(arguments: &dyn ToJson, out: &mut Writer<'_>) {
    let before = out.len();
    out.put_name("arguments");
    let start = out.len();
    out.put_value(arguments);
    if matches!(out.written().get(start..), Some(b"null")) {
        out.truncate(before);
    }
}

/// Appends members of `_meta`. The name of a member of the client is a fault of the output.
fn put_meta(members: Members<'_>, out: &mut Writer<'_>) {
    for (name, value) in members {
        if *name == "progressToken" || name.starts_with("io.modelcontextprotocol/") {
            out.fail(Error::new(ErrorKind::InvalidParams, 0));
        }
        ObjectWriter::over(out).member(name, value);
    }
}

/// Appends the beginning of every message.
#[inline(never)]
pub(super) fn put_head(method: &str, out: &mut Writer<'_>) {
    out.put(CALL);
    out.put_string(method);
}

fn put_whole(params: &dyn ToJson, out: &mut Writer<'_>) -> Result<(), Error> {
    let start = out.len();
    out.value(params)?;
    // insert "_meta" before the closing bracket; of two, the head of a request and the server may read different ones
    let inside = match out.written().get(start..) {
        Some(object @ [inside @ .., b'}']) if RawValue::alone_in(object).get("_meta").is_none() => {
            inside.trim_ascii_end().len()
        }
        _ => return Err(Error::new(ErrorKind::InvalidParams, start)),
    };
    out.truncate(start.wrapping_add(inside));
    Ok(())
}

#[cfg(feature = "defmt")]
impl<A> defmt::Format for Call<'_, A> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Call({=str})", self.method);
    }
}
