// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/disk.h"
#include "analysis/profile/piece.h"
#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "trace/words/texts.h"

struct sum {
	struct profile_part part;
	uint32_t interval; /* the interval that was counted last */
	bool runs;         /* the part has samples, so its name is in making.running */
};

/* A function that samples have shown in the running time of a part. */
struct sampled {
	size_t sum; /* index into making.sums */
	char function[ROLE_MAX];
	uint64_t n;
};

struct making {
	const struct graph *g;
	const struct path *p; /* of the leg in work */
	VEC(uint32_t) tgids;  /* the processes of the legs: they and their descendants are the program */
	uint64_t total_ns;
	bool truncated;
	disk_uses disks;
	VEC(struct sum) sums;
	struct map by_name;
	size_t last;  /* index into sums: the part to which the last add() added time */
	size_t waker; /* index into sums: the part whose end woke the task; SIZE_MAX: none */
	VEC(struct sampled) sampled;
	VEC(struct piece_name) running; /* the names of the sampled parts */
	struct map running_of;          /* index into sums -> index into running */
};

/* After failure too, the caller frees the texts with part_done(). */
static int part_set(struct profile_part *part, const struct piece_name *n)
{
	const char *late = n->late ? n->object : "";
	char detail[PART_TEXT_MAX], text[PART_TEXT_MAX * 2];

	snprintf(detail, sizeof(detail), n->function[0] || late[0] ? "%s|%s" : "%s%s", n->function, late);
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", n->head, n->function[0] ? " in " : "", n->function,
		 n->function[0] ? "()" : "", n->object[0] ? " (" : "", n->object, n->object[0] ? ")" : "");
	text[PART_TEXT_MAX - 1] = '\0';
	part->class = n->class;
	part->key = strdup(n->key);
	part->detail = strdup(detail);
	part->text = strdup(text);
	return part->key && part->detail && part->text ? 0 : -ENOMEM;
}

static int sum_of(struct making *k, const struct piece_name *n, size_t *ret)
{
	struct sum s = { .interval = GRAPH_NONE };
	uint64_t h, at = 0;
	bool found = false;
	int r = part_set(&s.part, n);

	h = r ? 0 : hash_text(hash_text(HASH_START, s.part.key), s.part.detail);
	while (!r && !found && map_get(&k->by_name, h, &at)) {
		found = !part_order(&k->sums.v[at].part, &s.part);
		h += !found;
	}
	if (!r && !found) {
		at = k->sums.n;
		r = map_set(&k->by_name, h, at);
		r = r ? r : VEC_PUSH(&k->sums, s);
	}
	if (r || found)
		part_done(&s.part);
	if (!r)
		*ret = at;
	return r;
}

static int add(struct making *k, const struct piece_name *n, uint32_t interval, uint64_t ns, size_t *ret)
{
	static const struct piece_name rest = { .class = PART_CLASS_UNKNOWN,
						.key = "rest",
						.head = "parts that are too many to list" };
	struct sum *s;
	int r = sum_of(k, k->sums.n < PROFILE_PARTS_MAX ? n : &rest, ret);

	if (r)
		return r;
	s = &k->sums.v[*ret];
	s->part.ns += ns;
	s->part.count += !s->part.count || interval == GRAPH_NONE || interval != s->interval;
	s->interval = interval;
	k->last = *ret;
	return 0;
}

/* Adds time of the class ENVIRONMENT in which a task waits for a CPU. */
static int add_environment(struct making *k, enum piece_environment what, uint32_t interval, uint64_t ns)
{
	struct piece_name n;
	size_t at;

	piece_name_environment(what, &n);
	if (k->waker != SIZE_MAX)
		k->sums.v[k->waker].part.queued_ns += ns;
	return add(k, &n, interval, ns, &at);
}

static bool is_wait(const struct path_piece *x)
{
	return x->time != TIME_RUNNING && x->time != TIME_RUNNABLE && x->time != TIME_SHORT;
}

/* Returns true if the task of piece x woke at the start of x, or was born then. Then the piece before
 * x is a wait of this task, or belongs to another task for which this task waited, or to the task
 * that created it. */
static bool is_wake(const struct path *p, const struct path_piece *x)
{
	if (x == p->pieces || (x->time != TIME_RUNNING && x->time != TIME_RUNNABLE))
		return false;
	return x[-1].frame == x->frame ? is_wait(x - 1) : p->frames[x[-1].frame].parent == x->frame;
}

static bool is_own(const struct making *k, uint32_t task)
{
	for (size_t i = 0; i < k->tgids.n; i++)
		if (k->g->tasks[task].tgid == k->tgids.v[i] || graph_descends_from(k->g, task, k->tgids.v[i]))
			return true;
	return false;
}

