// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/batch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/otlp/protojson.h"
#include "cli/thresholds.h"
#include "lib/cgroup.h"
#include "lib/clean.h"
#include "lib/cleanup.h"

enum { RESOURCE_ATTRS = 12, STATUS_ERROR = 2 };

struct batch_span {
	Ot__Span span;
	uint32_t process; /* the main thread of the process, or else a thread of it */
	bool grouped;
	struct batch_span *next;
};

static void fail(struct batch *b, int exit_code)
{
	b->failed = true;
	b->exit_code = exit_code;
}

void batch_init(struct batch *b, const struct export *x)
{
	*b = (struct batch){ .x = x, .arena = arena_new() };
	memcpy(b->key.k, x->trace->boot_id, sizeof(b->key.k));
	if (!b->arena)
		fail(b, cli_error("out of memory"));
}

void *batch_take(struct batch *b, size_t n)
{
	void *p = b->failed ? NULL : arena_alloc(b->arena, n);

	if (p)
		memset(p, 0, n);
	else if (!b->failed)
		fail(b, cli_error("out of memory"));
	b->bytes += n;
	return p;
}

char *batch_text(struct batch *b, const char *text)
{
	size_t size = clean_text(text, NULL, 0) + 1;
	char *p = batch_take(b, size);

	if (p)
		clean_text(text, p, size);
	return p;
}

void batch_set_bytes(struct batch *b, ProtobufCBinaryData *to, const uint8_t *from, size_t n)
{
	to->data = batch_take(b, n);
	to->len = to->data ? n : 0;
	if (to->data)
		memcpy(to->data, from, n);
}

uint64_t batch_hash(const struct batch *b, const uint64_t *what, size_t n)
{
	uint64_t h = siphash(&b->key, what, n * sizeof(*what));

	return h ? h : 1; /* OTLP forbids ids of zeroes */
}

uint64_t batch_time(const struct batch *b, uint64_t boot_ns)
{
	int64_t ns = clock_real_ns(boot_ns, &b->x->g->w->offsets);

	return ns < 0 ? 0 : (uint64_t)ns;
}

void batch_error(struct batch *b, Ot__Span *span, const char *message)
{
	span->status = batch_take(b, sizeof(*span->status));
	if (!span->status)
		return;
	ot__span_status__init(span->status);
	span->status->has_code = true;
	span->status->code = STATUS_ERROR;
	span->status->message = batch_text(b, message);
}

struct attrs attrs_new(struct batch *b, size_t max)
{
	struct attrs a = { .b = b, .v = batch_take(b, max * sizeof(*a.v)) };

	a.max = a.v ? max : 0;
	return a;
}

