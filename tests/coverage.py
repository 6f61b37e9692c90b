#!/usr/bin/env python3
"""Compares what no test reaches in `src` with the list in tests/coverage.txt: `coverage.py REPORT [--print]`.

REPORT is that of `cargo llvm-cov report --json`, with branches. The list has groups: a line `# reason`, then lines `file: code: side`. A
side is `true` or `false` of a condition with one outcome only, or `never` for other code that nothing reaches, such as an arm of `match`
or the early return of `?`. The code is the condition or the line, without indentation. Fails if something unreached is not in the list,
or if an entry of the list is reached or gone. All instances of a generic function count as one. `--print` prints what is unreached.
"""

import bisect
import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = pathlib.Path(__file__).with_suffix(".txt")
CODE, EXPANSION = 0, 1  # kinds of regions


def unreached(report):
    """What no test reaches, as lines of the list: each outermost piece of code and each side of a condition, and the number of both."""
    regions, branches = collections.Counter(), {}
    for function in report["data"][0]["functions"]:
        for *span, count, file, _, kind in function["regions"]:
            name = pathlib.Path(function["filenames"][file])
            if kind == CODE and name.is_relative_to(ROOT / "src"):
                regions[name, *span] += count
        for *span, taken, other, file, _, kind in function["branches"]:
            name = pathlib.Path(function["filenames"][file])
            if name.is_relative_to(ROOT / "src"):
                sides = branches.setdefault((name, *span), [0, 0])
                sides[0] += taken
                sides[1] += other
    found, texts = [], {}

    def lines(name):
        if name not in texts:
            texts[name] = name.read_text().splitlines()
        return texts[name]

    def code_at(name, span):
        return lines(name)[span[0] - 1][span[1] - 1 : span[3] - 1 if span[0] == span[2] else None]

    def tests(name, line):
        return "tests" in name.parts or name.name == "tests.rs"

    one_sided = {}
    for (name, *span), sides in sorted(branches.items()):
        if any(sides) and not all(sides) and not tests(name, span[0]):
            one_sided[name, span[2], span[3]] = (name, span, "true" if not sides[0] else "false")
    ends = collections.defaultdict(list)
    for name, *end in sorted(one_sided):
        ends[name].append(end)
    # one entry for each run of code without reached code in between, and none if a condition with one outcome is right before it
    before, last = None, None
    for (name, *span), count in sorted(regions.items(), key=lambda item: (item[0][:3], [-end for end in item[0][3:]])):
        if name != last:
            before, last = True, name
        if not count and before and not tests(name, span[0]):
            line = lines(name)[span[0] - 1]
            at = bisect.bisect(ends[name], span[:2]) - 1
            between = "no condition"
            if at >= 0:
                first, column = ends[name][at]
                text = "\n".join(lines(name)[first - 1 : span[0]])
                between = text[column - 1 : len(text) - len(line) + span[1] - 1]
            if between.strip(" \n{)=>"):
                found.append((name, span[:2], line.strip(), "?" if code_at(name, span) == "?" else "never"))
        before = count > 0
    for name, span, side in one_sided.values():
        found.append((name, span[:2], code_at(name, span).strip(), side))
    entries = collections.Counter()
    for name, _, code, side in sorted(found):
        entries[f"{name.relative_to(ROOT / 'src')}: {code}: {side}"] += 1
    return entries, len(regions), len(branches)


def main():
    entries, regions, branches = unreached(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    if "--print" in sys.argv:
        for entry, count in entries.items():
            print(entry if count == 1 else f"{entry}: {count} times")
    print(f"{regions} pieces of code, {2 * branches} sides of conditions; {sum(entries.values())} are not reached")
    listed = {line for line in LIST.read_text().splitlines() if line and not line.startswith("#")} if LIST.exists() else set()
    new, gone = sorted(entries.keys() - listed), sorted(listed - entries.keys())
    for title, faults in (("not reached, and not in the list", new), ("in the list, but reached or gone", gone)):
        if faults and "--print" not in sys.argv:
            print(f"{title}:", *faults, sep="\n  ")
    sys.exit(bool(new or gone))


main()
