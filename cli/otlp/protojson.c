// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/protojson.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "cli/text.h"

/* "trace_id" becomes "traceId". */
static void put_key(FILE *f, const char *name)
{
	putc('"', f);
	for (const char *s = name; *s; s++) {
		if (*s == '_' && s[1])
			putc(toupper((unsigned char)*++s), f);
		else
			putc(*s, f);
	}
	fputs("\":", f);
}

static void put_bytes(FILE *f, const ProtobufCBinaryData *x)
{
	putc('"', f);
	for (size_t i = 0; i < x->len; i++)
		fprintf(f, "%02x", x->data[i]);
	putc('"', f);
}

static void put_value(FILE *f, const ProtobufCFieldDescriptor *d, const void *at)
{
	switch ((unsigned)d->type) {
	case PROTOBUF_C_TYPE_STRING:
		text_put_json(f, *(char *const *)at);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		put_bytes(f, at);
		break;
	case PROTOBUF_C_TYPE_BOOL:
		fputs(*(const protobuf_c_boolean *)at ? "true" : "false", f);
		break;
	case PROTOBUF_C_TYPE_UINT32:
		fprintf(f, "%" PRIu32, *(const uint32_t *)at);
		break;
	case PROTOBUF_C_TYPE_INT64:
		fprintf(f, "\"%" PRId64 "\"", *(const int64_t *)at);
		break;
	case PROTOBUF_C_TYPE_FIXED64:
		fprintf(f, "\"%" PRIu64 "\"", *(const uint64_t *)at);
		break;
	case PROTOBUF_C_TYPE_MESSAGE:
		protojson_put(f, *(ProtobufCMessage *const *)at);
		break;
	default:
		fputs("null", f);
	}
}

static void put_array(FILE *f, const ProtobufCFieldDescriptor *d, const char *items, size_t n)
{
	putc('[', f);
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc(',', f);
		put_value(f, d, items + i * sizeof(void *)); /* all arrays of otlp.proto are of messages */
	}
	putc(']', f);
}

static bool is_set(const ProtobufCFieldDescriptor *d, const char *m)
{
	const void *quantifier = m + d->quantifier_offset, *at = m + d->offset;

	if (d->label == PROTOBUF_C_LABEL_REPEATED)
		return *(const size_t *)quantifier;
	if (d->type == PROTOBUF_C_TYPE_STRING || d->type == PROTOBUF_C_TYPE_MESSAGE)
		return *(void *const *)at;
	return *(const protobuf_c_boolean *)quantifier;
}

void protojson_put(FILE *f, const ProtobufCMessage *m)
{
	const char *base = (const char *)m;
	bool any = false;

	putc('{', f);
	for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *d = &m->descriptor->fields[i];

		if (!is_set(d, base))
			continue;
		if (any)
			putc(',', f);
		any = true;
		put_key(f, d->name);
		if (d->label == PROTOBUF_C_LABEL_REPEATED)
			put_array(f, d, *(const char *const *)(base + d->offset),
				  *(const size_t *)(base + d->quantifier_offset));
		else
			put_value(f, d, base + d->offset);
	}
	putc('}', f);
}
