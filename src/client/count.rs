//! The count of ids.

/// The greatest id that a client chooses: "integers [...] in the range [-(2**53)+1, (2**53)-1] are interoperable in the sense that
/// implementations will agree exactly on their numeric values" (RFC 8259 §6).
const MAX: i64 = (1 << 53) - 1;

/// `number` if every JSON reader keeps it exact, otherwise its lower 53 bits.
pub(super) const fn exact(number: i64) -> i64 {
    if number.unsigned_abs() > MAX.unsigned_abs() { number & MAX } else { number }
}

/// The next id after `number`.
pub(super) const fn following(number: i64) -> i64 {
    if number >= MAX { 1 } else { number.wrapping_add(1) }
}
