//! URI templates of the Model Context Protocol: which are refused, and that each URI has one reading.
#![cfg(feature = "mcp")]

use crate::cases::cases;
use nanojsonrpc::RawValue;
use nanojsonrpc::mcp::{UriTemplate, uri_template};
use proptest::prelude::*;

/// The JSON string of `text`.
fn json(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

/// The values of the variables `names` that the template reads from `uri`; `None` if it does not match.
fn read(template: &str, uri: &str, names: &[&str]) -> Option<Vec<String>> {
    let template = UriTemplate::new(template).unwrap_or_else(|| panic!("refused: {template}"));
    let uri = json(uri);
    let uri = RawValue::parse(uri.as_bytes()).expect("JSON").as_str_raw().expect("a string");
    let is_match = template.matches(uri);
    assert!(template.variable(uri, "not there").or(template.variable(uri, "")).is_none(), "{template:?}");
    let value = |name: &&str| {
        let value = template.variable(uri, name);
        assert_eq!(value.is_some(), is_match, "{template:?}: {name}");
        value.map(|value| value.chars().collect())
    };
    let values: Option<Vec<String>> = names.iter().map(value).collect();
    values.filter(|_| is_match)
}

#[test]
fn a_uri_is_read_as_it_was_expanded() {
    for (template, uri, names, values) in [
        ("f:///{name}.json", "f:///a.b.json", &["name"][..], &["a.b"][..]),
        ("f:///{name}.json", "f:///.json.json", &["name"], &[".json"]),
        ("g:///{+path}/end", "g:///a/b/end", &["path"], &["a/b"]),
        ("g:///{+path}/end", "g:////end/end", &["path"], &["/end"]),
        ("{a}", "x", &["a"], &["x"]),
        ("{+a}", "x:/y?z", &["a"], &["x:/y?z"]),
        ("{+a}/{b}", "x/y/z", &["a", "b"], &["x/y", "z"]),
        ("{a}/{+b}", "x/y/z", &["a", "b"], &["x", "y/z"]),
        ("x:{a}.-/~{b}?q={+q}&r={r}#f", "x:1.-.-/~2?q=a&r=b&r=c#f", &["a", "b", "q", "r"], &["1.-", "2", "a&r=b", "c"]),
        ("{x}%20/", "%20%20/", &["x"], &["%20"]),
        ("{x}a/{y}", "%aaa/%0A", &["x", "y"], &["%aa", "%0A"]),
        ("plain", "plain", &[], &[]),
        ("", "", &[], &[]),
        ("s:{x}", "s:\u{e9} \"\\", &["x"], &["\u{e9} \"\\"]),
    ] {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        assert_eq!(read(template, uri, names), Some(values), "{template}: {uri}");
    }
}

#[test]
fn a_uri_that_no_value_expands_to_is_not_matched() {
    for (template, uri) in [
        ("f:///{name}.json", "f:///a/b.json"),
        ("f:///{name}.json", "f:///.json"),
        ("f:///{name}.json", "f:///a.jsonx"),
        ("f:///{name}.json", "f:///a.xml"),
        ("f:///{name}.json", "f:///a"),
        ("f:///{name}.json", ""),
        ("g:///{+path}/end", "g:///end"),
        ("g:///{+path}/end", "g:////end"),
        ("g:///{+path}/end", "g:///a/b/ends"),
        ("{a}/{b}", "x/y/z"),
        ("{a}/{b}", "x/"),
        ("{a}/{b}", "x:y/z"),
        ("{a}", "%"),
        ("{a}", "%4"),
        ("{a}", "%4g"),
        ("{a}", "%%41"),
        ("{+a}", "a/%zz"),
        ("{x}20/", "%20/"),
        ("{x}0/", "%20/"),
        ("plain", "plain/"),
        ("plain", "plai"),
    ] {
        assert_eq!(read(template, uri, &[]), None, "{template}: {uri}");
    }
}

#[test]
fn a_template_that_cannot_be_matched_is_refused() {
    const KNOWN: UriTemplate<'_> = uri_template!("a:{b}");
    assert_eq!(UriTemplate::new("a:{b}"), Some(KNOWN));
    for template in [
        // ambiguous
        "{a}{b}",
        "{a}.{b}",
        "{a}%2F{b}",
        "{+a}x{b}",
        "{a}-{+b}",
        "{+a}/{+b}",
        "{a}/{a}",
        "{a}/{+a}",
        "{a.b}/{c}/{a.b}",
        // other expressions
        "{?q}",
        "{&q}",
        "{#f}",
        "{.x}",
        "{/x}",
        "{;x}",
        "{a,b}",
        "{a:3}",
        "{a*}",
        "{+a,b}",
        "{+a*}",
        "{=a}",
        "{!a}",
        "{|a}",
        "{@a}",
        // no expressions
        "{",
        "}",
        "{}",
        "{+}",
        "{a",
        "a}",
        "{{a}}",
        "{a}}",
        "{ a}",
        "{a }",
        "{a-b}",
        "{++a}",
        "{.a}",
        "{a.}",
        "{a..b}",
        "{a%2}",
        // no literals
        "a b",
        "\"",
        "<",
        ">",
        "\\",
        "^",
        "`",
        "|",
        "\u{e9}",
        "%",
        "%g4",
        "%2",
        "%2g",
        "a\n",
        "\u{7f}",
    ] {
        assert_eq!(UriTemplate::new(template), None, "{template}");
    }
    for template in
        ["{a}/{b}", "{a}/{+b}", "{a}:{ab}", "{ab}:{a}", "{a.b}", "{_}", "{A9.z_}", "-._~:/?#[]@!$&'()*+,;=%0f"]
    {
        assert!(UriTemplate::new(template).is_some(), "{template}");
    }
}

/// All readings of `uri`, by trying each value of each variable. The names are single letters.
fn readings(template: &str, uri: &str, before: &[String], found: &mut Vec<Vec<String>>) {
    if let Some(behind) = template.strip_prefix("{+").or(template.strip_prefix('{')) {
        let holds_reserved = template.starts_with("{+");
        for len in (1..=uri.len()).take_while(|len| holds_reserved || !uri[..*len].contains('/')) {
            let is_encoded = uri[..len].split('%').skip(1).all(|part| part.starts_with("aa"));
            if is_encoded {
                readings(&behind[2..], &uri[len..], &[before, &[uri[..len].to_owned()]].concat(), found);
            }
        }
    } else if let Some(first) = template.chars().next() {
        if let Some(rest) = uri.strip_prefix(first) {
            readings(&template[1..], rest, before, found);
        }
    } else if uri.is_empty() {
        found.push(before.to_vec());
    }
}

/// All texts of up to `most` of these pieces.
fn texts(pieces: &[&str], most: usize) -> Vec<String> {
    let (mut all, mut last) = (vec![String::new()], vec![String::new()]);
    for _ in 0..most {
        last = last.iter().flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}"))).collect();
        all.extend_from_slice(&last);
    }
    all
}

