#!/usr/bin/env bash
# Builds the fuzz targets into $OUT, each with its seeds and the dictionary, as ClusterFuzzLite requires. It runs in the root of the
# project.
set -euo pipefail

fuzz/seed
cargo fuzz build -O
for target in $(cargo fuzz list); do
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    cp fuzz/json.dict "$OUT/$target.dict"
    # a target of structured input has no seeds
    if [ -d "fuzz/corpus/$target" ]; then
        find "fuzz/corpus/$target" -type f -print | zip -q -j "$OUT/${target}_seed_corpus.zip" -@
    fi
done
