"""Proves that the automaton of the crate and that of RFC 8259 and RFC 3629, below, are equivalent: for texts of any length.

Input: the table that `tests/json/automaton.rs` writes from the crate's verdicts alone. A line is a state, the closing brackets of the innermost
two open ones, whether the maximum is open, whether the text is valid as it is, and for each byte its effect: the refusal, or the change of the
brackets (`+`, `-`, `=`) and the next state. This program finds every pair of states that one text can reach in both automata, and compares
acceptance, refusal and brackets of each pair for each byte. Pairs are finitely many, texts are not; so by induction over its bytes every text
has the same verdict, kind and offset in both.
Assumption: after a text, the crate is in the state that its behaviour on the experiments shows, and looks at no open bracket but the innermost
one, and whether the maximum is open. The test that writes the table samples this: every state, with every byte, inside each number of brackets, at
changing positions in the blocks in which hosts read, at the end of the text and before more bytes.
"""

import sys

DIGITS, HEX = b"0123456789", b"0123456789abcdefABCDEF"
TAIL = (0x80, 0xBF)
LITERALS = {ord("t"): b"rue", ord("f"): b"alse", ord("n"): b"ull"}
# RFC 3629 §4: the bytes after the first one
UTF8 = [
    (0xC2, 0xDF, [TAIL]),
    (0xE0, 0xE0, [(0xA0, 0xBF), TAIL]), (0xE1, 0xEC, [TAIL] * 2), (0xED, 0xED, [(0x80, 0x9F), TAIL]), (0xEE, 0xEF, [TAIL] * 2),
    (0xF0, 0xF0, [(0x90, 0xBF), TAIL, TAIL]), (0xF1, 0xF3, [TAIL] * 3), (0xF4, 0xF4, [(0x80, 0x8F), TAIL, TAIL]),
]
# RFC 8259 §6: after each part of a number, the bytes that go on with it
NUMBER = {
    "minus": [(b"0", "zero"), (b"123456789", "int")], "zero": [(b".", "point"), (b"eE", "e")],
    "int": [(DIGITS, "int"), (b".", "point"), (b"eE", "e")],
    "point": [(DIGITS, "frac")], "frac": [(DIGITS, "frac"), (b"eE", "e")],
    "e": [(b"+-", "sign"), (DIGITS, "exp")], "sign": [(DIGITS, "exp")], "exp": [(DIGITS, "exp")],
}
COMPLETE = ("zero", "int", "frac", "exp")


def between(state, top, full, byte):
    """One byte of the structure: RFC 8259 §2 to §5. `state` is what may come, `top` the bracket that closes the innermost open one."""
    if byte in b" \t\n\r":
        return "=", (state,)
    char = chr(byte)
    if char in "]}" and char == top and state in ("first value", "first name", "after"):
        return "-", ("after",)
    if state in ("value", "first value"):
        if char in "[{":
            return ("TooDeep", None) if full else ("+]", ("first value",)) if char == "[" else ("+}", ("first name",))
        if byte in LITERALS:
            return "=", ("literal", LITERALS[byte])
        for first, part in [(b"-", "minus"), *NUMBER["minus"]]:
            if byte in first:
                return "=", ("number", part)
        return ("=", ("string", "value")) if char == '"' else ("ExpectedValue", None)
    if state == "colon":
        return ("=", ("value",)) if char == ":" else ("ExpectedColon", None)
    if state != "after":
        return ("=", ("string", "name")) if char == '"' else ("ExpectedName", None)
    if top and char == ",":
        return "=", ("value" if top == "]" else "name",)
    return ("ExpectedComma" if top else "TrailingData"), None


