//! The limits that `#[schema(…)]` declares, and numbers and lengths that are compared with them.

use super::format::Format;
use super::pattern::Pattern;
use crate::json::place::Rule;

/// The keywords of a field, a variant or a type, each with the text of its rule. The macro implements it for a type without values, so
/// that the compiler removes each comparison without a limit.
pub trait Limits {
    /// Whether there is any keyword.
    const IS_ANY: bool = true;
    /// `minimum`.
    const MINIMUM: Option<Limit> = None;
    /// `exclusiveMinimum`.
    const EXCLUSIVE_MINIMUM: Option<Limit> = None;
    /// `maximum`.
    const MAXIMUM: Option<Limit> = None;
    /// `exclusiveMaximum`.
    const EXCLUSIVE_MAXIMUM: Option<Limit> = None;
    /// `multipleOf`.
    const MULTIPLE_OF: Option<Limit> = None;
    /// `minLength`.
    const MIN_LENGTH: Option<Length> = None;
    /// `maxLength`.
    const MAX_LENGTH: Option<Length> = None;
    /// `minItems`.
    const MIN_ITEMS: Option<Length> = None;
    /// `maxItems`.
    const MAX_ITEMS: Option<Length> = None;
    /// `pattern`.
    const PATTERN: Option<Pattern> = None;
    /// `format`, one of those that are checked.
    const FORMAT: Option<Format> = None;
}

/// No keywords.
#[derive(Debug)]
pub struct NoLimits;

impl Limits for NoLimits {
    const IS_ANY: bool = false;
}

/// The number of a keyword, a decimal fraction of any size.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The keyword and the number.
    pub rule: Rule,
    /// The number, without an exponent.
    pub text: &'static str,
    /// The nearest float of 64 bits.
    pub wide: f64,
    /// The nearest float of 32 bits.
    pub short: f32,
}

/// The number of a keyword for lengths.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// The keyword and the number.
    pub rule: Rule,
    /// The number; the greatest one for all greater ones.
    pub count: usize,
}