static bool is_other(const void *making, uint32_t task)
{
	return !is_own(making, task);
}

/* Adds the time of a wait for a CPU that no recorded task had. After each wake-up, the woken task waits
 * for a moment until the idle CPU runs it. So if x comes after a wait, the time is added to the part of
 * this wait. Otherwise, it is added to the environment. */
static int add_idle(struct making *k, const struct path_piece *x, uint64_t ns)
{
	const struct path_piece *wait = x == k->p->pieces ? NULL : x - 1;
	struct piece_name n;
	size_t at;

	if (!wait || !is_wait(wait))
		return add_environment(k, PIECE_ENVIRONMENT_IDLE, x->interval, ns);
	piece_name(k->g, k->p, wait, &n);
	return add(k, &n, wait->interval, ns, &at);
}

static int add_cpu(struct making *k, const struct path_piece *x, uint32_t user, uint64_t ns)
{
	struct piece_name n;
	size_t at;

	/* The idle task has no runs in a graph. Other tasks have, unless records are lost. */
	if (user == GRAPH_NONE && !k->g->w->lost_records)
		return add_idle(k, x, ns);
	if (user != GRAPH_NONE && !is_own(k, user))
		return add_environment(k, PIECE_ENVIRONMENT_CPU, x->interval, ns);
	if (user == GRAPH_NONE)
		piece_name_as(k->g, k->p, x, TIME_RUNNABLE, &n);
	else
		piece_name_cpu(k->g, k->p, x, user, &n);
	return add(k, &n, x->interval, ns, &at);
}

static bool is_throttled(const struct graph *g, const struct path_piece *x)
{
	return x->interval != GRAPH_NONE && g->intervals[x->interval].flags & CT_SF_THROTTLED;
}

static int add_quota(struct making *k, const struct path_piece *x)
{
	struct piece_name n;
	size_t at;

	piece_name_quota(k->g, k->p, x, &n);
	return add(k, &n, x->interval, x->to_ns - x->from_ns, &at);
}

static int add_runnable(struct making *k, const struct path_piece *x)
{
	const struct graph *g = k->g;
	uint32_t cpu = path_cpu_wanted(g, x->interval);
	uint64_t at = x->from_ns;
	int r = 0;

	for (size_t i = path_first_run(g, cpu, at); cpu < g->n_cpus && i < g->n_runs[cpu] && !r; i++) {
		const struct interval *run = graph_run(g, cpu, i);
		uint64_t from = MAX(run->from_ns, at), to = MIN(run->to_ns, x->to_ns);

		if (run->from_ns >= x->to_ns)
			break;
		if (from >= to)
			continue;
		if (from > at)
			r = add_cpu(k, x, GRAPH_NONE, from - at);
		r = r ? r : add_cpu(k, x, run->task, to - from);
		at = to;
	}
	return r || at >= x->to_ns ? r : add_cpu(k, x, GRAPH_NONE, x->to_ns - at);
}

static int add_sample(struct making *k, size_t sum, const char *function)
{
	struct sampled s = { .sum = sum, .n = 1 };

	for (size_t i = 0; i < k->sampled.n; i++)
		if (k->sampled.v[i].sum == sum && !texts_order(k->sampled.v[i].function, function)) {
			k->sampled.v[i].n++;
			return 0;
		}
	if (k->sampled.n >= PROFILE_FUNCTIONS_MAX)
		return 0;
	snprintf(s.function, sizeof(s.function), "%s", function);
	return VEC_PUSH(&k->sampled, s);
}

static int note_running(struct making *k, size_t sum, const struct piece_name *n)
{
	int r;

	if (k->sums.v[sum].runs)
		return 0;
	r = map_set(&k->running_of, sum, k->running.n);
	r = r ? r : VEC_PUSH(&k->running, *n);
	if (!r)
		k->sums.v[sum].runs = true;
	return r;
}

static int add_running(struct making *k, const struct path_piece *x)
{
	const struct graph *g = k->g;
	uint32_t task = k->p->frames[x->frame].task;
	const struct graph_ref *ref;
	struct piece_name n;
	char function[ROLE_MAX];
	size_t sum, n_refs;
	int r;

	piece_name(g, k->p, x, &n);
	r = add(k, &n, x->interval, x->to_ns - x->from_ns, &sum);
	ref = graph_refs_from(g, &g->samples, g->tasks[task].tid, x->from_ns, &n_refs);
	for (size_t i = 0; i < n_refs && !r && scan_step(g); i++) {
		const struct window_event *e = &g->w->events[ref[i].event];

		if (e->r.ts >= x->to_ns)
			break;
		r = note_running(k, sum, &n);
		r = r ? r : add_sample(k, sum, role_function(g, window_words(g->w, e)[0], function));
	}
	return r;
}

