//! Reads numbers.

use serde::de::Visitor;

use super::{DeError, Deserializer, Expected};
use crate::json::RawValue;
use crate::json::machine::{float_at_front, integer_at_front, signed_at_front};
use crate::json::number::{self, Float};

impl<'de> Deserializer<'de> {
    /// Passes a signed integer to `visitor`, which checks the range.
    pub(super) fn signed<V: Visitor<'de>>(&mut self, visitor: V, expected: Expected) -> Result<V::Value, DeError> {
        let mut integer = 0;
        let taken = self.take_signed(&mut integer, expected).then_some(());
        self.scalar(taken, |()| visitor.visit_i64(integer))
    }

    /// Passes an unsigned integer of at most 32 bits to `visitor`, which checks the range.
    pub(super) fn unsigned<V: Visitor<'de>>(&mut self, visitor: V, expected: Expected) -> Result<V::Value, DeError> {
        let mut integer = 0;
        let taken = self.take_unsigned(&mut integer, expected).then_some(());
        self.scalar(taken, |()| visitor.visit_u64(integer.unsigned_abs()))
    }

    /// Passes an integer of up to 128 bits to `visit`, as sign and magnitude.
    pub(super) fn wide_integer<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        expected: Expected,
        visit: impl FnOnce(V, bool, u128) -> Result<V::Value, DeError>,
    ) -> Result<V::Value, DeError> {
        let taken = self.take_number(expected);
        self.scalar(taken, |value| match number::wide_integer(value.as_bytes()) {
            Some((negative, magnitude)) => visit(visitor, negative, magnitude),
            None if value.is_integer() => Err(DeError::INVALID_VALUE),
            None => Err(DeError::UNEXPECTED_TYPE),
        })
    }

    /// Consumes the next value if it is a number.
    #[inline(never)]
    pub(super) fn take_number(&mut self, expected: Expected) -> Option<RawValue<'de>> {
        self.begin(expected);
        if matches!(self.byte(), b'-' | b'0'..=b'9') { Some(self.take_value()) } else { None }
    }

    shared_on_devices! {
        /// [`take_signed`](Self::take_signed) without a negative integer.
        fn take_unsigned(&mut self, integer: &mut i64, expected: Expected) -> bool {
            let is_taken = self.take_signed(integer, expected);
            if is_taken && *integer < 0 {
                self.why = DeError::INVALID_VALUE;
                return false;
            }
            is_taken
        }
    }

    /// Consumes the next value if it is an integer, and returns its sign (`true` for minus) and its magnitude. Otherwise returns `None`, and
    /// `why` has the reason.
    #[inline(always)]
    fn take_integer(&mut self, expected: Expected) -> Option<(bool, u64)> {
        self.begin(expected);
        let (len, integer) = integer_at_front(self.rest);
        self.end_number(len);
        integer
    }

    shared_on_devices! {
        /// Consumes the next value if it is a signed integer of 64 bits, and stores it. Otherwise returns `false`, and `why` has the reason.
        ///
        /// Separate from the generic [`signed`](Self::signed), so that all types share one copy on devices.
        fn take_signed(&mut self, integer: &mut i64, expected: Expected) -> bool {
            self.begin(expected);
            let (len, is_taken) = signed_at_front(self.rest, integer);
            self.end_number(len);
            is_taken
        }
    }

    /// Moves past a number of `len` bytes, if there is one; then only its range can be at fault.
    #[inline(always)]
    fn end_number(&mut self, len: usize) {
        if len != 0 {
            self.rest = self.rest.get(len..).unwrap_or_default();
            self.why = DeError::INVALID_VALUE;
        }
    }

    /// Passes an unsigned integer of 64 bits to `visitor`.
    pub(super) fn u64<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, DeError> {
        let taken = self.take_integer(&"u64").filter(|(is_negative, _)| !is_negative);
        self.scalar(taken, |(_, magnitude)| visitor.visit_u64(magnitude))
    }

    /// Passes any number to `visitor`: an integer of 64 bits as such, another number as a float.
    pub(super) fn number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, DeError> {
        let (text, mut integer) = (self.rest, 0);
        let visited = match self.take_integer(&"a number") {
            Some((false, magnitude)) => visitor.visit_u64(magnitude),
            Some((true, magnitude)) if number::store(&mut integer, true, magnitude) => visitor.visit_i64(integer),
            _ => {
                self.rest = text;
                return self.float(visitor, V::visit_f64);
            }
        };
        visited.map_err(|fault| self.blame_scalar(fault))
    }

    /// Reads any number as a float and calls `visit` with it.
    pub(super) fn float<V: Visitor<'de>, F: Float>(
        &mut self,
        visitor: V,
        visit: impl FnOnce(V, F) -> Result<V::Value, DeError>,
    ) -> Result<V::Value, DeError> {
        let taken = self.take_float();
        self.scalar(taken, |float| visit(visitor, float))
    }

    /// Consumes the next value if it is a number that is not too large for `F`. Otherwise returns `None`, and `why` has the reason.
    fn take_float<F: Float>(&mut self) -> Option<F> {
        self.begin(&"a number");
        let (float, len) = float_at_front::<F>(self.rest)?;
        self.rest = self.rest.get(len..).unwrap_or_default();
        self.why = DeError::INVALID_VALUE;
        Some(float).filter(|float| float.is_finite())
    }
}
