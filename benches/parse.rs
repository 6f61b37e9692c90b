//! Measures how fast messages are read, compared with serde_json and a struct that borrows everything.
//!
//! `cargo bench --bench parse` takes about a minute; `cargo bench --bench parse -- tiny` runs one shape.

mod shapes;

use core::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn parse(criterion: &mut Criterion) {
    for shape in shapes::all() {
        shape.assert_read_right();
        let mut group = criterion.benchmark_group(shape.name);
        group.throughput(Throughput::Bytes(shape.mean_len() as u64));
        let mut texts = shape.texts.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter("nanojsonrpc"), |bencher| {
            bencher.iter(|| texts.next().map(|text| shapes::read_with_nanojsonrpc(&text.bytes)));
        });
        let mut texts = shape.texts.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter("serde_json"), |bencher| {
            bencher.iter(|| texts.next().map(|text| shapes::read_with_serde_json(&text.bytes, shape.is_batch)));
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = parse
}
criterion_main!(benches);
