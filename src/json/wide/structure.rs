//! Objects and arrays, sixty-four bytes at a time: the grammar as arithmetic on masks.
//!
//! Every token is judged by the one before it, and a mask of all tokens of a kind, moved on to the tokens that follow
//! them, tells that of sixty-four places at once. Only brackets are walked through one by one, for what is open.

use super::super::scan::{AFTER_VALUE, COLON, FIRST_NAME, FIRST_VALUE, MAX_DEPTH, NAME, Start, VALUE};
use super::block::{self, LEN};
use super::numbers::{self, Numbers};
use super::planes::Planes;
use super::reached::Reached;
use super::scalar::{self, literal};
use super::string::{FAR, Strings};
use super::value::Open;
use super::word;

/// What a block leaves to the next: whether its last token is one of these, of which the next one is judged. 0 or 1 each.
#[derive(Default)]
pub(super) struct Behind {
    value: u64,
    opening: u64,
    /// What a name follows.
    before_name: u64,
    name: u64,
    /// Whether the string that goes on is a name.
    inside_name: u64,
}

impl Behind {
    /// A value.
    pub(super) const VALUE: Self = Self { value: 1, opening: 0, before_name: 0, name: 0, inside_name: 0 };

    /// What may come next.
    const fn expect(&self) -> u32 {
        match self {
            Self { inside_name: 1, .. } => NAME,
            Self { name: 1, .. } => COLON,
            Self { value: 1, .. } => AFTER_VALUE,
            Self { before_name: 1, opening: 1, .. } => FIRST_NAME,
            Self { before_name: 1, .. } => NAME,
            Self { opening: 1, .. } => FIRST_VALUE,
            _ => VALUE,
        }
    }
}

/// object = begin-object [ member *( value-separator member ) ] end-object
/// array = begin-array [ value *( value-separator value ) ] end-array
///
/// The bytes from the value at the front of `text`, which is in what is `open`, to behind the bracket that leaves only
/// `around` open; `None` if they are not valid, or if what follows is no JSON. That is at `from` of a text.
#[inline(never)]
pub(super) fn container(
    text: &[u8],
    mut open: Open,
    around: Open,
    from: usize,
    reached: &mut Reached,
) -> Option<usize> {
    let mut at = 0usize;
    let mut strings = Strings::default();
    let mut behind = Behind::default();
    reached.remember(Start { at: from, open, expect: VALUE, in_string: false });
    let mut next_look = FAR;
    while at < text.len() {
        if at >= next_look {
            next_look = at.wrapping_add(FAR);
            let char = strings.char_near(text, at);
            let place = from.wrapping_add(char.unwrap_or(at));
            reached.remember(Start { at: place, open, expect: behind.expect(), in_string: char.is_some() });
        }
        let mut end = None;
        let planes = Planes::of(block::bytes(text, at, &mut end));
        let mut quote = planes.quote();
        let mut blank = planes.blank();
        // string = quotation-mark *char quotation-mark
        let inside;
        if planes.control_or_not_ascii() | planes.backslash() != 0 || strings.are_odd() {
            (quote, inside) = strings.odd(text, at, planes)?;
            blank |= planes.line_break_or_tab();
        } else {
            inside = strings.plain(quote);
        }
        if !inside | quote == 0 {
            // a long one
            at = strings.blocks(text, at.wrapping_add(LEN), next_look)?;
            continue;
        }
        let outside = !inside;
        // ws = *( %x20 / %x09 / %x0A / %x0D )
        let space = blank & outside;
        let mut tokens = Tokens {
            quote,
            inside,
            comma: planes.comma() & outside,
            colon: planes.colon() & outside,
            opening: planes.opening() & outside,
            closing: planes.closing() & outside,
            scalar: 0,
        };
        tokens.scalar = !(tokens.all() | inside | space);
        let mut len = LEN;
        if tokens.scalar >> 63 != 0 {
            // what goes on belongs to the next block
            len = before_last(tokens.scalar);
            if len == 0 {
                at = at.wrapping_add(long_number(text.get(at..)?, &mut behind)?);
                continue;
            }
        }
        let within = u64::MAX >> (LEN.wrapping_sub(len) & 63);
        tokens.scalar &= within;
        let Brackets { object, end } = brackets(planes.brace(), tokens.opening, tokens.closing, &mut open, around)?;
        let within = within & (end ^ end.wrapping_sub(1));
        let mut wrong = if space == 0 {
            tokens.misplaced(object, &mut behind, |tokens, carry| {
                let behind = tokens << 1 | *carry;
                *carry = tokens >> (len.wrapping_sub(1) & 63) & 1;
                behind
            })
        } else {
            let space = space | !within;
            tokens.misplaced(object, &mut behind, |tokens, carry| {
                let behind = tokens << 1 | *carry;
                // a sum carries through the white space
                let (sum, is_over) = (behind & space).overflowing_add(space);
                *carry = tokens >> 63 | u64::from(is_over);
                (sum | behind) & !space
            })
        };
        if tokens.scalar != 0 {
            wrong |= scalars(text, at, planes, tokens.scalar)?;
        }
        if wrong & within != 0 {
            return None;
        }
        if end != 0 {
            return Some(at.wrapping_add(end.trailing_zeros() as usize).wrapping_add(1));
        }
        at = at.wrapping_add(len);
        let may_follow = tokens.are_numbers() && space == 0 && behind.value | behind.before_name == 0;
        // of literals alone there are as many in vain
        if may_follow && matches!(word::byte(text, at), b'-' | b'0'..=b'9') {
            at = at.wrapping_add(numbers::skip(text.get(at..)?));
        }
    }
    None
}

