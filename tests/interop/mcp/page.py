"""What docs/mcp.md says of the scenarios of the official conformance suite, and which of them the suite lists."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "mcp.md"
REVISIONS = ["2025-11-25", "2026-07-28"]
PASSES, FAILS, EMPTY, ABSENT = "passes", "fails", "passes empty", "–"


# An extension belongs to no revision, so its scenarios are run by their names, in each.
EXTENSION = {
    "server": [f"sep-2640-skills-{name}" for name in ["enumeration", "manifest", "directory"]],
    "client": [f"sep-2640-client-{name}" for name in ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"]],
}


def listed(suite, revision, side):
    """The scenarios that the suite requires of servers or of clients of the revision, those that it runs without a score, and those of
    extensions."""
    text = (suite / "requirements" / f"{revision}.yaml").read_text()
    required = re.search(rf"^{side}:\n((?:  - .*\n)+)", text, re.MULTILINE)[1]
    others = text.partition("\nnot_scored:\n")[2]
    return re.findall(r"  - (.*)\n", required) + re.findall(rf"- scenario: (\S+)\n +leg: {side}\n", others) + EXTENSION[side]


def alone(name, revision):
    """The options that run one scenario of an extension."""
    return ["--scenario", name, "--spec-version", revision, "--force"]


def expected(side):
    """By revision: each scenario of servers or of clients, and its result. A row is: side and scenarios, then a result for each revision."""
    section = PAGE.read_text().partition("## The conformance suite")[2]
    rows = re.findall(rf"^\| {side}: ((?:`[^`|]+` ?)+)\| ([^|]+) \| ([^|]+) \|", section, re.MULTILINE)
    return {
        revision: {
            name: fates[column]
            for names, *fates in rows
            for name in re.findall(r"`([^`]+)`", names)
            if fates[column] != ABSENT
        }
        for column, revision in enumerate(REVISIONS)
    }


def print_rows(side, found):
    """The rows for the page, from the result of each scenario by revision; the reasons are missing."""
    rows = {}
    for name in dict.fromkeys(name for revision in REVISIONS for name in found[revision]):
        rows.setdefault(tuple(found[revision].get(name, ABSENT) for revision in REVISIONS), []).append(f"`{name}`")
    for fates, names in rows.items():
        print(f"| {side}: {' '.join(names)} | {' | '.join(fates)} | |")
