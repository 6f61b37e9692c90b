//! Measures how fast a batch of 64 calls is answered, compared with serde_json alone, with structs that borrow.

use core::fmt::Write;
use core::hint::black_box;
use core::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nanojsonrpc::{ErrorObject, Router, Server};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const ELEMENTS: i64 = 64;
/// Several texts, because the branch predictor would learn a single one.
const TEXTS: i64 = 32;

/// The operands and the id of one call.
fn call(text: i64, element: i64) -> (i64, i64, i64) {
    let number = text * ELEMENTS + element;
    (number * 7_919 % 100_003, number * 104_729 % 1_009, number)
}

fn text(number: i64) -> String {
    let mut text = String::from("[");
    for element in 0..ELEMENTS {
        let (a, b, id) = call(number, element);
        let comma = if element == 0 { "" } else { "," };
        write!(text, r#"{comma}{{"jsonrpc":"2.0","method":"subtract","params":[{a},{b}],"id":{id}}}"#).unwrap();
    }
    text + "]"
}

fn answer(number: i64) -> String {
    let one = |element| {
        let (a, b, id) = call(number, element);
        format!(r#"{{"jsonrpc":"2.0","result":{},"id":{id}}}"#, a - b)
    };
    format!("[{}]", (0..ELEMENTS).map(one).collect::<Vec<_>>().join(","))
}

#[derive(Deserialize)]
struct Request<'a> {
    jsonrpc: &'a str,
    method: &'a str,
    #[serde(borrow)]
    params: &'a RawValue,
    #[serde(borrow)]
    id: &'a RawValue,
}

#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'a str,
    result: i64,
    id: &'a RawValue,
}

/// The minimum that a server on serde_json must do: no errors, no other messages.
fn serve_with_serde_json<'o>(text: &str, output: &'o mut [u8]) -> &'o [u8] {
    let requests: Vec<Request<'_>> = serde_json::from_str(text).unwrap();
    let responses: Vec<_> = requests
        .iter()
        .map(|request| {
            assert!(request.jsonrpc == "2.0" && request.method == "subtract");
            let (a, b): (i64, i64) = serde_json::from_str(request.params.get()).unwrap();
            Response { jsonrpc: "2.0", result: a.checked_sub(b).unwrap(), id: request.id }
        })
        .collect();
    let mut rest = &mut output[..];
    serde_json::to_writer(&mut rest, &responses).unwrap();
    let left = rest.len();
    let len = output.len() - left;
    &output[..len]
}

fn serve(criterion: &mut Criterion) {
    let texts: Vec<String> = (0..TEXTS).map(text).collect();
    let mut server = Server::new(
        Router::new()
            .request("subtract", |_: &mut (), (a, b): (i64, i64)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)),
    );
    let mut output = vec![0; 16 * 1024];
    for (number, text) in (0..).zip(&texts) {
        let expected = answer(number);
        assert_eq!(server.process(&mut (), text.as_bytes(), &mut output).answer(), Some(expected.as_bytes()));
        assert_eq!(serve_with_serde_json(text, &mut output), expected.as_bytes());
    }

    let mut group = criterion.benchmark_group("batch of 64");
    group.throughput(Throughput::Elements(ELEMENTS as u64));
    let mut turn = texts.iter().cycle();
    group.bench_function(BenchmarkId::from_parameter("nanojsonrpc"), |bencher| {
        bencher.iter(|| {
            let text = turn.next().unwrap().as_bytes();
            black_box(server.process(&mut (), text, &mut output).answer()).map(<[u8]>::len)
        });
    });
    let mut turn = texts.iter().cycle();
    group.bench_function(BenchmarkId::from_parameter("serde_json"), |bencher| {
        bencher.iter(|| black_box(serve_with_serde_json(turn.next().unwrap(), &mut output)).len());
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = serve
}
criterion_main!(benches);
