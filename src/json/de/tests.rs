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
