//! Bodies in chunks: any cut of the stream, a reference decoder, hostile chunks.
#![cfg(feature = "http")]

use nanojsonrpc::http::{ChunkError, ChunkErrorKind, Chunked};

/// The data, the rest behind the body, and whether the body is complete; or the fault, as kind and offset.
type Verdict = Result<(Vec<u8>, Vec<u8>, bool), (ChunkErrorKind, usize)>;

fn fault(error: ChunkError) -> (ChunkErrorKind, usize) {
    (error.kind(), error.offset())
}

/// Decodes pieces, each in place.
fn decode<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Verdict {
    let (mut chunked, mut body, mut rest, mut is_complete) = (Chunked::new(), vec![], vec![], false);
    for piece in pieces {
        let mut piece = piece.to_vec();
        let decoded = chunked.decode(&mut piece).map_err(fault)?;
        assert!(decoded.read == piece.len() || decoded.is_complete);
        assert!(decoded.len <= decoded.read && is_complete <= decoded.is_complete);
        body.extend_from_slice(&piece[..decoded.len]);
        rest.extend_from_slice(&piece[decoded.read..]);
        is_complete = decoded.is_complete;
    }
    Ok((body, rest, is_complete))
}

/// The verdict for the whole stream, which is that of any cut.
fn verdict(stream: &[u8]) -> Verdict {
    let whole = decode([stream]);
    for at in 0..=stream.len() {
        let (front, back) = stream.split_at(at);
        assert_eq!(decode([front, back]), whole, "cut at byte {at} of {}", stream.escape_ascii());
    }
    for len in 1..=3 {
        assert_eq!(decode(stream.chunks(len)), whole, "pieces of {len} bytes of {}", stream.escape_ascii());
    }
    whole
}

fn complete(body: &str, rest: &str) -> Verdict {
    Ok((body.into(), rest.into(), true))
}

#[test]
fn a_body_in_chunks_is_decoded_at_any_cut() {
    for (stream, body, rest) in [
        ("0\r\n\r\n", "", ""),
        ("4\r\nWiki\r\n5\r\npedia\r\nE\r\n in\r\n\r\nchunks.\r\n0\r\n\r\n", "Wikipedia in\r\n\r\nchunks.", ""),
        ("000a\r\n0123456789\r\n000\r\n\r\nPOST /", "0123456789", "POST /"),
        ("A\r\n0123456789\r\n0\r\n\r\n\r\n", "0123456789", "\r\n"),
        ("1;a=b;c=\"d;\\\"\"\r\nx\r\n1 \t; e\r\ny\r\n1 \r\nz\r\n0;f\r\n\r\n", "xyz", ""),
        ("1\r\nx\r\n0\r\nA: b\r\nC:\t\u{E4}\r\n\r\nrest", "x", "rest"),
    ] {
        assert_eq!(verdict(stream.as_bytes()), complete(body, rest));
    }
}

#[test]
fn a_body_without_its_end_is_incomplete() {
    let stream = b"2;x\r\nab\r\n0\r\nA: b\r\n\r\n";
    for len in 0..stream.len() {
        let (body, rest, is_complete) = decode([&stream[..len]]).expect("the front of a body");
        assert!(!is_complete && rest.is_empty(), "{len}");
        assert_eq!(body, b"ab"[..len.saturating_sub(5).min(2)], "{len}");
    }
}

#[test]
fn bytes_that_are_no_chunks_are_refused() {
    use ChunkErrorKind::{InvalidLineEnd, InvalidSize, LineTooLong, SizeTooLarge};
    let long = |front: &str, len| front.to_owned() + &"x".repeat(len);
    for (stream, kind, at) in [
        ("\r\n", InvalidSize, 0),
        ("x", InvalidSize, 0),
        (" 1", InvalidSize, 0),
        (";a\r\n", InvalidSize, 0),
        ("-1\r\n", InvalidSize, 0),
        ("+1\r\n", InvalidSize, 0),
        ("0x1\r\n", InvalidSize, 1),
        ("1_0\r\n", InvalidSize, 1),
        ("1g\r\n", InvalidSize, 1),
        ("1,1\r\n", InvalidSize, 1),
        // readers that end a line at a bare line feed, or at a bare carriage return, read other chunks
        ("1\nx", InvalidSize, 1),
        ("1\r\r", InvalidLineEnd, 2),
        ("1;a\nx", InvalidLineEnd, 3),
        ("1;a\0\r\n", InvalidLineEnd, 3),
        ("1;a\x7F\r\n", InvalidLineEnd, 3),
        ("1;a\rb\r\n", InvalidLineEnd, 4),
        ("1\r\nxy\r\n", InvalidLineEnd, 4),
        ("1\r\nx\n", InvalidLineEnd, 4),
        ("1\r\nx\rA", InvalidLineEnd, 5),
        ("0\r\n\n", InvalidLineEnd, 3),
        ("0\r\nA: b\n\r\n", InvalidLineEnd, 7),
        ("0\r\nA: b\rC", InvalidLineEnd, 8),
        ("0\r\n\rA", InvalidLineEnd, 4),
        ("0\r\nA\0", InvalidLineEnd, 4),
        (&long("1;", 1023), LineTooLong, 1024),
        (&"0".repeat(1025), LineTooLong, 1024),
        (&long("0\r\n", 1022), LineTooLong, 1024),
        (&format!("{:x}0\r\n", usize::MAX), SizeTooLarge, usize::BITS as usize / 4),
        ("10000000000000000000000000000000000000\r\n", SizeTooLarge, usize::BITS as usize / 4),
    ] {
        assert_eq!(verdict(stream.as_bytes()), Err((kind, at)), "{}", stream.escape_debug());
    }
    let ended = long("1;", 1020) + "\r\nx\r\n" + &long("0\r\n", 1017) + "\r\n\r\n";
    assert_eq!(decode([ended.as_bytes()]), complete("x", ""));
    let largest = format!("{:x}\r\nabc", usize::MAX);
    assert_eq!(verdict(largest.as_bytes()), Ok((b"abc".into(), vec![], false)));
}

