// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto.c - the trace format of Perfetto (perfetto.proto). Each packet is written as soon as it is
 * made. The packets are not in order of time: trace_processor sorts them. Times are CLOCK_BOOTTIME, the
 * trace clock of Perfetto.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/export/export.h"
#include "lib/cleanup.h"
#include "perfetto.pb-c.h"
#include "trace/words/describe.h"

enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3, CLOCK_ID_BOOTTIME = 6 };
enum { SEQUENCE = 1, STATE_CLEARED = 1, ANNOTATIONS_MAX = 8 };
#define PACKET_FIELD 0x0a /* the protobuf key of field 1 of the message Trace */

#define TRACK_THREAD  (1ull << 40) /* plus the number of the task */
#define TRACK_PROCESS (2ull << 40) /* plus the number of the main thread */
#define TRACK_ORPHAN  (3ull << 40) /* plus the pid, if the main thread is not known */
#define TRACK_PATH    (4ull << 40)
#define TRACK_SPANS   (5ull << 40) /* plus export_span.track */

struct packer {
	const struct export *x;
	bool *named; /* [task]: its track is written */
	uint8_t *buf;
	size_t size;
	uint64_t flows;
	bool begun;
	bool failed;
};

struct note {
	Pf__DebugAnnotation v[ANNOTATIONS_MAX], *p[ANNOTATIONS_MAX];
	size_t n;
};

static size_t put_varint(uint8_t *to, size_t n)
{
	size_t len = 0;

	for (; n > 0x7f; n >>= 7)
		to[len++] = (uint8_t)(n | 0x80);
	to[len++] = (uint8_t)n;
	return len;
}

static void put_packet(struct packer *k, Pf__TracePacket *p)
{
	uint8_t head[16] = { PACKET_FIELD };
	size_t n;

	p->has_trusted_packet_sequence_id = true;
	p->trusted_packet_sequence_id = SEQUENCE;
	p->has_sequence_flags = !k->begun;
	p->sequence_flags = STATE_CLEARED;
	k->begun = true;
	n = protobuf_c_message_get_packed_size(&p->base);
	if (n > k->size) {
		uint8_t *buf = realloc(k->buf, n * 2);

		if (!buf) {
			k->failed = true;
			return;
		}
		k->buf = buf;
		k->size = n * 2;
	}
	protobuf_c_message_pack(&p->base, k->buf);
	fwrite_unlocked(head, 1, 1 + put_varint(head + 1, n), k->x->f);
	fwrite_unlocked(k->buf, 1, n, k->x->f);
}

static void put_clocks(struct packer *k)
{
	const struct clock_offsets *o = &k->x->g->w->offsets;
	uint64_t at = k->x->from_ns;
	Pf__ClockSnapshot__Clock v[3], *p[3] = { &v[0], &v[1], &v[2] };
	const uint32_t ids[3] = { CLOCK_ID_BOOTTIME, CLOCK_ID_MONOTONIC, CLOCK_ID_REALTIME };
	const int64_t times[3] = { (int64_t)at, clock_mono_ns(at, o), clock_real_ns(at, o) };
	Pf__ClockSnapshot clocks = PF__CLOCK_SNAPSHOT__INIT;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		pf__clock_snapshot__clock__init(&v[i]);
		v[i].has_clock_id = v[i].has_timestamp = true;
		v[i].clock_id = ids[i];
		v[i].timestamp = times[i] < 0 ? 0 : (uint64_t)times[i];
	}
	clocks.n_clocks = ARRAY_SIZE(v);
	clocks.clocks = p;
	clocks.has_primary_trace_clock = true;
	clocks.primary_trace_clock = CLOCK_ID_BOOTTIME;
	packet.clock_snapshot = &clocks;
	put_packet(k, &packet);
}

static void put_track(struct packer *k, Pf__TrackDescriptor *track, uint64_t uuid, uint64_t ns)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;

	track->has_uuid = true;
	track->uuid = uuid;
	packet.has_timestamp = true;
	packet.timestamp = ns;
	packet.track_descriptor = track;
	put_packet(k, &packet);
}

