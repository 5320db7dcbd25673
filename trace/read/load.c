// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "ctrace/fields.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "lib/memory.h"
#include "trace/read/ahead.h"
#include "trace/read/collect.h"
#include "trace/format/limits.h"
#include "trace/format/order.h"
#include "trace/read/reader_private.h"

#define EVENTS_MAX (64u << 20)

struct load {
	struct reader *r;
	struct window *w;
	struct collect *collect;
	struct ahead *ahead;
	uint64_t moves; /* the moves that order_join() may still make */
	bool has_gaps;
	bool any;
	/* from this time on, the states of tasks are not known; UINT64_MAX: they are known */
	uint64_t blind_ns;
	bool in_gap; /* another gap with the same cause extends the last entry of `gaps` */
	VEC(struct window_record) gaps;
};

static int load_gap(struct load *l, uint8_t cause, uint64_t from_ns, uint64_t to_ns, uint32_t n_records)
{
	struct window *w = l->w;
	struct window_record *g;

	l->blind_ns = MIN(l->blind_ns, from_ns);
	if (cause == CT_LOSS_SLOT)
		w->skipped_slots++;
	to_ns = MIN(to_ns, w->to_ns - 1);
	from_ns = MIN(from_ns, to_ns);
	g = l->gaps.n ? &l->gaps.v[l->gaps.n - 1] : NULL;
	if (g && l->in_gap && g->r.state == cause) {
		g->x[1] = g->r.ts = MAX(to_ns, g->x[1]);
		g->x[0] = MIN(from_ns, g->x[0]);
		g->r.peer = g->r.peer > UINT32_MAX - n_records ? UINT32_MAX : g->r.peer + n_records;
		return 0;
	}
	l->in_gap = true;
	return VEC_PUSH(&l->gaps, (struct window_record){
					  .r = { .ts = to_ns,
						 .kind = CT_GAP,
						 .state = cause,
						 .tid = CT_GAP_ALL_CPUS,
						 .peer = n_records },
					  .x = { from_ns, to_ns },
				  });
}

static int load_unwritten(struct load *l, const struct format_segment *h)
{
	if (!(h->flags & FORMAT_SEGMENT_UNWRITTEN) || h->gap_from_ns >= l->w->to_ns ||
	    h->begin_ns < l->w->from_ns)
		return 0;
	l->in_gap = false;
	return load_gap(l, CT_LOSS_DISK, h->gap_from_ns, h->begin_ns,
			(uint32_t)MIN(h->gap_records, (uint64_t)UINT32_MAX));
}

static int load_hole(struct load *l, size_t i)
{
	const struct format_segment *h = &l->r->index.segments.v[i].h;
	const struct format_segment *before;
	bool restart = h->flags & FORMAT_SEGMENT_RESTART;
	uint64_t to_ns = h->flags & FORMAT_SEGMENT_UNWRITTEN ? h->gap_from_ns : h->begin_ns;
	int err;

	if (i == l->r->first)
		return load_unwritten(l, h);
	before = &l->r->index.segments.v[i - 1].h;
	if (before->seq + 1 == h->seq && !restart)
		return load_unwritten(l, h);
	if (before->end_ns >= l->w->to_ns || to_ns < l->w->from_ns)
		return load_unwritten(l, h);
	err = load_gap(l, restart ? CT_LOSS_DOWN : CT_LOSS_SLOT, before->end_ns, MAX(before->end_ns, to_ns),
		       0);
	return err ? err : load_unwritten(l, h);
}

static int load_states(struct load *l, struct decoder *d, uint64_t begin_ns)
{
	struct window *w = l->w;
	struct window_resync s = { .from_ns = MIN(l->blind_ns, begin_ns), .ns = begin_ns };
	struct window_resync *grown;
	int err;

	if (l->any && l->blind_ns == UINT64_MAX)
		return 0;
	err = collect_states(l->collect, d, &s.states, &s.n_states);
	if (err)
		return err;
	if (!l->any) {
		w->states = s.states;
		w->n_states = s.n_states;
		w->state_ns = begin_ns;
		return 0;
	}
	grown = realloc(w->resyncs, (w->n_resyncs + 1) * sizeof(*grown));
	if (!grown) {
		free(s.states);
		return -ENOMEM;
	}
	w->resyncs = grown;
	w->resyncs[w->n_resyncs++] = s;
	return 0;
}

/* Returns the begin of the daemon's first pause in this segment, or UINT64_MAX. After a pause, the
 * daemon seals the segment, and the next checkpoint has the new states. */
static uint64_t load_paused(const struct ahead_segment *s)
{
	const struct window_event *e = s->at.events;
	const struct window_words *words = s->at.words;
	uint64_t from_ns = UINT64_MAX;

	for (size_t i = 0; s->h->kinds[CT_GAP] && i < s->got.n_events; i++) {
		if (e[i].r.kind == CT_GAP && ct_gap_cause(&e[i].r) == CT_LOSS_SHED &&
		    e[i].r.tid == CT_GAP_ALL_CPUS)
			from_ns = MIN(from_ns, words->x[0]);
		words += CT_KIND_WORDS(e[i].r.kind) != 0;
	}
	return from_ns;
}

