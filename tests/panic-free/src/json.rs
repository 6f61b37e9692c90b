//! Values that are looked into, and the writer.

use nanojsonrpc::{
    RawStr, RawValue, ToJson, Writer,
    json::{ArrayWriter, ObjectWriter, Rounding, ValueWriter, Written},
};

use crate::{any, name, used};

#[unsafe(no_mangle)]
pub fn value(text: &[u8]) {
    let value = match RawValue::parse(text) {
        Ok(value) => value,
        Err(error) => return used((error.kind(), error.offset(), error.is_incomplete(), error.code())),
    };
    used((value.as_bytes(), value.as_json(), value.offset(), value.kind(), value.is_null(), value.as_bool()));
    used((value.as_str(), value.as_i64(), value.as_u64(), value == RawValue::NULL));
    used(value.path_to(any(text)));
    used(RawValue::constant(name(text)));
    #[cfg(any(feature = "floats", not(target_pointer_width = "64")))]
    used((value.as_f32(), value.as_f64()));
}

#[unsafe(no_mangle)]
pub fn integers(text: &[u8]) {
    let Ok(value) = RawValue::parse(text) else { return };
    used((value.to_integer::<i8>(), value.to_integer::<u64>()));
    used((value.to_integer::<i128>(), value.to_integer::<u128>()));
    let (decimals, rule) = (any(text) as u8, core::hint::black_box(Rounding::TiesToEven));
    used((value.to_fixed::<i8>(decimals, rule), value.to_fixed::<u64>(decimals, rule)));
}

#[unsafe(no_mangle)]
pub fn parts(text: &[u8], wanted: &[u8]) {
    let Ok(value) = RawValue::parse(text) else { return };
    used((value.get(name(wanted)), value.element(any(wanted)), value.pointer(name(wanted))));
    for (name, value) in value.members() {
        used((name, value));
    }
    for value in value.elements() {
        used(value);
    }
}

#[unsafe(no_mangle)]
pub fn string(text: &[u8], buffer: &mut [u8]) {
    let Some(string) = RawValue::parse(text).ok().and_then(RawValue::as_str_raw) else { return };
    used((string.as_bytes(), string.is_empty(), string.is_escaped(), string.as_str()));
    string.chars().for_each(used);
    string.bytes().for_each(used);
    used(string.strip_prefix(name(text)));
    used((string == *name(text), string == RawStr::default()));
    used(string.to_heapless::<8>());
    used(string.decode(buffer));
}

#[unsafe(no_mangle)]
pub fn writer(text: &[u8], out: &mut [u8]) {
    let mut out = Writer::new(out);
    used(out.value(name(text)));
    used(out.value(&any(text)));
    used(out.value(&Either(text)));
    used(out.add_members(|members| members.member(name(text), &1)));
    used((out.len(), out.is_empty()));
    out.truncate(text.len());
    used(out.written());
    used(out.into_written());
}

/// A value, an object or an array.
struct Either<'a>(&'a [u8]);

impl ToJson for Either<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match any(self.0) {
            0 => out.value(name(self.0)),
            1 => out.object(|object: &mut ObjectWriter<'_, '_>| {
                object.member(name(self.0), &false);
                object.member_with(name(self.0), |out| out.text(name(self.0)));
                object.members(RawValue::constant(name(self.0)).unwrap_or(RawValue::NULL));
            }),
            _ => out.array(|array: &mut ArrayWriter<'_, '_>| {
                array.element(&any(self.0));
                array.element_with(|out| out.value(&any(self.0)));
            }),
        }
    }
}
