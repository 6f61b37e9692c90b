//! Tests of what the deserializer consumes.

use crate::ErrorKind;
use crate::json::RawValue;

fn read<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, ErrorKind> {
    let value = RawValue::parse(text.as_bytes()).map_err(|error| error.kind())?;
    value.read().map_err(|error| error.kind())
}

#[test]
fn integers_are_read_up_to_their_last_digit() {
    assert_eq!(read::<[i64; 4]>("[0,-1 , 9223372036854775807,-9223372036854775808]"), Ok([0, -1, i64::MAX, i64::MIN]));
    assert_eq!(read::<(u64, u8)>("[18446744073709551615\n,255]"), Ok((u64::MAX, 255)));
    for too_large in ["18446744073709551616", "-9223372036854775809", "20000000000000000000", "123456789012345678901"] {
        assert_eq!(read::<u64>(too_large), Err(ErrorKind::InvalidValue), "{too_large}");
    }
    for other in ["1.0", "1e1", "-0", "null", "\"1\""] {
        assert_eq!(read::<i64>(other), Err(ErrorKind::UnexpectedType), "{other}");
        assert_eq!(read::<u64>(other), Err(ErrorKind::UnexpectedType), "{other}");
        assert_eq!(read::<u8>(other), Err(ErrorKind::UnexpectedType), "{other}");
    }
    assert_eq!(read::<(i8, u8)>("[-128,-1]"), Err(ErrorKind::InvalidValue));
    assert_eq!((read::<u32>("-2"), read::<u64>("-2")), (Err(ErrorKind::InvalidValue), Err(ErrorKind::InvalidValue)));
}

#[test]
fn an_array_ends_where_its_type_does() {
    assert_eq!(read::<(bool,)>("[true ]"), Ok((true,)));
    assert_eq!(read::<[u8; 1]>("[ 1, 2]"), Err(ErrorKind::InvalidLength));
    assert_eq!(read::<[u8; 2]>("[1 ]"), Err(ErrorKind::InvalidLength));
}

#[test]
fn a_visitor_for_bytes_expects_what_it_says() {
    struct Bytes;

    impl serde::de::Visitor<'_> for Bytes {
        type Value = ();

        fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("bytes")
        }
    }

    struct Shown([u8; 8], usize);

    impl core::fmt::Write for Shown {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            for byte in text.bytes() {
                *self.0.get_mut(self.1).ok_or(core::fmt::Error)? = byte;
                self.1 = self.1.saturating_add(1);
            }
            Ok(())
        }
    }

    let mut shown = Shown([0; 8], 0);
    let written =
        core::fmt::write(&mut shown, format_args!("{}", &super::dispatch::AsBytes(Bytes) as &dyn serde::de::Expected));
    assert_eq!((written, shown.0.get(..shown.1)), (Ok(()), Some(&b"bytes"[..])));
}
