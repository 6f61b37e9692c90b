//! Types of a declaration that come from a macro of the program, or stand in parentheses.

use nanojsonrpc::{Client, ErrorObject, Response, Writer};

macro_rules! declared {
    ($service:ident, $client:ident, $fallible:ty, $optional:ty, $text:ty) => {
        #[nanojsonrpc::service(client = $client)]
        pub(super) trait $service {
            fn checked(&self, by: $optional) -> $fallible;
            fn name(&self, of: $text) -> Result<$text, ErrorObject<'static>>;
        }
    };
}

/// A service whose methods come from the caller of the macro.
macro_rules! wrapped {
    ($service:ident, $client:ident, $($methods:tt)*) => {
        #[nanojsonrpc::service(client = $client)]
        trait $service {
            $($methods)*
        }
    };
}
wrapped! {
    Wrapped,
    WrappedClient,
    fn double(&mut self, by: u8) -> u8;
    fn lend(&self, of: &str, by: u8) -> &str;
}

impl Wrapped for Halver {
    fn double(&mut self, by: u8) -> u8 {
        by.wrapping_mul(2)
    }

    fn lend(&self, _: &str, _: u8) -> &str {
        "lent"
    }
}

#[test]
fn methods_may_come_from_the_caller_of_a_macro() {
    let mut output = [0; 128];
    let mut halver = Halver;
    let mut server = WrappedService::server(&mut halver);
    let answer =
        server.process(&mut (), br#"{"jsonrpc":"2.0","method":"double","params":[4],"id":1}"#, &mut output).answer();
    assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":8,"id":1}"#[..]));
}

mod passed {
    use super::*;

    declared!(Passed, PassedClient, Result<u8, ErrorObject<'static>>, Option<u8>, &str);
}

mod enclosed {
    #![allow(unused_parens, clippy::needless_arbitrary_self_type)]

    use super::*;

    #[nanojsonrpc::service(client = EnclosedClient)]
    pub(super) trait Enclosed {
        fn checked(&self, by: (Option<u8>)) -> (Result<(u8), ErrorObject<'static>>);
        fn name(&self, of: (&str)) -> (Result<(&str), ErrorObject<'static>>);
        fn length(self: &Self, of: &(str)) -> u8;
    }
}

struct Halver;

fn half(by: Option<u8>) -> Result<u8, ErrorObject<'static>> {
    by.map_or(Ok(1), |by| 8_u8.checked_div(by).ok_or(ErrorObject::new(-32001, "by zero")))
}

impl passed::Passed for Halver {
    fn checked(&self, by: Option<u8>) -> Result<u8, ErrorObject<'static>> {
        half(by)
    }

    fn name<'n>(&'n self, _: &str) -> Result<&'n str, ErrorObject<'static>> {
        Ok("north")
    }
}

impl enclosed::Enclosed for Halver {
    fn checked(&self, by: Option<u8>) -> Result<u8, ErrorObject<'static>> {
        half(by)
    }

    fn name(&self, _: &str) -> Result<&str, ErrorObject<'static>> {
        Ok("north")
    }

    fn length(&self, of: &str) -> u8 {
        of.len().try_into().unwrap_or(u8::MAX)
    }
}

/// The answers to one text of both services.
fn answers(method: &str, params: &str) -> [String; 2] {
    let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
    let (mut passed, mut enclosed) = ([0; 128], [0; 128]);
    let answers = [
        passed::PassedService::server(Halver).process(&mut (), text.as_bytes(), &mut passed).answer(),
        enclosed::EnclosedService::server(Halver).process(&mut (), text.as_bytes(), &mut enclosed).answer(),
    ];
    answers.map(|answer| String::from_utf8(answer.unwrap_or_default().to_vec()).unwrap())
}