static Ot__AnyValue *add(struct attrs *a, const char *key)
{
	struct both {
		Ot__KeyValue pair;
		Ot__AnyValue value;
	} *p = a->n < a->max ? batch_take(a->b, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	ot__key_value__init(&p->pair);
	ot__any_value__init(&p->value);
	p->pair.key = (char *)key;
	p->pair.value = &p->value;
	a->v[a->n++] = &p->pair;
	return &p->value;
}

void attrs_text(struct attrs *a, const char *key, const char *value)
{
	Ot__AnyValue *v = value && *value ? add(a, key) : NULL;

	if (v)
		v->string_value = batch_text(a->b, value);
}

void attrs_number(struct attrs *a, const char *key, uint64_t value)
{
	Ot__AnyValue *v = add(a, key);

	if (!v)
		return;
	v->has_int_value = true;
	v->int_value = (int64_t)MIN(value, (uint64_t)INT64_MAX);
}

void attrs_flag(struct attrs *a, const char *key, bool value)
{
	Ot__AnyValue *v = add(a, key);

	if (!v)
		return;
	v->has_bool_value = true;
	v->bool_value = value;
}

void attrs_thread(struct attrs *a, const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	attrs_number(a, "thread.id", g->tasks[task].tid);
	attrs_text(a, "thread.name", graph_comm(g, task, ts_ns));
}

void batch_link(struct batch *b, Ot__Span *span, const struct span_ids *to, const char *why)
{
	Ot__Link *link = batch_take(b, sizeof(*link));
	struct attrs a = attrs_new(b, 1);

	if (!span->links)
		span->links = batch_take(b, BATCH_LINKS * sizeof(*span->links));
	if (!link || !span->links)
		return;
	ot__link__init(link);
	link->has_trace_id = link->has_span_id = true;
	batch_set_bytes(b, &link->trace_id, to->trace, TRACE_ID_LEN);
	batch_set_bytes(b, &link->span_id, to->span, SPAN_ID_LEN);
	attrs_text(&a, "ctrace.link", why);
	link->n_attributes = a.n;
	link->attributes = a.v;
	span->links[span->n_links++] = link;
}

/* A hash as the text of a UUID, as service.instance.id should be (RFC 9562, version 8) */
static void instance_id(const struct batch *b, uint32_t task, char buf[40])
{
	const struct graph_task *t = &b->x->g->tasks[task];
	uint64_t high = batch_hash(b, (uint64_t[]){ 'P', t->tgid, 0 }, 3);
	uint64_t low = batch_hash(b, (uint64_t[]){ 'P', t->tgid, 1 }, 3);

	snprintf(buf, 40, "%08x-%04x-8%03x-%04x-%012llx", (unsigned)(high >> 32),
		 (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xfff),
		 (unsigned)(low >> 48 & 0x3fff) | 0x8000, (unsigned long long)(low & 0xffffffffffffULL));
}

static void set_resource(struct batch *b, Ot__Resource *to, uint32_t task)
{
	const struct graph *g = b->x->g;
	uint64_t at_ns = MIN(g->tasks[task].exit_ns, b->x->to_ns) - 1;
	struct cgroup_name place = graph_place(g, task, at_ns);
	struct attrs a = attrs_new(b, RESOURCE_ATTRS);
	char instance[40], id[CGROUP_ID_LEN + 1];

	ot__resource__init(to);
	instance_id(b, task, instance);
	/* `ctrace requests` gives the service the same name */
	attrs_text(&a, "service.name", graph_comm(g, task, b->x->to_ns));
	attrs_text(&a, "service.instance.id", instance);
	attrs_number(&a, "process.pid", g->tasks[task].tgid);
	attrs_text(&a, "process.command_line", graph_cmdline(g, task, at_ns));
	attrs_text(&a, "process.linux.cgroup", place.cgroup);
	attrs_text(&a, "container.name", place.container);
	if (cgroup_container_id(place.cgroup, id))
		attrs_text(&a, "container.id", id);
	attrs_text(&a, "host.name", b->x->trace->host);
	attrs_text(&a, "os.type", "linux");
	attrs_text(&a, "os.version", b->x->trace->kernel);
	to->n_attributes = a.n;
	to->attributes = a.v;
}

/* Makes the ResourceSpans of the process of `first`, with all its spans in the batch. */
static Ot__ResourceSpans *group(struct batch *b, struct batch_span *first)
{
	struct whole {
		Ot__ResourceSpans spans;
		Ot__Resource resource;
		Ot__ScopeSpans scope_spans, *p;
		Ot__InstrumentationScope scope;
	} *w = batch_take(b, sizeof(*w));
	Ot__Span **v = batch_take(b, b->n * sizeof(*v));
	size_t n = 0;

	if (!w || !v)
		return NULL;
	for (struct batch_span *s = first; s; s = s->next) {
		if (s->process != first->process)
			continue;
		s->grouped = true;
		v[n++] = &s->span;
	}
	ot__resource_spans__init(&w->spans);
	ot__scope_spans__init(&w->scope_spans);
	ot__instrumentation_scope__init(&w->scope);
	set_resource(b, &w->resource, first->process);
	w->scope.name = "ctrace";
	w->scope_spans.scope = &w->scope;
	w->scope_spans.n_spans = n;
	w->scope_spans.spans = v;
	w->p = &w->scope_spans;
	w->spans.resource = &w->resource;
	w->spans.n_scope_spans = 1;
	w->spans.scope_spans = &w->p;
	return &w->spans;
}

static bool make_room(struct batch *b, size_t n)
{
	uint8_t *p = n > b->packed_size ? realloc(b->packed, n) : b->packed;

	if (!p) {
		fail(b, cli_error("out of memory"));
		return false;
	}
	b->packed = p;
	b->packed_size = MAX(b->packed_size, n);
	return true;
}

static void put(struct batch *b, const Ot__ExportTraceServiceRequest *request)
{
	const struct export *x = b->x;
	size_t n = protobuf_c_message_get_packed_size(&request->base);
	int r = CLI_OK;

	if (x->json) {
		protojson_put(x->f, &request->base);
		putc('\n', x->f);
		return;
	}
	if (!make_room(b, n))
		return;
	protobuf_c_message_pack(&request->base, b->packed);
	if (x->url)
		r = send_post(x->url, b->packed, n, &b->said);
	else
		fwrite(b->packed, 1, n,
		       x->f); /* several messages in a row are read as one message with all spans */
	if (r)
		fail(b, r);
}

static void flush(struct batch *b)
{
	Ot__ExportTraceServiceRequest request = OT__EXPORT_TRACE_SERVICE_REQUEST__INIT;

	request.resource_spans = batch_take(b, b->n * sizeof(*request.resource_spans));
	for (struct batch_span *s = b->first; s && !b->failed; s = s->next)
		if (!s->grouped)
			request.resource_spans[request.n_resource_spans++] = group(b, s);
	if (!b->failed)
		put(b, &request);
	arena_clear(b->arena);
	if (!b->failed)
		b->written += b->n;
	b->n = b->bytes = 0;
	b->first = b->last = NULL;
}

Ot__Span *batch_span(struct batch *b, uint32_t task, const struct span_ids *ids, const char *name,
		     uint64_t from_ns, uint64_t to_ns)
{
	const struct graph *g = b->x->g;
	struct batch_span *s;
	Ot__Span *span;

	if (b->n >= OTLP_SPANS || b->bytes >= OTLP_BYTES)
		flush(b);
	s = batch_take(b, sizeof(*s));
	if (!s)
		return NULL;
	s->process = graph_task_at(g, g->tasks[task].tgid, from_ns);
	if (s->process == GRAPH_NONE)
		s->process = task;
	if (b->last)
		b->last->next = s;
	else
		b->first = s;
	b->last = s;
	b->n++;
	span = &s->span;
	ot__span__init(span);
	span->has_trace_id = span->has_span_id = true;
	batch_set_bytes(b, &span->trace_id, ids->trace, TRACE_ID_LEN);
	batch_set_bytes(b, &span->span_id, ids->span, SPAN_ID_LEN);
	span->name = batch_text(b, name);
	span->has_start_time_unix_nano = span->has_end_time_unix_nano = span->has_kind = true;
	span->start_time_unix_nano = batch_time(b, from_ns);
	span->end_time_unix_nano = batch_time(b, MAX(from_ns, to_ns));
	return span;
}

int batch_done(struct batch *b)
{
	int r;

	if (b->n && !b->failed)
		flush(b);
	arena_free(b->arena);
	free(b->packed);
	r = send_report(b->x->url, &b->said);
	return b->failed ? b->exit_code : r;
}
