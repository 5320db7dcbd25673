// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/contention/flag.h"

#include <string.h>

#include "analysis/thresholds.h"
#include "ctrace/fields.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "trace/format/window.h"

static const struct window_event *last_polled(const struct graph *g, uint32_t tid, uint64_t to_ns)
{
	const struct graph_ref *r = graph_ref_before(g, &g->polled, tid, to_ns);
	size_t n;
	const struct graph_ref *first = graph_refs(&g->polled, tid, &n);

	/* all variables of one inspection have one time; the most likely one comes first */
	while (r && r > first && g->w->events[r[-1].event].r.ts == g->w->events[r->event].r.ts)
		r--;
	return r ? &g->w->events[r->event] : NULL;
}

static const struct graph_ref *process_accesses(const struct graph *g, uint32_t tgid, size_t *ret_n)
{
	uint64_t first = CT_OBJ_USER_ID(CT_OBJ_DATA, tgid, 0);

	return graph_refs_range(&g->accesses, first, first + (1ULL << 47) - 1, ret_n);
}

struct history {
	/* the last write by another task in the range: it may have ended the polling */
	const struct window_event *ended;
	const struct window_event *before;
	/* The time of the last write, by any task, more than FLAG_TOGETHER_NS before `ended`. */
	uint64_t since_ns;
	bool own;
	bool many;
};

static struct history history_of(const struct graph *g, const struct graph_ref *r, size_t n, uint32_t task,
				 uint64_t from_ns, uint64_t to_ns)
{
	struct history h = { 0 };
	uint32_t writer = 0;

	for (size_t i = 0; i < n; i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (e->r.ts > to_ns)
			break;
		if (e->r.tid == g->tasks[task].tid)
			h.own = true;
		if (e->r.tid == g->tasks[task].tid || !ct_access_is_write(&e->r))
			continue;
		h.many |= writer && writer != e->r.tid;
		writer = e->r.tid;
		if (e->r.ts > from_ns)
			h.ended = e;
		else
			h.before = e;
	}
	for (size_t i = 0; h.ended && i < n; i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (ct_access_is_write(&e->r) && e->r.ts + FLAG_TOGETHER_NS < h.ended->r.ts)
			h.since_ns = e->r.ts;
	}
	return h;
}

static void take_history(const struct graph *g, const struct history *h, uint64_t obj, uint64_t from_ns,
			 uint64_t to_ns, struct flag *f)
{
	const struct window_event *e = h->ended ? h->ended : h->before;

	f->obj = obj;
	f->watched = true;
	if (!e)
		return;
	f->writer = graph_task_at(g, e->r.tid, e->r.ts);
	f->event = (uint32_t)(e - g->w->events);
	f->ended = e == h->ended && to_ns - e->r.ts <= FLAG_ENDED_NS;
	f->strength = h->many && !f->ended ? EDGE_BOOSTED : EDGE_STRONG;
	f->since_ns = f->ended ? MAX(from_ns, h->since_ns) : MAX(from_ns, e->r.ts);
	f->until_ns = f->ended ? e->r.ts : to_ns;
}

static bool is_later(const struct graph *g, const struct history *h, const struct flag *f)
{
	const struct window_event *e = h->ended ? h->ended : h->before;

	return !f->watched || (e && (f->event == GRAPH_NONE || e->r.ts > g->w->events[f->event].r.ts));
}

static uint64_t variable_of(const struct graph *g, const struct graph_ref *r)
{
	return g->w->events[r->event].r.obj;
}

/* If the polled variable is not known, takes one that the polling task has accessed. */
static void find_writer(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			struct flag *f)
{
	uint64_t known = f->obj;
	size_t n, count;
	const struct graph_ref *r = process_accesses(g, g->tasks[task].tgid, &n);

	for (size_t i = 0; i < n; i += count) {
		uint64_t obj = variable_of(g, &r[i]);
		struct history h;

		for (count = 1; i + count < n && variable_of(g, &r[i + count]) == obj; count++)
			;
		if (known && obj != known)
			continue;
		h = history_of(g, r + i, count, task, from_ns, to_ns);
		if (known || (h.own && is_later(g, &h, f)))
			take_history(g, &h, obj, from_ns, to_ns, f);
	}
}

/* A name without a symbol is an address, such as "0x7f.. (heap)". */
static bool has_symbol(const struct graph *g, uint64_t obj)
{
	const struct window_object *o = graph_object(g, obj);

	return o && o->name[0] && o->name[0] != '0';
}

static bool is_alone(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	size_t n, threads = 0;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[task].tgid, &n);

	for (size_t i = 0; i < n && scan_step(g); i++)
		threads += g->tasks[r[i].event].born_ns < to_ns && g->tasks[r[i].event].exit_ns > from_ns;
	return threads == 1;
}

struct flag flag_find(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	struct flag f = { .writer = GRAPH_NONE, .event = GRAPH_NONE };
	const struct window_event *polled = last_polled(g, g->tasks[task].tid, to_ns);
	bool alone;

	if (polled) {
		f.obj = polled->r.obj;
		f.spin = polled->r.ts >= from_ns && polled->r.flags & CT_QF_SPIN;
	}
	find_writer(g, task, from_ns, to_ns, &f);
	/* In a process without other threads, mostly only a signal handler can end the polling, and the
	 * variable that it changes mostly has a symbol. So a variable without a symbol is dropped, unless it
	 * is watched. */
	alone = f.obj && is_alone(g, task, from_ns, to_ns);
	if (!f.watched && !has_symbol(g, f.obj) && alone)
		f.obj = 0;
	/* The loop of an interpreter reads the same memory again and again, so it looks like a spin.
	 * It counts as a spin only if the writer of the variable is known, or if the variable has a symbol
	 * and the process has other threads. */
	f.spin &= f.writer != GRAPH_NONE || (has_symbol(g, f.obj) && !alone);
	return f;
}

/* Returns false for another form than "symbol (module)", and for a name that a shell would change. */
static bool split_name(const char *name, int *ret_symbol, const char **ret_module, int *ret_module_n)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-:@";
	const char *open = strrchr(name, '('), *close = open ? strchr(open, ')') : NULL;

	if (!close || close[1] || open - name < 2 || open[-1] != ' ')
		return false;
	*ret_symbol = (int)(open - name - 1);
	*ret_module = open + 1;
	*ret_module_n = (int)(close - open - 1);
	return strspn(name, plain) == (size_t)*ret_symbol &&
	       strspn(*ret_module, plain) == (size_t)*ret_module_n;
}

void flag_command(const struct graph *g, uint32_t pid, uint64_t obj, struct words *t)
{
	const struct window_object *o = graph_object(g, obj);
	const char *module;
	int symbol_n, module_n;

	words_add(t, "ctrace watch --pid %u --var ", pid);
	if (!has_symbol(g, obj) || !split_name(o->name, &symbol_n, &module, &module_n))
		words_add(t, "0x%llx", obj & ((1ULL << 47) - 1));
	else if (memmem(module, (size_t)module_n, ".so", 3))
		words_add(t, "%.*s:%.*s", module_n, module, symbol_n, o->name);
	else
		words_add(t, "%.*s", symbol_n, o->name);
}
