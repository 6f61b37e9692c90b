//! The four texts of a call without tasks and sockets: read from the user, written for the device, read from it, written for the user.

use std::hint::black_box;
use std::time::{Duration, Instant};

use nanojsonrpc::{Client, Envelope, Growing, Writer};
use serde_json::Value;

use crate::user::{answer, call, params};
use crate::{device, median};

/// The calls of one look at the clock.
const CALLS: usize = 500;

/// A call from its texts, as the hub reads and writes them.
fn ours(text: &[u8], answer: &[u8], number: i64) -> Vec<u8> {
    let request = Envelope::parse(text).expect("a call");
    let method = request.method().as_str().and_then(|method| method.strip_prefix("lamp.")).expect("a device");
    let mut written = Growing::new(usize::MAX);
    let mut client = Client::<(), 1, 0>::new().with_first_id(number);
    client.call(method, &request.params(), (), &mut Writer::new(&mut written)).expect("written");
    black_box(&written);
    let response = Envelope::parse(answer).expect("an answer");
    assert!(response.id().is_some());
    let mut out = vec![0; answer.len() + 64];
    let len = request.write_response(Ok(&response.result()), &mut out).expect("written");
    out.truncate(len);
    out
}

/// The same with values.
fn theirs(text: &[u8], answer: &[u8], number: i64) -> Vec<u8> {
    let mut request: Value = serde_json::from_slice(text).expect("a call");
    let method = request["method"].as_str().and_then(|method| method.strip_prefix("lamp.")).expect("a device");
    request["method"] = method.to_owned().into();
    let id = std::mem::replace(&mut request["id"], number.into());
    black_box(serde_json::to_vec(&request).expect("written"));
    let mut response: Value = serde_json::from_slice(answer).expect("an answer");
    assert!(response["id"].is_number());
    response["id"] = id;
    serde_json::to_vec(&response).expect("written")
}

pub(crate) fn measure(rounds: usize, time: Duration) {
    let texts: Vec<_> = params().iter().map(|params| call("lamp.set", params, 12_345_678).into_bytes()).collect();
    let answers: Vec<_> = params().iter().map(|params| answer(params, 7).into_bytes()).collect();
    for ((text, answer), params) in texts.iter().zip(&answers).zip(params()) {
        let expected = crate::user::answer(&params, 12_345_678).into_bytes();
        assert_eq!((ours(text, answer, 7), theirs(text, answer, 7)), (expected.clone(), expected));
        let mut line = Vec::new();
        device::answer(call("set", &params, 7).as_bytes(), &mut line);
        assert_eq!(&line[..line.len() - 1], answer);
    }
    let each = |codec: fn(&[u8], &[u8], i64) -> Vec<u8>| {
        let (begun, mut count) = (Instant::now(), 0);
        while begun.elapsed() < time / 4 {
            for number in 0..CALLS {
                black_box(codec(black_box(&texts[number % texts.len()]), &answers[number % answers.len()], 7));
            }
            count += CALLS;
        }
        begun.elapsed().as_secs_f64() * 1e6 / count as f64
    };
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..rounds {
        times[0].push(each(ours));
        times[1].push(each(theirs));
    }
    let ratios = times[0].iter().zip(&times[1]).map(|(ours, theirs)| theirs / ours).collect();
    let [ours, theirs] = times.map(median);
    println!("| codec | µs a call |\n|---|---|\n| hub | {ours:.2} |\n| serde_json::Value | {theirs:.2} |");
    println!("| times as fast | {:.1} |\n", median(ratios));
}
