//! Decimal fractions as params and results.

use nanojsonrpc::Fixed;
use nanojsonrpc::json_schema::schema_of;

#[derive(serde::Deserialize, serde::Serialize, nanojsonrpc::Schema)]
struct Step {
    by: Fixed<i32, 2>,
    factor: Option<Fixed<u8, 1>>,
}

#[nanojsonrpc::service(client = OvenClient)]
trait Oven {
    fn heat(&mut self, step: Step) -> Fixed<i32, 2>;
    fn limit(&self, limit: Fixed<i16, 1>) -> Fixed<i16, 1>;
}

struct Kitchen(i32);

impl Oven for Kitchen {
    fn heat(&mut self, Step { by, factor }: Step) -> Fixed<i32, 2> {
        self.0 += by.0 * i32::from(factor.unwrap_or(Fixed(10)).0) / 10;
        Fixed(self.0)
    }

    fn limit(&self, limit: Fixed<i16, 1>) -> Fixed<i16, 1> {
        limit
    }
}

#[test]
fn a_method_takes_and_returns_them() {
    let (mut server, mut output) = (OvenService::server(Kitchen(2100)), [0; 128]);
    let mut answer = |call: &str| {
        let answer = server.process(&mut (), call.as_bytes(), &mut output).answer();
        String::from_utf8(answer.expect("an answer").to_vec()).expect("UTF-8")
    };
    let call = r#"{"jsonrpc":"2.0","method":"heat","params":{"step":{"by":0.5,"factor":1.5}},"id":1}"#;
    assert_eq!(answer(call), r#"{"jsonrpc":"2.0","result":21.75,"id":1}"#);
    let call = r#"{"jsonrpc":"2.0","method":"limit","params":[-5e-1],"id":2}"#;
    assert_eq!(answer(call), r#"{"jsonrpc":"2.0","result":-0.5,"id":2}"#);
    let call = r#"{"jsonrpc":"2.0","method":"limit","params":[0.25],"id":3}"#;
    assert!(answer(call).contains(r#""code":-32602"#));
}

#[test]
fn their_schema_is_that_of_a_number() {
    assert_eq!(schema_of!(Fixed<i32, 2>), r#"{"type":"number"}"#);
    let by = r#"{"type":"object","properties":{"by":{"type":"number"},"factor":"#;
    assert!(schema_of!(Step).starts_with(by), "{}", schema_of!(Step));
}
