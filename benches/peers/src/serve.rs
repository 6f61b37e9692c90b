//! Prints how many times faster than other servers nanojsonrpc answers a batch of 64 calls, as a Markdown table.
//!
//! All servers take turns in every round on the same texts. A ratio is the median of the rounds' ratios, so other load of the machine
//! affects all servers alike. Before that, each server must answer every text correctly.
//!
//! Apart from its HTTP service, jsonrpsee has no function that takes the text of a batch, so it is measured twice: through that service, in
//! this process without a socket, with one HTTP request for each batch; and without HTTP, by `raw_json_request` for each element, which
//! serde_json splits and the benchmark joins again. `--at-least 3` ends with status 1 if any server is not three times as slow.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fmt::Write};

use http_body_util::BodyExt;
use jsonrpsee::server::{HttpBody, HttpRequest, stop_channel};
use jsonrpsee::types::ErrorObjectOwned;
use nanojsonrpc::{ErrorObject, Router, Server};
use serde_json::value::RawValue;
use tower::Service;

const ELEMENTS: usize = 64;
/// Several texts, because the branch predictor would learn a single one.
const TEXTS: usize = 32;
const ROUNDS: usize = 101;

/// A server that reads one text and passes its response to the last argument.
type Answers<'a> = Box<dyn FnMut(&str, &mut dyn FnMut(&[u8])) + 'a>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let at_least = arguments.iter().position(|argument| argument == "--at-least");
    let at_least: f64 = at_least.map_or(0.0, |at| arguments[at + 1].parse().expect("a number"));
    let texts = texts();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");

    let mut output = vec![0; 64 * 1024];
    let mut ours = Server::new(
        Router::new()
            .request("subtract", |_: &mut (), (a, b): (i64, i64)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)),
    );
    let mut module = jsonrpsee::RpcModule::new(());
    module
        .register_method("subtract", |params, _, _| {
            let (a, b): (i64, i64) = params.parse()?;
            a.checked_sub(b).ok_or_else(|| ErrorObjectOwned::owned(-32602, "Invalid params", None::<()>))
        })
        .expect("a method");
    let (stop, _running) = stop_channel();
    let mut service = jsonrpsee::server::Server::builder().to_service_builder().build(module.clone(), stop);
    let mut core = jsonrpc_core::IoHandler::new();
    core.add_sync_method("subtract", |params: jsonrpc_core::Params| {
        let (a, b): (i64, i64) = params.parse()?;
        let difference = a.checked_sub(b).ok_or_else(|| jsonrpc_core::Error::invalid_params("too large"))?;
        Ok(jsonrpc_core::Value::from(difference))
    });

    let mut candidates: Vec<(&str, Answers<'_>)> = vec![
        (
            "nanojsonrpc `Server::process`",
            Box::new(|text, take| take(ours.process(&mut (), text.as_bytes(), &mut output).answer().expect("an answer"))),
        ),
        (
            "jsonrpc-core 18 `handle_request_sync`",
            Box::new(|text, take| take(core.handle_request_sync(text).expect("an answer").as_bytes())),
        ),
        (
            "jsonrpsee 0.26, its HTTP service without a socket",
            Box::new(|text, take| {
                let request = HttpRequest::post("http://localhost/")
                    .header("content-type", "application/json")
                    .body(HttpBody::from(text.to_string()))
                    .expect("a request");
                let answer = runtime.block_on(async {
                    let response = service.call(request).await.expect("a response");
                    response.into_body().collect().await.expect("a body").to_bytes()
                });
                take(&answer);
            }),
        ),
        (
            "jsonrpsee 0.26 `raw_json_request` for each element",
            Box::new(|text, take| {
                let elements: Vec<&RawValue> = serde_json::from_str(text).expect("an array");
                let mut answer = String::from("[");
                runtime.block_on(async {
                    for element in elements {
                        let (one, _) = module.raw_json_request(element.get(), 1).await.expect("a response");
                        answer.push_str(if answer.len() == 1 { "" } else { "," });
                        answer.push_str(one.get());
                    }
                });
                answer.push(']');
                take(answer.as_bytes());
            }),
        ),
    ];

    for (name, answers) in &mut candidates {
        for (number, text) in texts.iter().enumerate() {
            answers(text, &mut |answer| assert_right(name, number, answer));
        }
    }
    let times = measure(&mut candidates, &texts);
    println!("| server | ns for each call | times as fast: nanojsonrpc |\n|---|---:|---:|");
    let mut is_fast_enough = true;
    for ((name, _), own) in candidates.iter().zip(&times) {
        let mut ratios: Vec<f64> = own.iter().zip(&times[0]).map(|(theirs, ours)| theirs / ours).collect();
        let ratio = median(&mut ratios);
        let per_call = median(&mut own.clone()) / (TEXTS * ELEMENTS) as f64;
        println!("| {name} | {per_call:.1} | {ratio:.2} |");
        is_fast_enough &= *name == candidates[0].0 || ratio >= at_least;
    }
    if is_fast_enough { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The operands and the id of one call.
fn call(number: usize, element: usize) -> (i64, i64, usize) {
    let seed = (number * ELEMENTS + element) as i64;
    (seed * 7_919 % 100_003, seed * 104_729 % 1_009, number * ELEMENTS + element)
}

fn texts() -> Vec<String> {
    let text = |number| {
        let mut text = String::from("[");
        for element in 0..ELEMENTS {
            let (a, b, id) = call(number, element);
            let comma = if element == 0 { "" } else { "," };
            write!(text, r#"{comma}{{"jsonrpc":"2.0","method":"subtract","params":[{a},{b}],"id":{id}}}"#)
                .expect("text");
        }
        text + "]"
    };
    (0..TEXTS).map(text).collect()
}

fn assert_right(name: &str, number: usize, answer: &[u8]) {
    let answers: Vec<serde_json::Value> = serde_json::from_slice(answer).expect("an array");
    assert_eq!(answers.len(), ELEMENTS, "{name}");
    for (element, answer) in answers.iter().enumerate() {
        let (a, b, id) = call(number, element);
        assert_eq!(*answer, serde_json::json!({"jsonrpc": "2.0", "result": a - b, "id": id}), "{name}");
    }
}

/// The nanoseconds of every round, for each candidate.
fn measure(candidates: &mut [(&str, Answers<'_>)], texts: &[String]) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); candidates.len()];
    for round in 0..=ROUNDS {
        for turn in 0..candidates.len() {
            // the first server warms the cache, so the servers take turns to be first
            let at = (turn + round) % candidates.len();
            let start = Instant::now();
            for text in texts {
                (candidates[at].1)(text, &mut |answer| _ = black_box(answer));
            }
            let time = start.elapsed().as_nanos() as f64;
            // the first round warms up
            if round > 0 {
                times[at].push(time);
            }
        }
    }
    times
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
