"""Writes the numbers of `measure` into the documents, as tables between two marks and a plot, or reports stale ones.

By itself it writes them again from the numbers that it has kept: report.py NUMBERS.
"""

import json
import pathlib
import re
import sys

import stack

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "device.md"
TABLES = ROOT / "docs" / "device-tables.md"
PLOT = ROOT / "docs" / "device.svg"
# the chip and the level that PAGE describes
CHIP = ("thumbv7m-none-eabi", "s")

# task: the jobs that do it and their libraries, ours first
GROUPS = {
    "classified, nothing copied": {
        "envelope": "`Envelope::parse`",
        "serde_json_core_read": "serde-json-core 0.7: ids are integers, no batches; recursive",
        "picojson_read": "picojson 0.2",
        "core_json_read": "core-json 0.4",
    },
    "read, id and method held": {
        "request": "`Request::hold`",
        "message": "`Envelopes` and `Message::hold`",
    },
    "read a request and answer it, errors too": {
        "request_write": "`Request::hold`, `Request::write_response`",
        "json_rpc_types_answer": "json-rpc-types 1.3 on serde-json-core 0.7: ids are unsigned",
    },
    "read a struct and write it back": {
        "typed": "serde",
        "fixed": "the same with `Fixed<i32, 2>` in place of integers",
        "serde_json_core_typed": "serde-json-core 0.7: escapes stay undecoded",
    },
    "serve four methods": {
        "server": "`Server` on `Lines`, of which 2,100 B are stack: batches, all errors",
        "mcp": "MCP: two tools, two resources, a template, a prompt, completion",
        "mcp_http": "the same behind HTTP, the head parsed before",
        "embedded_jsonrpc_server": "embedded-jsonrpc 0.8 on `Content-Length`: ids are unsigned, no batches",
    },
    "call, and match the answer": {
        "client": "`Client` for eight calls, ids are integers; `Envelope`",
        "mcp_client": "MCP: `mcp::client::Client`, both generations, input that a result requires",
        "mcp_client_http": "the same over Streamable HTTP: heads, `Events`",
    },
    "tell messages apart, in 256 bytes": {
        "frame_lines": "`Lines`",
        "frame_content_length": "`ContentLength`",
        "frame_values": "`Values`, which validates",
        "frame_events": "`Events`",
        "frame_websocket": "`WebSocket`: masks, fragments, UTF-8; a masked message",
    },
    "look into a payload": {
        "lazy": "`RawValue`, integers",
        "lazy_float": "`RawValue`, floats",
    },
    "read or write a float": {
        "float_none": "a value read and written, without a float",
        "float_read_f32": "the same with `RawValue::as_f32`",
        "float_read_f64": "the same with `RawValue::as_f64`",
        "float_write_f32": "the same with an `f32` written after it",
        "float_write_f64": "the same with an `f64` written after it",
    },
}
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
PEERS = ("serde_json_core", "picojson", "core_json", "json_rpc_types", "embedded_jsonrpc")
SHOWN = ["request", "notification", "tools-call", "response"]

# the plot's rows: a name and a job
PLOTTED = {
    "read": [("nanojsonrpc", "envelope"), ("serde-json-core", "serde_json_core_read"), ("picojson", "picojson_read"),
             ("core-json", "core_json_read")],
    "read and answer": [("nanojsonrpc", "request_write"), ("json-rpc-types", "json_rpc_types_answer")],
    "read and write a struct": [("nanojsonrpc", "typed"), ("serde-json-core", "serde_json_core_typed")],
    "serve four methods": [("nanojsonrpc", "server"), ("embedded-jsonrpc", "embedded_jsonrpc_server")],
}


def is_peer(job):
    return job.startswith(PEERS)


def cell(row, name, with_error):
    if not row[f"{name}.is-read"]:
        return "–"
    return f"{row[name]:,}" + (f" ({row[f'{name}.late-error']:,})" if with_error else "")


