//! Checks lengths, texts and elements against limits. The macro generates calls of these functions.

use super::JsonSchema;
use super::format::Format;
use super::limits::{Length, Limits, NoLimits};
use crate::json::RawStr;
use crate::json::place::{Field, Limited, Place, Rule};

impl<T: JsonSchema + ?Sized> Limited for T {
    const IS_LIMITED: bool = T::HAS_LIMITS;

    #[inline]
    fn satisfies(&self, place: &Place<'_>) -> bool {
        self.holds(place)
    }
}

/// Whether the member `field` of the object at `place` satisfies its own limits and the limits `L` of the field.
#[inline]
pub fn member<L: Limits, T: JsonSchema + ?Sized>(value: &T, place: &Place<'_>, field: &Field<'_>) -> bool {
    match violates::<L, T>(value) {
        Some(rule) => place.refuse_member(field, rule),
        None => !T::HAS_LIMITS || value.holds(&place.member(field)),
    }
}

/// [`member`] for an element of an array.
#[inline]
pub fn element<L: Limits, T: JsonSchema + ?Sized>(value: &T, place: &Place<'_>, index: usize) -> bool {
    match violates::<L, T>(value) {
        Some(rule) => place.refuse_element(index, rule),
        None => !T::HAS_LIMITS || value.holds(&place.element(index)),
    }
}

/// Whether the value at `place` satisfies its own limits and the limits `L`.
#[inline]
pub fn at<L: Limits, T: JsonSchema + ?Sized>(value: &T, place: &Place<'_>) -> bool {
    match violates::<L, T>(value) {
        Some(rule) => place.refuse(rule),
        None => !T::HAS_LIMITS || value.holds(place),
    }
}

/// The first limit of `L` that the value violates.
#[inline(always)]
pub fn violates<L: Limits, T: JsonSchema + ?Sized>(value: &T) -> Option<Rule> {
    if L::IS_ANY { value.violates::<L>() } else { None }
}

/// Whether the elements of the array at `place` satisfy their limits.
#[inline]
pub(super) fn elements<'e, T: JsonSchema + 'e>(elements: impl IntoIterator<Item = &'e T>, place: &Place<'_>) -> bool {
    elements.into_iter().enumerate().all(|(index, value)| element::<NoLimits, T>(value, place, index))
}

/// Whether the values of the map at `place` satisfy their limits.
#[inline]
pub(super) fn values<'e, T: JsonSchema + 'e>(
    members: impl IntoIterator<Item = (&'e str, &'e T)>,
    place: &Place<'_>,
) -> bool {
    let holds = |(name, value)| member::<NoLimits, T>(value, place, &Field { name, index: 0 });
    members.into_iter().all(holds)
}

/// The limit of `L` that an array of this length violates.
#[inline]
pub fn items<L: Limits>(len: usize) -> Option<Rule> {
    length(L::MIN_ITEMS, L::MAX_ITEMS, || len)
}

/// The first limit of `L` that a text violates.
#[inline]
pub fn text<L: Limits>(text: &str) -> Option<Rule> {
    length(L::MIN_LENGTH, L::MAX_LENGTH, || characters(text))
        .or_else(|| L::PATTERN.filter(|pattern| !pattern.matches(text)).map(|pattern| pattern.rule))
        .or_else(|| L::FORMAT.filter(|format| !format.accepts(text)).map(Format::rule))
}

/// The first limit of `L` that an undecoded text violates.
#[inline]
pub(super) fn raw_text<L: Limits>(text: RawStr<'_>) -> Option<Rule> {
    // no text of a known format is longer than 45 bytes
    let is_of = |format: &Format| {
        let mut decoded = heapless::String::<48>::new();
        text.chars().all(|letter| decoded.push(letter).is_ok()) && format.accepts(&decoded)
    };
    length(L::MIN_LENGTH, L::MAX_LENGTH, || text.chars().count())
        .or_else(|| {
            L::PATTERN.filter(|pattern| !pattern.matches_all(text.chars().map(u32::from))).map(|pattern| pattern.rule)
        })
        .or_else(|| L::FORMAT.filter(|format| !is_of(format)).map(Format::rule))
}

/// The limit that a length violates.
#[inline(always)]
fn length(least: Option<Length>, most: Option<Length>, count: impl FnOnce() -> usize) -> Option<Rule> {
    if least.is_none() && most.is_none() {
        return None;
    }
    let count = count();
    match (least, most) {
        (Some(least), _) if count < least.count => Some(least.rule),
        (_, Some(most)) if count > most.count => Some(most.rule),
        _ => None,
    }
}

/// The number of Unicode characters. `str::chars().count()` takes more flash.
#[inline(never)]
fn characters(text: &str) -> usize {
    text.bytes().fold(0usize, |count, byte| count.wrapping_add(usize::from(byte & 0xC0 != 0x80)))
}

/// A list whose elements can be compared, for `unique_items`.
#[diagnostic::on_unimplemented(
    message = "the elements of `{Self}` cannot be compared",
    label = "`unique_items` compares the elements",
    note = "add `#[derive(PartialEq)]` to the type of the elements; a list of your own has `unique_items` at its type"
)]
pub trait Unique {
    /// Whether no two elements are equal. Compares each pair.
    fn is_unique(&self) -> bool;
}

impl<T: PartialEq> Unique for [T] {
    fn is_unique(&self) -> bool {
        let mut rest = self;
        while let [first, behind @ ..] = rest {
            if behind.contains(first) {
                return false;
            }
            rest = behind;
        }
        true
    }
}

macro_rules! as_slices {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Unique for $type {
            fn is_unique(&self) -> bool {
                <[T]>::is_unique(self)
            }
        }
    )*};
}
as_slices! {
    [T: PartialEq, const N: usize] [T; N];
    [T: PartialEq, const N: usize] heapless::Vec<T, N>;
}

#[cfg(feature = "alloc")]
as_slices! {
    [T: PartialEq] alloc::vec::Vec<T>;
    [T: PartialEq] alloc::boxed::Box<[T]>;
}

impl<U: Unique> Unique for Option<U> {
    fn is_unique(&self) -> bool {
        self.as_ref().is_none_or(U::is_unique)
    }
}

/// Whether the elements of the list at `place` are different.
#[inline]
pub fn unique<U: Unique>(list: &U, place: &Place<'_>) -> bool {
    list.is_unique() || place.refuse(&"uniqueItems")
}
