# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds a JSON document against one of share/schema: as much of JSON Schema as those use; what is not known fails."""
import json
import os
import re

DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "share", "schema")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float)}
NO_CHECK = {"$schema", "$id", "$defs", "title", "description"}


def is_type(v, name):
    if name == "integer":
        return isinstance(v, int) and not isinstance(v, bool)
    return isinstance(v, TYPES[name]) and not (name == "number" and isinstance(v, bool))


def check_object(v, s, top, at):
    props = s.get("properties", {})
    for name in s.get("required", []):
        if name not in v:
            yield "%s: no %s" % (at, name)
    for name, member in v.items():
        if name in props:
            yield from check(member, props[name], top, "%s.%s" % (at, name))
        elif s.get("additionalProperties", True) is False:
            yield "%s: %s is not in the schema" % (at, name)
        elif isinstance(s.get("additionalProperties"), dict):
            yield from check(member, s["additionalProperties"], top, "%s.%s" % (at, name))


def check(v, s, top, at):
    if "$ref" in s:
        yield from check(v, top["$defs"][s["$ref"].removeprefix("#/$defs/")], top, at)
    types = s.get("type", [])
    if types and not any(is_type(v, t) for t in ([types] if isinstance(types, str) else types)):
        yield "%s: %.60r is not %s" % (at, v, types)
        return
    for word, bad in (("enum", lambda x: v not in x), ("const", lambda x: v != x),
                      ("minimum", lambda x: is_type(v, "number") and v < x),
                      ("maximum", lambda x: is_type(v, "number") and v > x),
                      ("pattern", lambda x: isinstance(v, str) and not re.search(x, v))):
        if word in s and bad(s[word]):
            yield "%s: %.60r is not as %s says: %s" % (at, v, word, s[word])
    if isinstance(v, dict):
        yield from check_object(v, s, top, at)
    if isinstance(v, list) and "items" in s:
        for i, item in enumerate(v):
            yield from check(item, s["items"], top, "%s[%d]" % (at, i))
    unknown = set(s) - NO_CHECK - {"type", "$ref", "enum", "const", "minimum", "maximum", "pattern", "properties",
                                   "required", "additionalProperties", "items"}
    if unknown:
        yield "%s: this checker knows nothing of %s" % (at, sorted(unknown))


def errors(document, name):
    """What is wrong with a document, as a list of sentences."""
    with open(os.path.join(DIR, name + ".json"), encoding="utf-8") as f:
        schema = json.load(f)
    return list(check(document, schema, schema, name))