#[test]
fn no_uri_has_two_readings_and_the_one_that_it_has_is_found() {
    let (pieces, len) = if cfg!(miri) { (3, 3) } else { (5, 5) };
    let uris = texts(&["a", "/", "%aa"], len);
    let (mut accepted, mut matched) = (0, 0);
    for template in texts(&["a", "/", "%aa", "{x}", "{y}", "{+z}"], pieces) {
        if UriTemplate::new(&template).is_none() {
            continue;
        }
        accepted += 1;
        let names: Vec<&str> = ["x", "y", "z"].into_iter().filter(|name| template.contains(*name)).collect();
        for uri in &uris {
            let mut expected = Vec::new();
            readings(&template, uri, &[], &mut expected);
            assert!(expected.len() <= 1, "{template}: {uri}: {expected:?}");
            // in the order of the template
            let mut in_order = names.clone();
            in_order.sort_by_key(|name| template.find(*name));
            let found = read(&template, uri, &in_order);
            assert_eq!(found, expected.pop(), "{template}: {uri}");
            matched += usize::from(found.is_some());
        }
    }
    assert!(accepted > 20 && matched > 20, "{accepted} {matched}");
}

#[test]
fn a_long_uri_is_matched_in_one_pass() {
    // A matcher that tries again at each character would take minutes for these.
    let len = if cfg!(miri) { 200 } else { 300_000 };
    let names: Vec<String> = (0..20).map(|n| format!("v{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let variables =
        |separator: &str| names.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(separator);
    for (template, uri) in [
        (format!("{{+z}}a/{}", variables("a/")), "a/".repeat(len)),
        (format!("{{+z}}aaaaaaaa/{}", variables("aaaaaaaa/")), "a".repeat(len)),
        (format!("{}aaaaaaab", variables("/")), "a/".repeat(19) + &"a".repeat(len)),
        ("{+z}/////////a".to_owned(), "/".repeat(len)),
        ("{x}%aa%aa%aab".to_owned(), "%aa".repeat(len)),
    ] {
        assert_eq!(read(&template, &uri, &[]), None, "{template}");
    }
    let uri = format!("{}x/{}", "/".repeat(len), "a".repeat(len));
    assert_eq!(read("{+z}/{x}", &uri, &["x"]), Some(vec!["a".repeat(len)]));
}

/// The expansion of a value. RFC 6570 §3.2.2, §3.2.3.
fn expand(value: &str, keeps_reserved: bool) -> String {
    let is_kept = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || b"-._~".contains(&byte)
            || keeps_reserved && b":/?#[]@!$&'()*+,;=".contains(&byte)
    };
    value
        .bytes()
        .map(|byte| if is_kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn decode(value: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let [first, behind @ ..] = rest {
        let (byte, behind) = match rest {
            [b'%', high, low, behind @ ..] => {
                let digits = [*high, *low];
                (u8::from_str_radix(str::from_utf8(&digits).expect("ASCII"), 16).expect("digits"), behind)
            }
            _ => (*first, behind),
        };
        bytes.push(byte);
        rest = behind;
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// The path of a file that the template reads from `uri`.
fn path_in(template: &str, uri: &str) -> Option<String> {
    let (template, uri) = (UriTemplate::new(template).expect("a template"), json(uri));
    let uri = RawValue::parse(uri.as_bytes()).expect("JSON").as_str_raw().expect("a string");
    let mut buffer = vec![0; uri.as_bytes().len()];
    template.file_path(uri, "v", &mut buffer).map(str::to_owned)
}

#[test]
fn a_file_path_stays_below_its_directory() {
    for (value, path) in [
        ("a.txt", "a.txt"),
        ("%61%2Etxt", "a.txt"),
        ("m%C3%A4rz", "m\u{e4}rz"),
        ("m\u{e4}rz", "m\u{e4}rz"),
        (".git", ".git"),
        ("..a", "..a"),
        ("a..b", "a..b"),
        ("100%25", "100%"),
        ("%25zz", "%zz"),
        ("~a", "~a"),
        ("console", "console"),
        ("com10", "com10"),
        ("com", "com"),
        ("a.nul", "a.nul"),
        ("%20a", " a"),
    ] {
        for template in ["x:{v}", "x:{+v}"] {
            assert_eq!(path_in(template, &format!("x:{value}")).as_deref(), Some(path), "{template}: {value}");
        }
    }
    assert_eq!(path_in("x:{+v}", "x:a/b/c").as_deref(), Some("a/b/c"));
    let refused = [
        ".",
        "..",
        "%2e",
        "%2E%2e",
        ".%2e",
        "...",
        "a.",
        "a%20",
        "..%20",
        "a .",
        "%20",
        "\\",
        "..\\a",
        "a%5Cb",
        "%00",
        "a%00.txt",
        "\0",
        "%0a",
        "%7f",
        "%C2%85",
        "C%3A",
        "C%3Aa",
        "a%3Ab",
        "%2f",
        "..%2F",
        "a%2fb",
        "%252e%252e",
        "a%252fb",
        "%25%32%65",
        "%ff",
        "%C0%AF",
        "%ED%A0%80",
        "a%2a",
        "%3f",
        "%7C",
        "%3Ca",
        "%22",
        "nul",
        "NUL.txt",
        "Con",
        "aux.tar.gz",
        "prn%20.a",
        "COM1",
        "lpt9.x",
        "COM%C2%B9",
        "CONIN%24",
        "clock%24",
    ];
    for value in refused {
        for (template, uri) in [
            ("x:{v}", format!("x:{value}")),
            ("x:{+v}", format!("x:{value}")),
            ("x:{+v}", format!("x:a/{value}")),
            ("x:{+v}", format!("x:{value}/a")),
        ] {
            assert_eq!(path_in(template, &uri), None, "{template}: {uri}");
        }
    }
    for value in ["/a", "a/", "a//b", "//a/b", "/", "a/../b", "../a", "a/..", "C:/a", "a:b", "\\\\a/b", "a?", "a*b"] {
        assert_eq!(path_in("x:{+v}", &format!("x:{value}")), None, "{value}");
    }
    // the buffer is too short, the variable is another
    let uri = RawValue::parse(br#""x:abc""#).expect("JSON").as_str_raw().expect("a string");
    let template = UriTemplate::new("x:{v}").expect("a template");
    assert_eq!(template.file_path(uri, "v", &mut [0; 2]), None);
    assert_eq!(template.file_path(uri, "v", &mut [0; 3]), Some("abc"));
    assert_eq!(template.file_path(uri, "w", &mut [0; 3]), None);
}

#[derive(Clone, Debug)]
enum Piece {
    Literal(String),
    Variable { value: String, keeps_reserved: bool },
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        "([a-c.~/:?#&=+]|%2F|%e9){0,4}".prop_map(Piece::Literal),
        ("[a-c./:%20\u{e9}\u{1F600}\" ]{1,6}", prop::bool::weighted(0.3))
            .prop_map(|(value, keeps_reserved)| Piece::Variable { value, keeps_reserved }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(4_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_client_expands_is_read_as_the_values_that_it_expanded(pieces in proptest::collection::vec(piece(), 0..7)) {
        let (mut template, mut uri, mut values) = (String::new(), String::new(), Vec::new());
        for (n, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Literal(text) => {
                    template += text;
                    uri += text;
                }
                Piece::Variable { value, keeps_reserved } => {
                    template += &format!("{{{}v{n}}}", if *keeps_reserved { "+" } else { "" });
                    uri += &expand(value, *keeps_reserved);
                    values.push((format!("v{n}"), value.clone()));
                }
            }
        }
        if UriTemplate::new(&template).is_some() {
            let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
            for (name, value) in &values {
                let template = UriTemplate::new(&template).expect("a template");
                let uri = json(&uri);
                let uri = RawValue::parse(uri.as_bytes()).expect("JSON").as_str_raw().expect("a string");
                let mut buffer = [0; 128];
                if let Some(path) = template.file_path(uri, name, &mut buffer) {
                    let parts: Vec<_> = std::path::Path::new(path).components().collect();
                    prop_assert!(parts.iter().all(|part| matches!(part, std::path::Component::Normal(_))), "{}", path);
                    prop_assert_eq!(path, value);
                }
            }
            let found = read(&template, &uri, &names).map(|found| found.iter().map(|value| decode(value)).collect::<Vec<_>>());
            prop_assert_eq!(found, Some(values.into_iter().map(|(_, value)| value).collect()), "{}: {}", template, uri);
        }
    }
}