#[test]
fn the_shape_of_a_type_is_that_without_groups_and_parentheses() {
    for (method, params, reply) in [
        ("checked", r#"{"by":0}"#, r#""error":{"code":-32001,"message":"by zero"}"#),
        ("checked", r#"{"by":2}"#, r#""result":4"#),
        ("checked", "[]", r#""result":1"#),
        ("name", r#"["x"]"#, r#""result":"north""#),
    ] {
        for answer in answers(method, params) {
            assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0",{reply},"id":1}}"#), "{method} {params}");
        }
    }
    assert_eq!(passed::PassedService::METHODS[0].params, [("by", false)]);
    assert_eq!(enclosed::EnclosedService::METHODS[0].params, [("by", false)]);
}

#[test]
fn the_client_reads_the_result_of_such_a_type() {
    let mut client: Client<(), 4> = Client::new();
    let (mut text, mut output) = ([0; 128], [0; 128]);
    let mut out = Writer::new(&mut text);
    let sent = passed::PassedClient::checked(client.sending((), &mut out), Some(4)).unwrap();
    let mut server = passed::PassedService::server(Halver);
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap();
    assert_eq!(sent.read(&Response::parse(answer).unwrap()), Ok(2_u8));

    let mut out = Writer::new(&mut text);
    let sent = enclosed::EnclosedClient::checked(client.sending((), &mut out), None).unwrap();
    assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"checked","params":{},"id":2}"#);
    let mut server = enclosed::EnclosedService::server(Halver);
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap();
    assert_eq!(sent.read(&Response::parse(answer).unwrap()), Ok(1_u8));
}

type Maybe = Option<u8>;

/// A type that the program describes itself.
#[derive(serde::Serialize, serde::Deserialize)]
struct Foreign(u8);

#[nanojsonrpc::service(client = AliasesClient, openrpc)]
trait Aliases {
    fn add(&self, to: u8, by: Maybe) -> u8;
    fn convert(
        &self,
        #[schema(value = r#"{"type":"integer"}"#)] foreign: Foreign,
        named: &str,
        #[schema(value = r#"{"type":["integer","null"]}"#)] or: Option<Foreign>,
    ) -> u8;
}

#[nanojsonrpc::service]
trait Undescribed {
    fn add(&self, by: Maybe, other: Option<u8>) -> u8;
}

impl Aliases for Halver {
    fn add(&self, to: u8, by: Maybe) -> u8 {
        to.wrapping_add(by.unwrap_or(1))
    }

    fn convert(&self, foreign: Foreign, _: &str, or: Option<Foreign>) -> u8 {
        or.unwrap_or(foreign).0
    }
}

#[test]
fn an_alias_of_an_option_may_be_absent_by_name() {
    let mut output = [0; 128];
    let mut server = AliasesService::server(Halver);
    let mut answer = |params: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"add","params":{params},"id":1}}"#);
        String::from_utf8(server.process(&mut (), text.as_bytes(), &mut output).answer().unwrap().to_vec()).unwrap()
    };
    for params in [r#"{"to":2}"#, r#"{"to":2,"by":null}"#, "[2,null]"] {
        assert_eq!(answer(params), r#"{"jsonrpc":"2.0","result":3,"id":1}"#, "{params}");
    }
    assert!(answer("[2]").contains("-32602"));

    let required =
        |method: usize| AliasesService::METHODS[method].params.iter().map(|param| param.1).collect::<Vec<_>>();
    assert_eq!((required(0), required(1)), (vec![true, false], vec![true, true, false]));
    let document: serde_json::Value = serde_json::from_str(AliasesService::OPENRPC).unwrap();
    for (place, method) in document["methods"].as_array().unwrap().iter().enumerate() {
        let params = method["params"].as_array().unwrap().iter();
        assert_eq!(params.map(|param| param["required"] == true).collect::<Vec<_>>(), required(place));
    }
    // without schemas, the macro knows the name of the type only
    assert_eq!(UndescribedService::METHODS[0].params, [("by", true), ("other", false)]);
}
