// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/contention/disk_use.h"

#include <errno.h>
#include <string.h>

#include "analysis/contention/tally.h"
#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "lib/bisect.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

#define SECTOR_BYTES 512

/* One wait of the waiter. before_ns: how long it waited in its earlier waits. */
struct span {
	uint64_t from_ns, to_ns, before_ns;
};

/* A request, while it is at the disk. */
struct request {
	uint64_t from_ns, to_ns;
	uint64_t sector, file;
	uint32_t bytes, tid;
	uint32_t task; /* for which it counts, or GRAPH_NONE */
	bool write;
};

struct look {
	const struct graph *g;
	uint32_t task;
	uint32_t dev;
	uint64_t from_ns, to_ns;
	VEC(struct span) waits;
	VEC(struct request) requests;
	/* from a file to the task for which its requests count, or to AMBIGUOUS: for requests that write, and
	 * for all others */
	struct map writers, readers;
	struct map waiters; /* from a task to the time for which it waited for the disk */
	bool by_time;       /* else by bytes */
};

static void look_done(struct look *k)
{
	VEC_FREE(&k->waits);
	VEC_FREE(&k->requests);
	map_done(&k->writers);
	map_done(&k->readers);
	map_done(&k->waiters);
}

/* Returns the key with the largest sum, or GRAPH_NONE if no key has more than all others. */
static uint32_t tally_best(const struct map *tally, uint64_t *ret_n)
{
	uint32_t best = GRAPH_NONE;

	*ret_n = 0;
	for (size_t i = 0; i < tally->cap; i++) {
		const struct map_slot *s = &tally->slots[i];

		if (!s->used || s->val < *ret_n)
			continue;
		best = s->val > *ret_n ? (uint32_t)s->key : GRAPH_NONE;
		*ret_n = s->val;
	}
	return best;
}

static uint32_t device_of(const struct graph *g, uint64_t obj)
{
	const struct window_object *o = graph_object(g, obj);

	if (CT_OBJ_KIND(obj) == CT_OBJ_BLOCKDEV)
		return (uint32_t)(obj & CT_OBJ_MASK);
	return o ? o->dev : 0;
}

/* Calls fn with the waits of each task for a disk. */
static int each_waiter(struct look *k, int (*fn)(struct look *k, const uint32_t *v, size_t n))
{
	const uint32_t *v = k->g->disk_waits;
	size_t n = k->g->n_disk_waits;
	int r = 0;

	for (size_t at = 0, end; at < n && !r; at = end) {
		uint32_t task = k->g->intervals[v[at]].task;

		end = BISECT(i, at, n, k->g->intervals[v[i]].task > task);
		r = fn(k, v + at, end - at);
	}
	return r;
}

static int note_waits(struct look *k)
{
	const struct graph_task *t = &k->g->tasks[k->task];
	uint64_t before_ns = 0;

	for (uint32_t i = graph_interval_at(k->g, k->task, k->from_ns);
	     i != GRAPH_NONE && i < t->first_interval + t->n_intervals; i++) {
		const struct interval *s = &k->g->intervals[i];
		struct span x = { MAX(s->from_ns, k->from_ns), MIN(s->to_ns, k->to_ns), before_ns };

		if (s->from_ns >= k->to_ns)
			break;
		if (s->state != INTERVAL_BLOCKED ||
		    (s->obj ? device_of(k->g, s->obj) != k->dev : !(s->st & CT_ST_DISK)))
			continue;
		if (VEC_PUSH(&k->waits, x))
			return -ENOMEM;
		before_ns += x.to_ns - x.from_ns;
	}
	return 0;
}

/* Returns how long the waiter waited for the disk before ns. */
static uint64_t waited_before(const struct look *k, uint64_t ns)
{
	size_t n = BISECT(i, (size_t)0, k->waits.n, k->waits.v[i].from_ns >= ns);
	const struct span *x = n ? &k->waits.v[n - 1] : NULL;

	return x ? x->before_ns + MIN(ns, x->to_ns) - x->from_ns : 0;
}

