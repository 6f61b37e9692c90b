//! Measures how fast `{"sensor":"t1","values":[1,2,3],"unit":null}` is read into a struct and written from one, compared with serde_json.
//!
//! `read` includes the validation of the text; `read/nanojsonrpc-validated` reads from a `RawValue`, like the params of a parsed request.
//! Both crates write into a buffer of fixed size.

use core::hint::black_box;
use core::time::Duration;
use std::collections::HashSet;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nanojsonrpc::{RawValue, Writer};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Reading<'a> {
    sensor: &'a str,
    values: [i32; 3],
    unit: Option<&'a str>,
}

/// Different readings, because the branch predictor would learn a single one.
fn texts() -> Vec<String> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let texts: Vec<String> = (0..512)
        .map(|number| {
            let mut value = || below(10_u64.pow(1 + number % 4)) as i64 - below(2) as i64 * 50;
            let values = [value(), value(), value()];
            let unit = ["null", "null", "\"mV\"", "\"kPa\""][below(4) as usize];
            format!(
                "{{\"sensor\":\"t{number}\",\"values\":[{},{},{}],\"unit\":{unit}}}",
                values[0], values[1], values[2]
            )
        })
        .collect();
    assert_eq!(texts.iter().collect::<HashSet<_>>().len(), texts.len());
    texts
}

fn read_with_nanojsonrpc(text: &[u8]) -> Reading<'_> {
    RawValue::parse(text).expect("valid").read().expect("to fit")
}

fn read_with_serde_json(text: &[u8]) -> Reading<'_> {
    serde_json::from_slice(text).expect("to fit")
}

fn write_with_nanojsonrpc(reading: &Reading<'_>, buffer: &mut [u8]) -> usize {
    let mut out = Writer::new(buffer);
    out.value(reading).expect("room");
    out.len()
}

fn write_with_serde_json(reading: &Reading<'_>, buffer: &mut [u8]) -> usize {
    let room = buffer.len();
    let mut rest = buffer;
    serde_json::to_writer(&mut rest, reading).expect("room");
    room - rest.len()
}

fn payload(criterion: &mut Criterion) {
    let texts = texts();
    let values: Vec<RawValue<'_>> = texts.iter().map(|text| RawValue::parse(text.as_bytes()).expect("valid")).collect();
    let readings: Vec<Reading<'_>> = texts.iter().map(|text| read_with_serde_json(text.as_bytes())).collect();
    for (text, reading) in texts.iter().zip(&readings) {
        assert_eq!(&read_with_nanojsonrpc(text.as_bytes()), reading);
        let mut buffer = [0; 128];
        let len = write_with_nanojsonrpc(reading, &mut buffer);
        assert_eq!(&buffer[..len], text.as_bytes());
        let len = write_with_serde_json(reading, &mut buffer);
        assert_eq!(&buffer[..len], text.as_bytes());
    }
    let bytes = texts.iter().map(String::len).sum::<usize>() / texts.len();

    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Bytes(bytes as u64));
    let mut all = texts.iter().cycle();
    group.bench_function(BenchmarkId::from_parameter("nanojsonrpc"), |bencher| {
        bencher.iter(|| all.next().map(|text| read_with_nanojsonrpc(black_box(text.as_bytes()))));
    });
    let mut all = values.iter().cycle();
    group.bench_function(BenchmarkId::from_parameter("nanojsonrpc-validated"), |bencher| {
        bencher.iter(|| all.next().map(|value| black_box(*value).read::<Reading<'_>>().expect("to fit")));
    });
    let mut all = texts.iter().cycle();
    group.bench_function(BenchmarkId::from_parameter("serde_json"), |bencher| {
        bencher.iter(|| all.next().map(|text| read_with_serde_json(black_box(text.as_bytes()))));
    });
    group.finish();

    let mut group = criterion.benchmark_group("write");
    group.throughput(Throughput::Bytes(bytes as u64));
    let mut all = readings.iter().cycle();
    group.bench_function(BenchmarkId::from_parameter("nanojsonrpc"), |bencher| {
        let mut buffer = [0; 128];
        bencher.iter(|| {
            let len = all.next().map(|reading| write_with_nanojsonrpc(black_box(reading), &mut buffer));
            black_box(&buffer);
            len
        });
    });
    let mut all = readings.iter().cycle();
    group.bench_function(BenchmarkId::from_parameter("serde_json"), |bencher| {
        let mut buffer = [0; 128];
        bencher.iter(|| {
            let len = all.next().map(|reading| write_with_serde_json(black_box(reading), &mut buffer));
            black_box(&buffer);
            len
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = payload
}
criterion_main!(benches);