static int add_folded(struct making *k, const struct path_piece *x)
{
	static const enum time_kind kinds[] = { TIME_RUNNING, TIME_RUNNABLE, TIME_SHORT };
	uint64_t parts[TIME_KINDS];
	struct piece_name n;
	size_t at;
	int r = 0;

	path_parts(k->g, x, parts);
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !r; i++) {
		if (!parts[kinds[i]])
			continue;
		piece_name_as(k->g, k->p, x, kinds[i], &n);
		r = add(k, &n, x->interval, parts[kinds[i]], &at);
	}
	return r;
}

/* While other programs wait for the same disk, the disk works in turn for them and for this program.
 * So half of this time counts as environment. */
static int add_disk(struct making *k, const struct path_piece *x)
{
	const struct blame *b = x->blame == GRAPH_NONE ? NULL : &k->p->leaf_blames[x->blame];
	uint64_t shared = b ? disk_used_ns(k->g, &k->disks, b->obj, x->from_ns, x->to_ns) : 0;
	struct piece_name n;
	size_t at;
	int r = 0;

	if (shared / 2) {
		piece_name_environment(PIECE_ENVIRONMENT_DISK, &n);
		r = add(k, &n, x->interval, shared / 2, &at);
	}
	piece_name(k->g, k->p, x, &n);
	return r ? r : add(k, &n, x->interval, x->to_ns - x->from_ns - shared / 2, &at);
}

static int add_piece(struct making *k, const struct path_piece *x)
{
	struct piece_name n;
	size_t at;

	k->waker = is_wake(k->p, x) ? k->last : SIZE_MAX;
	if (k->waker != SIZE_MAX)
		k->sums.v[k->waker].part.wakes++;
	if (x->time == TIME_RUNNABLE)
		return is_throttled(k->g, x) ? add_quota(k, x) : add_runnable(k, x);
	if (x->time == TIME_SHORT)
		return add_folded(k, x);
	if (x->time == TIME_RUNNING)
		return add_running(k, x);
	if (x->time == TIME_DISK)
		return add_disk(k, x);
	piece_name(k->g, k->p, x, &n);
	return add(k, &n, x->interval, x->to_ns - x->from_ns, &at);
}

/* Moves the time of one function from a running part to a new part. ns and samples: those of the running
 * part before any time was moved. Each sample stands for an equal share of ns. But if the samples cover
 * too little of ns (PROFILE_SAMPLED_SHARE), each sample stands for CPU_SAMPLE_NS. */
static int split_function(struct making *k, const struct sampled *s, uint64_t ns, uint64_t samples)
{
	uint64_t all = samples * CPU_SAMPLE_NS, share, name = 0;
	struct piece_name n;
	size_t at;
	int r;

	if (!s->function[0] || s->n < PROFILE_SAMPLES_MIN || !map_get(&k->running_of, s->sum, &name) ||
	    k->sums.n >= PROFILE_PARTS_MAX)
		return 0;
	n = k->running.v[name];
	snprintf(n.function, sizeof(n.function), "%s", s->function);
	share = all >= ns / PROFILE_SAMPLED_SHARE ? (uint64_t)((double)ns * (double)s->n / (double)samples)
						  : s->n * CPU_SAMPLE_NS;
	share = MIN(share, k->sums.v[s->sum].part.ns);
	if (!share)
		return 0;
	r = add(k, &n, GRAPH_NONE, share, &at);
	if (r)
		return r;
	k->sums.v[at].part.count += s->n - 1;
	k->sums.v[s->sum].part.ns -= share;
	return 0;
}

static int split_running(struct making *k)
{
	size_t n = k->running.n ? k->sums.n : 0;
	_cleanup_free_ uint64_t *samples = calloc(n + 1, sizeof(*samples)), *ns = calloc(n + 1, sizeof(*ns));
	int r = 0;

	if (!samples || !ns)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		ns[i] = k->sums.v[i].part.ns;
	for (size_t i = 0; i < k->sampled.n; i++)
		samples[k->sampled.v[i].sum] += k->sampled.v[i].n;
	for (size_t i = 0; i < k->sampled.n && !r; i++)
		r = split_function(k, &k->sampled.v[i], ns[k->sampled.v[i].sum],
				   samples[k->sampled.v[i].sum]);
	return r;
}

static int part_cmp(const void *a, const void *b)
{
	return part_order(a, b);
}

