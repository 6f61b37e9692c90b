//! A list in pages that fit the output.

use core::cell::Cell;
use core::ops::Range;

use super::Service;
use super::feature::{Definition, Definitions, Kind, OfRequest, Shown};
use super::refusal::Refusal;
use super::request::{Frame, RequestContext};
use crate::json::{ObjectWriter, ToJson, ValueWriter, Writer, Written};
use crate::server::Reply;

/// The listener of [`Service::unlisted`].
pub(super) type Unlisted<C> = Option<fn(&mut C, Kind, &'static str)>;

impl<C, F> Service<C, F> {
    /// Calls `listener` with each tool, resource, template, prompt or skill that a list leaves out because it does not fit the output: its
    /// kind, and its name, URI or template.
    ///
    /// ```
    /// use nanojsonrpc::mcp::{Schema, Service, ToolCall};
    ///
    /// let tool = |_: &mut Vec<&str>, call: ToolCall<'_>| call.text("");
    /// let mut server = Service::new("tools", "1.0.0")
    ///     .tool("long", "Described with more words than the output has room for.", Schema::NO_ARGUMENTS, tool)
    ///     .tool("short", "", Schema::NO_ARGUMENTS, tool)
    ///     .unlisted(|names: &mut Vec<&str>, _, name| names.push(name))
    ///     .server();
    /// let (mut names, mut output) = (Vec::new(), [0; 310]);
    /// let list = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
    ///     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    /// let answer = server.process(&mut names, list, &mut output).answer().unwrap_or_default();
    /// assert!(str::from_utf8(answer)?.contains(r#""tools":[{"name":"short","#));
    /// assert_eq!(names, ["long"]);
    /// # Ok::<(), core::str::Utf8Error>(())
    /// ```
    pub fn unlisted(self, listener: fn(&mut C, Kind, &'static str)) -> Self {
        Self { unlisted: Some(listener), ..self }
    }
}

impl RequestContext<'_> {
    /// Answers with the definitions of `kind` from the cursor on; returns the numbers of the definitions that are too long for the output.
    #[inline(never)]
    fn list(&self, kind: Kind, name: &'static str, definitions: &dyn Definitions, reply: Reply<'_>) -> Range<usize> {
        let Some(start) = self.start(kind, definitions) else {
            Refusal::from("Invalid cursor").reply(reply);
            return 0..0;
        };
        let first = Cell::new(start);
        let page = Page { request: self, kind, name, definitions, start, first: &first, closing: reply.closing_len() };
        let replied = reply.success(&page);
        if replied.is_whole() { start..first.get() } else { 0..0 }
    }

    /// The number of the first definition of the page: that in the cursor, or 0 without a cursor. `None` if the cursor is not valid.
    fn start(&self, kind: Kind, definitions: &dyn Definitions) -> Option<usize> {
        let start = self.cursor()?;
        if start != 0 {
            nth(definitions, kind, start)?;
        }
        Some(start)
    }
}

/// The page that is written, and its position in the output.
struct Page<'p> {
    request: &'p RequestContext<'p>,
    kind: Kind,
    name: &'static str,
    definitions: &'p dyn Definitions,
    start: usize,
    /// The first definition that fits.
    first: &'p Cell<usize>,
    /// The length of the text after the result.
    closing: usize,
}

impl ToJson for Page<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.pieces(|out| self.put(out))
    }
}

impl Page<'_> {
    fn put(&self, out: &mut Writer<'_>) {
        out.put_byte(b'{');
        self.request.open(self.frame(), &mut ObjectWriter::over(out));
        out.put_name(self.name);
        out.put_byte(b'[');
        let (mut first, mut place) = (self.start, self.start);
        let mut next = None;
        while let Some(definition) = nth(self.definitions, self.kind, place) {
            let before = out.len();
            let following = place.wrapping_add(1);
            let is_wanted = place.wrapping_sub(first) < self.request.identity.page_len;
            let fits = is_wanted && {
                out.put_comma();
                out.put_value(definition);
                // the end is written to see whether it fits, too
                let end = out.len();
                self.put_end(nth(self.definitions, self.kind, following).map(|_| following), out);
                let fits = out.room() >= self.closing;
                out.truncate(end);
                fits
            };
            if !fits {
                out.truncate(before);
                if place != first {
                    next = Some(place);
                    break;
                }
                // it does not fit even an empty page, and must not block the next ones
                first = following;
            }
            place = following;
        }
        if first == place && self.start == 0 && place != 0 {
            // an output that is too short for each definition must not become an empty list
            out.fill();
        }
        self.first.set(first);
        self.put_end(next, out);
    }

    const fn frame(&self) -> Frame<'static> {
        Frame { cache: Some(self.request.identity.cache), ..Frame::COMPLETE }
    }

    /// Ends a page, with a cursor if there is a next one.
    #[inline(never)]
    fn put_end(&self, next: Option<usize>, out: &mut Writer<'_>) {
        out.put_byte(b']');
        let mut result = ObjectWriter::over(out);
        if let Some(next) = next {
            result.member_with("nextCursor", |out| out.text(next));
        }
        self.request.close(self.frame(), &mut result);
        out.put_byte(b'}');
    }
}

#[inline(always)]
/// Answers with the definitions of `kind` that are shown, as the member `name`, and calls `unlisted` with those that the list leaves out.
pub(super) fn list<C>(
    request: &RequestContext<'_>,
    (kind, name): (Kind, &'static str),
    definitions: &dyn Definitions,
    shown: Shown<C>,
    unlisted: Unlisted<C>,
    context: &mut C,
    reply: Reply<'_>,
) {
    let left_out =
        request.list(kind, name, &OfRequest { definitions, shown, context, is_listing: true, request }, reply);
    let Some(listener) = unlisted else { return };
    for place in left_out {
        let of_request = OfRequest { definitions, shown, context, is_listing: true, request };
        if let Some(name) = nth(&of_request, kind, place).map(|definition| definition.key) {
            listener(context, kind, name);
        }
    }
}

/// Definition number `n` of `kind`, from 0.
#[inline(never)]
fn nth(definitions: &dyn Definitions, kind: Kind, mut n: usize) -> Option<&Definition> {
    definitions.find(&mut |definition: &Definition| {
        let is_of_kind = definition.kind == kind;
        let is_it = is_of_kind && n == 0;
        n = n.wrapping_sub(usize::from(is_of_kind));
        is_it
    })
}
