#!/usr/bin/env python3
"""Tries all mutants of cargo-mutants with one build: `at_once.py COPY OUT [--target TARGET] [FILE…]`.

COPY is a copy of the repository, which is rewritten; OUT receives `missed.txt`, `unviable.txt` and `caught.txt`. Each function of FILE
(default: of src) gets one copy of its body for each of its mutants, and selects the copy at run time by a variable of the environment. So
one build holds all mutants. A mutant that does not compile is taken out. Each test runs once alone and records the functions that it
enters. Then each mutant runs the tests that enter its function until one fails. A mutant that no test detects is only a candidate: in what
the compiler evaluates, no mutant is active. With `--exclusions`, only checks that each exclusion of COPY still matches a mutant.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?c?r(?P<hash>\#*)".*?"(?P=hash)|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]*?|[^\\'\n])'|'\w+|[{}]""", re.S)
WORKERS = 2


def body(text, start, end):
    """The places of the braces around the body of the function at `start..end`."""
    stack, found = [], None
    for token in TOKEN.finditer(text, start, end):
        if token[0] == "{":
            stack.append(token.start())
        elif token[0] == "}":
            found = stack.pop(), token.start()
    assert not stack and found and found[1] == end - 1, text[start:end]
    return found


class Source:
    """A file whose functions hold their mutants."""

    def __init__(self, path, mutants, ids):
        self.path, self.text = path, path.read_text()
        lines = [0]
        for line in self.text.splitlines(keepends=True):
            lines.append(lines[-1] + len(line))
        offset = lambda at: lines[at["line"] - 1] + at["column"] - 1
        self.functions = {}  # (open brace, close brace): [mutant]
        for mutant in mutants:
            span = mutant["function"]["span"]
            mutant["at"] = offset(mutant["span"]["start"]), offset(mutant["span"]["end"])
            place = body(self.text, offset(span["start"]), offset(span["end"]))
            self.functions.setdefault(place, []).append(mutant)
        self.number = {place: ids() for place in self.functions}

    def write(self, dropped):
        """Writes the file without the mutants `dropped`; remembers the lines of each mutant."""
        self.owner = []  # (first line, last line, mutant or function)
        out = []
        line = 1

        def put(text):
            nonlocal line
            out.append(text)
            line += text.count("\n")

        def instrument(start, end):
            at = start
            for place in sorted(self.functions):
                if not (at <= place[0] and place[1] < end) or place[0] < at:
                    continue
                mutants = [mutant for mutant in self.functions[place] if mutant["id"] not in dropped]
                if not mutants:
                    continue
                put(self.text[at : place[0]])
                first = line
                put("{\nmatch crate::mutants::active(%d) {\n" % self.number[place])
                for mutant in mutants:
                    before = line
                    put("%d => {" % mutant["id"])
                    put(self.mutated(place, mutant))
                    put("}\n")
                    self.owner.append((before, line - 1, [mutant["id"]]))
                put("_ => {")
                instrument(place[0] + 1, place[1])
                put("}\n}\n}")
                self.owner.append((first, line, [mutant["id"] for mutant in mutants]))
                at = place[1] + 1
            put(self.text[at:end])

        instrument(0, len(self.text))
        self.path.write_text("".join(out).replace("#[inline(always)]", "#[inline]"))

    def mutated(self, place, mutant):
        start, end = mutant["at"]
        if mutant["genre"] == "FnValue":
            return mutant["replacement"]
        return self.text[place[0] + 1 : start] + mutant["replacement"] + self.text[end : place[1]]

    def mutants_at(self, line):
        """The mutants of the smallest region around `line`."""
        around = [(last - first, ids) for first, last, ids in self.owner if first <= line <= last]
        return min(around)[1] if around else []


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def cargo(arguments, copy, target):
    """Errors and test programs of one run of cargo."""
    command = ["cargo", *arguments, "--all-features", "--message-format=json", *(["--target", target] if target else [])]
    settings = {"RUSTC_BOOTSTRAP": "nanojsonrpc", "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_PROFILE_DEV_DEBUG": "0"}
    environment = os.environ | settings
    done = run(command, cwd=copy, env=environment)
    errors, programs = [], {}
    for line in done.stdout.decode().splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
            errors.append(message["message"])
        elif message["reason"] == "compiler-artifact" and message.get("executable") and message["profile"]["test"]:
            programs[message["target"]["name"]] = message["executable"]
    if done.returncode and not errors:
        sys.exit(done.stderr.decode()[-4000:])
    return errors, programs


def lines_of(message):
    """Places that an error names, the most important first."""
    found = []
    for level in (message, *message["children"]):
        for span in sorted(level["spans"], key=lambda span: not span["is_primary"]):
            while span:
                found.append((span["file_name"], span["line_start"]))
                span = span["expansion"] and span["expansion"]["span"]
    return found


