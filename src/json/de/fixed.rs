//! Decimal fractions, read from the text of a number.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, Deserialize, SeqAccess, Visitor};

use super::raw::{FIXED, from_parts, visit_value};
use super::{DeError, Deserializer};
use crate::json::Writer;
use crate::json::fixed::{Fixed, FixedInteger, Rounding, read};

impl<'de> Deserializer<'de> {
    /// Passes the next value to the visitor of a [`Fixed`] if it is a number.
    pub(super) fn fixed<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, DeError> {
        let taken = self.take_number(&"a number with the range and the decimals of its type");
        self.scalar(taken, |number| visit_value(number, visitor))
    }
}

impl<'de, T: FixedInteger + Deserialize<'de>, const DECIMALS: u8> Deserialize<'de> for Fixed<T, DECIMALS> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return T::deserialize(deserializer).map(Self);
        }
        deserializer.deserialize_newtype_struct(FIXED, FixedVisitor(PhantomData))
    }
}

struct FixedVisitor<T, const DECIMALS: u8>(PhantomData<T>);

impl<T: FixedInteger, const DECIMALS: u8> FixedVisitor<T, DECIMALS> {
    /// Reads the text of a number.
    fn number<E: de::Error>(&self, text: &[u8]) -> Result<Fixed<T, DECIMALS>, E> {
        match read(text, Fixed::<T, DECIMALS>::CHECKED, Rounding::Refuse) {
            Some(integer) => Ok(Fixed(integer)),
            None => Err(E::invalid_value(de::Unexpected::Other("number"), self)),
        }
    }

    /// Reads the number that `put` writes.
    fn written<E: de::Error>(&self, put: impl FnOnce(&mut Writer<'_>)) -> Result<Fixed<T, DECIMALS>, E> {
        // the longest `f64` has 24 bytes
        let mut room = [0; 32];
        let mut out = Writer::over(&mut room);
        put(&mut out);
        self.number(out.written())
    }
}

impl<'de, T: FixedInteger, const DECIMALS: u8> Visitor<'de> for FixedVisitor<T, DECIMALS> {
    type Value = Fixed<T, DECIMALS>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number with at most {DECIMALS} decimals, in range")
    }

    /// Reads the number that this crate's deserializer passes.
    fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<Fixed<T, DECIMALS>, A::Error> {
        self.number(from_parts(parts, &self)?.as_bytes())
    }

    /// Requests a float of other deserializers, because some of them cannot pass just any number.
    fn visit_newtype_struct<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Fixed<T, DECIMALS>, D::Error> {
        deserializer.deserialize_f64(self)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Fixed<T, DECIMALS>, E> {
        self.written(|out| out.put_signed(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Fixed<T, DECIMALS>, E> {
        self.written(|out| out.put_integer(false, number))
    }

    fn visit_f32<E: de::Error>(self, number: f32) -> Result<Fixed<T, DECIMALS>, E> {
        match number.is_finite() {
            true => self.written(|out| out.put_float(number)),
            false => Err(E::invalid_value(de::Unexpected::Float(number.into()), &self)),
        }
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Fixed<T, DECIMALS>, E> {
        match number.is_finite() {
            true => self.written(|out| out.put_float(number)),
            false => Err(E::invalid_value(de::Unexpected::Float(number), &self)),
        }
    }
}
