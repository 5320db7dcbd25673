// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/read/collect.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "lib/cleanup.h"
#include "trace/format/blob.h"
#include "trace/format/limits.h"

struct collect *collect_new(uint64_t budget)
{
	struct collect *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->budget = budget;
	c->arena = arena_new();
	if (!c->arena) {
		free(c);
		return NULL;
	}
	return c;
}

void collect_free(struct collect *c)
{
	if (!c)
		return;
	arena_free(c->arena);
	VEC_FREE(&c->tasks);
	VEC_FREE(&c->cmdlines);
	VEC_FREE(&c->objects);
	VEC_FREE(&c->stacks);
	map_done(&c->task_index);
	map_done(&c->cmdline_index);
	map_done(&c->object_index);
	map_done(&c->stack_index);
	free(c);
}

static int collect_pay(struct collect *c, size_t n)
{
	if (n > c->budget)
		return -E2BIG;
	c->budget -= n;
	return 0;
}

static int collect_task(struct collect *c, const struct ct_task_blob *b)
{
	struct window_task t;
	uint64_t i;
	int err;

	/* memcmp() below compares the padding too. */
	memset(&t, 0, sizeof(t));
	t.ts_ns = b->h.ts;
	t.tid = b->h.tid;
	t.tgid = b->tgid;
	t.ppid = b->ppid;
	t.uid = b->uid;
	t.pidns = b->pidns;
	t.flags = b->h.flags;
	t.cgroup_id = b->cgroup_id;
	t.start_ns = b->start_ns;
	memcpy(t.comm, b->comm, sizeof(t.comm) - 1);
	if (map_get(&c->task_index, t.tid, &i) && !memcmp(&c->tasks.v[i], &t, sizeof(t)))
		return 0;
	err = collect_pay(c, sizeof(t));
	if (err)
		return err;
	if (map_set(&c->task_index, t.tid, c->tasks.n))
		return -ENOMEM;
	return VEC_PUSH(&c->tasks, t);
}

static int collect_cmdline(struct collect *c, const struct ct_cmdline_blob *b)
{
	struct window_cmdline l = { .ts_ns = b->h.ts, .tgid = b->h.tid };
	const struct window_cmdline *last;
	uint64_t i;
	int err;

	if (map_get(&c->cmdline_index, l.tgid, &i)) {
		last = &c->cmdlines.v[i];
		if (last->ts_ns == l.ts_ns && strlen(last->text) == b->len &&
		    !memcmp(last->text, b->text, b->len))
			return 0;
	}
	err = collect_pay(c, sizeof(l) + b->len + 1u);
	if (err)
		return err;
	l.text = arena_string(c->arena, b->text, b->len);
	if (!l.text || map_set(&c->cmdline_index, l.tgid, c->cmdlines.n))
		return -ENOMEM;
	return VEC_PUSH(&c->cmdlines, l);
}

static bool is_connecting(const struct ct_object_blob *b)
{
	return CT_OBJ_KIND(b->id) == CT_OBJ_SOCK && b->protocol == IPPROTO_TCP && b->state == TCP_SYN_SENT;
}

static int collect_object(struct collect *c, const struct ct_object_blob *b)
{
	struct window_object o = { .id = b->id,
				   .ts_ns = b->h.ts,
				   .connecting_ns = is_connecting(b) ? b->h.ts : 0,
				   .ino = b->ino,
				   .peer = b->peer,
				   .x = b->x,
				   .tid = b->h.tid,
				   .dev = b->dev,
				   .fs_magic = b->fs_magic,
				   .family = b->family,
				   .type = b->type,
				   .protocol = b->protocol,
				   .state = b->state,
				   .lport = b->lport,
				   .rport = b->rport,
				   .netns = b->netns,
				   .name = "" };
	bool known;
	uint64_t i;
	int err;

	memcpy(o.laddr, b->laddr, sizeof(o.laddr));
	memcpy(o.raddr, b->raddr, sizeof(o.raddr));
	known = map_get(&c->object_index, o.id, &i);
	if (known)
		o.connecting_ns = MAX(o.connecting_ns, c->objects.v[i].connecting_ns);
	if (known && c->objects.v[i].ts_ns > o.ts_ns) {
		c->objects.v[i].connecting_ns = o.connecting_ns;
		return 0;
	}
	if (known && strlen(c->objects.v[i].name) == b->name_len &&
	    !memcmp(c->objects.v[i].name, b->name, b->name_len)) {
		o.name = c->objects.v[i].name;
	} else {
		err = collect_pay(c, (known ? 0 : sizeof(o)) + b->name_len);
		if (err)
			return err;
		o.name = b->name_len ? arena_string(c->arena, b->name, b->name_len) : "";
		if (!o.name)
			return -ENOMEM;
	}
	if (known) {
		c->objects.v[i] = o;
		return 0;
	}
	if (map_set(&c->object_index, o.id, c->objects.n))
		return -ENOMEM;
	return VEC_PUSH(&c->objects, o);
}

