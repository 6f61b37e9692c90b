"""The texts of `hostile.txt` and the machines that count the instructions of reading them, for `benches/count`.

A line of `hostile.txt` is: reader, name, start, repeated part, end, with tabs between. `\\xNN` is a byte; everything else stands for itself.
`№` in a repeated part is the number of the repetition. The names: `usual`, a text of the kind that a program expects; `worst` and
`worst on a device`, the text with the most instructions a byte that `benches/count --search` found for x86-64 and for a Cortex-M3; and the
kinds that serde_json reads, too, which guard one path each.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TEXTS = HERE / "hostile.txt"
FIRMWARE = HERE.parent / "firmware"
CHIP = "thumbv7m-none-eabi"
# of the search
WORST = {"x86_64": "worst", "cortex-m3": "worst on a device"}
NUMBER = "№".encode()


def run(*command, cwd=HERE.parent, **environment):
    done = subprocess.run(command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env=os.environ | environment)
    if done.returncode:
        sys.exit(f"count: status {done.returncode} from: {' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr}")
    return done


def executable(*command, **options):
    """The executable that cargo builds."""
    messages = [json.loads(line) for line in run(*command, "--message-format=json", **options).stdout.splitlines()]
    return next(message["executable"] for message in messages if message.get("executable"))


def escaped(part):
    """A part as `hostile.txt` has it."""
    def one(char, behind):
        if char.isprintable() and (char, behind) != ("\\", "x"):
            return char
        return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))

    text = part.decode("utf-8", "surrogateescape")
    return "".join(map(one, text, text[1:] + " "))


def bytes_of(part):
    pieces = re.split(rb"\\x([0-9a-f]{2})", part.encode())
    return b"".join(bytes([int(piece, 16)]) if at % 2 else piece for at, piece in enumerate(pieces))


def read():
    """{(reader, name): parts}, in the order of the file."""
    rows = [line.split("\t") for line in TEXTS.read_text().split("\n") if line]
    return {(reader, name): tuple(map(bytes_of, parts)) for reader, name, *parts in rows}


def write(texts):
    TEXTS.write_text("".join("\t".join([*key, *map(escaped, parts)]) + "\n" for key, parts in texts.items()))


def fill(parts, len_):
    """The text of a length of at most `len_`, if one repetition fits."""
    start, repeated, end = parts
    room = len_ - len(start) - len(end)
    if NUMBER not in repeated:
        return start + repeated * max(room // len(repeated), 1) + end
    count = max(room // (len(repeated) + 3 * repeated.count(NUMBER)), 1)
    return start + b"".join(repeated.replace(NUMBER, b"%06d" % at) for at in range(count)) + end


def records(texts):
    """The file for `hostile --count` and for the firmware."""
    return b"".join(f"{reader:20}".encode() + len(text).to_bytes(4, "little") + text for reader, text in texts)


class Host:
    """This machine, under Valgrind."""

    def __init__(self, build):
        self.executable = build("hostile", "--features=http,websocket")

    def count(self, texts):
        """The instructions for each pair of a reader and a text."""
        with tempfile.TemporaryDirectory() as place:
            (file := pathlib.Path(place) / "texts").write_bytes(records(texts))
            # Callgrind writes a file for each call of the function. Two patterns, because of one only the last option counts.
            run("valgrind", "--tool=callgrind", f"--callgrind-out-file={place}/out", "--toggle-collect=*::counted",
                "--dump-after=*counted*", self.executable, "--count", file)
            dumps = (pathlib.Path(place) / f"out.{number}" for number in range(1, len(texts) + 1))
            return [int(re.search(rb"^totals: (\d+)", dump.read_bytes(), re.M)[1]) for dump in dumps]


class Device:
    """An emulated Cortex-M3, whose timer counts. Its firmware is built for size, as `firmware/measure` does."""

    def __init__(self):
        env = {name: "" for name in ("RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS") if name in os.environ}
        self.executable = executable("cargo", "build", "--quiet", "--release", "--package", "worst", "--target", CHIP, cwd=FIRMWARE,
                                     CARGO_PROFILE_RELEASE_OPT_LEVEL="s", **env)

    def count(self, texts):
        """As `Host.count`."""
        with tempfile.TemporaryDirectory() as place:
            (pathlib.Path(place) / "texts").write_bytes(records(texts))
            # a shorter time for each instruction than in `firmware/measure`, so that the timer of 24 bits counts ten million
            done = run("timeout", "--signal=KILL", "300", "qemu-system-arm", "-M", "lm3s6965evb", "-cpu", "cortex-m3", "-nographic",
                       "-icount", "shift=7", "-semihosting-config", "enable=on,target=native", "-kernel", self.executable, cwd=place)
        return list(map(int, done.stdout.split()))


# the lengths of the texts: of the kinds, and of the worst ones
SHORT, LONG = 1 << 12, 1 << 15
SIZES = {"1 KB": 1 << 10, "4 KB": 1 << 12, "64 KB": 1 << 16}
LONGEST = {"16 MB": 1 << 24}
DEVICE_LEN = 1 << 10
# a row of these is not a number of a machine
TABLE = ("reader", "usual", *SIZES, "longest", "device, usual", "device, worst")


def kinds(host):
    """Instructions a kilobyte, of the shorter and the longer text, for each kind, `right` or `wrong`, and reader."""
    names, texts = [], []
    for (reader, name), parts in read().items():
        for state in ["right", "wrong"] if name not in ("usual", *WORST.values()) else []:
            for who in (reader, "serde_json"):
                for len_ in (SHORT, LONG):
                    text = fill(parts, len_)
                    names.append((name, state, who))
                    texts.append((who, text if state == "right" else text[:-1] + b"!"))
    counts = {}
    for name, (_, text), count in zip(names, texts, host.count(texts)):
        counts.setdefault(name, []).append(round(count * 1024 / len(text)))
    return counts


def readers():
    return [reader for reader, name in read() if name == "usual"]


def a_byte(counter, wanted):
    """Instructions a byte for each triple of a reader, the name of a text and a length."""
    rows = read()
    texts = [(reader, fill(rows[reader, name], len_)) for reader, name, len_ in wanted]
    return {key: count / len(text) for key, (_, text), count in zip(wanted, texts, counter.count(texts))}


def worst(host, device, has_longest):
    """{reader: {column of TABLE: instructions a byte}}; the longest texts take a quarter of an hour."""
    found = {reader: {} for reader in readers()}
    wanted = {(reader, "usual"): (reader, "usual", SHORT) for reader in found}
    wanted |= {(reader, column): (reader, "worst", len_) for column, len_ in SIZES.items() for reader in found}
    if has_longest:
        wanted |= {(reader, "longest"): (reader, "worst", LONGEST_BYTEWISE if "bytewise" in reader else LONGEST) for reader in found}
    counts = a_byte(host, list(wanted.values()))
    for (reader, column), key in wanted.items():
        found[reader][column] = counts[key]
    counts = a_byte(device, [(reader, name, DEVICE_LEN) for reader in found for name in ("usual", WORST["cortex-m3"])])
    for (reader, name, _), count in counts.items():
        found[reader]["device, usual" if name == "usual" else "device, worst"] = count
    return found


def grown(found, allowed):
    """The readers for which a byte of a longer text takes more instructions than one of 4 KB."""
    for reader, row in found.items():
        for column in ("64 KB", "longest"):
            if row.get(column, 0) > row["4 KB"] * (1 + allowed):
                yield f"{reader}: {row['4 KB']:.1f} instructions a byte of 4 KB, {row[column]:.1f} ({column})"


def shown(parts):
    """A text in a cell of a table, with long repetitions as a number."""
    def code(part):
        short = re.sub(r"(.{1,5}?)\1{5,}", lambda run: f"⟨{len(run[0]) // len(run[1])} × {run[1]}⟩", escaped(part).replace("|", "\\|"))
        return f"`{short}` " if part else ""

    start, repeated, end = map(code, parts)
    return f"{start}({repeated.strip()})… {end}".strip()


def tables(found):
    """The two tables of docs/speed.md."""
    head = "| reader | x86-64: usual | worst, 1 KB | 4 KB | 64 KB | 16 MB | Cortex-M3: usual | worst |\n|---|" + "---:|" * 7 + "\n"
    lines = [head]
    for reader, row in found.items():
        cells = [row["usual"], *(row[column] for column in SIZES), row["longest"], row["device, usual"], row["device, worst"]]
        lines.append(f"| {reader} | " + " | ".join(f"{cell:,.1f}" for cell in cells) + " |\n")
    rows = read()
    lines.append("\n| reader | worst text on x86-64 | on a Cortex-M3 |\n|---|---|---|\n")
    for reader in found:
        lines.append(f"| {reader} | {shown(rows[reader, 'worst'])} | {shown(rows[reader, WORST['cortex-m3']])} |\n")
    return "".join(lines)


def written(block):
    """{reader: {column: number}} of the first table of a block."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.split("\n\n")[0].splitlines()[2:]]
    return {row[0]: dict(zip(TABLE[1:], (float(cell.replace(",", "")) for cell in row[1:]))) for row in rows}


def stale(found, block, tolerance):
    """What a block says otherwise than the counts."""
    old = written(block)
    for reader, row in found.items():
        for column, count in row.items():
            if abs(old.get(reader, {}).get(column, 0) - count) > count * tolerance + 0.05:
                yield f"{reader}, {column}: {count:,.1f} instructions a byte, docs/speed.md says {old.get(reader, {}).get(column, 0):,}"
    if tables({reader: old.get(reader, row) | row for reader, row in found.items()}).partition("\n\n")[2].strip() != block.partition("\n\n")[2].strip():
        yield "docs/speed.md shows other worst texts than benches/hostile.txt"
