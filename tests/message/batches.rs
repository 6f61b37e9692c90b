//! The elements of a batch are the same, whether the pass that validates the batch has kept them or they are read again.

use nanojsonrpc::{Dialect, Envelope, EnvelopeKind, Envelopes, Request};
use proptest::prelude::*;

/// One element: of every kind, with members in any order, refused, no object, or longer than what a pass keeps.
fn element() -> impl Strategy<Value = String> {
    let usual = [
        r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#,
        r#"{"id":"a","params":{"a":[1,{"b":"]"}]},"method":"led","jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","method":"log","params":null}"#,
        r#"{"jsonrpc": "2.0", "method": "\u0061", "id": 1.50}"#,
        r#"{"jsonrpc":"2.0","result":{"ok":true},"id":"x"}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"no","data":[1]},"id":2}"#,
        r#"{"jsonrpc":"2.0","result":null,"error":null,"id":2}"#,
        r#"{"method":"no version","id":3}"#,
        r#"{"jsonrpc":"2.0","method":"null id","id":null}"#,
        r#"{"jsonrpc":"2.0","method":1,"id":4}"#,
        r#"{"jsonrpc":"2.0","method":"twice","id":4,"id":5}"#,
        r#"{"jsonrpc":"2.0","\u006dethod":"m","unknown":{"method":"x"},"id":6}"#,
        "{}",
        "[]",
        "7",
        r#""}{""#,
    ];
    let long = |len: usize| format!(r#"{{"jsonrpc":"2.0","method":"m","params":["{}"],"id":9}}"#, "x".repeat(len));
    prop_oneof![
        40 => proptest::sample::select(usual.map(str::to_string).to_vec()),
        1 => (65_480usize..65_500).prop_map(long),
    ]
}

/// A batch with white space anywhere between its elements.
fn batch() -> impl Strategy<Value = String> {
    let space = || proptest::sample::select(vec!["", "", "", " ", "\n\t"]);
    let element =
        (space(), element(), space()).prop_map(|(before, element, behind)| format!("{before}{element}{behind}"));
    (space(), proptest::collection::vec(element, 1..150), space())
        .prop_map(|(before, elements, behind)| format!("{before}[{}]{behind}", elements.join(",")))
}

fn dialects() -> [Dialect; 3] {
    [Dialect::JSON_RPC, Dialect::LENIENT, Dialect::JSON_RPC.with_max_batch(200)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases::cases(200)))]

    #[test]
    fn kept_elements_are_those_that_are_read_again(text in batch()) {
        for dialect in dialects() {
            let again: Vec<_> = Envelope::parse_as(text.as_bytes(), dialect)
                .expect("a batch")
                .batch()
                .expect("a batch")
                .elements()
                .collect();
            let mut messages = Envelopes::new(text.as_bytes(), dialect);
            for (index, read) in again.iter().enumerate() {
                // a clone continues at the same place
                let (cloned, next) = (messages.clone().next(), messages.next());
                prop_assert_eq!(cloned.as_ref(), Some(read), "element {}", index);
                prop_assert_eq!(next.as_ref(), Some(read), "element {}", index);
            }
            prop_assert!(messages.is_batch() && messages.next().is_none());
        }
    }

    #[test]
    fn of_a_batch_with_a_fault_nothing_is_handed_out(text in batch(), cut in any::<proptest::sample::Index>()) {
        let text = text.trim_ascii_end();
        for dialect in dialects() {
            let cut = &text[..cut.index(text.len())];
            let mut messages = Envelopes::new(cut.as_bytes(), dialect);
            prop_assert!(messages.next().is_some_and(|one| one.is_err_and(|refused| refused.offset() == cut.len())));
            prop_assert!(messages.next().is_none() && !messages.is_batch());
        }
    }
}

#[test]
fn an_element_that_does_not_fit_what_is_kept_is_read_again() {
    // lengths around 2^16, at the beginning and behind a short element
    for len in 65_400..65_600 {
        let call = format!(r#"{{"jsonrpc":"2.0","method":"m","params":["{}"],"id":9}}"#, "x".repeat(len));
        let text = format!(r#"[{call},{{"jsonrpc":"2.0","method":"b","id":1}},{call}]"#);
        let ids: Vec<_> = Envelopes::new(text.as_bytes(), Dialect::JSON_RPC)
            .map(|message| {
                let message = message.expect("a call");
                assert_eq!(message.kind(), EnvelopeKind::Request);
                let params = message.params().map_or(0, |params| params.as_bytes().len());
                (params, Request::<8, 8>::try_from(message).expect("a call").id.as_i64())
            })
            .collect();
        assert_eq!(ids, [(len + 4, Some(9)), (0, Some(1)), (len + 4, Some(9))]);
    }
}
