"""Proves the functions over words and blocks of 64-bit hosts for every input, with z3: they are read from the sources of the crate.

A body of expressions means nearly the same in Rust and in Python: the operators bind alike, and the class `Bits` has the methods. So the proof is
about the text that the compiler reads, not about a copy. Each specification is a recurrence over the bytes in order, as the RFCs have it.
"""

import re
import sys
from pathlib import Path

import bitwuzla
import z3

SOURCES = Path(__file__).parent.parent.parent / "src/json"


class Bits:
    """A word or lane with the operations of Rust."""

    def __init__(self, value, width):
        self.value, self.width = value, width

    def other(self, other):
        return other.value if isinstance(other, Bits) else z3.BitVecVal(other, self.width)

    def make(self, value):
        return Bits(value, self.width)

    def mark(self, condition):
        return self.make(z3.If(condition, z3.BitVecVal(-1, self.width), z3.BitVecVal(0, self.width)))

    __and__ = __rand__ = lambda self, other: self.make(self.value & self.other(other))
    __or__ = __ror__ = lambda self, other: self.make(self.value | self.other(other))
    __xor__ = __rxor__ = lambda self, other: self.make(self.value ^ self.other(other))
    __invert__ = lambda self: self.make(~self.value)
    __lshift__ = lambda self, by: self.make(self.value << by)
    __rshift__ = lambda self, by: self.make(z3.LShR(self.value, by))
    __add__ = wrapping_add = lambda self, other: self.make(self.value + self.other(other))
    wrapping_sub = lambda self, other: self.make(self.value - self.other(other))
    wrapping_mul = lambda self, other: self.make(self.value * self.other(other))
    saturating_sub = lambda self, other: self.make(z3.If(z3.ULT(self.value, self.other(other)), 0, self.value - self.other(other)))
    min = lambda self, other: self.make(z3.If(z3.ULT(self.value, self.other(other)), self.value, self.other(other)))
    max = lambda self, other: self.make(z3.If(z3.ULT(self.value, self.other(other)), self.other(other), self.value))
    cmp_eq = lambda self, other: self.mark(self.value == self.other(other))
    # only vectors of signed bytes are compared so
    cmp_lt = lambda self, other: self.mark(self.value < self.other(other))
    cmp_gt = lambda self, other: self.mark(self.value > self.other(other))


def python(rust):
    """Statements of Rust as those of Python."""
    rust = re.sub(r"//.*", "", rust)
    rust = re.sub(r"b'(\\?.)'", lambda byte: str(ord(byte[1].encode().decode("unicode_escape"))), rust)
    rust = re.sub(r"!(?!=)", "~", rust)
    rust = re.sub(r"i8x16::splat|u8x16::splat", "splat", rust).replace("i8::MIN", "-128").replace("u8::MAX", "255")
    rust = re.sub(r" as (u64|usize)|: (i8x16|u64|usize)\b(?! \|)", "", rust.replace("usize::MAX / 255", "ONES"))
    rust = re.sub(r"const { (.*?) }", r"\1", rust).replace("from(", "from_(")
    lines = []
    for statement in re.split(r";\s", rust.strip() + "\n"):
        statement = " ".join(re.sub(r"\b(let|mut|const)\b", "", statement).split())
        statement = re.sub(r"= \|(\w+)\| ", r"= lambda \1: ", statement)
        lines.append(statement)
    if lines and lines[-1] and not re.match(r"\w+ [|]?= ", lines[-1]):
        lines[-1] = f"result = {lines[-1]}"
    return "\n".join(lines)


def body(file, name, indent=""):
    """The text between the braces of a function."""
    text = (SOURCES / file).read_text()
    (start,) = [found.end() for found in re.finditer(rf"(?m)^{indent}(?:pub(?:\([^)]*\))? )?(?:const )?fn {name}\(.*\) -> .* {{$", text)]
    depth, end = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start : end - 1]


def run(rust, **names):
    exec(python(rust), names)
    return names


