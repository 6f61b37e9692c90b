//! How often a property is tried.

/// `usual` cases, or the number in `PROPTEST_CASES`, which proptest itself ignores where a number is given.
pub(crate) fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").map_or(usual, |cases| cases.parse().expect("a number of cases"))
}