#[test]
fn a_decoder_that_has_failed_fails_and_one_that_is_complete_reads_nothing() {
    let mut chunked = Chunked::default();
    let error = chunked.decode(&mut b"1\r\nx!".to_owned()).expect_err("no end of the line");
    assert_eq!(fault(error), (ChunkErrorKind::InvalidLineEnd, 4));
    for piece in [&b""[..], b"\r\n", b"0\r\n\r\n"] {
        assert_eq!(chunked.decode(&mut piece.to_vec()), Err(error));
    }
    assert_eq!(error.to_string(), "invalid end of a line of chunks at byte 4 of the body");
    let mut chunked = Chunked::new();
    assert!(chunked.decode(&mut b"0\r\n\r\n".to_owned()).is_ok_and(|decoded| decoded.is_complete));
    let decoded = chunked.decode(&mut b"1\r\nx\r\n".to_owned()).expect("nothing to decode");
    assert_eq!((decoded.len, decoded.read, decoded.is_complete), (0, 0, true));
}

/// The rules of RFC 9112 §7.1 line by line.
fn reference(stream: &[u8]) -> Option<(Vec<u8>, Vec<u8>, bool)> {
    let cut = |text: &[u8]| -> Option<Option<(Vec<u8>, usize)>> {
        let end = text.iter().position(|byte| *byte < b' ' && *byte != b'\t' || *byte == 0x7F);
        match end {
            None => Some(None),
            Some(at) if text[at] == b'\r' && text.len() == at + 1 => Some(None),
            Some(at) => text[at..].starts_with(b"\r\n").then(|| Some((text[..at].to_vec(), at + 2))),
        }
    };
    let (mut rest, mut body) = (stream, vec![]);
    loop {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if rest.get(digits).is_some_and(|byte| !b"\r; \t".contains(byte)) || digits == 0 && !rest.is_empty() {
            return None;
        }
        let Some((_, line)) = cut(rest)? else { return Some((body, vec![], false)) };
        let size = usize::from_str_radix(str::from_utf8(&rest[..digits]).ok()?, 16).ok()?;
        rest = &rest[line..];
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        rest = &rest[size.min(rest.len())..];
        match rest {
            [] | [b'\r'] => return Some((body, vec![], false)),
            [b'\r', b'\n', behind @ ..] => rest = behind,
            _ => return None,
        }
    }
    loop {
        let Some((field, line)) = cut(rest)? else { return Some((body, vec![], false)) };
        rest = &rest[line..];
        if field.is_empty() {
            return Some((body, rest.to_vec(), true));
        }
    }
}

#[test]
fn random_chunks_have_the_verdict_of_the_reference() {
    const WORDS: [&str; 16] = [
        "0",
        "1",
        "2",
        "a",
        "F",
        "\r\n",
        "\r\n",
        "\r\n",
        "\r",
        "\n",
        ";",
        " ",
        "x",
        "0\r\n\r\n",
        "1\r\nx\r\n",
        "2\r\n12\r\n",
    ];
    let mut state = 1_u64;
    let (mut valid, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut stream = String::new();
        for _ in 0..7 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            stream += WORDS[(state >> 60) as usize];
        }
        let found = verdict(stream.as_bytes());
        assert_eq!(found.clone().ok(), reference(stream.as_bytes()), "{}", stream.escape_debug());
        match found {
            Ok((.., true)) => valid += 1,
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    assert!(valid > 500 && refused > 5000, "{valid} {refused}");
}

#[test]
fn every_kind_of_fault_in_chunks_has_words() {
    use ChunkErrorKind::*;
    for (kind, words) in [
        (InvalidSize, "invalid size of a chunk"),
        (SizeTooLarge, "size of a chunk too large"),
        (InvalidLineEnd, "invalid end of a line of chunks"),
        (LineTooLong, "line of chunks too long"),
    ] {
        assert_eq!((kind.as_str(), kind.to_string().as_str()), (words, words));
    }
}