/* Returns for how long of [from, to) the waiter waited for the disk. */
static uint64_t waited_ns(const struct look *k, uint64_t from_ns, uint64_t to_ns)
{
	return from_ns < to_ns ? waited_before(k, to_ns) - waited_before(k, from_ns) : 0;
}

/* Returns the first time at or after from_ns at which records are missing, or UINT64_MAX. */
static uint64_t lost_from(const struct graph *g, uint64_t from_ns)
{
	uint64_t ns = UINT64_MAX;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->gaps, 0, from_ns, &n);

	if (graph_lacks_at(g, from_ns) & CT_LACK_PAUSES)
		return from_ns;
	if (n)
		ns = MAX(window_words(g->w, &g->w->events[r->event])[0], from_ns);
	r = graph_refs_from(g, &g->sheds, 0, from_ns, &n);
	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < ns && scan_step(g); i++)
		if (graph_lacks_at(g, g->w->events[r[i].event].r.ts) & CT_LACK_PAUSES)
			return g->w->events[r[i].event].r.ts;
	return ns;
}

/* No CT_BLK_DONE of the request was found up to to_ns. If it may be lost, the request ends where the first
 * records are missing. */
static void end_request(const struct graph *g, struct request *x, uint64_t to_ns)
{
	x->to_ns = MIN(to_ns, lost_from(g, x->from_ns));
}

static int begin_request(struct look *k, const struct window_event *e, struct map *at_disk)
{
	const uint64_t *x = window_words(k->g->w, e);

	if (VEC_PUSH(&k->requests, (struct request){ .from_ns = e->r.ts,
						     .sector = x[0],
						     .file = x[1],
						     .bytes = ct_block_bytes(&e->r),
						     .tid = e->r.tid,
						     .task = GRAPH_NONE,
						     .write = ct_block_op(&e->r) == 1 }))
		return -ENOMEM;
	return map_set(at_disk, x[0], k->requests.n);
}

/* A request is at the disk from CT_BLK_ISSUE to CT_BLK_DONE. Requests that were issued before from_ns may
 * still be there at from_ns. So the search begins DISK_USE_LOOKS records earlier. */
static int note_requests(struct look *k)
{
	size_t n, n_after;
	const struct graph_ref *r =
		graph_refs(&k->g->blocks, CT_OBJ_ID(CT_OBJ_BLOCKDEV, (uint64_t)k->dev), &n);
	struct map at_disk = { 0 }; /* from a sector to 1 + the index of the request */
	int err = 0;

	graph_refs_from(k->g, &k->g->blocks, CT_OBJ_ID(CT_OBJ_BLOCKDEV, (uint64_t)k->dev), k->from_ns,
			&n_after);
	for (size_t i = checked_sub(n - n_after, DISK_USE_LOOKS); i < n && !err && scan_step(k->g); i++) {
		const struct window_event *e = &k->g->w->events[r[i].event];
		const uint64_t *x = window_words(k->g->w, e);
		uint64_t at = 0;

		if (e->r.ts >= k->to_ns)
			break;
		map_get(&at_disk, x[0], &at);
		if (e->r.kind == CT_BLK_DONE && at) {
			k->requests.v[at - 1].to_ns = e->r.ts;
			map_del(&at_disk, x[0]);
		} else if (e->r.kind == CT_BLK_ISSUE) {
			/* A disk rarely has two requests for a sector, so the end of the first was lost. */
			if (at)
				end_request(k->g, &k->requests.v[at - 1], e->r.ts);
			err = begin_request(k, e, &at_disk);
		}
	}
	for (size_t i = 0; i < at_disk.cap && !err; i++)
		if (at_disk.slots[i].used)
			end_request(k->g, &k->requests.v[at_disk.slots[i].val - 1], k->to_ns);
	map_done(&at_disk);
	return err;
}