def build(copy, target, sources, dropped, arguments, remember):
    """Builds until no mutant fails to compile; returns the test programs."""
    while True:
        for source in sources.values():
            source.write(dropped)
        start = time.time()
        errors, programs = cargo(arguments, copy, target)
        new = set()
        for error in errors:
            blamed = []
            for name, line in lines_of(error):
                source = sources.get(name)
                if source:
                    blamed.append(source.mutants_at(line))
            blamed = [ids for ids in blamed if ids]
            if blamed:
                new.update(min(blamed, key=len))
        print(f"{arguments[0]}: {time.time() - start:.0f} s, {len(errors)} errors, {len(new)} mutants taken out", flush=True)
        if not errors:
            return programs
        if not new - dropped:
            sys.exit("\n".join(error["rendered"] for error in errors[:5]))
        dropped |= new
        remember(dropped)


class Tests:
    """The tests of some programs, with the functions that each enters."""

    def __init__(self, copy, programs, out):
        self.copy, self.programs = copy, programs
        jobs = []
        for name, program in programs.items():
            listed = run([program, "--list", "--format=terse"], cwd=copy).stdout.decode()
            jobs += [(name, line.removesuffix(": test")) for line in listed.splitlines() if line.endswith(": test")]
        self.enters, self.seconds, self.panics, self.broken = {}, {}, set(), []
        records = out / "records"
        records.mkdir(exist_ok=True)

        def record(numbered):
            number, test = numbered
            for panics in (False, True):
                path = records / str(number)
                path.unlink(missing_ok=True)
                start = time.time()
                status = self.start([test], {"MUTANTS_RECORDS": str(path)}, panics, 600)
                if status == 0:
                    data = path.read_bytes() if path.exists() else b""
                    return test, set(struct.unpack(f"<{len(data) // 4}I", data)), time.time() - start, panics
            return test, None, 0, True

        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for test, functions, seconds, panics in pool.map(record, enumerate(jobs)):
                if functions is None:
                    self.broken.append(test)
                    continue
                self.enters[test], self.seconds[test] = functions, seconds
                if panics:
                    self.panics.add(test)

    def start(self, tests, variables, panics, seconds):
        """Runs tests of one program; returns the status, or None after that time: of the processor, as others may use the machine."""
        program = self.programs[tests[0][0]]
        environment = os.environ | {"RUST_TEST_THREADS": "1"} | variables | ({} if panics else {"MUTANTS_EXIT": "1"})
        child = subprocess.Popen([program, "--exact", "-q", *(test for _, test in tests)], cwd=self.copy, env=environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
            status = child.wait(20 + 2 * seconds)
            return None if status == -signal.SIGXCPU else status
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return None

    def detects(self, mutant, ordered):
        """The first test of the group that fails with a mutant, or None. Tests of one program and kind run in one process, up to 0.3 s of them."""
        at = 0
        while at < len(ordered):
            group, seconds = [], 0.0
            kind = ordered[at][0], ordered[at] in self.panics
            while at < len(ordered) and (ordered[at][0], ordered[at] in self.panics) == kind and (not group or seconds < 0.3):
                group.append(ordered[at])
                seconds += self.seconds[ordered[at]]
                at += 1
            status = self.start(group, {"MUTANTS_ACTIVE": str(mutant)}, kind[1], 5 + 10 * seconds)
            if status != 0:
                return *group[0], "took too long" if status is None else "failed"
        return None


def listed(copy, wide, *options):
    """The output of cargo-mutants, for hosts or for devices. It follows `path`, and not `cfg_attr`, so COPY is rewritten."""
    for file in (copy / "src").rglob("*.rs"):
        text = file.read_text()
        for width, kept in (('target_pointer_width = "64"', wide), ('not(target_pointer_width = "64")', not wide)):
            text = re.sub(r"#\[cfg_attr\(%s, (path = [^\n]*)\)\]\n" % re.escape(width), r"#[\1]\n" if kept else "", text)
        if text != file.read_text():
            file.write_text(text)
    done = run(["cargo", "mutants", "--dir", copy, "--list", "--all-features", "--colors", "never", *options])
    return done.stdout.decode() if not done.returncode else sys.exit(done.stderr.decode())


def check_exclusions(copy):
    """Ends the program, with an error if an exclusion matches no mutant."""
    excluded = tomllib.loads((copy / ".cargo/mutants.toml").read_text())["exclude_re"]
    places = listed(copy, True, "--no-config").splitlines()
    unused = [pattern for pattern in excluded if not any(map(re.compile(pattern).search, places))]
    sys.exit("".join(f"mutants: nothing to leave out: {pattern}\n" for pattern in unused) or not excluded)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("copy", type=pathlib.Path)
    options.add_argument("out", type=pathlib.Path)
    options.add_argument("--target")
    options.add_argument("--tests", default="", help="names of test programs, or lib, with commas between; default: all but that of programs")
    options.add_argument("--only", type=pathlib.Path, help="a file with the names of mutants, one a line")
    options.add_argument("--least", type=float, default=0, help="fails if the tests catch a smaller share, in percent")
    options.add_argument("--exclusions", action="store_true")
    options.add_argument("files", nargs="*")
    options = options.parse_intermixed_args()
    copy, out = options.copy.resolve(), options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if options.exclusions:
        check_exclusions(copy)
    wide = options.target is None
    mutants = json.loads(listed(copy, wide, "--json", *(word for file in options.files for word in ("--file", file))))
    if options.only:
        wanted = set(options.only.read_text().splitlines())
        mutants = [mutant for mutant in mutants if mutant["name"] in wanted]
    # in constants, no mutant can be selected; hosts do not compile the files of devices
    mutants = [mutant for mutant in mutants if mutant["function"] and not (wide and "/device" in mutant["file"])]
    files = collections.defaultdict(list)
    for number, mutant in enumerate(mutants, 1):
        mutant["id"] = number
        files[mutant["file"]].append(mutant)
    count = iter(range(1 << 30))
    sources = {file: Source(copy / file, found, lambda: next(count)) for file, found in files.items()}
    functions = next(count)
    library = copy / "src/lib.rs"
    text = library.read_text()
    if "const FUNCTIONS" not in text:
        text = text.replace("#![no_std]", "#![no_std]\n#![allow(internal_features)]\n#![feature(core_intrinsics, const_eval_select)]", 1)
        text += (HERE / "at_once.rs").read_text() + "const FUNCTIONS: usize = 100_000;\n"
        text = text.replace("FUNCTIONS]", "super::FUNCTIONS]")
        library.write_text(text)
    manifest = copy / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace('unsafe_code = "forbid"', 'unsafe_code = "allow"'))
    print(f"{len(mutants)} mutants in {functions} functions of {len(files)} files", flush=True)

    dropped, unviable = set(), out / "unviable.txt"
    remember = lambda dropped: unviable.write_text("".join(mutant["name"] + "\n" for mutant in mutants if mutant["id"] in dropped))
    named = [name for name in options.tests.split(",") if name] or ["lib"] + sorted(
        path.name.removesuffix(".rs") for path in (copy / "tests").iterdir() if path.suffix == ".rs" or (path / "main.rs").exists())
    named = ["--lib" if name == "lib" else f"--test={name}" for name in named if name != "programs"]
    # finds most mutants that do not compile, quickly
    build(copy, options.target, sources, dropped, ["check", "--quiet", "--lib"], remember)
    programs = build(copy, options.target, sources, dropped, ["test", "--quiet", "--no-run", *named], remember)

    start = time.time()
    tests = Tests(copy, programs, out)
    print(f"{len(tests.enters)} tests: {sum(tests.seconds.values()):.0f} s of tests in {time.time() - start:.0f} s; "
          f"{len(tests.panics)} panic; without a mutant fail: {tests.broken}", flush=True)

    by_function = collections.defaultdict(list)
    for test, entered in tests.enters.items():
        for function in entered:
            by_function[function].append(test)
    kills = collections.Counter()
    caught, missed = open(out / "caught.txt", "w"), []
    start = time.time()

    def attempt(job):
        mutant, number = job
        # what has detected mutants of this file, then the quickest
        killer = lambda test: -kills[mutant["file"], test[0]] // 8
        ordered = sorted(by_function[number], key=lambda test: (killer(test), test[0], test in tests.panics, tests.seconds[test]))
        return mutant, len(ordered), tests.detects(mutant["id"], ordered)

    jobs = [(mutant, source.number[place]) for source in sources.values() for place, found in source.functions.items()
            for mutant in found if mutant["id"] not in dropped]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for mutant, tried, caught_by in pool.map(attempt, jobs):
            if caught_by:
                kills[mutant["file"], caught_by[0]] += 1
                print(mutant["name"], "|", *caught_by, file=caught, flush=True)
            else:
                missed.append(mutant | {"tests": tried})
                print(f"  missed by {tried} tests: {mutant['name']}", flush=True)
    (out / "missed.txt").write_text("".join(mutant["name"] + "\n" for mutant in missed))
    tried = len(jobs)
    share = 100 * (tried - len(missed)) / max(tried, 1)
    print(f"{tried - len(missed)} caught ({share:.1f} %), {len(missed)} missed, {len(dropped)} do not compile; {time.time() - start:.0f} s")
    sys.exit(share < options.least)


main()