def step(state, top, full, byte):
    """The change of the brackets and the next state, or the refusal and None."""
    token, *rest = state
    if not rest:
        return between(token, top, full, byte)
    role, *rest = rest
    if token == "literal":
        following = ("literal", role[1:]) if role[1:] else ("after",)
        return ("=", following) if byte == role[0] else ("InvalidLiteral", None)
    if token == "number":
        for bytes_, following in NUMBER[role]:
            if byte in bytes_:
                return "=", ("number", following)
        # no digit may follow a leading zero
        is_end = role in COMPLETE and byte not in DIGITS
        return between("after", top, full, byte) if is_end else ("InvalidNumber", None)
    if token == "string":
        if byte in b'"\\':
            return "=", ("escape", role) if byte == ord("\\") else ("colon",) if role == "name" else ("after",)
        if byte < 0x80:
            return ("=", state) if byte >= 0x20 else ("ControlCharacter", None)
        tails = [tail for low, high, tail in UTF8 if low <= byte <= high]
        return ("=", ("character", role, tuple(tails[0]))) if tails else ("InvalidUtf8", None)
    if token == "character":
        (low, high), *tail = rest[0]
        following = ("character", role, tuple(tail)) if tail else ("string", role)
        return ("=", following) if low <= byte <= high else ("InvalidUtf8", None)
    if token == "escape":
        if byte == ord("u"):
            return "=", ("unit", role, "", False)
        return ("=", ("string", role)) if byte in b'"\\/bfnrt' else ("InvalidEscape", None)
    if token == "low half":
        # RFC 8259 §8.2: a high surrogate is half a pair; the project refuses a lone one
        (missing,) = rest
        following = ("low half", role, missing[1:]) if missing[1:] else ("unit", role, "", True)
        return ("=", following) if byte == missing[0] else ("LoneSurrogate", None)
    digits, is_low = rest
    is_half = byte in (b"cdefCDEF" if digits else b"dD")
    # d as the first and c to f as the second digit are a low half
    if len(digits) < 2 and not is_half if is_low else digits == "d" and is_half:
        return "LoneSurrogate", None
    if byte not in HEX:
        return "InvalidEscape", None
    digits += chr(byte).lower() if len(digits) < 2 else "0"  # the last two decide nothing
    if len(digits) < 4:
        return "=", ("unit", role, digits, is_low)
    is_high = digits[0] == "d" and digits[1] in "89ab"
    return "=", (("low half", role, b"\\u") if is_high else ("string", role))


def pairs_of(rows):
    """Every reachable pair; raises at the first difference."""
    queue = [("0", ("value",), "", "0")]
    seen = set(queue)
    for state, rfc, stack, full in queue:
        (valid, effects), top = rows[state, stack, full], stack[:1]
        ends = rfc == ("after",) or rfc[0] == "number" and rfc[1] in COMPLETE
        where = f"state {state}, {rfc}, inside {stack or 'nothing'}, full {full}"
        assert valid == ("1" if ends and not top else "0"), f"{where}: valid {valid}"
        for byte, effect in enumerate(effects):
            change, following = step(rfc, top, full == "1", byte)
            if following is None:
                assert effect == change, f"{where}, byte {byte:#x}: the crate {effect}, the RFC {change}"
                continue
            assert effect[:1] == change[:1], f"{where}, byte {byte:#x}: the crate {effect}, the RFC {change}"
            if change == "=":
                inside = [(stack, full)]
            elif change[0] == "+":
                # behind two brackets may be any number: this may be the last one that is allowed
                inside = [((change[1] + stack)[:2], now) for now in ("01" if len(stack) == 2 else "0")]
            else:
                deeper = [(stack[1] + below, "0") for below in "]}"] if len(stack) == 2 else []
                inside = deeper + ([(stack[1:], "0")] if full == "0" else [])
            for pair in [(effect[1:], following, *rest) for rest in inside]:
                if pair not in seen:
                    seen.add(pair)
                    queue.append(pair)
    return seen


rows = {}
for line in open(sys.argv[1]):
    state, stack, full, valid, *effects = line.split()
    assert len(effects) == 256 and (state, stack[1:], full) not in rows
    rows[state, stack[1:], full] = valid, effects
try:
    pairs = pairs_of(rows)
except (AssertionError, KeyError) as error:
    sys.exit(f"not equivalent: {error}")
reached = {(state, stack, full) for state, _, stack, full in pairs}
assert reached == set(rows), f"never reached: {set(rows) - reached}"
print(f"proved: {len(rows)} states of the crate and RFC 8259 agree on all 256 bytes, in {len(pairs)} pairs; so do texts of any length")
