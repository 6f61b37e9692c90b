//! Clients that send params by position.

use nanojsonrpc::{Client, Writer};

#[nanojsonrpc::service(prefix = "eth_", client = NodeClient, by_position)]
trait Node {
    #[method("getBalance")]
    fn balance(&self, address: &str, block: Option<&str>) -> String;
    fn call(&self, from: Option<u8>, #[param("toAddress")] to: u8, block: Option<u8>, depth: Option<u8>) -> String;
    fn accounts(&self) -> u8;
    #[notification]
    fn stop(&mut self, at: Option<u8>);
}

struct Peer;

impl Node for Peer {
    fn balance(&self, address: &str, block: Option<&str>) -> String {
        format!("{address} {block:?}")
    }

    fn call(&self, from: Option<u8>, to: u8, block: Option<u8>, depth: Option<u8>) -> String {
        format!("{from:?} {to} {block:?} {depth:?}")
    }

    fn accounts(&self) -> u8 {
        0
    }

    fn stop(&mut self, _: Option<u8>) {}
}

/// The text that `$call` writes with `$out`, and the answer of a server that is declared alike.
macro_rules! exchange {
    (|$out:ident| $call:expr) => {{
        let (mut client, mut text, mut output): (Client<(), 1>, _, _) = (Client::new(), [0; 128], [0; 128]);
        let mut writer = Writer::new(&mut text);
        let $out = client.sending((), &mut writer);
        let _call = $call;
        let answer =
            NodeService::server(Peer).process(&mut (), writer.written(), &mut output).answer().unwrap_or_default();
        (String::from_utf8(writer.written().to_vec()).unwrap(), String::from_utf8(answer.to_vec()).unwrap())
    }};
}

#[test]
fn params_are_an_array_without_the_absent_ones_at_its_end() {
    let request = |method: &str, params: &str| format!(r#"{{"jsonrpc":"2.0","method":"eth_{method}"{params},"id":1}}"#);
    let response = |result: &str| format!(r#"{{"jsonrpc":"2.0","result":"{result}","id":1}}"#);

    let (sent, answer) = exchange!(|out| NodeClient::balance(out, "0x1", Some("latest")).unwrap());
    assert_eq!(sent, request("getBalance", r#","params":["0x1","latest"]"#));
    assert_eq!(answer, response(r#"0x1 Some(\"latest\")"#));
    let (sent, answer) = exchange!(|out| NodeClient::balance(out, "0x1", None).unwrap());
    assert_eq!((sent, answer), (request("getBalance", r#","params":["0x1"]"#), response("0x1 None")));

    for (block, depth, params, result) in [
        (None, None, "[null,2]", "None 2 None None"),
        (Some(3), None, "[null,2,3]", "None 2 Some(3) None"),
        (None, Some(4), "[null,2,null,4]", "None 2 None Some(4)"),
    ] {
        let (sent, answer) = exchange!(|out| NodeClient::call(out, None, 2, block, depth).unwrap());
        assert_eq!((sent, answer), (request("call", &format!(r#","params":{params}"#)), response(result)));
    }

    // an older server refuses an array that is longer than its params
    let mut output = [0; 160];
    let text = br#"{"jsonrpc":"2.0","method":"eth_getBalance","params":["0x1",null,7],"id":1}"#;
    let answer = NodeService::server(Peer).process(&mut (), text, &mut output).answer().unwrap();
    assert!(answer.windows(6).any(|part| part == b"-32602"));

    let (sent, _) = exchange!(|out| NodeClient::accounts(out).unwrap());
    assert_eq!(sent, request("accounts", ""));
    let (sent, _) = exchange!(|out| NodeClient::stop(out, None).unwrap());
    assert_eq!(sent, r#"{"jsonrpc":"2.0","method":"eth_stop","params":[]}"#);
}

/// Beside schemas, with the path of the crate and `async` methods.
#[cfg(feature = "mcp")]
mod described {
    use nanojsonrpc as rpc;

    #[rpc::service(crate = rpc, client = DescribedClient, by_position, mcp, openrpc)]
    pub(super) trait Described {
        async fn set(&mut self, rpm: u16, why: Option<&str>) -> Result<u16, rpc::ErrorObject<'static>>;
    }
}

#[cfg(feature = "mcp")]
#[test]
fn schemas_describe_params_by_name() {
    assert!(described::DescribedService::OPENRPC.contains(r#""name":"rpm","required":true"#));
    let (mut client, mut text): (Client<(), 1>, _) = (Client::new(), [0; 128]);
    let mut out = Writer::new(&mut text);
    let _call = described::DescribedClient::set(client.sending((), &mut out), 7, Some("dusk")).unwrap();
    assert!(out.written().windows(10).any(|part| part == br#"[7,"dusk"]"#));
}
