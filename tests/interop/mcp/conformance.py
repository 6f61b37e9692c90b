"""Runs the official conformance suite over HTTP against the server of the example mcp_conformance, and against an empty
server. A scenario that the empty server also passes does not count. Each scenario must have the result in docs/mcp.md, no worse and
no better. A warning counts as a failure.

conformance.py FOLDER NODE SUITE COMMAND...: `COMMAND --empty` is the empty server. `--table` first: prints
the table instead.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import check, equal, finish
from page import EMPTY, EXTENSION, FAILS, PASSES, REVISIONS, alone, expected, listed, print_rows


def run(revision, options):
    """The result of each scenario: whether all its checks passed, and the messages of the failed ones."""
    place = FOLDER / "-".join([revision, *options]).replace("---", "-")
    server = subprocess.Popen([*COMMAND, *options], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().removeprefix("listening on ").strip()
        command = [NODE, SUITE / "dist" / "index.js", "server", "--url", url, "-o", place]
        with (FOLDER / f"{place.name}.log").open("w") as log:
            subprocess.run([*command, "--requirements", revision], stdout=log, stderr=log, timeout=300)
            for name in EXTENSION["server"]:
                subprocess.run([*command, *alone(name, revision)], stdout=log, stderr=log, timeout=60)
    finally:
        server.kill()
        server.wait()
    found = {}
    for checks in place.glob("*/checks.json"):
        name = re.fullmatch(r"server-(.*?)-\d{4}-\d\d-\d\dT.*", checks.parent.name)[1]
        outcomes = json.loads(checks.read_text())
        wrong = [one for one in outcomes if one["status"] in ["FAILURE", "WARNING"]]
        problems = [f"{one['id']}: {one.get('errorMessage')}" for one in wrong]
        # the suite's validation of the schemas alone is not enough
        own = [one for one in outcomes if not one["id"].startswith("wire-schema-")]
        found[name] = (any(one["status"] == "SUCCESS" for one in own) and not problems, problems)
    return found


def verdicts(revision):
    with ThreadPoolExecutor() as both:
        full, empty = both.map(run, [revision] * 2, [[], ["--empty"]])
    fates = {}
    for name in listed(SUITE, revision, "server"):
        passed, problems = full.get(name, (False, ["not run"]))
        if problems:
            print(f"conformance, {revision}, {name}: {'; '.join(problems)[:200]}", file=sys.stderr)
        fates[name] = FAILS if not passed else EMPTY if empty.get(name, (False,))[0] else PASSES
    return fates


arguments = sys.argv[1:]
is_table = arguments[0] == "--table"
FOLDER, NODE, SUITE, *COMMAND = arguments[is_table:]
FOLDER, SUITE = Path(FOLDER), Path(SUITE)
FOLDER.mkdir(parents=True, exist_ok=True)
found = {revision: verdicts(revision) for revision in REVISIONS}
if is_table:
    print_rows("server", found)
    sys.exit()
wanted = expected("server")
for revision in REVISIONS:
    counts = Counter(found[revision].values())
    print(f"conformance {revision}: " + ", ".join(f"{counts[fate]} {fate}" for fate in [PASSES, EMPTY, FAILS]))
    for name, fate in wanted[revision].items():
        if fate == PASSES:
            check(f"conformance, {revision}: {name}", lambda: equal(found[revision].get(name), PASSES))
    check(f"conformance, {revision}: all fare as the page says", lambda: equal(found[revision], wanted[revision]))
finish()
