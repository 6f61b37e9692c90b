"""Runs the client scenarios of the official conformance suite against the example mcp_conformance_client. Each scenario of authorization that
the suite requires must have its row in docs/mcp.md, and pass with at least one check and without a warning.

conformance_client.py FOLDER NODE SUITE COMMAND
"""

import re
import subprocess
import sys
from pathlib import Path

from harness import check, equal, finish

PAGE = Path(__file__).parents[3] / "docs" / "mcp.md"
REVISIONS = ["2025-11-25", "2026-07-28"]
FOLDER, NODE, SUITE, COMMAND = sys.argv[1:]
FOLDER, SUITE = Path(FOLDER), Path(SUITE)


def required(revision):
    """The scenarios of authorization that the suite requires of clients of the revision."""
    text = (SUITE / "requirements" / f"{revision}.yaml").read_text()
    section = re.search(r"^client:\n((?:  - .*\n)+)", text, re.MULTILINE)
    names = [line.removeprefix("  - ") for line in section[1].splitlines()]
    return [name for name in names if name.startswith("auth/")]


def run(revision):
    """The scenarios that pass: those with a tick in the summary, unless no check has passed."""
    command = [NODE, SUITE / "dist" / "index.js", "client", "--command", COMMAND, "--requirements", revision]
    place = FOLDER / f"client-{revision}"
    said = subprocess.run([*command, "-o", place], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    (FOLDER / f"client-{revision}.log").write_text(said.stdout)
    return re.findall(r"^✓ (\S+): [1-9]\d* passed, 0 failed$", said.stdout, re.MULTILINE)


FOLDER.mkdir(parents=True, exist_ok=True)
rows = re.findall(r"^\| `(auth/[^`]+)` \| ([^|]+) \| ([^|]+) \|", PAGE.read_text(), re.MULTILINE)
for column, revision in enumerate(REVISIONS):
    passed = run(revision)
    wanted = [name for name, *fates in rows if fates[column] == "passes"]
    for name in required(revision):
        check(f"conformance of clients, {revision}: {name}", lambda: equal((name in passed, name in wanted), (True, True)))
finish()
