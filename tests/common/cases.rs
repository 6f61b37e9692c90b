//! How often a property is tried.

/// `usual` times, or as often as `PROPTEST_CASES` says, which otherwise counts only where no number is given.
pub(crate) fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").map_or(usual, |cases| cases.parse().expect("a number of cases"))
}
