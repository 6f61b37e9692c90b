//! Sealed states: only the text that was written, in its context and in time.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use nanojsonrpc::RawValue;
use nanojsonrpc::mcp::authorization::{Seal, Unsealed};

const KEY: [u8; 32] = *b"0123456789abcdefghijklmnopqrstuv";

/// The state, the code and the time limit in a sealed text.
fn parts(sealed: &str) -> (Vec<u8>, Vec<u8>, [u8; 8]) {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed).unwrap();
    let (time, rest) = bytes.split_first_chunk::<8>().unwrap();
    let (state, code) = rest.split_at(rest.len() - 32);
    (state.to_vec(), code.to_vec(), *time)
}

fn opened(sealed: &str, context: &[&[u8]], now: u64, room: usize) -> Result<Vec<u8>, Unsealed> {
    let text = format!("\"{sealed}\"");
    let sealed = RawValue::parse(text.as_bytes()).unwrap().as_str_raw().unwrap();
    let mut out = vec![0; room];
    Seal::new(&KEY).open(sealed, context, now, &mut out).map(<[u8]>::to_vec)
}

#[test]
fn a_state_of_any_length_comes_back() {
    let bytes: Vec<u8> = (0..=255).collect();
    for len in 0..80 {
        let mut out = [0; 256];
        let state = &bytes[bytes.len() - len..];
        let sealed = Seal::new(&KEY).write(state, &[b"a"], 9, &mut out).unwrap();
        assert!(sealed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        assert_eq!(sealed.len(), ((len + 40) * 4).div_ceil(3));
        assert_eq!(parts(sealed).0, state);
        assert_eq!(parts(sealed).2, 9_u64.to_be_bytes());
        assert_eq!(opened(sealed, &[b"a"], 9, len), Ok(state.to_vec()));
        assert_eq!(opened(sealed, &[b"a"], 10, len), Err(Unsealed::Late));
        if len != 0 {
            assert_eq!(opened(sealed, &[b"a"], 9, len - 1), Err(Unsealed::TooLong));
        }
        // a character as an escape of JSON
        let escaped = format!("\\u{:04x}{}", sealed.as_bytes()[0], &sealed[1..]);
        assert_eq!(opened(&escaped, &[b"a"], 9, len), Ok(state.to_vec()));
        let wanted = sealed.len();
        assert!(Seal::new(&KEY).write(state, &[b"a"], 9, &mut vec![0; wanted]).is_ok());
        assert!(Seal::new(&KEY).write(state, &[b"a"], 9, &mut vec![0; wanted - 1]).is_err());
    }
}

#[test]
fn a_changed_text_is_refused() {
    let mut out = [0; 128];
    let sealed = Seal::new(&KEY).write(b"state", &[b"a", b"b"], u64::MAX, &mut out).unwrap().to_owned();
    for at in 0..sealed.len() {
        for other in "Az09-_+/=! ".chars() {
            let mut changed: Vec<char> = sealed.chars().collect();
            changed[at] = other;
            let changed: String = changed.into_iter().collect();
            if changed != sealed {
                assert_eq!(opened(&changed, &[b"a", b"b"], 0, 64), Err(Unsealed::Invalid), "{changed}");
            }
        }
        let cut = &sealed[..at];
        assert_eq!(opened(cut, &[b"a", b"b"], 0, 64), Err(Unsealed::Invalid), "{cut}");
    }
    for longer in [format!("{sealed}A"), format!("{sealed}AA"), format!("{sealed}==")] {
        assert_eq!(opened(&longer, &[b"a", b"b"], 0, 64), Err(Unsealed::Invalid), "{longer}");
    }
    let contexts: [&[&[u8]]; 5] = [&[b"a"], &[b"ab"], &[b"ab", b""], &[b"b", b"a"], &[b"a", b"b", b""]];
    for context in contexts {
        assert_eq!(opened(&sealed, context, 0, 64), Err(Unsealed::Invalid));
    }
    let text = format!("\"{sealed}\"");
    let raw = RawValue::parse(text.as_bytes()).unwrap().as_str_raw().unwrap();
    assert_eq!(Seal::new(&[1; 32]).open(raw, &[b"a", b"b"], 0, &mut [0; 64]), Err(Unsealed::Invalid));
}

#[test]
fn the_code_is_that_of_the_standard() {
    let mut out = [0; 128];
    let sealed = Seal::new(&KEY).write(b"s", &[b"ctx"], 5, &mut out).unwrap();
    // Python: t = bytes(7) + b"\5" + bytes(7) + b"\3ctx" + bytes(7) + b"\1s"; hmac.new(KEY, t, "sha256").hexdigest()
    let digits = "a3d2ce082562cfc1b35d6c435e1a3f1658fe907bfee10f9721fff8bd98d9b782";
    let expected: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect();
    assert_eq!(parts(sealed).1, expected);
    assert_eq!(
        format!("{:?} {} {}", Seal::new(&KEY), Unsealed::Late, Unsealed::Invalid),
        "Seal(..) sealed too long ago not sealed by this server for this call"
    );
    assert_eq!(Unsealed::TooLong.to_string(), "sealed state too long");
}
