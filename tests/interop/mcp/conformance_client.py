"""Runs the client scenarios of the official conformance suite against the example mcp_conformance_client. Each scenario must have the result in
docs/mcp.md, no worse and no better. A scenario passes with at least one check and without a warning.

conformance_client.py FOLDER NODE SUITE COMMAND. `--table` first: prints the table instead.
"""

import re
import subprocess
import sys
from pathlib import Path

from harness import check, equal, finish
from page import EXTENSION, FAILS, PASSES, REVISIONS, alone, expected, listed, print_rows


def run(revision):
    """The result of each scenario. One passes with a tick in the summary, unless no check has passed."""
    place = FOLDER / f"client-{revision}"
    command = [NODE, SUITE / "dist" / "index.js", "client", "--command", COMMAND, "-o", place]

    def said(options):
        outcome = subprocess.run([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        with (FOLDER / f"client-{revision}.log").open("a") as log:
            log.write(outcome.stdout)
        return outcome.stdout

    passed = re.findall(r"^✓ (\S+): [1-9]\d* passed, 0 failed$", said(["--requirements", revision]), re.MULTILINE)
    for name in EXTENSION["client"]:
        if re.search(r"^Passed: ([1-9]\d*)/\1, 0 failed, 0 warnings$", said(alone(name, revision)), re.MULTILINE):
            passed.append(name)
    return {name: PASSES if name in passed else FAILS for name in listed(SUITE, revision, "client")}


arguments = sys.argv[1:]
is_table = arguments[0] == "--table"
FOLDER, NODE, SUITE, COMMAND = arguments[is_table:]
FOLDER, SUITE = Path(FOLDER), Path(SUITE)
FOLDER.mkdir(parents=True, exist_ok=True)
found = {revision: run(revision) for revision in REVISIONS}
if is_table:
    print_rows("client", found)
    sys.exit()
wanted = expected("client")
for revision in REVISIONS:
    for name, fate in wanted[revision].items():
        if fate == PASSES:
            check(f"conformance of clients, {revision}: {name}", lambda: equal(found[revision].get(name), PASSES))
    check(f"conformance of clients, {revision}: all fare as the page says", lambda: equal(found[revision], wanted[revision]))
finish()