def function(file, name, *parameters, **names):
    """The function of that name, of z3 values."""
    text = body(file, name)
    return lambda *values: run(text, **names, **dict(zip(parameters, values)))["result"]


def bit(word, at):
    return z3.Extract(at, at, word.value if isinstance(word, Bits) else word) == 1


def is_possible(*formulas):
    """Whether some input fulfils the formulas. z3 builds them; Bitwuzla decides them, for blocks of 64 bytes a hundred times as fast."""
    solver = z3.Solver()
    solver.add(*formulas)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse("(set-logic QF_BV)" + solver.to_smt2().replace("(check-sat)", ""), True, False)
    return {bitwuzla.Result.SAT: True, bitwuzla.Result.UNSAT: False}[parser.bitwuzla().check_sat()]


def prove(what, claim, *assumed):
    assert is_possible(*assumed), f"{what}: no input is assumed"
    if is_possible(z3.Not(claim), *assumed):
        sys.exit(f"not proved: {what}: some input is a counterexample")
    print(f"proved: {what}")


def word(name, width=64):
    return Bits(z3.BitVec(name, width), width)


def any_of(these):
    # Bitwuzla reads none of fewer than two
    return z3.Or(z3.BoolVal(False), z3.BoolVal(False), *these)


def all_of(these):
    return z3.And(z3.BoolVal(True), z3.BoolVal(True), *these)


def within(byte, *ranges):
    return any_of([z3.And(z3.UGE(byte, low), z3.ULE(byte, high)) for low, high in ranges])


def lanes():
    """Each lane of a vector is marked if its byte is of the class, and not in part."""
    byte = word("byte", 8)
    splat = lambda value: Bits(z3.BitVecVal(value, 8), 8)
    names = {"cast": lambda bytes_: bytes_, "splat": splat}
    names["equal"] = function("host/lex/lanes.rs", "equal", "bytes", "byte", **names)
    names["control_or_not_ascii"] = function("host/lex/lanes.rs", "control_or_not_ascii", "bytes", **names)
    for name, ranges in {
        "control": [(0, 0x1F)],
        "control_or_not_ascii": [(0, 0x1F), (0x80, 0xFF)],
        "special": [(0, 0x1F), (0x80, 0xFF), (0x22, 0x22), (0x5C, 0x5C)],
        "not_digit": [(0, 0x2F), (0x3A, 0xFF)],
        "white_space": [(0x20, 0x20), (0x09, 0x0A), (0x0D, 0x0D)],
    }.items():
        found = function("host/lex/lanes.rs", name, "bytes", **names)(byte).value
        prove(f"lanes::{name} for every byte", found == z3.If(within(byte.value, *ranges), z3.BitVecVal(255, 8), z3.BitVecVal(0, 8)))


