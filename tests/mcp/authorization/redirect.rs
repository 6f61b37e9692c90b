//! The redirect that answers an authorization request.

use nanojsonrpc::mcp::authorization::{Expected, Fault, NotAuthorized};

const ISSUER: &str = "https://honest.as.example";

/// The code in `redirect`, or its fault.
fn read(redirect: &str, sends_issuer: bool) -> Result<String, String> {
    let mut out = [0; 256];
    match (Expected { state: "xyz", issuer: ISSUER, sends_issuer }).read(redirect, &mut out) {
        Ok(code) => Ok(code.expose().to_string()),
        Err(NotAuthorized::Fault(fault)) => Err(format!("{fault:?}")),
        Err(NotAuthorized::Refused { error, description }) => Err(format!("{error}: {description}")),
        Err(other) => Err(other.to_string()),
    }
}

#[test]
fn the_examples_of_the_standards_are_read() {
    // RFC 6749 §4.1.2 and §4.1.2.1, RFC 9207 §2.1 and §2.2
    assert_eq!(
        read("https://client.example.com/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz", false),
        Ok("SplxlOBeZQQYbYS6WxSbIA".into())
    );
    assert_eq!(
        read("https://client.example.com/cb?error=access_denied&state=xyz", false),
        Err("access_denied: ".into())
    );
    let expected =
        Expected { state: "ZWVlNDBlYzA1NjdkMDNhYjg3ZjUxZjAyNGQzMTM2NzI", issuer: ISSUER, sends_issuer: true };
    let target = "/?code=x1848ZT64p4IirMPT0R-X3141MFPTuBX-VFL_cvaplMH58&state=ZWVlNDBlYzA1NjdkMDNhYjg3ZjUxZjAyNGQzMTM2NzI&iss=https%3A%2F%2Fhonest.as.example";
    let mut out = [0; 256];
    let code = expected.read(target, &mut out).expect("a code");
    assert_eq!(code.expose().as_str(), Some("x1848ZT64p4IirMPT0R-X3141MFPTuBX-VFL_cvaplMH58"));
}

#[test]
fn a_query_is_decoded_as_a_form() {
    for (redirect, code) in [
        ("code=a&state=xyz", "a"),
        ("?state=xyz&code=a%2Bb+c%2f%C3%A9&other=%zz", "a+b c/\u{e9}"),
        ("/callback?state=%78%79%7A&&code=a%3Db=c#code=other", "a=b=c"),
        ("/callback?state=xyz&code=1&code_=2&=3&4", "1"),
    ] {
        assert_eq!(read(redirect, false).as_deref(), Ok(code), "{redirect}");
    }
}

#[test]
fn a_redirect_that_is_not_the_answer_is_a_fault() {
    for (redirect, fault) in [
        ("", "OtherState"),
        ("/callback", "OtherState"),
        ("/callback?code=a", "OtherState"),
        ("/callback?code=a&state=", "OtherState"),
        ("/callback?code=a&state=xy", "OtherState"),
        ("/callback?code=a&state=xyz%20", "OtherState"),
        ("/callback?error=access_denied&state=other", "OtherState"),
        ("/callback?state=xyz", "NoCode"),
        ("/callback?state=xyz&code=", "NoCode"),
        ("/callback?code=a&code=b&state=xyz", "InvalidRedirect"),
        ("/callback?code=a&state=other&state=xyz", "InvalidRedirect"),
        ("/callback?code=%&state=xyz", "InvalidRedirect"),
        ("/callback?code=%4&state=xyz", "InvalidRedirect"),
        ("/callback?code=%4g&state=xyz", "InvalidRedirect"),
        ("/callback?code=%g4&state=xyz", "InvalidRedirect"),
        ("/callback?code=%FF&state=xyz", "InvalidRedirect"),
        ("/callback?code=a&state=xyz&iss=https%3A%2F%2Fattacker.example", "WrongIssuer"),
        ("/callback?code=a&state=xyz&iss=https%3A%2F%2Fhonest.as.example%2F", "WrongIssuer"),
        ("/callback?code=a&state=xyz&iss=https%3A%2F%2FHONEST.as.example", "WrongIssuer"),
        ("/callback?code=a&state=xyz&iss=https%253A%252F%252Fhonest.as.example", "WrongIssuer"),
        ("/callback?code=a&state=xyz&iss=", "WrongIssuer"),
        ("/callback?error=a&error_description=b&state=xyz&iss=https://attacker.example", "WrongIssuer"),
    ] {
        for sends_issuer in [false, true] {
            let named = format!("{redirect}&iss={ISSUER}");
            let redirect =
                if sends_issuer && !redirect.contains("iss=") && redirect.contains('?') { &named } else { redirect };
            assert_eq!(read(redirect, sends_issuer), Err(fault.to_owned()), "{redirect}");
        }
    }
    let long = format!("code={}&state=xyz", "a".repeat(300));
    assert_eq!(read(&long, false), Err("InvalidRedirect".into()));
}

#[test]
fn an_advertised_issuer_is_required_and_another_one_is_compared() {
    let code = "/callback?code=a&state=xyz";
    assert_eq!(read(code, true), Err("NoIssuer".into()));
    assert_eq!(read("/callback?error=a&state=xyz", true), Err("NoIssuer".into()));
    assert_eq!(read(code, false), Ok("a".into()));
    let named = format!("{code}&iss=https%3A%2F%2Fhonest.as.example");
    assert_eq!((read(&named, true), read(&named, false)), (Ok("a".into()), Ok("a".into())));
}

#[test]
fn a_refusal_is_printed_in_one_line_without_the_words_of_the_peer() {
    let mut out = [0; 64];
    let expected = Expected { state: "s", issuer: ISSUER, sends_issuer: false };
    let refused = expected.read("?state=s&error=a%0Ab&error_description=c%0Ad", &mut out).expect_err("an error");
    assert_eq!(refused.to_string(), "refused: a\\nb");
    assert_eq!(NotAuthorized::from(Fault::NoCode).to_string(), "the redirect has no code");
}

#[test]
fn each_fault_has_words_of_its_own() {
    let faults = [
        Fault::OtherResource,
        Fault::NoAuthorizationServer,
        Fault::OtherIssuer,
        Fault::NoCodeChallenge,
        Fault::NotSecure,
        Fault::NoAuthorizationEndpoint,
        Fault::InvalidRedirect,
        Fault::OtherState,
        Fault::NoIssuer,
        Fault::WrongIssuer,
        Fault::NoCode,
    ];
    let words: std::collections::HashSet<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), faults.len());
}
