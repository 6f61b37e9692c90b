//! A digest of all parts that are read from a text, to compare a 16-bit chip with a 64-bit host.

use nanojsonrpc::{Dialect, Envelope, RawValue, Request};

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// The longest of the texts.
pub const LONGEST: usize = {
    let (mut longest, mut rest) = (0, TEXTS);
    while let [text, tail @ ..] = rest {
        longest = if text.len() > longest { text.len() } else { longest };
        rest = tail;
    }
    longest
};

/// The bytes that replace each byte of a text in turn: one of every class in the grammar.
const REPLACEMENTS: &[u8] = b"\0 \",]}\\0e\xED";

/// A digest of the values so far: FNV-1a with 32 bits, and the number of verdicts in it.
struct Digest(u32, u32);

impl Digest {
    fn number(&mut self, number: usize) {
        for byte in (number as u32).to_le_bytes() {
            self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }

    fn part(&mut self, part: Option<RawValue<'_>>) {
        // no value is empty
        self.number(part.map_or(0, |part| part.as_bytes().len()));
        self.number(part.map_or(0, |part| part.offset()));
    }

    /// Adds the verdict on `text` by the rules of `dialect`, with all parts and offsets.
    #[inline(never)]
    fn envelope(&mut self, text: &[u8], dialect: Dialect) {
        self.1 = self.1.wrapping_add(1);
        match Envelope::parse_as(text, dialect) {
            Ok(envelope) => {
                self.number(envelope.kind() as usize);
                self.part(envelope.id());
                self.number(envelope.method().as_bytes().len());
                self.part(envelope.params());
                self.part(envelope.result());
                self.part(envelope.error());
            }
            Err(refused) => {
                self.number(0x100 | refused.error.kind() as usize);
                self.number(refused.error.offset());
                self.part(refused.id);
            }
        }
    }

    /// Adds the verdict of the request reader on `text`, with small buffers.
    #[inline(never)]
    fn request(&mut self, text: &[u8]) {
        self.1 = self.1.wrapping_add(1);
        match Envelope::parse(text).and_then(Request::<8, 8>::try_from) {
            Ok(request) => request.method.bytes().for_each(|byte| self.number(byte.into())),
            Err(refused) => {
                self.number(0x200 | refused.kind() as usize);
                self.number(refused.offset());
            }
        }
    }
}

/// Returns `[kind, offset, digest]` and the number of verdicts in the digest. A message has a kind above all kinds of
/// errors, and its length as offset. The digest covers `text`, each of its prefixes, and its copies with one replaced
/// byte. `text` is unchanged afterwards.
pub fn verdict(text: &mut [u8]) -> ([u32; 3], u32) {
    let (kind, offset) = match Envelope::parse(text) {
        Ok(envelope) => (0x100 | envelope.kind() as u32, text.len()),
        Err(refused) => (refused.error.kind() as u32, refused.error.offset()),
    };
    let mut digest = Digest(0x811C_9DC5, 0);
    for len in 0..=text.len() {
        let prefix = text.get(..len).unwrap_or_default();
        digest.request(prefix);
        for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP] {
            digest.envelope(prefix, dialect);
        }
    }
    for at in 0..text.len() {
        let Some(original) = text.get(at).copied() else { continue };
        for replacement in REPLACEMENTS {
            if let Some(place) = text.get_mut(at) {
                *place = *replacement;
            }
            digest.envelope(text, Dialect::JSON_RPC);
        }
        if let Some(place) = text.get_mut(at) {
            *place = original;
        }
    }
    ([kind, offset as u32, digest.0], digest.1)
}
