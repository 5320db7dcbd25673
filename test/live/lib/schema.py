# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares a JSON document with one of the schemas in share/schema."""
import functools
import json
import os
import sys

try:
    from jsonschema import Draft202012Validator as Validator
except ImportError:
    print("SKIP: package python3-jsonschema is not installed (scripts/deps test)")
    sys.exit(77)

DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "share", "schema")
WORDS = set(Validator.VALIDATORS) | {"$schema", "$id", "$defs", "title", "description"}


def parts(schema):
    """A schema, and all schemas inside it."""
    inside = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    inside += [schema[word] for word in ("items", "additionalProperties") if isinstance(schema.get(word), dict)]
    yield schema
    for part in inside:
        yield from parts(part)


@functools.lru_cache(maxsize=None)
def validator(name):
    with open(os.path.join(DIR, name + ".json"), encoding="utf-8") as f:
        schema = json.load(f)
    Validator.check_schema(schema)
    unknown = set().union(*parts(schema)) - WORDS  # the validator would ignore them
    if unknown:
        raise ValueError("%s.json: no words of JSON Schema: %s" % (name, sorted(unknown)))
    return Validator(schema)


def errors(document, name):
    return ["%s: %.200s" % (e.json_path.replace("$", name, 1), e.message) for e in validator(name).iter_errors(document)]
