//! Params, types and methods with the names of generated code.

use nanojsonrpc::{Client, ErrorObject, Response, Writer};

/// Names that generated code could use itself.
mod taken {
    use serde::{Deserialize, Serialize};

    macro_rules! types {
        ($($name:ident)*) => {$(
            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            pub(super) struct $name(pub(super) u8);
        )*};
    }
    types! { Context Service Peer Output Others Params Reply }

    #[nanojsonrpc::service(client = NamesClient)]
    pub(super) trait Names {
        fn all(
            &self,
            service: Service,
            call: Context,
            context: Peer,
            exchange: Output,
            params: Params,
            reply: Reply,
        ) -> Others;
        fn lent(&self, caller: &str, service: &str, out: u8) -> Result<&str, nanojsonrpc::ErrorObject<'static>>;
        fn method(&self, problem: Option<u8>, generated: u8) -> Output;
        fn local(&self, __service: u8, __caller: u8, __params: u8, __reply: u8, __problem: u8) -> u8;
        fn lent_local(&self, __service: &str, __reply: u8, __params: u8, __caller: u8, __problem: u8) -> &str;
        fn checked_local(
            &self,
            __service: u8,
            __reply: &str,
            __params: u8,
        ) -> Result<u8, nanojsonrpc::ErrorObject<'static>>;
        #[notification]
        fn hear(&mut self, params: &str, __call: u8);
        #[notification]
        fn hear_local(&mut self, __service: &str, __params: u8, __problem: u8, __caller: u8);
    }
}

#[test]
fn names_of_the_declaration_hide_none_of_the_generated_code() {
    use taken::{Context, Names, NamesClient, NamesService, Others, Output, Params, Peer, Reply, Service};

    struct Echo;

    impl Names for Echo {
        fn all(&self, service: Service, _: Context, _: Peer, _: Output, _: Params, reply: Reply) -> Others {
            Others(service.0 + reply.0)
        }

        fn lent(&self, _: &str, _: &str, _: u8) -> Result<&str, ErrorObject<'static>> {
            Ok("lent")
        }

        fn method(&self, problem: Option<u8>, generated: u8) -> Output {
            Output(problem.unwrap_or(generated))
        }

        fn local(&self, __service: u8, __caller: u8, __params: u8, __reply: u8, __problem: u8) -> u8 {
            __service + __caller + __params + __reply + __problem
        }

        fn lent_local(&self, _: &str, _: u8, _: u8, _: u8, _: u8) -> &str {
            "lent"
        }

        fn checked_local(&self, __service: u8, _: &str, _: u8) -> Result<u8, ErrorObject<'static>> {
            Ok(__service)
        }

        fn hear(&mut self, _: &str, _: u8) {}

        fn hear_local(&mut self, _: &str, _: u8, _: u8, _: u8) {}
    }

    let mut client: Client<(), 4> = Client::new();
    let (mut text, mut output) = ([0; 256], [0; 256]);
    let mut out = Writer::new(&mut text);
    let sent =
        NamesClient::all(client.sending((), &mut out), Service(1), Context(2), Peer(3), Output(4), Params(5), Reply(6));
    let mut server = NamesService::server(Echo);
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap();
    assert_eq!(sent.unwrap().read(&Response::parse(answer).unwrap()), Ok(Others(7)));
    for (method, params, result) in [
        ("lent", r#"["a","b",1]"#, r#""lent""#),
        ("method", "[null,3]", "3"),
        ("local", r#"{"__service":1,"__caller":2,"__params":3,"__reply":4,"__problem":5}"#, "15"),
        ("lent_local", r#"["a",1,2,3,4]"#, r#""lent""#),
        ("checked_local", r#"[1,"a",2]"#, "1"),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        let answer = server.process(&mut (), text.as_bytes(), &mut output).answer().unwrap();
        assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#).as_bytes());
    }
}
