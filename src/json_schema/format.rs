//! The formats of texts that are checked.

use crate::json::place::Rule;

/// A format that is checked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Format {
    /// `ipv4`: RFC 2673 §3.2.
    Ipv4,
    /// `ipv6`: RFC 4291 §2.2, without a zone.
    Ipv6,
    /// `uuid`: RFC 9562 §4, with hyphens.
    Uuid,
}

impl Format {
    /// Whether a text has this format.
    pub(super) fn accepts(self, text: &str) -> bool {
        match self {
            Self::Ipv4 => is_ipv4(text.as_bytes()),
            Self::Ipv6 => is_ipv6(text.as_bytes()),
            Self::Uuid => is_uuid(text.as_bytes()),
        }
    }

    /// The keyword and the name.
    pub(super) const fn rule(self) -> Rule {
        match self {
            Self::Ipv4 => &"format ipv4",
            Self::Ipv6 => &"format ipv6",
            Self::Uuid => &"format uuid",
        }
    }
}

/// Four decimal numbers up to 255, without zeros in front. The parsers of `core` link a panic.
fn is_ipv4(text: &[u8]) -> bool {
    let mut count = 0u8;
    for part in text.split(|byte| *byte == b'.') {
        let number = part.iter().try_fold(0u16, |number, byte| {
            byte.is_ascii_digit().then(|| number.saturating_mul(10).saturating_add(u16::from(byte & 0x0F)))
        });
        let is_plain = matches!(part, [_] | [b'1'..=b'9', _] | [b'1'..=b'9', _, _]);
        if !is_plain || number.is_none_or(|number| number > 255) {
            return false;
        }
        count = count.saturating_add(1);
    }
    count == 4
}

/// Eight groups, of which `::` replaces one or more.
fn is_ipv6(text: &[u8]) -> bool {
    let Some(place) = text.windows(2).position(|pair| pair == b"::") else { return groups(text, true) == Some(8) };
    let (head, tail) = (text.get(..place), text.get(place.wrapping_add(2)..));
    let count = |part: Option<&[u8]>, may_end| groups(part.unwrap_or_default(), may_end);
    match (count(head, false), count(tail, true)) {
        (Some(head), Some(tail)) => head.wrapping_add(tail) < 8,
        _ => false,
    }
}

/// The number of groups of up to four hexadecimal digits, at most 9. `may_end`: an IPv4 address may stand for the last two.
fn groups(text: &[u8], may_end: bool) -> Option<u8> {
    if text.is_empty() {
        return Some(0);
    }
    let mut count = 0u8;
    let mut parts = text.split(|byte| *byte == b':').peekable();
    while let Some(part) = parts.next() {
        let is_group = matches!(part.len(), 1..=4) && part.iter().all(u8::is_ascii_hexdigit);
        let is_end = may_end && parts.peek().is_none() && is_ipv4(part);
        if !is_group && !is_end {
            return None;
        }
        count = count.saturating_add(if is_group { 1 } else { 2 }).min(9);
    }
    Some(count)
}

/// 32 hexadecimal digits in five groups.
fn is_uuid(text: &[u8]) -> bool {
    let is_at_its_place = |(place, byte): (usize, &u8)| match place {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.iter().enumerate().all(is_at_its_place)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::net::{Ipv4Addr, Ipv6Addr};
    use std::string::String;

    use super::Format;

    #[test]
    fn addresses_are_those_of_core() {
        let texts = [
            "",
            ".",
            "1.2.3.4",
            "1.2.3",
            "1.2.3.4.5",
            "255.255.255.255",
            "256.1.1.1",
            "01.1.1.1",
            "0.0.0.0",
            "00.0.0.0",
            "1..2.3",
            "1.2.3.a",
            "1.2.3.4 ",
            "999.9.9.9",
            "::",
            ":",
            ":::",
            "::1",
            "1::",
            ":1",
            "1:",
            "1::2",
            "1::2::3",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8",
            "1:2:3:4::5:6:7:8",
            "12345::",
            "g::",
            "AbCd::fF0",
            "::1.2.3.4",
            "1.2.3.4::",
            "::1.2.3.4:5",
            "1:2:3:4:5:6:1.2.3.4",
            "1:2:3:4:5:6:7:1.2.3.4",
            "1:2:3:4:5:1.2.3.4",
            "::ffff:1.2.3.256",
            "fe80::1%eth0",
            "1:2:3:4:5:6::1.2.3.4",
            "1:2:3:4:5::1.2.3.4",
            "1.2.3.4",
        ];
        for text in texts {
            assert_eq!(Format::Ipv4.accepts(text), text.parse::<Ipv4Addr>().is_ok(), "{text}");
            assert_eq!(Format::Ipv6.accepts(text), text.parse::<Ipv6Addr>().is_ok(), "{text}");
            // each with one byte replaced
            for place in 0..text.len() {
                for letter in ["0", ":", ".", "f", "", "12"] {
                    let (before, after) = text.split_at(place);
                    let text: String = [before, letter, after.get(1..).unwrap_or_default()].concat();
                    assert_eq!(Format::Ipv4.accepts(&text), text.parse::<Ipv4Addr>().is_ok(), "{text}");
                    assert_eq!(Format::Ipv6.accepts(&text), text.parse::<Ipv6Addr>().is_ok(), "{text}");
                }
            }
        }
    }
}