static void load_move(void *to, const void *from, size_t n, size_t size)
{
	if (to != from)
		memmove(to, from, n * size);
}

/* Moves the events of the segment behind the events of the window: between them is a hole if an earlier
 * segment was damaged. */
static void load_close_up(struct window *w, const struct ahead_segment *s)
{
	load_move(w->events + w->n_events, s->at.events, s->got.n_events, sizeof(*w->events));
	load_move(w->cpus + w->n_events, s->at.cpus, s->got.n_events, sizeof(*w->cpus));
	load_move(w->words + w->n_words, s->at.words, s->got.n_words, sizeof(*w->words));
}

static int load_add(struct load *l, const struct ahead_segment *s)
{
	const struct format_segment *h = s->h;
	struct window *w = l->w;
	uint64_t paused_ns = UINT64_MAX;
	int err = s->err;

	if (!err)
		err = collect_dictionary(l->collect, s->decoder);
	if (!err)
		err = load_states(l, s->decoder, h->begin_ns);
	if (!err)
		paused_ns = load_paused(s);
	if (err)
		return err;
	load_close_up(w, s);
	err = order_join(w, s->got.n_events, s->got.n_words, &l->moves);
	if (err)
		return err;
	w->n_cpus = MAX(w->n_cpus, h->n_cpus);
	w->n_cpus = MAX(w->n_cpus, s->got.n_cpus);
	w->n_cpus = MAX(w->n_cpus, 1u); /* a gap has the CPU number 0 */
	l->has_gaps |= h->kinds[CT_GAP] != 0;
	w->offsets.boot_to_mono_ns = h->boot_to_mono_ns;
	w->offsets.boot_to_real_ns = h->boot_to_real_ns;
	l->any = true;
	l->blind_ns = paused_ns;
	l->in_gap = false;
	return 0;
}

static int load_segment(struct load *l, size_t i)
{
	const struct format_segment *h = &l->r->index.segments.v[i].h;
	struct ahead_segment s;
	int err = load_hole(l, i);

	if (err)
		return err;
	s = ahead_next(l->ahead);
	err = load_add(l, &s);
	if (err == -ESTALE && !l->any) {
		/* The daemon has overwritten the oldest segment, so the trace now begins later. */
		l->w->file_from_ns = MAX(l->w->file_from_ns, h->end_ns);
		l->w->from_ns = MAX(l->w->from_ns, h->end_ns);
		l->w->from_ns = MIN(l->w->from_ns, l->w->to_ns);
		return 0;
	}
	if (err == -EBADMSG || err == -ESTALE)
		err = load_gap(l, CT_LOSS_SLOT, h->begin_ns, h->end_ns, h->n_records);
	return err;
}

/* Of two gaps with the same end, the one noted later comes first. */
static int by_end(const void *a, const void *b)
{
	const struct window_record *x = *(const struct window_record *const *)a;
	const struct window_record *y = *(const struct window_record *const *)b;

	if (x->r.ts != y->r.ts)
		return x->r.ts < y->r.ts ? -1 : 1;
	return x > y ? -1 : x < y;
}

static int load_resize(void **v, size_t n, size_t more, size_t size)
{
	size_t bytes;
	int err = checked_bytes(n, more, size, &bytes);
	void *p = err ? NULL : realloc(*v, bytes);

	if (p)
		*v = p;
	else if (!err)
		err = -ENOMEM;
	return err;
}

static int load_put_gaps(struct load *l)
{
	struct window *w = l->w;
	size_t a = w->n_events, a_words = w->n_words, b = l->gaps.n;
	_cleanup_free_ const struct window_record **gaps = calloc(b + 1, sizeof(*gaps));
	int err = gaps ? 0 : -ENOMEM;

	if (!err)
		err = load_resize((void **)&w->events, a, b + 1, sizeof(*w->events));
	if (!err)
		err = load_resize((void **)&w->cpus, a, b + 1, sizeof(*w->cpus));
	if (!err)
		err = load_resize((void **)&w->words, a_words, b + 1, sizeof(*w->words));
	if (err)
		return err;
	for (size_t i = 0; i < b; i++)
		gaps[i] = &l->gaps.v[i];
	qsort(gaps, b, sizeof(*gaps), by_end);
	w->n_events = a + b;
	w->n_words = a_words + b;
	while (b)
		if (a && w->events[a - 1].r.ts >= gaps[b - 1]->r.ts) {
			a--;
			w->events[a + b] = w->events[a];
			w->cpus[a + b] = w->cpus[a];
			if (CT_KIND_WORDS(w->events[a].r.kind)) {
				a_words--;
				w->words[a_words + b] = w->words[a_words];
			}
		} else {
			b--;
			w->events[a + b] = (struct window_event){ .r = gaps[b]->r };
			w->cpus[a + b] = 0;
			memcpy(w->words[a_words + b].x, gaps[b]->x, sizeof(gaps[b]->x));
		}
	return 0;
}