/* bio_split() of the kernel gives the first part of a large request no pages, so its record has no file. The
 * rest of the request follows it on the disk, and has the file. */
static void find_split_files(struct look *k)
{
	for (size_t i = k->requests.n; i-- > 1;) {
		const struct request *rest = &k->requests.v[i];
		struct request *part = &k->requests.v[i - 1];

		if (!part->file && part->tid == rest->tid &&
		    part->sector + part->bytes / SECTOR_BYTES == rest->sector)
			part->file = rest->file;
	}
}

/* Tasks of several processes wait for a file. Its requests count for no task. */
#define AMBIGUOUS UINT64_MAX

static int note_waiter(const struct look *k, struct map *files, const struct interval *s)
{
	const struct graph_task *t = k->g->tasks;
	uint64_t was = s->task;

	map_get(files, s->obj, &was);
	if (was != AMBIGUOUS && t[was].tgid != t[s->task].tgid)
		was = AMBIGUOUS;
	else if (was != AMBIGUOUS && s->task == k->task) /* its other threads are not to blame for its file */
		was = k->task;
	return map_set(files, s->obj, was);
}

/* Notes which tasks wait for which files of the disk. A task that reads does not wait for requests that write
 * the file. */
static int note_waiters(struct look *k, const uint32_t *v, size_t n)
{
	const struct graph *g = k->g;
	int r = 0;

	for (size_t i = BISECT(x, (size_t)0, n, g->intervals[v[x]].to_ns > k->from_ns); i < n && !r; i++) {
		const struct interval *s = &g->intervals[v[i]];

		if (s->from_ns >= k->to_ns)
			break;
		if (device_of(g, s->obj) != k->dev)
			continue;
		r = note_waiter(k, &k->readers, s);
		if (!r && (s->wait == CT_W_WRITE || s->wait == CT_W_SYNC))
			r = note_waiter(k, &k->writers, s);
	}
	return r;
}

/* Returns a task of the only process that has opened the file for writing, or AMBIGUOUS. Of the process of
 * the waiter, this is the waiter. */
static uint64_t writer_of(const struct look *k, uint64_t file)
{
	uint32_t tgid = 0, task;
	size_t n;
	const struct graph_ref *r = graph_refs(&k->g->fds, file, &n);

	for (size_t i = 0; i < n && scan_step(k->g); i++) {
		const struct window_event *e = &k->g->w->events[r[i].event];

		if (!(e->r.flags & CT_FF_WRITE))
			continue;
		if (tgid && tgid != e->r.tid)
			return AMBIGUOUS;
		tgid = e->r.tid;
	}
	if (tgid == k->g->tasks[k->task].tgid)
		return k->task;
	task = tgid ? graph_task_at(k->g, tgid, k->from_ns) : GRAPH_NONE;
	return task == GRAPH_NONE ? AMBIGUOUS : task;
}

/* Finds the task for which each request counts. */
static int find_users(struct look *k)
{
	for (size_t i = 0; i < k->requests.n; i++) {
		struct request *x = &k->requests.v[i];
		uint32_t issuer = x->tid ? graph_task_at(k->g, x->tid, x->from_ns) : GRAPH_NONE;
		struct map *files = x->write ? &k->writers : &k->readers;
		uint64_t user = AMBIGUOUS;

		if (issuer != GRAPH_NONE && !k->g->tasks[issuer].kthread) {
			x->task = issuer;
			continue;
		}
		if (x->file && !map_get(files, x->file, &user)) {
			user = writer_of(k, x->file);
			if (map_set(files, x->file, user))
				return -ENOMEM;
		}
		x->task = user == AMBIGUOUS ? GRAPH_NONE : (uint32_t)user;
	}
	return 0;
}

/* Returns true if a request of task `a` counts for `b`: for its process, or if this is the process of the
 * waiter, for its thread. */
