"""Judges every combination of the members of a message in each dialect, and compares the verdicts of the crate, a table that
`tests/message/cells.rs` writes. The rules are those of JSON-RPC 2.0, the Model Context Protocol, Cauce and the lenient dialect as documented.

The specifications do not say which of several faults counts; the crate may tell any that is there.
"""

import json
import sys
from collections import Counter

MEMBERS = ["jsonrpc", "id", "method", "params", "result", "error"]
DIALECTS = ["JSON_RPC", "CAUCE", "MCP", "LENIENT"]
ABSENT = object()


class Number(str):
    """As spelled."""

    def is_integer(self):
        return self.removeprefix("-").isdigit()


def spell(value):
    if value is ABSENT:
        return "-"
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list) and value and isinstance(value[0], tuple) or value == ():
        return "{" + ",".join(f'"{name}":{spell(inner)}' for name, inner in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(spell, value)) + "]"
    return json.dumps(value)


def is_object(value):
    return spell(value).startswith("{")


def is_string(value):
    return isinstance(value, str) and not isinstance(value, Number)


def is_error_object(value):
    if not is_object(value):
        return False
    members = dict(value)
    code = members.get("code")
    is_code = isinstance(code, Number) and code.is_integer() and -(2**63) <= int(code) < 2**63
    return is_code and is_string(members.get("message"))


def judge(members, dialect):
    """The kind, id, params, result and error of a message; or all its faults, the id of the answer, and whether there is one."""
    counts = Counter(name for name, _ in members)
    version, id_, method, params, result, error = [dict(members).get(name, ABSENT) for name in MEMBERS]
    is_response = result is not ABSENT or error is not ABSENT
    lenient, strict_id = dialect == "LENIENT", dialect in ("CAUCE", "MCP")
    faults = set()
    if any(counts[name] > 1 for name in MEMBERS):
        faults.add("RepeatedMember")
    if not lenient and version is ABSENT:
        faults.add("MissingVersion")
    elif not lenient and version != "2.0" or isinstance(version, Number) and not lenient:
        faults.add("InvalidVersion")
    if lenient and is_response:
        # of result and error, the one that is not null; both null: success; a method beside them is ignored
        if error is None:
            result, error = (None if result is ABSENT else result), ABSENT
        elif error is not ABSENT and result is None:
            result = ABSENT
    elif method is not ABSENT and is_response:
        faults.add("ConflictingMembers")
    if result is not ABSENT and error is not ABSENT:
        faults.add("ConflictingMembers")
    is_call = not is_response
    if is_call and method is ABSENT:
        faults.add("MissingMember")
    if lenient and is_call and method is not ABSENT and id_ is None:
        id_ = ABSENT
    is_id = is_string(id_) or id_ is None or isinstance(id_, Number) and (id_.is_integer() or not strict_id)
    is_error = error is not ABSENT
    if id_ is ABSENT:
        if is_response and not (lenient or dialect == "MCP" and is_error):
            faults.add("MissingId")
    elif not is_id or id_ is None and strict_id and not is_error:
        faults.add("InvalidId")
    has_method = is_string(method) and method != ""
    if is_call and method is not ABSENT and not has_method:
        faults.add("InvalidMethod")
    if is_call and params is not ABSENT:
        is_structured = isinstance(params, (list, tuple)) or params is None
        if not {"JSON_RPC": is_structured, "MCP": is_object(params)}.get(dialect, True):
            faults.add("InvalidParams")
    if is_error and not lenient and not is_error_object(error):
        faults.add("InvalidErrorObject")
    if faults:
        keeps_id = id_ is not ABSENT and counts["id"] == 1 and is_id
        return faults, spell(id_) if keeps_id else "-", not (is_response or id_ is ABSENT and has_method)
    kind = "Error" if is_error else "Success" if is_response else "Notification" if id_ is ABSENT else "Request"
    params = ABSENT if is_response or params is None else params
    return kind, *map(spell, [id_, params, result, error])


def members_of(pairs):
    return pairs or ()


cells, faulty = 0, Counter()
lines = iter(open(sys.argv[1]))
for text in lines:
    members = json.loads(text, object_pairs_hook=members_of, parse_int=Number, parse_float=Number)
    for dialect in DIALECTS:
        found, expected = next(lines).strip().split("\t"), judge(members, dialect)
        cells += 1
        if isinstance(expected[0], str):
            agree = tuple(found) == expected
        else:
            agree = found[0] in expected[0] and found[1:] == [expected[1], str(expected[2]).lower()]
            faulty[found[0]] += 1
        if not agree:
            sys.exit(f"not equal: {dialect}: {text.strip()}: the crate {found}, the rules {expected}")
assert set(faulty) == {"RepeatedMember", "MissingVersion", "InvalidVersion", "ConflictingMembers", "MissingMember", "MissingId",
                       "InvalidId", "InvalidMethod", "InvalidParams", "InvalidErrorObject"}
print(f"checked: {cells} combinations of members and dialects have the verdicts of the rules, {sum(faulty.values())} of them refusals")
