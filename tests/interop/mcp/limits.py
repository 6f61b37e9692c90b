"""Values of types with limits: this crate and PyPI `jsonschema` have the same verdict.

limits.py PROGRAM: the program answers `NAME` by a schema, and `NAME VALUE` by `ok` or a reason (tests/schemas/src/bin/limits.rs). The
values are made from the schema, at and next to its limits, and often wrong in one place. Values on which the verdicts differ, as
`nanojsonrpc::json_schema` documents, are not made: integers with a fraction of zero, structs as arrays, repeated names, line feeds.
"""

import json
import random
import subprocess
import sys

import jsonschema
from harness import check, equal, finish

NAMES = ["Byte", "Signed", "Float", "Whole", "Money", "Word", "Name", "Other", "Address", "Address6", "Id", "List", "Plan", "Step",
         "Internal", "Adjacent", "Untagged", "External"]
COUNT = 3000
formats = jsonschema.FormatChecker(formats=("ipv4", "ipv6", "uuid"))

# texts that match a pattern, before one of their characters is replaced
MATCHES = {"^[a-c][a-c0-9_]{1,3}-[0-3]*$": ["ab-", "c09_-0123", "a_-3", "b000-31"], "^[^ab]*b.?": ["b", "ccb", "é\"b-", "bb"]}
# texts that a pattern or a format may accept
LETTERS = "abc0019_-é \""
TEXTS = {
    "ipv4": ["127.0.0.1", "255.255.255.255", "256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "::1", "", "a.b.c.d"],
    "ipv6": ["::", "::1", "fe80::1", "fe80::1%eth0", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "::ffff:1.2.3.4", "1.2.3.4", ":::", "g::"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000",
             "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-42661417400g", ""],
}


def ask(lines):
    """The program's answer to each line."""
    text = "".join(f"{line}\n" for line in lines)
    run = subprocess.run(sys.argv[1:], input=text, capture_output=True, text=True, timeout=60, check=True)
    answers = run.stdout.splitlines()
    equal(len(answers), len(lines))
    return answers


def number(schema, chance):
    bounds = [schema[name] for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if name in schema]
    # not beyond 64 bits
    bounds = [bound for bound in bounds if abs(bound) < 2**62] or [0]
    step = schema.get("multipleOf", 1)
    if chance.random() < 0.7 and len(bounds) > 1:
        value = step * chance.randint(int(min(bounds) / step), int(max(bounds) / step))
        return round(value, 2) if schema["type"] == "number" else value
    value = chance.choice([*bounds, *bounds, chance.randint(-40, 70), chance.randint(-9, 9) * step])
    value += chance.choice([0, 0, 0, 1, -1, step, -step])
    if schema["type"] == "number":
        # two decimals: a `Fixed` has no more
        value = round(value + chance.choice([0, 0, 0, 0.25, 0.5, -0.1]), 2)
    elif chance.random() < 0.05:
        return value + 0.5
    return int(value) if value == int(value) else value


def string(schema, chance):
    if "format" in schema and chance.random() < 0.9:
        return chance.choice(TEXTS[schema["format"]])
    if "pattern" in schema and chance.random() < 0.9:
        text = list(chance.choice(MATCHES[schema["pattern"]]))
        if chance.random() < 0.5:
            text[chance.randrange(len(text))] = chance.choice(LETTERS)
        return "".join(text)
    most = schema.get("maxLength", 6)
    least = schema.get("minLength", 0) if chance.random() < 0.8 else 0
    return "".join(chance.choice(LETTERS) for _ in range(chance.randint(least, most + (chance.random() < 0.2))))


def object_of(schema, chance):
    made = {}
    for part in [*schema.get("allOf", []), schema]:
        for choices in ("oneOf", "anyOf"):
            if choices in part and part is not schema:
                chosen = value_of(chance.choice(part[choices]), chance)
                made |= chosen if isinstance(chosen, dict) else {}
        for name, inner in part.get("properties", {}).items():
            if chance.random() < (0.99 if name in part.get("required", []) else 0.5):
                made[name] = value_of(inner, chance)
    if isinstance(items := schema.get("additionalProperties"), dict):
        made |= {f"n{index}": value_of(items, chance) for index in range(chance.randint(0, 2))}
    if chance.random() < 0.05:
        made["of a newer peer"] = 1
    return made


def value_of(schema, chance):
    if chance.random() < 0.02:
        return chance.choice([None, True, -1, 0.5, "x", {}, 300])
    for keyword in ("oneOf", "anyOf"):
        if keyword in schema:
            return value_of(chance.choice(schema[keyword]), chance)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "integer" | "number":
            return number(schema, chance)
        case "string":
            return string(schema, chance)
        case "object":
            return object_of(schema, chance)
        case "boolean":
            return chance.random() < 0.5
        case "array" if "prefixItems" in schema:
            elements = [value_of(inner, chance) for inner in schema["prefixItems"]]
            return elements[: len(elements) - (chance.random() < 0.05)]
        case "array":
            count = chance.randint(0, schema.get("maxItems", 2) + 1)
            return [value_of(schema["items"], chance) for _ in range(count)]
        case "null":
            return None
    # a variant that is an object with `allOf`
    return object_of(schema, chance)


def compare(name):
    schema = json.loads(ask([name])[0])
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema, format_checker=formats)
    chance = random.Random(name)
    values = [value_of(schema, chance) for _ in range(COUNT)]
    counts = {True: 0, False: 0}
    for value, answer in zip(values, ask([f"{name} {json.dumps(value)}" for value in values])):
        is_valid = validator.is_valid(value)
        counts[is_valid] += 1
        if is_valid != (answer == "ok"):
            raise AssertionError(f"{json.dumps(value)}: {answer}; jsonschema: {[error.message for error in validator.iter_errors(value)]}")
    if min(counts.values()) < COUNT / 50:
        raise AssertionError(f"{counts[True]} valid, {counts[False]} not: nothing is compared")


for name in NAMES:
    check(f"limits: {name}: {COUNT:,} values have the same verdict", lambda: compare(name))
finish()