def bytes_of(text):
    return [z3.Extract(8 * at + 7, 8 * at, text.value) for at in range(text.width // 8)]


def words():
    """Up to the first special byte of a word, bit 7 of each byte is exact, and no other bit is set."""
    text = word("text")
    ones = z3.BitVecVal(0x0101010101010101, 64)
    all_ = lambda byte: Bits(ones * byte, 64)
    names = {"all": all_, "ONES": Bits(ones, 64)}
    names["quote_or_backslash"] = function("host/word.rs", "quote_or_backslash", "word", **names)
    for name, ranges in {
        "quote_or_backslash": [(0x22, 0x22), (0x5C, 0x5C)],
        "needs_escape": [(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C)],
        "backslash": [(0x5C, 0x5C)],
        "not_digit": [(0, 0x2F), (0x3A, 0xFF)],
    }.items():
        exact(f"word::{name}", text, function("host/word.rs", name, "word", **names)(text).value, ranges)
    for width in (16, 32, 64):
        # a word of the target
        text = word("text", width)
        names = {"ONES": Bits(z3.BitVecVal(0x0101010101010101, width), width)}
        found = function("lex/bytes.rs", "special_bytes", "word", **names)(text).value
        exact(f"bytes::special_bytes of {width} bits", text, found, [(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x80, 0xFF)])


def exact(what, text, found, ranges):
    claims, before = [], z3.BoolVal(False)
    for at, byte in enumerate(bytes_of(text)):
        claims += [z3.Or(before, bit(found, 8 * at + 7) == within(byte, *ranges))]
        claims += [z3.Not(bit(found, 8 * at + other)) for other in range(7)]
        before = z3.Or(before, within(byte, *ranges))
    prove(f"{what} for every word, up to the first such byte", all_of(claims))


def escapes():
    """Bit i is set if an odd run of backslashes ends before byte i; the carry is 0 or 1."""
    backslash, first = word("backslash"), word("first")
    found = function("host/lex/text.rs", "escaped", "backslash", "first")(backslash, first)
    is_escaped, claims = first.value == 1, []
    for at in range(64):
        claims.append(bit(found, at) == is_escaped)
        is_escaped = z3.And(bit(backslash, at), z3.Not(is_escaped))
    prove("text::escaped for every block and carry", all_of(claims), z3.ULE(first.value, 1))


def digits():
    """The first four bytes of a word are hexadecimal digits."""
    text = word("text")
    rust = body("host/lex/text.rs", "are_four_digits")
    nested = re.search(r"(?s)const fn all.*?\n    }\n", rust)[0]
    all_ = lambda byte: Bits(z3.BitVecVal(byte * int(re.search("0x[0-9_]+", nested)[0], 16), 64), 64)
    found = run(rust.replace(nested, "").replace(" == 0", ""), all=all_, word=text)["result"].value == 0
    hexadecimal = [within(byte, (0x30, 0x39), (0x41, 0x46), (0x61, 0x66)) for byte in bytes_of(text)[:4]]
    prove("text::are_four_digits for every word", found == all_of(hexadecimal))


# RFC 8259 §5 and §6, for numbers in arrays: the next state after each class of bytes. A value must come in V, and behind a bracket in F.
NUMBERS = {
    "V": {"minus": "M", "zero": "Z", "nonzero": "I", "opening": "F", "space": "V"},
    "F": {"minus": "M", "zero": "Z", "nonzero": "I", "opening": "F", "closing": "A", "space": "F"},
    "M": {"zero": "Z", "nonzero": "I"},
    "Z": {"point": "P", "e": "E", "comma": "V", "closing": "A", "space": "A"},
    "I": {"zero": "I", "nonzero": "I", "point": "P", "e": "E", "comma": "V", "closing": "A", "space": "A"},
    "P": {"zero": "D", "nonzero": "D"},
    "D": {"zero": "D", "nonzero": "D", "e": "E", "comma": "V", "closing": "A", "space": "A"},
    "E": {"minus": "S", "plus": "S", "zero": "X", "nonzero": "X"},
    "S": {"zero": "X", "nonzero": "X"},
    "X": {"zero": "X", "nonzero": "X", "comma": "V", "closing": "A", "space": "A"},
    "A": {"comma": "V", "closing": "A", "space": "A"},
}


def numbers(width=64):
    """A block of numbers, commas, brackets and white space is refused exactly if the grammar refuses a byte up to its last comma."""
    names = ["zero", "comma", "point", "minus", "opening", "closing", "e", "plus", "space"]
    masks = {name: word(name, width) for name in [*names, "digit"]}
    rust = body("host/lex/numbers.rs", "read", indent="    ")
    rust = re.search(r"(?s)let behind.*?(?=let len)", rust)[0]
    found = run(rust + "wrong", **masks)["result"].value
    bits = {name: [bit(masks[name], at) for at in range(width)] for name in masks}
    bits["nonzero"] = [z3.And(digit, z3.Not(zero)) for digit, zero in zip(bits["digit"], bits["zero"])]
    classes = ["zero", "nonzero", *names[1:]]
    inside = z3.BitVec("within", width)
    assumed = []
    after = z3.BoolVal(False)
    for at in reversed(range(width)):
        after = z3.Or(after, bits["comma"][at])
        assumed.append(bit(inside, at) == after)
        one = [bits[name][at] for name in classes]
        # each byte is of at most one class, and up to the last comma of one; a zero is a digit
        assumed += [z3.Not(z3.And(a, b)) for place, a in enumerate(one) for b in one[:place]]
        assumed += [z3.Implies(bits["zero"][at], bits["digit"][at]), z3.Implies(after, any_of(one))]
    states, wrong = {name: z3.BoolVal(name == "V") for name in NUMBERS}, z3.BoolVal(False)
    for at in range(width):
        following = {name: [] for name in NUMBERS}
        for state, edges in NUMBERS.items():
            for class_, next_ in edges.items():
                following[next_].append(z3.And(states[state], bits[class_][at]))
        states = {name: any_of(ways) for name, ways in following.items()}
        wrong = z3.Or(wrong, z3.And(bit(inside, at), z3.Not(any_of(states.values()))))
    prove(f"numbers::Masks::read for every block of {width} bytes", ((found & inside) != 0) == wrong, *assumed)


# The Unicode Standard, table 3-7, and RFC 3629 §4: the well-formed sequences.
TAIL = (0x80, 0xBF)
UTF8 = [
    [(0xC2, 0xDF), TAIL],
    *[[(0xE0, 0xE0), (0xA0, 0xBF), TAIL], [(0xE1, 0xEC), TAIL, TAIL], [(0xED, 0xED), (0x80, 0x9F), TAIL], [(0xEE, 0xEF), TAIL, TAIL]],
    *[[(0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL], [(0xF1, 0xF3), TAIL, TAIL, TAIL], [(0xF4, 0xF4), (0x80, 0x8F), TAIL, TAIL]],
]


def character():
    """The length of the character at the front of a word that begins with no ASCII."""
    text = word("text")
    bytes_ = bytes_of(text)
    names, earlier = {"word": text, "first": text & 0xFF}, []
    for conditions, len_ in re.findall(r"(?m)if (.+) {\n\s+(\d)$", body("host/lex/text.rs", "character")):
        holds = []
        for condition in conditions.split(" && "):
            if found := re.fullmatch(r"(!?)matches!\((.+), (.+)\)", condition):
                value = run(found[2], **names)["result"].value
                bounds = [[int(bound, 0) for bound in pattern.split("..=")] for pattern in found[3].split(" | ")]
                among = within(value, *[(bound[0], bound[-1]) for bound in bounds])
                holds.append(z3.Not(among) if found[1] else among)
            else:
                left, relation, right = re.fullmatch(r"(.+) (==|>=) (.+)", condition).groups()
                left = run(left, **names)["result"].value
                holds.append(left == int(right, 0) if relation == "==" else z3.UGE(left, int(right, 0)))
        here = all_of([*holds, z3.Not(any_of(earlier))])
        earlier.append(here)
        rows = [row for row in UTF8 if len(row) == int(len_)]
        expected = any_of([all_of([within(byte, range_) for byte, range_ in zip(bytes_, row)]) for row in rows])
        prove(f"text::character for every sequence of {len_} bytes", here == expected)
    assert len(earlier) == 3


def ways(bytes_, left):
    """Each way to read the bytes where the bytes `left` of a character are missing: its condition, and the bytes that are then missing."""
    if not bytes_:
        return [(z3.BoolVal(True), left)]
    first = [left] if left else [[(0, 0x7F)], *UTF8]
    rest = lambda row: [(z3.And(within(bytes_[0], row[0]), is_), then) for is_, then in ways(bytes_[1:], row[1:])]
    return [way for row in first for way in rest(row)]


class Table:
    """Sixteen bytes of `tables.rs`: for each half byte, a bit for each rule whose `part` contains it."""

    def __init__(self, part):
        text = (SOURCES / "host/lex/utf8/tables.rs").read_text()
        constants = re.search(r"(?s)const ANY.*?(?=\n/// For each)", text)[0].replace("u16::MAX", "0xFFFF")
        names = {"halves": lambda first, last: 0xFFFF << first & 0xFFFF >> 15 - last}
        exec(re.sub(r"const (\w+): .*? =|//.*|;$", lambda found: f"{found[1]} =" if found[1] else "", constants, flags=re.M), names)
        self.bytes = [sum((rule[part] >> half & 1) << at for at, rule in enumerate(names["RULES"])) for half in range(16)]

    def swizzle_relaxed(self, halves):
        found = z3.BitVecVal(0, 8)
        for half, byte in enumerate(self.bytes):
            found = z3.If(halves.value == half, z3.BitVecVal(byte, 8), found)
        return Bits(found, 8)


def utf8():
    """The check of a byte against the three before it, in one lane of each of the four vectors of a block."""
    splat = lambda value: value if isinstance(value, Bits) else Bits(z3.BitVecVal(value, 8), 8)
    names = {"splat": splat, "table": Table, "LAST_RULE": 1 << 7, "high_half": lambda bytes_: bytes_ >> 4}
    names["sum"] = function("host/lex/utf8.rs", "sum", "a", "b")
    names["tail"] = function("host/lex/utf8.rs", "tail", "bytes", **names)
    first_above = function("host/lex/utf8.rs", "from", "bytes", "first", **names)
    names["from_"] = lambda bytes_, first: first_above(bytes_, splat(first))
    names["distance"] = function("host/lex/utf8.rs", "distance", "leads", **names)
    names["low_half"] = function("host/lex/utf8/tables.rs", "low_half", "bytes", **names)
    lanes_ = [[word(f"byte{quarter}_{at}", 8) for at in range(4)] for quarter in range(4)]
    fits, fails = [], []
    for lane in lanes_:
        *before, byte = [byte.value for byte in lane]
        # no, one, two or three bytes of a character may be missing in front of the three
        fronts = [way for left in range(4) for way in ways(before, [TAIL] * left)]
        ends = [(is_, within(byte, *([left[0]] if left else [(0, 0x7F)] + [row[0] for row in UTF8]))) for is_, left in fronts]
        fits.append(any_of([z3.And(is_, next_) for is_, next_ in ends]))
        fails.append(z3.And(any_of([is_ for is_, _ in ends]), all_of([z3.Or(z3.Not(is_), z3.Not(next_)) for is_, next_ in ends])))
    for file, name in ("utf8.rs", "by_arithmetic"), ("utf8/tables.rs", "check"):
        text = body(f"host/lex/{file}", name)
        start, loop, end = re.fullmatch(r"(?s)\s*(let .*?;\n)\s+for .*?wrapping_add\(2\)\);(.*?)\n    }\n(.*)", text).groups()
        end, wrong = re.fullmatch(r"(?s)(.*)Verdict { wrong: (.*), control }\s*", end).groups()
        at_end = run(start + "0", **names)
        for lane in lanes_:
            at_end = run(loop + "\n0", **at_end | dict(zip(["before_3", "before_2", "before", "bytes"], lane)))
        is_wrong = bit(run(end + wrong, **at_end)["result"], 7)
        prove(f"{file}: {name} refuses no block whose every byte fits the three before it", z3.Not(is_wrong), *fits)
        if name == "by_arithmetic":
            prove(f"{file}: {name} refuses a block with a byte that is the first one not to fit", is_wrong, any_of(fails))
        else:
            # the tables refuse a byte that begins no character by the byte behind it, maybe in the next block; no string ends between
            begin_none = [[within(lane[at].value, (0xC0, 0xC1), (0xF5, 0xFF)) for at in (2, 3)] for lane in lanes_]
            late = [z3.Or(before, z3.And(fails_, z3.Not(byte))) for (before, byte), fails_ in zip(begin_none, fails)]
            prove(f"{file}: {name} refuses a block with such a byte, or with one behind a byte that begins no character", is_wrong, any_of(late))


if __name__ == "__main__":
    lanes()
    words()
    escapes()
    digits()
    numbers()
    character()
    utf8()
