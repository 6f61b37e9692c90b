//! The crate under another path: re-exported, renamed, and through the `$crate` of another macro.
#![cfg(feature = "mcp")]

use serde_json::{Value, json};

/// The crate as a library would re-export it.
mod library {
    pub(crate) use nanojsonrpc as rpc;

    macro_rules! declared {
        ($name:ident, $client:ident) => {
            #[$crate::renamed::library::rpc::service(crate = $crate::renamed::library::rpc, client = $client, mcp, openrpc)]
            pub(crate) trait $name {
                #[doc = concat!("The speed", ".")]
                fn speed(&self, at: &str) -> u16;
                #[notification]
                fn stalled(&mut self, at: &str);
            }
        };
    }
    pub(crate) use declared;
}

use library::rpc;

#[derive(serde::Serialize, serde::Deserialize, rpc::Schema)]
#[schema(crate = rpc)]
struct Speed {
    #[schema(maximum = 3000)]
    rpm: u16,
}

#[rpc::service(crate = rpc, prefix = "fan.", client = FanClient, mcp, openrpc)]
trait Fan {
    /// Sets the speed.
    #[tool(idempotent)]
    fn set(&mut self, speed: Speed, why: Option<&str>) -> Result<&str, rpc::ErrorObject<'static>>;
}

#[rpc::service(crate = crate::renamed::library::rpc)]
trait Plain {
    fn speed(&self, at: u8) -> u16;
}

library::declared!(Passed, PassedClient);

struct Blower(u16);

impl Fan for Blower {
    fn set(&mut self, speed: Speed, _: Option<&str>) -> Result<&str, rpc::ErrorObject<'static>> {
        self.0 = speed.rpm;
        Ok("set")
    }
}

impl Plain for Blower {
    fn speed(&self, at: u8) -> u16 {
        self.0.wrapping_add(at.into())
    }
}

impl Passed for Blower {
    fn speed(&self, _: &str) -> u16 {
        self.0
    }

    fn stalled(&mut self, _: &str) {}
}

#[test]
fn a_service_is_declared_through_another_path() {
    /// A service in a function; its path is that of an import of the function.
    #[library::rpc::service(crate = within, client = InnerClient)]
    trait Inner {
        fn double(&self, by: u8) -> u8;
    }
    use nanojsonrpc as within;

    impl Inner for Blower {
        fn double(&self, by: u8) -> u8 {
            by.wrapping_mul(2)
        }
    }

    let mut output = [0; 256];
    let mut blower = Blower(0);
    let text = br#"{"jsonrpc":"2.0","method":"fan.set","params":{"speed":{"rpm":7}},"id":1}"#;
    let answer = FanService::server(&mut blower).process(&mut (), text, &mut output).answer().unwrap();
    assert_eq!(answer, br#"{"jsonrpc":"2.0","result":"set","id":1}"#);
    let text = br#"{"jsonrpc":"2.0","method":"speed","params":[2],"id":1}"#;
    let answer = PlainService::server(&mut blower).process(&mut (), text, &mut output).answer().unwrap();
    assert_eq!(answer, br#"{"jsonrpc":"2.0","result":9,"id":1}"#);

    let mut client: rpc::Client<(), 2> = rpc::Client::new();
    let mut call = [0; 128];
    let mut out = rpc::Writer::new(&mut call);
    let sent = InnerClient::double(client.sending((), &mut out), 4).unwrap();
    let answer = InnerService::server(&mut blower).process(&mut (), out.written(), &mut output).answer().unwrap();
    assert_eq!(sent.read(&rpc::Response::parse(answer).unwrap()), Ok(8));

    let mut out = rpc::Writer::new(&mut call);
    let sent = PassedClient::speed(client.sending((), &mut out), "here").unwrap();
    let answer = PassedService::server(&mut blower).process(&mut (), out.written(), &mut output).answer().unwrap();
    assert_eq!(sent.read(&rpc::Response::parse(answer).unwrap()), Ok(7));
    assert_eq!(PassedService::METHODS[0].description, "The speed.");

    let document: Value = serde_json::from_str(FanService::OPENRPC).unwrap();
    assert_eq!(document["methods"][0]["params"][0]["schema"]["properties"]["rpm"]["maximum"], json!(3000));
    _ = FanService::tools(rpc::mcp::Service::<Blower>::new("fan", "1")).server();
}
