#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads protobuf messages by their .proto file. Understands only the parts of the language that the
.proto files of ctrace use: messages, one enum, scalars.

  protofile.py < TRACE         prints a trace of `ctrace export --format perfetto`
  protofile.py otlp < SPANS    prints spans of `ctrace export --format otlp`
"""
import os
import re
import sys

CLI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "cli")
PERFETTO = os.path.join(CLI, "export", "perfetto.proto")
OTLP = os.path.join(CLI, "otlp", "otlp.proto")


def messages(path):
    """Returns {message: {number: (name, type, repeated)}}, also for messages inside messages."""
    found, inside = {}, []
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"//.*", "", f.read())
    for line in text.splitlines():
        begin = re.match(r"\s*(message|enum) (\w+) \{", line)
        field = re.match(r"\s*(optional|repeated) (\w+) (\w+) = (\d+);", line)
        if begin:
            inside.append(begin.group(2))
            found.setdefault(inside[-1], {})
        elif field:
            found[inside[-1]][int(field.group(4))] = (field.group(3), field.group(2), field.group(1) == "repeated")
        elif re.match(r"\s*\}", line):
            inside.pop()
    return found


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def read(known, message, data):
    """Returns a message as a dict. A field that the .proto file does not have is an error."""
    out, at, fields = {}, 0, known[message]
    while at < len(data):
        key, at = varint(data, at)
        name, kind, repeated = fields[key >> 3]
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            if key & 7 != 2:
                raise ValueError("wire type %d" % (key & 7))
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("a message is cut")
            value = read(known, kind, value) if kind in known and fields else value
            value = value.decode("utf-8") if kind == "string" else value
        if (kind == "string") != isinstance(value, str) or (kind == "fixed64") != (key & 7 == 1):
            raise ValueError("%s.%s: wrong wire type %d" % (message, name, key & 7))
        if repeated:
            out.setdefault(name, []).append(value)
        else:
            out[name] = value
    return out


def show(message, indent=""):
    for name, values in message.items():
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, dict):
                print("%s%s" % (indent, name))
                show(value, indent + "  ")
            else:
                print("%s%s: %s" % (indent, name, value.hex() if isinstance(value, bytes) else value))


if __name__ == "__main__":
    if sys.argv[1:] == ["otlp"]:
        show(read(messages(OTLP), "ExportTraceServiceRequest", sys.stdin.buffer.read()))
    else:
        show(read(messages(PERFETTO), "Trace", sys.stdin.buffer.read()))
