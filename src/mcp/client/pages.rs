//! The pages of a list: their number, and detection of repeated cursors.

use crate::message::Str;

/// Counts the pages of a list and detects a repeated cursor, in constant memory: it stores a 64-bit hash of one earlier cursor, and
/// replaces it by a later one after 1, 2, 4, … pages (R. Brent 1980). If the server always returns the same cursor, the second one is
/// detected. If the cursors repeat after `n` different ones, this is detected within `4 * n` pages.
///
/// ```
/// use nanojsonrpc::mcp::client::Pages;
///
/// let mut pages = Pages::new(3);
/// assert!(pages.count_page("a".into()) && pages.count_page("b".into()));
/// assert!(pages.repeats("b".into()) && !pages.repeats("c".into()));
/// assert!(!pages.count_page("c".into())); // would be a fourth page
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pages {
    left: u32,
    kept: Option<u64>,
    /// The number of cursors until the stored one is replaced.
    patience: u32,
    power: u32,
}

impl Pages {
    /// For a list of at most `pages` pages.
    pub const fn new(pages: u32) -> Self {
        Self { left: pages, kept: None, patience: 0, power: 1 }
    }

    /// Whether `cursor`, the cursor of the next page, is the stored one.
    pub fn repeats(&self, cursor: Str<'_>) -> bool {
        self.kept == Some(hash(cursor))
    }

    /// Counts the next page, which is requested with `cursor`. Returns `false` if the list then has too many pages.
    pub fn count_page(&mut self, cursor: Str<'_>) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.patience == 0 {
            self.kept = Some(hash(cursor));
            self.patience = self.power;
            self.power = self.power.saturating_mul(2);
        }
        self.patience = self.patience.saturating_sub(1);
        self.left != 0
    }
}

/// The FNV-1a hash of the text as spelled, because a server spells the same cursor in the same way.
pub(super) fn hash(cursor: Str<'_>) -> u64 {
    let text = match cursor {
        Str::Raw(raw) => raw.as_bytes(),
        Str::Plain(text) => text.as_bytes(),
        // no cursor has such a text
        #[cfg(feature = "serde")]
        Str::Payload(_) => &[],
    };
    text.iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::Pages;
    use std::string::ToString;
    extern crate std;

    #[test]
    fn every_circle_is_recognised() {
        for (tail, circle) in [(0_u32, 1_u32), (0, 2), (1, 1), (3, 5), (10, 7), (100, 30)] {
            let mut pages = Pages::new(u32::MAX);
            let mut fetched = 0_u32;
            loop {
                let cursor = if fetched < tail { fetched } else { tail + (fetched - tail) % circle }.to_string();
                if pages.repeats(cursor.as_str().into()) {
                    break;
                }
                assert!(pages.count_page(cursor.as_str().into()));
                fetched += 1;
                assert!(fetched <= 4 * (tail + circle), "{tail} {circle}");
            }
        }
    }

    #[test]
    fn no_list_without_a_circle_is_refused() {
        let mut pages = Pages::new(u32::MAX);
        for cursor in 0..2_000_u32 {
            assert!(!pages.repeats(cursor.to_string().as_str().into()));
            assert!(pages.count_page(cursor.to_string().as_str().into()));
        }
    }
}
