//! Compares the time of two functions that run in turn.

use std::time::Instant;

/// The head of the table that [`row`] prints.
pub(crate) const HEAD: &str =
    "| message | bytes | serde_json, ns | nanojsonrpc, ns | ratio |\n|---|---:|---:|---:|---:|";

/// Prints a row for functions that each handle `count` messages of `bytes` bytes on average. The ratio is the median of the rounds' ratios.
pub(crate) fn row(
    rounds: usize,
    name: &str,
    count: usize,
    bytes: usize,
    mut theirs: impl FnMut(),
    mut ours: impl FnMut(),
) {
    let per_round = (1_000_000 / (count * bytes)).max(1);
    let mut times = [const { Vec::new() }; 2];
    for round in 0..=rounds {
        for turn in 0..2 {
            let at = (turn + round) % 2;
            let start = Instant::now();
            for _ in 0..per_round {
                if at == 0 { theirs() } else { ours() }
            }
            times[at].push(start.elapsed().as_nanos() as f64 / (per_round * count) as f64);
        }
    }
    let ratio = median(times[0].iter().zip(&times[1]).map(|(theirs, ours)| theirs / ours));
    let [theirs, ours] = times.map(|times| median(times.into_iter()));
    println!("| {name} | {bytes} | {theirs:.0} | {ours:.0} | {ratio:.2} |");
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
