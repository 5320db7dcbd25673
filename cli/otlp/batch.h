/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.h - private to cli/otlp: collects spans, and writes or sends them as soon as there are
 * OTLP_SPANS spans, or spans of OTLP_BYTES bytes. So memory never holds more spans than this. The
 * spans of one process share a resource: in OTLP, this is the description of the process.
 *
 * After a failure, batch.failed is set, and the functions do nothing more. Texts may have any
 * bytes. They are copied in their shown form (lib/clean.h), which is always UTF-8. One thread.
 */
#ifndef CTRACE_CLI_OTLP_BATCH_H
#define CTRACE_CLI_OTLP_BATCH_H

#include "cli/export/export.h"
#include "cli/otlp/send.h"
#include "lib/arena.h"
#include "lib/siphash.h"
#include "otlp.pb-c.h"

enum span_kind { SPAN_INTERNAL = 1, SPAN_SERVER, SPAN_CLIENT, SPAN_PRODUCER, SPAN_CONSUMER };

#define TRACE_ID_LEN 16
#define SPAN_ID_LEN  8

/* Ids are hashes of the boot and of what the span is about. So two traces that both have a request give it
 * the same ids. */
struct span_ids {
	uint8_t trace[TRACE_ID_LEN], span[SPAN_ID_LEN];
};

struct batch {
	const struct export *x;
	struct siphash_key key;
	struct arena *arena;
	size_t bytes; /* in the arena */
	uint8_t *packed;
	size_t packed_size;
	struct batch_span *first, *last;
	size_t n;
	size_t written; /* spans of earlier messages */
	struct send_said said;
	bool failed;
	int exit_code; /* of the failure; its error is printed */
};

struct attrs {
	struct batch *b;
	Ot__KeyValue **v;
	size_t n, max;
};

void batch_init(struct batch *b, const struct export *x);
/* Writes or sends the spans that are still in memory. Returns an exit code. */
int batch_done(struct batch *b);

/* what: n numbers that together name one thing of this boot. Never returns 0. */
uint64_t batch_hash(const struct batch *b, const uint64_t *what, size_t n);

/* Adds a span of the process of `task`. If the batch is already full, first writes or sends it. So
 * the result is valid until the next call. NULL: a failure. The caller sets kind, attributes,
 * events, links and status. */
Ot__Span *batch_span(struct batch *b, uint32_t task, const struct span_ids *ids, const char *name,
		     uint64_t from_ns, uint64_t to_ns);
/* Returns n zero bytes. NULL: a failure. */
void *batch_take(struct batch *b, size_t n);
/* NULL: a failure */
char *batch_text(struct batch *b, const char *text);
void batch_set_bytes(struct batch *b, ProtobufCBinaryData *to, const uint8_t *from, size_t n);
void batch_error(struct batch *b, Ot__Span *span, const char *message);
/* Adds a link from the span to another one. why: the attribute ctrace.link. At most BATCH_LINKS for a span.
 */
void batch_link(struct batch *b, Ot__Span *span, const struct span_ids *to, const char *why);
#define BATCH_LINKS 3
/* The wall clock, as OTLP wants it. */
uint64_t batch_time(const struct batch *b, uint64_t boot_ns);

/* Room for up to max attributes. Further ones are a bug, and are left out. */
struct attrs attrs_new(struct batch *b, size_t max);
/* NULL or "": no attribute */
void attrs_text(struct attrs *a, const char *key, const char *value);
void attrs_number(struct attrs *a, const char *key, uint64_t value);
void attrs_flag(struct attrs *a, const char *key, bool value);
/* thread.id, thread.name */
void attrs_thread(struct attrs *a, const struct graph *g, uint32_t task, uint64_t ts_ns);

#endif
