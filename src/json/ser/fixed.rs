//! Serializes decimal fractions: as their decimals into this crate's messages, as the nearest float with other serializers.

use serde::ser::{Serialize, Serializer};

use super::RAW_VALUE;
use crate::json::RawValue;
use crate::json::fixed::{Fixed, FixedInteger, Units};

impl<T: FixedInteger + Serialize, const DECIMALS: u8> Serialize for Fixed<T, DECIMALS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() || DECIMALS == 0 {
            return self.0.serialize(serializer);
        }
        serializer.serialize_newtype_struct(RAW_VALUE, &self.units())
    }
}

impl Serialize for Units {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            let Self { magnitude, decimals, negative } = *self;
            let packed = u128::from(magnitude) | u128::from(decimals) << 64 | u128::from(negative) << 72;
            return serializer.serialize_u128(packed);
        }
        // no number of 64 bits is too large
        serializer.serialize_f64(self.with_text(|text| RawValue::validated(text, text).as_f64()).unwrap_or_default())
    }
}

/// As one integer, which the serializer of this crate passes from `Units` to its writer.
impl Units {
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the parts of the integer")]
    pub(super) const fn unpack(packed: u128) -> Self {
        Self { negative: packed >> 72 != 0, magnitude: packed as u64, decimals: (packed >> 64) as u8 }
    }
}