def table(rows, messages, with_error):
    """A table of the groups: each job on a line of its own, other libraries in italics."""
    head = ["", "flash", "RAM", "stack", *(f"{name} {messages[name]:,} B" for name in SHOWN), "a byte"]
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    for group, jobs in GROUPS.items():
        lines.append(f"| **{group}** |" + " |" * (len(head) - 1))
        for job, name in jobs.items():
            if job not in rows:
                continue
            row = rows[job]
            if "answer" in row and not row["request.is-read"]:
                # this job has its own text, of the same length
                name += f"; {row['answer']:,} instructions for {messages['request']} B"
            cells = [f"*{name}*" if is_peer(job) else name, *(f"{row[metric]:,}" for metric in ("flash", "ram", "stack"))]
            cells += [cell(row, message, with_error) for message in SHOWN]
            cells.append(f"{row['response'] / messages['response']:.1f}" if row["response.is-read"] else "–")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


class Block:
    """A text of a document, between the two comments that name `mark`, or a part of it."""

    def __init__(self, path, mark, text, part=False):
        self.path, self.mark, self.text, self.part = path, mark, text, part

    def around(self):
        begin, end = f"<!-- {self.mark}: written by firmware/measure -->\n", f"\n<!-- {self.mark}: end -->"
        before, found, rest = self.path.read_text().partition(begin)
        now, found_end, after = rest.partition(end)
        if not found or not found_end:
            sys.exit(f"report: {self.path} has no place for {self.mark}")
        return before + begin, now, end + after

    def write(self):
        before, now, after = self.around()
        text = self.text
        if self.part:
            # up to the next part; a new part comes last
            front, known, rest = now.partition(text.partition("\n")[0] + "\n")
            front += "" if known else "\n\n"
            _, found, behind = rest.partition("\n\n### ")
            text = front + text + found + behind
        self.path.write_text(before + text + after)

    def is_stale(self):
        now = self.around()[1]
        if self.part:
            # the lines that begin with the same heading
            head, count = self.text.split("\n", 1)[0], self.text.count("\n")
            now = "\n".join(now[now.find(head):].split("\n")[:count + 1]) if head in now else ""
        return not is_same(self.text, now)


def is_same(text, other):
    """Whether two texts differ by no more than two checkouts do.

    The path of a checkout goes into the hashes of symbols, by which the linker orders functions: a copy elsewhere may have
    a few bytes more or less."""
    if FIGURE.split(text) != FIGURE.split(other):
        return False
    return all(map(is_near, FIGURE.findall(text), FIGURE.findall(other)))


def is_near(figure, other):
    a, b = (float(text.replace(",", "")) for text in (figure, other))
    return abs(a - b) <= max(0.11 if "." in figure else 8, 0.002 * a)


class Plot(Block):
    """A document with this text only."""

    def around(self):
        return "", self.path.read_text(), ""


STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #57606a }
    .head { font-weight: 600; fill: #24292f }
    .ours { fill: #0969da } .other { fill: #afb8c1 } .axis { stroke: #d0d7de }
    @media (prefers-color-scheme: dark) {
      text { fill: #9198a1 } .head { fill: #e6edf3 }
      .ours { fill: #4493f8 } .other { fill: #59636e } .axis { stroke: #3d444d }
    }"""
NAMES, PANEL, GAP, LINE = 180, 290, 40, 22
# the room for the number behind a bar
NUMBER = 56


def plot(rows, messages):
    """Flash at the left, instructions at the right, a bar for each library."""
    lines, y = [], 50
    panels = [(NAMES, "flash", lambda row: row["flash"]), (NAMES + PANEL + GAP, "instructions", instructions)]
    longest = [max(value(rows[job]) or 0 for jobs in PLOTTED.values() for _, job in jobs) for _, _, value in panels]
    titles = ["bytes of flash", f"instructions for {messages['request']} bytes"]
    for (x, _, _), title in zip(panels, titles):
        lines.append(f'<text class="head" x="{x}" y="18">{title}</text>')
    for group, jobs in PLOTTED.items():
        lines.append(f'<text class="head" x="0" y="{y}">{group}</text>')
        y += 8
        for name, job in jobs:
            lines.append(f'<text x="12" y="{y + 15}">{name}</text>')
            for (x, _, value), most in zip(panels, longest):
                number = value(rows[job])
                if number is None:
                    continue
                width = max(round(number / most * (PANEL - NUMBER)), 1)
                kind = "other" if is_peer(job) else "ours"
                lines.append(f'<rect class="{kind}" x="{x}" y="{y + 3}" width="{width}" height="16" rx="2"/>')
                lines.append(f'<text x="{x + width + 6}" y="{y + 15}">{number:,}</text>')
            y += LINE
        y += 26
    height, width = y - 20, NAMES + 2 * PANEL + GAP
    axes = "".join(f'<line class="axis" x1="{x}" y1="28" x2="{x}" y2="{height - 8}"/>\n' for x, _, _ in panels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="Flash and instructions beside other libraries">\n<style>{STYLE}\n</style>\n'
        + axes + "\n".join(lines) + "\n</svg>\n"
    )


def instructions(row):
    """For the request; a job that reads no messages has its own text."""
    return row["request"] if row["request.is-read"] else row.get("answer")


# feature: the job with it, and the one without
FEATURES = {
    "`serde`": ("server", "bare_server", "four routes with typed params, beside handlers that look into theirs"),
    "`macros`": ("declared_server", "named_server", "four methods declared by `#[service]`, beside the same by hand"),
    "`macros`, limits": ("limited_server", "unlimited_server", "six limits of a method, beside the same without"),
    "`embedded-io`": ("stream", "server", "`serve` over a stream, beside a loop of your own"),
    "`embedded-io-async`": ("stream_async", "server", "`serve_async`, with an executor that only polls"),
    "`embedded-io-async`, `Connection::concurrent`": (
        "stream_concurrent", "stream_async", "two calls of 128 B side by side and a handler that waits, beside `serve_async`",
    ),
    "`defmt`": ("defmt", "envelope", "one `Error` logged"),
}


def features(rows):
    lines = ["| feature | job | flash | stack |", "|---|---|---:|---:|"]
    for feature, (with_it, without, what) in FEATURES.items():
        adds = (f"{rows[with_it][metric] - rows[without][metric]:+,}" for metric in ("flash", "stack"))
        lines.append(f"| {feature} | {what} | {' | '.join(adds)} |")
    return "\n".join(lines)


# the names of whole firmware
WHOLE = {
    "node": "`firmware/node`, binary `node`: JSON-RPC",
    "mcp": "`firmware/node`, binary `mcp`: MCP",
    "embassy-node": "`firmware/embassy`, with the HAL, the executor and the time driver",
    "rtic-node": "`firmware/rtic`, with RTIC and semihosting",
}


def whole(sizes):
    """Flash and static RAM of each firmware."""
    lines = ["| firmware | flash | static RAM |", "|---|---:|---:|"]
    lines += [f"| {title} | {sizes[name]['flash']:,} | {sizes[name]['ram']:,} |" for name, title in WHOLE.items()]
    return "\n".join(lines)


def levels(measured):
    """The MCP server at each level of CHIP."""
    rows = {opt: rows["mcp"] for (target, opt), rows in measured.items() if target == CHIP[0]}
    lines = ["| MCP, opt-level | flash | stack |", "|---|---:|---:|"]
    return "\n".join([*lines, *(f"| `{opt}` | {row['flash']:,} | {row['stack']:,} |" for opt, row in sorted(rows.items()))])


# target: its chip
CHIPS = {
    "thumbv6m-none-eabi": "Cortex-M0",
    "thumbv7m-none-eabi": "Cortex-M3",
    "thumbv7em-none-eabihf": "Cortex-M4",
    "riscv32imc-unknown-none-elf": "RISC-V, RV32IMC",
}
# job: its column
COMPARED = {
    "envelope": "`Envelope::parse`", "message": "`Message::hold`", "request_write": "a request answered", "server": "`Server` on `Lines`",
    "mcp": "MCP server",
}


def chips(measured):
    """Flash, stack and instructions of some jobs on each chip."""
    lines = ["| chip | " + " | ".join(COMPARED.values()) + " |", "|---" + "|---:" * len(COMPARED) + "|"]
    for target, chip in CHIPS.items():
        rows = measured[target, CHIP[1]]
        cells = (f"{rows[job]['flash']:,} / {rows[job]['stack']:,} / {rows[job]['request']:,}" for job in COMPARED)
        lines.append(f"| {chip} | {' | '.join(cells)} |")
    return "\n".join(lines)


AVR_NAMES = {
    "envelope": "`Envelope::parse`",
    "request": "`Request::parse`",
    "request_write": "`Request::hold` and answers, errors too",
    "typed": "the same with typed params (serde)",
}


def avr(rows, message_len, texts, verdicts):
    """The blocks of an ATmega328P."""
    lines = [f"| job | flash | stack | cycles, request {message_len} B |", "|---|---:|---:|---:|"]
    for job, name in AVR_NAMES.items():
        lines.append(f"| {name} | {rows[job]['flash']:,} | {rows[job]['stack']:,} | {rows[job]['cycles']:,} |")
    lines += ["", f"{texts:,} texts of the tests, with their prefixes and mutations, have {verdicts:,} verdicts there, which are those"]
    lines += ["of the host: kind, offset and parts are the same."]
    return [Block(PAGE, "avr", "\n".join(lines))]


def blocks(measured, wholes, messages, levels_of_chip):
    """The blocks of the documents for the rows of each target and level, and for the whole firmware, as far as measured."""
    found = []
    if CHIP in measured:
        rows = measured[CHIP]
        found.append(Plot(PLOT, "plot", plot(rows, messages)))
        found.append(Block(PAGE, "device", table(rows, messages, with_error=False)))
        found.append(Block(PAGE, "features", features(rows)))
    sizes = {name: row for (_, opt), rows in wholes.items() if opt == CHIP[1] for name, row in rows.items()}
    if WHOLE.keys() <= sizes.keys():
        found.append(Block(PAGE, "whole", whole(sizes)))
    if all((CHIP[0], opt) in measured for opt in levels_of_chip):
        found.append(Block(PAGE, "levels", levels(measured)))
    if all((target, CHIP[1]) in measured for target in CHIPS):
        found.append(Block(PAGE, "chips", chips(measured)))
    analysed = {CHIPS[target]: measured.get((target, CHIP[1])) for target in (CHIP[0], "thumbv6m-none-eabi")}
    if all(analysed.values()):
        found.append(Block(PAGE, "stack", stack.table(analysed)))
    tables = {
        key: f"### {key[0]}, opt-level {key[1]}\n\n{table(rows, messages, with_error=True)}"
        for key, rows in measured.items()
    }
    # some chips and levels are a part of the page
    found += [Block(TABLES, "tables", text, part=True) for text in tables.values()]
    return found, Block(TABLES, "tables", "\n\n".join(tables.values()))


def keep(path, measured, wholes, messages, levels_of_chip):
    """Everything but the symbols."""
    numbers = [
        [*key, {job: {name: value for name, value in row.items() if name != "symbols"} for job, row in rows.items()}]
        for key, rows in measured.items()
    ]
    pathlib.Path(path).write_text(json.dumps({
        "messages": messages, "numbers": numbers, "levels": levels_of_chip,
        "wholes": [[*key, rows] for key, rows in wholes.items()],
    }))


def write(measured, wholes, messages, levels_of_chip, is_all):
    found, tables = blocks(measured, wholes, messages, levels_of_chip)
    for block in [*found, *([tables] if is_all else [])]:
        block.write()


def stale(found):
    """A message for each block with another text."""
    for block in found:
        if block.is_stale():
            name = block.path.relative_to(ROOT)
            yield f"{name}: {block.mark} is not what was measured: firmware/measure --all --write firmware/budget.txt, also with --avr"


def main():
    kept = json.loads(pathlib.Path(sys.argv[1]).read_text())
    measured = {(target, opt): rows for target, opt, rows in kept["numbers"]}
    wholes = {(target, opt): rows for target, opt, rows in kept["wholes"]}
    write(measured, wholes, kept["messages"], kept["levels"], len(measured) > 1)


if __name__ == "__main__":
    main()