static bool counts_for(const struct look *k, uint32_t a, uint32_t b)
{
	const struct graph_task *t = k->g->tasks;

	return a == b || (a != GRAPH_NONE && t[a].tgid == t[b].tgid && t[b].tgid != t[k->task].tgid);
}

/* Returns how long the disk had requests that count for `user` (GRAPH_NONE: all requests) during the waits.
 */
static uint64_t busy_ns(const struct look *k, uint32_t user)
{
	uint64_t ns = 0, seen_ns = k->from_ns;

	for (size_t i = 0; i < k->requests.n; i++) {
		const struct request *x = &k->requests.v[i];

		if (user != GRAPH_NONE && !counts_for(k, x->task, user))
			continue;
		ns += waited_ns(k, MAX(x->from_ns, seen_ns), x->to_ns);
		seen_ns = MAX(seen_ns, x->to_ns);
	}
	return ns;
}

/* Returns how much of the disk the request had during the waits: ns or bytes. */
static uint64_t part_of(const struct look *k, const struct request *x)
{
	uint64_t ns = waited_ns(k, MAX(x->from_ns, k->from_ns), x->to_ns);

	return k->by_time || !ns ? ns : x->bytes;
}

static bool may_count(const struct look *k, uint32_t task)
{
	struct cgroup_name a, b;

	if (k->by_time)
		return true;
	a = graph_place(k->g, task, k->from_ns);
	b = graph_place(k->g, k->task, k->from_ns);
	return !strcmp(a.cgroup, b.cgroup);
}

struct share {
	uint32_t user; /* the thread with the largest part */
	uint64_t part, largest;
};

struct shares {
	VEC(struct share) v; /* one for each process; of the process of the waiter, one for each thread */
	uint64_t all, unknown;
};

static int add_share(const struct look *k, struct shares *s, uint32_t task, uint64_t part)
{
	for (size_t i = 0; i < s->v.n && scan_step(k->g); i++) {
		struct share *x = &s->v.v[i];

		if (!counts_for(k, task, x->user))
			continue;
		x->part += part;
		if (part > x->largest || (part == x->largest && task < x->user)) {
			x->user = task;
			x->largest = part;
		}
		return 0;
	}
	return VEC_PUSH(&s->v, (struct share){ task, part, part });
}

static int add_shares(const struct look *k, struct shares *s)
{
	struct map tasks = { 0 };
	int r = 0;

	for (size_t i = 0; i < k->requests.n && !r; i++) {
		const struct request *x = &k->requests.v[i];
		uint64_t part = part_of(k, x);

		s->all += part;
		if (x->task == GRAPH_NONE)
			s->unknown += part;
		else
			r = tally_add(&tasks, x->task, part);
	}
	for (size_t i = 0; i < tasks.cap && !r; i++)
		if (tasks.slots[i].used)
			r = add_share(k, s, (uint32_t)tasks.slots[i].key, tasks.slots[i].val);
	map_done(&tasks);
	return r;
}

/* Finds the user with more than half of the disk. If there is none, finds out whether several had it. */
static void choose(const struct look *k, const struct shares *s, struct disk_use *ret)
{
	size_t others = 0;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct share *x = &s->v.v[i];

		others += x->user != k->task && x->part >= s->all / BRANCH_SHARE;
		if (x->part <= s->all / 2)
			continue;
		if (x->user != k->task && may_count(k, x->user)) {
			ret->task = x->user;
			ret->busy_ns = k->by_time ? busy_ns(k, x->user) : 0;
			ret->bytes = k->by_time ? 0 : x->part;
			ret->all_bytes = k->by_time ? 0 : s->all;
		}
		return;
	}
	ret->several = others > 1;
}

/* Bytes do not count if the disk moved so few that no limit of bytes a second held it back. */
static bool has_enough(const struct look *k, uint64_t all)
{
	return k->by_time || all >= waited_ns(k, k->from_ns, k->to_ns) / DISK_USE_BYTE_NS;
}

