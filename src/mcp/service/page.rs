//! A list, as much of it as fits.

use super::asked::{Asked, Frame, Refusal};
use super::feature::{Definition, Definitions, Kind};
use crate::json::{RawStr, Writer};
use crate::mcp::value::Put;
use crate::server::Reply;

/// What can stand between the last element and the rest of the answer.
const CURSOR: &[u8] = b"],\"nextCursor\":\"4294967295\"";

impl Asked<'_> {
    /// Answers with the definitions of `kind` from the cursor on.
    #[inline(never)]
    pub(super) fn list(&self, kind: Kind, definitions: &dyn Definitions, reply: Reply<'_>) {
        let Some(start) = self.start(kind, definitions) else {
            Refusal::invalid("Invalid cursor").reply(reply);
            return;
        };
        let closing = reply.closing_len();
        reply.success(&Put(|out: &mut Writer<'_>| self.put_page(kind, definitions, start, closing, out)));
    }

    /// Where the page begins: a cursor is the number of those before it.
    fn start(&self, kind: Kind, definitions: &dyn Definitions) -> Option<usize> {
        let Some(cursor) = self.params.get("cursor").filter(|cursor| !cursor.is_null()) else { return Some(0) };
        let start = number(cursor.as_str_raw()?)?;
        nth(definitions, kind, start)?;
        Some(start)
    }

    fn put_page(&self, kind: Kind, definitions: &dyn Definitions, start: usize, closing: usize, out: &mut Writer<'_>) {
        let frame = Frame { cache: Some(self.identity.cache), ..Frame::COMPLETE };
        let name = match kind {
            Kind::Tool => "tools",
            Kind::Resource => "resources",
            Kind::Template => "resourceTemplates",
            Kind::Prompt | Kind::Completion => "prompts",
        };
        // the end is written once to see how long it is
        let before = out.len();
        self.close(frame, out);
        let end = out.len().saturating_sub(before).saturating_add(CURSOR.len()).saturating_add(closing);
        out.truncate(before);

        self.open(frame, out);
        out.put_name(name);
        out.put_byte(b'[');
        let mut place = start;
        let last = start.saturating_add(self.identity.page_len);
        let mut next = None;
        while let Some(definition) = nth(definitions, kind, place) {
            let before = out.len();
            let fits = place < last && {
                out.put_comma();
                definition.put(out);
                out.room() >= end
            };
            if !fits && place != start {
                out.truncate(before);
                next = Some(place);
                break;
            }
            place = place.wrapping_add(1);
        }
        out.put_byte(b']');
        if let Some(next) = next {
            out.put_name("nextCursor");
            out.put_byte(b'"');
            out.put_integer(false, next as u64);
            out.put_byte(b'"');
        }
        self.close(frame, out);
    }
}

/// The one of `kind` before which there are `n` others.
#[inline(never)]
fn nth(definitions: &dyn Definitions, kind: Kind, mut n: usize) -> Option<&Definition> {
    definitions.find(&mut |definition: &Definition| {
        let is_of_kind = definition.kind == kind;
        let is_it = is_of_kind && n == 0;
        n = n.wrapping_sub(usize::from(is_of_kind));
        is_it
    })
}

/// The number that is written so, without zeros before it; not zero.
fn number(text: RawStr<'_>) -> Option<usize> {
    let mut number = 0usize;
    for c in text.chars() {
        let digit = c.to_digit(10)?;
        number = number.checked_mul(10)?.checked_add(usize::try_from(digit).ok()?)?;
        if number == 0 {
            return None;
        }
    }
    if number == 0 { None } else { Some(number) }
}