/// The bytes of a block that are tokens, and those inside strings.
pub(super) struct Tokens {
    pub(super) quote: u64,
    /// With the quotation marks that open strings.
    pub(super) inside: u64,
    pub(super) comma: u64,
    pub(super) colon: u64,
    pub(super) opening: u64,
    pub(super) closing: u64,
    /// Numbers and literals.
    pub(super) scalar: u64,
}

impl Tokens {
    #[inline(always)]
    pub(super) const fn all(&self) -> u64 {
        self.quote | self.comma | self.colon | self.opening | self.closing | self.scalar
    }

    /// Whether there are only numbers and what separates them, so that others may follow.
    #[inline(always)]
    const fn are_numbers(&self) -> bool {
        self.quote | self.inside | self.colon | self.opening | self.closing == 0
    }

    /// The bytes where another token should be, or which others should follow. `object` are those behind which an object
    /// is the innermost that is open; `next` moves tokens on to those that follow.
    #[inline(always)]
    pub(super) fn misplaced(&self, object: u64, behind: &mut Behind, next: impl Fn(u64, &mut u64) -> u64) -> u64 {
        let opened = self.quote & self.inside;
        let last = self.scalar & !(self.scalar >> 1);
        let behind_value = next(self.quote & !self.inside | self.closing | last, &mut behind.value);
        let behind_opening = next(self.opening, &mut behind.opening);
        let name = next((self.comma | self.opening) & object, &mut behind.before_name);
        // member = name name-separator value; a sum carries from the front of a name to its end
        let (sum, is_over) = self.inside.overflowing_add(name & opened | behind.inside_name);
        behind.inside_name = u64::from(is_over);
        let behind_name = next(sum & !self.inside, &mut behind.name);

        // behind each value, and nowhere else, stands a separator or closing bracket, but for the bracket of what is empty
        let mut wrong = behind_value ^ (self.comma | self.colon | self.closing & !behind_opening);
        wrong |= name & !(opened | self.closing);
        wrong |= self.colon ^ behind_name;
        wrong
    }
}

/// Where the last run of `scalar`, which goes on behind the block, begins.
#[cold]
#[inline(never)]
const fn before_last(scalar: u64) -> usize {
    LEN.wrapping_sub((!scalar).leading_zeros() as usize)
}

/// A number that fills a block and more.
#[cold]
#[inline(never)]
fn long_number(text: &[u8], behind: &mut Behind) -> Option<usize> {
    if behind.value | behind.before_name | behind.name != 0 {
        return None;
    }
    *behind = Behind { value: 1, ..Behind::default() };
    scalar::long_number(text)
}

/// What the brackets of a block say.
struct Brackets {
    /// The bytes behind each of which an object is the innermost that is open.
    object: u64,
    /// The bracket that closes what is walked through, if it is there.
    end: u64,
}

#[inline(always)]
fn brackets(brace: u64, opening: u64, closing: u64, open: &mut Open, around: Open) -> Option<Brackets> {
    let mut object = 0u64.wrapping_sub(*open & 1);
    let mut rest = opening | closing;
    let mut wrong = 0;
    while rest != 0 {
        let lowest = rest & rest.wrapping_neg();
        let kind = brace >> (rest.trailing_zeros() & 63) & 1;
        rest ^= lowest;
        let was = *open;
        if opening & lowest != 0 {
            wrong |= was >> MAX_DEPTH;
            *open = was << 1 | kind;
        } else {
            wrong |= (was ^ kind) & 1;
            *open = was >> 1;
        }
        if *open == around {
            return if wrong == 0 { Some(Brackets { object, end: lowest }) } else { None };
        }
        object ^= 0u64.wrapping_sub((was ^ *open) & 1) & lowest.wrapping_neg();
    }
    if wrong == 0 { Some(Brackets { object, end: 0 }) } else { None }
}

/// The bytes of the literals that begin at the bits `start` of the block at `at`; `None` if one of these begins none.
///
/// Told by bits that are made anew, because whoever has them is short of registers.
#[cold]
#[inline(never)]
fn many_literals(text: &[u8], at: usize, start: u64) -> Option<u64> {
    Planes::at(text, at).literals(start)
}

/// Those of the numbers and literals of the block at `at` that are wrong, or what stands behind these.
#[inline(always)]
fn scalars(text: &[u8], at: usize, planes: Planes, mut scalar: u64) -> Option<u64> {
    let start = scalar & !(scalar << 1);
    let mut letters = start & planes.letter();
    let start = start ^ letters;
    let mut literals = 0u64;
    // one or two are sooner told by themselves
    let others = letters & letters.wrapping_sub(1);
    if others & others.wrapping_sub(1) != 0 {
        literals = many_literals(text, at, letters)?;
        letters = 0;
    }
    while letters != 0 {
        let place = letters.trailing_zeros();
        letters &= letters.wrapping_sub(1);
        let len = literal(word::eight(text, at.wrapping_add(place as usize)))?;
        literals |= (1u64 << len).wrapping_sub(1) << (place & 63);
    }
    scalar &= !literals;
    let numbers = Numbers {
        digit: planes.digit() & scalar,
        zero: planes.zero(),
        point: planes.point() & scalar,
        minus: planes.minus() & scalar,
        plus: planes.plus() & scalar,
        e: planes.e() & scalar,
    };
    Some(numbers.wrong(scalar, start) | literals << 1 & scalar)
}
