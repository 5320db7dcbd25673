/* SPDX-License-Identifier: GPL-2.0-or-later */
/* protojson.h - private to cli/otlp: a message as OTLP/JSON. This is the JSON form of protobuf, but ids
 * are hexadecimal (opentelemetry-proto, docs/specification.md, "JSON Protobuf Encoding"). One thread. */
#ifndef CTRACE_CLI_OTLP_PROTOJSON_H
#define CTRACE_CLI_OTLP_PROTOJSON_H

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>

/* Writes the message in one line, without the newline at the end. All bytes are ASCII. Knows only
 * the types of otlp.proto. */
void protojson_put(FILE *f, const ProtobufCMessage *m);

#endif