static int load_finish(struct load *l)
{
	struct window *w = l->w;
	int err = load_put_gaps(l);
	const struct window_event *e = w->events;

	if (err)
		return err;
	if (w->to_ns != UINT64_MAX)
		w->n_events = window_lower_bound(w, w->to_ns);
	if (w->n_events)
		w->state_ns = MIN(w->state_ns, e[0].r.ts);
	for (size_t i = 0; i < w->n_events && (l->has_gaps || l->gaps.n); i++)
		if (e[i].r.kind == CT_GAP)
			w->lost_records += ct_gap_records(&e[i].r);
	collect_finish(l->collect, w);
	return window_index(w);
}

static int load_reserve(struct load *l, size_t a, size_t b, uint64_t max_events, char *err)
{
	const struct reader *r = l->r;
	uint64_t n = 0, words = 0, bytes = 0, max = max_events ? max_events : EVENTS_MAX;

	for (size_t i = a; i < b; i++) {
		struct decoder_room room = reader_room(r, &r->index.segments.v[i].h);

		n += room.n_events;
		words += room.n_words;
		bytes += r->index.segments.v[i].h.body_bytes;
	}
	max = MIN(max, limits_records(bytes));
	if (n > max) {
		snprintf(err, READER_ERR_MAX,
			 "the window of %.200s has %" PRIu64 " events, and at most %" PRIu64
			 " are loaded: choose a shorter one",
			 r->name, n, max);
		return -E2BIG;
	}
	l->collect = collect_new(limits_kept_bytes(bytes));
	if (!l->collect)
		return -ENOMEM;
	l->moves = limits_moves(n);
	l->w->events = malloc((n + 1) * sizeof(*l->w->events));
	l->w->cpus = malloc((n + 1) * sizeof(*l->w->cpus));
	l->w->words = malloc((words + 1) * sizeof(*l->w->words));
	if (!l->w->events || !l->w->cpus || !l->w->words)
		return -ENOMEM;
	huge_advise(l->w->events, n * sizeof(*l->w->events));
	huge_advise(l->w->cpus, n * sizeof(*l->w->cpus));
	return ahead_new(r, a, b, l->w, &l->ahead);
}

uint64_t reader_newest(const struct reader *r, uint64_t max_events)
{
	uint64_t n = 0, max = max_events ? MIN(max_events, EVENTS_MAX) : EVENTS_MAX;

	for (size_t i = r->end; i > r->first; i--) {
		const struct format_segment *h = &r->index.segments.v[i - 1].h;

		n += reader_room(r, h).n_events;
		if (n > max)
			return reader_segment_to(h) + 1;
	}
	return r->info.from_ns;
}

static int load_all(struct load *l, uint64_t max_events, char *err)
{
	struct reader *r = l->r;
	size_t a = 0, b = 0;
	int ret = reader_select(r, &l->w->from_ns, &l->w->to_ns, &a, &b, err);

	if (!ret)
		ret = load_reserve(l, a, b, max_events, err);
	for (size_t i = a; !ret && i < b; i++) {
		ret = load_segment(l, i);
		if (r->progress)
			r->progress(r->progress_arg, (unsigned)((i + 1 - a) * 100 / (b - a)));
	}
	ahead_free(l->ahead);
	l->ahead = NULL;
	if (!ret && b < r->end)
		ret = load_hole(l, b);
	if (!ret && a == b) {
		snprintf(err, READER_ERR_MAX, "%.200s has no records in the window", r->name);
		return -ERANGE;
	}
	if (!ret && !l->any) {
		snprintf(err, READER_ERR_MAX, "no segment of %.200s in the window can be read", r->name);
		return -EBADMSG;
	}
	if (!ret)
		ret = load_finish(l);
	if (ret == -ENOMEM)
		snprintf(err, READER_ERR_MAX, "cannot load the window of %.200s: out of memory", r->name);
	else if (ret == -E2BIG && !*err)
		snprintf(
			err, READER_ERR_MAX,
			"the window of %.200s has more names and states than its size allows for: choose a shorter one; if that does not help, the file is damaged",
			r->name);
	return ret;
}

int window_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, uint64_t max_events,
		struct window **ret_w, char err[READER_ERR_MAX])
{
	struct load l = { .r = r, .blind_ns = UINT64_MAX };
	int ret = -ENOMEM;

	*err = 0;
	l.w = calloc(1, sizeof(*l.w));
	if (l.w) {
		l.w->from_ns = from_ns;
		l.w->to_ns = to_ns;
		l.w->machine = machine_of(r->info.machine);
		l.w->file_from_ns = r->info.from_ns;
		l.w->file_to_ns = r->info.to_ns;
		ret = load_all(&l, max_events, err);
	} else {
		snprintf(err, READER_ERR_MAX, "out of memory");
	}
	ahead_free(l.ahead);
	collect_free(l.collect);
	free(l.gaps.v);
	if (ret)
		window_free(l.w);
	else
		*ret_w = l.w;
	return ret;
}