static uint64_t put_process(struct packer *k, uint32_t task, uint64_t ns)
{
	const struct graph *g = k->x->g;
	const struct graph_task *t = &g->tasks[task];
	uint64_t at_ns = MIN(t->exit_ns, k->x->to_ns) - 1;
	uint32_t leader = t->tid == t->tgid ? task : graph_task_at(g, t->tgid, at_ns);
	uint64_t uuid = leader == GRAPH_NONE ? TRACK_ORPHAN + t->tgid : TRACK_PROCESS + leader;
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	Pf__ProcessDescriptor process = PF__PROCESS_DESCRIPTOR__INIT;
	char name[EXPORT_NAME_MAX], cmdline[CT_CMDLINE_MAX * 4 + 1], *args = cmdline;

	export_last_name(k->x, leader == GRAPH_NONE ? task : leader, name);
	describe_clean(graph_cmdline(g, task, at_ns), cmdline, sizeof(cmdline));
	process.has_pid = true;
	process.pid = (int32_t)t->tgid;
	process.process_name = name;
	process.n_cmdline = cmdline[0] != 0;
	process.cmdline = &args;
	track.process = &process;
	put_track(k, &track, uuid, ns);
	return uuid;
}

/*
 * Several tasks may have the same tid, one after the other. For trace_processor, a name belongs to the
 * task that has the tid at the time of the packet. A packet without a time comes last of all packets
 * before it. So the packet has a time at which this task has the tid.
 */
static uint64_t put_thread(struct packer *k, uint32_t task)
{
	const struct graph_task *t = &k->x->g->tasks[task];
	uint64_t uuid = TRACK_THREAD + task, ns = MAX(t->from_ns, k->x->from_ns);
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	Pf__ThreadDescriptor thread = PF__THREAD_DESCRIPTOR__INIT;
	char name[EXPORT_NAME_MAX];

	if (k->named[task])
		return uuid;
	k->named[task] = true;
	track.has_parent_uuid = true;
	track.parent_uuid = put_process(k, task, ns);
	thread.has_pid = thread.has_tid = true;
	thread.pid = (int32_t)t->tgid;
	thread.tid = (int32_t)t->tid;
	thread.thread_name = (char *)export_last_name(k->x, task, name);
	track.thread = &thread;
	put_track(k, &track, uuid, ns);
	return uuid;
}

static void put_event(struct packer *k, Pf__TrackEvent *e, uint64_t track, Pf__TrackEvent__Type type,
		      uint64_t ns)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;

	e->has_track_uuid = e->has_type = true;
	e->track_uuid = track;
	e->type = type;
	packet.has_timestamp = true;
	packet.timestamp = ns;
	packet.track_event = e;
	put_packet(k, &packet);
}

static void put_slice(struct packer *k, uint64_t track, const char *category, const char *name,
		      struct note *notes, uint64_t from_ns, uint64_t to_ns)
{
	Pf__TrackEvent begin = PF__TRACK_EVENT__INIT, end = PF__TRACK_EVENT__INIT;
	char *categories = (char *)category;

	begin.name = (char *)name;
	begin.n_categories = 1;
	begin.categories = &categories;
	begin.n_debug_annotations = notes->n;
	begin.debug_annotations = notes->p;
	put_event(k, &begin, track, PF__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, from_ns);
	put_event(k, &end, track, PF__TRACK_EVENT__TYPE__TYPE_SLICE_END, to_ns);
}

static Pf__DebugAnnotation *add_note(struct note *n, const char *name)
{
	Pf__DebugAnnotation *a = &n->v[n->n];

	n->p[n->n++] = a;
	pf__debug_annotation__init(a);
	a->name = (char *)name;
	return a;
}

static void note_text(struct note *n, const char *name, const char *value)
{
	if (value && *value)
		add_note(n, name)->string_value = (char *)value;
}

static void note_number(struct note *n, const char *name, uint64_t value)
{
	Pf__DebugAnnotation *a = add_note(n, name);

	a->has_uint_value = true;
	a->uint_value = value;
}

struct wait_texts {
	char object[DESCRIBE_MAX], who[EXPORT_NAME_MAX];
};

static void note_wait(struct note *n, const struct packer *k, const struct blame *b, uint64_t ts_ns,
		      struct wait_texts *room)
{
	const struct graph *g = k->x->g;

	describe_object(g->w, b->obj, room->object, sizeof(room->object));
	note_text(n, "resource", resource_kind_word(b->kind));
	note_text(n, "object", room->object);
	if (b->task == GRAPH_NONE)
		return;
	note_text(n, "for", export_who(g, b->task, ts_ns, room->who));
	note_text(n, "edge", edge_kind_name(b->edge));
	note_text(n, "strength", edge_strength_name(b->strength));
}