/* Leaves out parts without time: split_function() has moved all their time to other parts. */
static int finish(struct making *k, struct profile **ret)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->parts = calloc(k->sums.n, sizeof(*p->parts));
	if (!p->parts) {
		free(p);
		return -ENOMEM;
	}
	p->total_ns = k->total_ns;
	p->truncated = k->truncated;
	for (size_t i = 0; i < k->sums.n; i++) {
		if (!k->sums.v[i].part.ns)
			continue;
		p->parts[p->n_parts++] = k->sums.v[i].part;
		k->sums.v[i].part = (struct profile_part){ 0 };
	}
	qsort(p->parts, p->n_parts, sizeof(*p->parts), part_cmp);
	*ret = p;
	return 0;
}

static int add_path(struct making *k, const struct profile_leg *leg)
{
	struct path *path = NULL;
	int r = path_walk(k->g, leg->task, leg->from_ns, leg->to_ns, &path);

	if (r)
		return r;
	k->p = path;
	k->truncated = k->truncated || path->truncated;
	for (size_t i = 0; i < path->n_pieces && !r; i++)
		r = add_piece(k, &path->pieces[i]);
	path_free(path);
	return r;
}

static int add_leg(struct making *k, const struct profile_leg *leg)
{
	static const struct piece_name unknown = { .class = PART_CLASS_UNKNOWN,
						   .key = "unknown",
						   .head = "an unknown task" };
	struct piece_name n = unknown;
	size_t at;

	k->total_ns += leg->to_ns - leg->from_ns;
	if (leg->kind == PROFILE_LEG_PATH && leg->task != GRAPH_NONE)
		return add_path(k, leg);
	if (leg->kind != PROFILE_LEG_PATH)
		piece_name_passive(k->g, leg->task, leg->to_ns, leg->kind == PROFILE_LEG_QUEUED, &n);
	return add(k, &n, GRAPH_NONE, leg->to_ns - leg->from_ns, &at);
}

static int add_program(struct making *k, const struct profile_leg *leg)
{
	uint32_t tgid = leg->task == GRAPH_NONE ? 0 : k->g->tasks[leg->task].tgid;

	for (size_t i = 0; i < k->tgids.n; i++)
		if (k->tgids.v[i] == tgid)
			return 0;
	return tgid ? VEC_PUSH(&k->tgids, tgid) : 0;
}

int profile_legs(const struct graph *g, const struct profile_leg *legs, size_t n, struct profile **ret)
{
	struct making k = { .g = g };
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		r = add_program(&k, &legs[i]);
	r = r ? r : disk_find(g, is_other, &k, &k.disks);
	for (size_t i = 0; i < n && !r; i++)
		r = add_leg(&k, &legs[i]);
	r = r ? r : split_running(&k);
	r = r ? r : finish(&k, ret);
	for (size_t i = 0; i < k.sums.n; i++)
		part_done(&k.sums.v[i].part);
	VEC_FREE(&k.sums);
	VEC_FREE(&k.sampled);
	VEC_FREE(&k.running);
	VEC_FREE(&k.tgids);
	VEC_FREE(&k.disks);
	map_done(&k.by_name);
	map_done(&k.running_of);
	return r;
}

int profile_new(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct profile **ret)
{
	const struct profile_leg leg = { .from_ns = from_ns, .to_ns = to_ns, .task = task };

	if (task >= g->n_tasks || from_ns >= to_ns)
		return -EINVAL;
	return profile_legs(g, &leg, 1, ret);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_parts; i++)
		part_done(&p->parts[i]);
	free(p->parts);
	free(p);
}

/* Returns true for `ctrace record`. The flag `tracer` is not enough: the daemon has this flag too. */
static bool is_recorder(const struct graph *g, uint32_t tgid)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, tgid, &n);

	for (size_t i = 0; i < n; i++)
		if (g->tasks[r[i].event].tracer && graph_is_called(g, r[i].event, g->w->to_ns, "ctrace"))
			return true;
	return false;
}

static uint64_t first_exec_ns(const struct graph *g, const struct graph_task *t)
{
	for (size_t i = window_lower_bound(g->w, t->born_ns); i < g->w->n_events; i++) {
		const struct window_event *e = &g->w->events[i];

		if (e->r.ts >= t->exit_ns)
			break;
		if (e->r.kind == CT_EXEC && e->r.tid == t->tid)
			return e->r.ts;
	}
	return t->born_ns;
}

void profile_life(const struct graph *g, uint32_t task, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	const struct graph_task *t = &g->tasks[task];

	*ret_from_ns = t->born_ns ? first_exec_ns(g, t) : 0;
	*ret_to_ns = t->exit_ns;
}

uint32_t profile_command(const struct graph *g, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (t->tid != t->tgid || t->tracer || t->kthread || !t->ptgid || !is_recorder(g, t->ptgid))
			continue;
		profile_life(g, i, ret_from_ns, ret_to_ns);
		return i;
	}
	return GRAPH_NONE;
}
