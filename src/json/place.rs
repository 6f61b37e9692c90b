//! The place of a value inside of another value that was read, and the limit that it violates.

use core::cell::Cell;

use super::{PayloadError, RawValue};

/// A type whose values may have limits. Every type with a JSON Schema implements it.
pub trait Limited {
    /// Whether a value can violate a limit. If not, no code for limits is linked.
    const IS_LIMITED: bool;

    /// Whether the value at `place` satisfies its limits. If not, the place has recorded the violation.
    fn satisfies(&self, place: &Place<'_>) -> bool;
}

/// A keyword of a JSON Schema and its value, such as `maximum 60`. A pointer of one word.
pub type Rule = &'static &'static str;

/// The place of a value that is checked: a step into the value around it. The places of all values around it are on the stack.
#[derive(Debug)]
pub struct Place<'p> {
    around: Option<&'p Self>,
    step: Step<'p>,
}

/// A member of an object.
#[derive(Debug)]
pub struct Field<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its index, if the object is read from an array.
    pub index: usize,
}

#[derive(Clone, Copy, Debug)]
enum Step<'p> {
    /// The outermost value.
    Whole(&'p Whole<'p>),
    Member(&'p Field<'p>),
    Element(usize),
}

/// The outermost value: its text, if it was read, and the violation.
#[derive(Debug)]
struct Whole<'p> {
    text: Option<RawValue<'p>>,
    offset: Cell<usize>,
    rule: Cell<Option<Rule>>,
}

/// Checks `value`, which was read from `text`; without a text, a value that will be written. A member that the text lacks does not count,
/// because serde has taken its default.
///
/// # Errors
/// The first violated limit, in the order of the declaration, with the offset of the value; 0 without a text.
#[inline]
pub(crate) fn check<T: Limited + ?Sized>(value: &T, text: Option<RawValue<'_>>) -> Result<(), PayloadError> {
    if !T::IS_LIMITED {
        return Ok(());
    }
    let whole = Whole { text, offset: Cell::new(0), rule: Cell::new(None) };
    value.satisfies(&Place { around: None, step: Step::Whole(&whole) });
    match whole.rule.get() {
        Some(rule) => Err(PayloadError::violation(rule, whole.offset.get())),
        None => Ok(()),
    }
}

/// [`check`] of params or arguments. If they are absent, the value has only defaults.
///
/// # Errors
/// As [`check`].
#[inline(always)]
pub(crate) fn check_read<T: Limited + ?Sized>(value: &T, text: Option<RawValue<'_>>) -> Result<(), PayloadError> {
    if text.is_none() { Ok(()) } else { check(value, text) }
}

impl Place<'_> {
    /// The place of this member of the object.
    #[inline]
    pub const fn member<'p>(&'p self, field: &'p Field<'p>) -> Place<'p> {
        Place { around: Some(self), step: Step::Member(field) }
    }

    /// The place of the element at `index` of this array.
    #[inline]
    pub const fn element(&self, index: usize) -> Place<'_> {
        Place { around: Some(self), step: Step::Element(index) }
    }

    /// [`refuse`](Self::refuse) for a member. Not inlined, so that the place is made only for a violation.
    #[cfg(feature = "macros")]
    #[inline(never)]
    pub(crate) fn refuse_member(&self, field: &Field<'_>, rule: Rule) -> bool {
        self.member(field).refuse(rule)
    }

    /// [`refuse`](Self::refuse) for an element.
    #[cfg(feature = "macros")]
    #[inline(never)]
    pub(crate) fn refuse_element(&self, index: usize, rule: Rule) -> bool {
        self.element(index).refuse(rule)
    }

    /// Records that the value here violates `rule`, and returns `false`. If the text lacks the value, records nothing and returns `true`.
    #[inline(never)]
    pub fn refuse(&self, rule: Rule) -> bool {
        let (mut outermost, mut depth) = (self, 0usize);
        while let Some(around) = outermost.around {
            (outermost, depth) = (around, depth.wrapping_add(1));
        }
        let Step::Whole(whole) = outermost.step else { return true };
        let mut value = whole.text;
        if value.is_some() {
            for count in (0..depth).rev() {
                value = value.and_then(|value| self.above(count).step.of(value));
            }
            let Some(value) = value else { return true };
            whole.offset.set(value.offset());
        }
        whole.rule.set(Some(rule));
        false
    }

    /// The place of the value that is `count` levels around this one.
    fn above(&self, count: usize) -> &Self {
        let mut place = self;
        for _ in 0..count {
            place = place.around.unwrap_or(place);
        }
        place
    }
}

impl Step<'_> {
    /// The value inside of `value`.
    fn of(self, value: RawValue<'_>) -> Option<RawValue<'_>> {
        match self {
            Self::Whole(_) => Some(value),
            // one of the two is empty
            Self::Member(field) => value.get(field.name).or_else(|| value.element(field.index)),
            Self::Element(index) => value.element(index),
        }
    }
}