static void put_item(void *arg, const struct export_item *item)
{
	struct packer *k = arg;
	struct note notes = { .n = 0 };
	struct wait_texts room;

	if (item->cpu != FORMAT_CPU_NONE)
		note_number(&notes, "cpu", item->cpu);
	if (item->blocked) {
		note_text(&notes, "call", describe_syscall(k->x->g->w->machine, item->s->nr));
		note_wait(&notes, k, &item->blame, item->to_ns, &room);
	}
	if (item->s->state == INTERVAL_FOLDED) {
		note_number(&notes, "running_ns", item->running_ns);
		note_number(&notes, "runnable_ns", item->runnable_ns);
		note_number(&notes, "waiting_ns", item->waiting_ns);
	}
	put_slice(k, put_thread(k, item->s->task), item->state, item->time, &notes, item->from_ns,
		  item->to_ns);
}

/* Each end of an arrow is an event of type "instant". So the arrow begins and ends at the right moments. */
static void put_end(struct packer *k, const struct export_edge *edge, uint32_t task, uint64_t ns, bool last)
{
	Pf__TrackEvent e = PF__TRACK_EVENT__INIT;
	char *category = (char *)edge_strength_name(edge->e->strength);

	e.name = (char *)edge_kind_name(edge->e->kind);
	e.n_categories = 1;
	e.categories = &category;
	e.n_flow_ids = !last;
	e.flow_ids = &k->flows;
	e.n_terminating_flow_ids = last;
	e.terminating_flow_ids = &k->flows;
	put_event(k, &e, put_thread(k, task), PF__TRACK_EVENT__TYPE__TYPE_INSTANT, ns);
}

static void put_edge(void *arg, const struct export_edge *edge)
{
	struct packer *k = arg;

	if (!export_is_arrow(k->x, edge))
		return;
	k->flows++;
	/* a send is recorded when its call returns, perhaps after the receive */
	put_end(k, edge, edge->from, MIN(edge->left_ns, edge->arrived_ns), false);
	put_end(k, edge, edge->to, edge->arrived_ns, true);
}

static void put_piece(struct packer *k, const struct path_piece *piece)
{
	const struct path *p = k->x->path;
	const struct path_frame *frame = &p->frames[piece->frame];
	struct note notes = { .n = 0 };
	struct wait_texts room;
	char who[EXPORT_NAME_MAX];

	note_text(&notes, "state", time_kind_name((enum time_kind)piece->time));
	note_number(&notes, "depth", frame->depth);
	if (frame->depth)
		note_text(&notes, "reason", edge_kind_name(frame->blame.edge));
	if (piece->blame != GRAPH_NONE)
		note_wait(&notes, k, &p->leaf_blames[piece->blame], piece->to_ns, &room);
	put_slice(k, TRACK_PATH, "path", export_who(k->x->g, frame->task, piece->from_ns, who), &notes,
		  piece->from_ns, piece->to_ns);
}

static void put_path(struct packer *k)
{
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	char title[EXPORT_TITLE_MAX];

	track.name = (char *)export_path_title(k->x, title);
	put_track(k, &track, TRACK_PATH, k->x->from_ns);
	for (size_t i = 0; i < k->x->path->n_pieces && !export_stopped(k->x); i++)
		put_piece(k, &k->x->path->pieces[i]);
}

static void put_span(void *arg, const struct export_span *span)
{
	struct packer *k = arg;
	struct note notes = { .n = 0 };
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	char by[EXPORT_NAME_MAX], to[EXPORT_NAME_MAX];

	if (span->first) {
		track.name = (char *)span->title;
		put_track(k, &track, TRACK_SPANS + span->track, k->x->from_ns);
	}
	if (span->by != GRAPH_NONE)
		note_text(&notes, "by", export_who(k->x->g, span->by, span->from_ns, by));
	if (span->to != GRAPH_NONE)
		note_text(&notes, "for", export_who(k->x->g, span->to, span->to_ns - 1, to));
	if (span->queueing_ns)
		note_number(&notes, "queueing_ns", span->queueing_ns);
	if (!span->ended)
		note_text(&notes, "end", "not seen");
	put_slice(k, TRACK_SPANS + span->track, span->category, span->name, &notes, span->from_ns,
		  span->to_ns);
}

int export_perfetto(const struct export *x)
{
	_cleanup_free_ bool *named = calloc(x->g->n_tasks + 1, sizeof(*named));
	struct packer k = { .x = x, .named = named, .failed = !named };
	int r = 0;

	if (!k.failed) {
		put_clocks(&k);
		if (x->path)
			put_path(&k);
		export_items(x, put_item, &k);
		export_edges(x, put_edge, &k);
		r = export_spans(x, put_span, &k);
	}
	free(k.buf);
	return k.failed ? cli_error("out of memory") : r ? export_spans_failed(r) : CLI_OK;
}