static int collect_stack(struct collect *c, const struct ct_stack_blob *b)
{
	struct window_stack s = { .id = b->id, .n_frames = b->n_frames };
	const char *p = b->frames;
	int err;

	if (map_get(&c->stack_index, s.id, NULL))
		return 0;
	err = collect_pay(c, sizeof(s) + s.n_frames * sizeof(*s.frames) + b->h.size);
	if (err)
		return err;
	s.frames = arena_alloc(c->arena, s.n_frames * sizeof(*s.frames));
	for (unsigned i = 0; s.frames && i < s.n_frames; i++) {
		size_t len = strlen(p);

		s.frames[i] = arena_string(c->arena, p, len);
		if (!s.frames[i])
			return -ENOMEM;
		p += len + 1;
	}
	if (!s.frames || map_set(&c->stack_index, s.id, c->stacks.n))
		return -ENOMEM;
	return VEC_PUSH(&c->stacks, s);
}

int collect_dictionary(struct collect *c, struct decoder *d)
{
	static const enum format_block_type types[] = { FORMAT_TASKS, FORMAT_OBJECTS, FORMAT_STACKS };

	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		const uint8_t *p;
		size_t n;
		int err = decoder_block(d, types[t], &p, &n);

		while (!err && (err = blob_next(&p, &n, c->blob)) == 1) {
			const struct ct_blob *b = (const struct ct_blob *)c->blob;

			if (b->kind == CT_TASK)
				err = collect_task(c, (const struct ct_task_blob *)b);
			else if (b->kind == CT_CMDLINE)
				err = collect_cmdline(c, (const struct ct_cmdline_blob *)b);
			else if (b->kind == CT_OBJECT)
				err = collect_object(c, (const struct ct_object_blob *)b);
			else
				err = collect_stack(c, (const struct ct_stack_blob *)b);
		}
		if (err)
			return err;
	}
	return 0;
}

static int by_state_tid(const void *a, const void *b)
{
	const struct window_state *x = a, *y = b;

	return x->last.tid < y->last.tid ? -1 : x->last.tid > y->last.tid;
}

int collect_states(struct collect *c, struct decoder *d, struct window_state **ret_states, size_t *ret_n)
{
	_cleanup_free_ struct window_state *states = NULL;
	const uint8_t *p;
	size_t bytes, n;
	int err = decoder_block(d, FORMAT_STATES, &p, &bytes);

	n = err ? 0 : bytes / sizeof(struct format_state);
	if (!err)
		err = collect_pay(c, n * sizeof(*states));
	if (err)
		return err;
	states = calloc(n + 1, sizeof(*states));
	if (!states)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct format_state s;

		memcpy(&s, p + i * sizeof(s), sizeof(s));
		if (!limits_state_ok(&s))
			return -EBADMSG;
		states[i] = (struct window_state){ .last = s.last,
						   .owner = s.owner,
						   .run = s.flags & FORMAT_STATE_CAPPED   ? WINDOW_RUN_CAPPED
							  : s.flags & FORMAT_STATE_FOLDED ? WINDOW_RUN_FOLDED
											  : s.run,
						   .cpu = s.cpu };
	}
	qsort(states, n, sizeof(*states), by_state_tid);
	*ret_states = TAKE_PTR(states);
	*ret_n = n;
	return 0;
}

static int by_tid_time(const void *a, const void *b)
{
	const struct window_task *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->ts_ns < y->ts_ns ? -1 : x->ts_ns > y->ts_ns;
}

static int by_tgid_time(const void *a, const void *b)
{
	const struct window_cmdline *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->ts_ns < y->ts_ns ? -1 : x->ts_ns > y->ts_ns;
}

static int by_object_id(const void *a, const void *b)
{
	const struct window_object *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_stack_id(const void *a, const void *b)
{
	const struct window_stack *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void collect_finish(struct collect *c, struct window *w)
{
	if (c->tasks.n)
		qsort(c->tasks.v, c->tasks.n, sizeof(*c->tasks.v), by_tid_time);
	if (c->cmdlines.n)
		qsort(c->cmdlines.v, c->cmdlines.n, sizeof(*c->cmdlines.v), by_tgid_time);
	if (c->objects.n)
		qsort(c->objects.v, c->objects.n, sizeof(*c->objects.v), by_object_id);
	if (c->stacks.n)
		qsort(c->stacks.v, c->stacks.n, sizeof(*c->stacks.v), by_stack_id);
	w->n_tasks = c->tasks.n;
	w->n_cmdlines = c->cmdlines.n;
	w->n_objects = c->objects.n;
	w->n_stacks = c->stacks.n;
	w->tasks = TAKE_PTR(c->tasks.v);
	w->cmdlines = TAKE_PTR(c->cmdlines.v);
	w->objects = TAKE_PTR(c->objects.v);
	w->stacks = TAKE_PTR(c->stacks.v);
	w->arena = TAKE_PTR(c->arena);
}