/* Returns 1 if the requests tell who had the disk, 0 if they do not, or -ENOMEM. */
static int by_requests(struct look *k, struct disk_use *ret)
{
	struct shares s = { 0 };
	int r;

	find_split_files(k);
	r = each_waiter(k, note_waiters);
	if (!r)
		r = find_users(k);
	k->by_time = busy_ns(k, GRAPH_NONE) >= waited_ns(k, k->from_ns, k->to_ns) / 2;
	if (!r)
		r = add_shares(k, &s);
	if (!r && s.all && has_enough(k, s.all) && s.unknown <= s.all / 2) {
		choose(k, &s, ret);
		r = 1;
	}
	VEC_FREE(&s.v);
	return r;
}

static int tally_waits(struct look *k, const uint32_t *v, size_t n)
{
	const struct graph *g = k->g;
	int r = 0;

	for (size_t i = BISECT(x, (size_t)0, n, g->intervals[v[x]].to_ns > k->from_ns); i < n && !r; i++) {
		const struct interval *s = &g->intervals[v[i]];

		if (s->from_ns >= k->to_ns || s->task == k->task)
			break;
		if (device_of(g, s->obj) == k->dev)
			r = tally_add(&k->waiters, s->task,
				      overlap(s->from_ns, s->to_ns, k->from_ns, k->to_ns));
	}
	return r;
}

static int by_waits(struct look *k, struct disk_use *ret)
{
	int r = each_waiter(k, tally_waits);

	if (!r) {
		ret->task = tally_best(&k->waiters, &ret->waits_ns);
		ret->several = ret->task == GRAPH_NONE && ret->waits_ns;
	}
	return r;
}

static void find_file(const struct look *k, struct disk_use *ret)
{
	const struct graph_task *t = &k->g->tasks[ret->task];
	uint64_t best_ns = 0;

	ret->waits_ns = 0;
	for (uint32_t i = graph_interval_at(k->g, ret->task, k->from_ns);
	     i != GRAPH_NONE && i < t->first_interval + t->n_intervals; i++) {
		const struct interval *s = &k->g->intervals[i];
		uint64_t ns = overlap(s->from_ns, s->to_ns, k->from_ns, k->to_ns);

		if (s->from_ns >= k->to_ns)
			break;
		if (s->state != INTERVAL_BLOCKED || device_of(k->g, s->obj) != k->dev)
			continue;
		ret->waits_ns += ns;
		if (ns > best_ns) {
			best_ns = ns;
			ret->obj = s->obj;
		}
	}
}

int disk_use_find(const struct graph *g, uint32_t task, uint64_t obj, uint64_t from_ns, uint64_t to_ns,
		  struct disk_use *ret)
{
	struct look k = {
		.g = g, .task = task, .dev = device_of(g, obj), .from_ns = from_ns, .to_ns = to_ns
	};
	int r;

	*ret = (struct disk_use){ .task = GRAPH_NONE };
	if (!k.dev)
		return 0;
	r = note_waits(&k);
	if (!r)
		r = note_requests(&k);
	if (!r)
		r = by_requests(&k, ret);
	if (!r)
		r = by_waits(&k, ret);
	if (r >= 0 && ret->task != GRAPH_NONE)
		find_file(&k, ret);
	look_done(&k);
	return MIN(r, 0);
}

void disk_use_words(const struct disk_use *d, struct words *t)
{
	if (d->bytes) {
		words_add(t, "read or wrote ");
		words_bytes(t, d->bytes);
		words_add(t, " of the ");
		words_bytes(t, d->all_bytes);
		words_add(t, " that the disk moved in this time");
		return;
	}
	words_add(t, d->busy_ns ? "had requests at the same disk for " : "waited for the same disk for ");
	words_duration(t, d->busy_ns ? d->busy_ns : d->waits_ns);
	words_add(t, " of this time");
}
