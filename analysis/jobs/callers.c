// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/map.h"
#include "trace/words/frame.h"

#define FRAMES_MAX 128

struct shape {
	uint64_t token[FRAMES_MAX]; /* hashes of the functions, innermost first */
	size_t n;
	size_t inner; /* near stacks have the same first tokens, up to this number */
	bool open;    /* the outermost frames are missing */
};

struct search {
	const struct window *w;
	const uint64_t *stacks;
	size_t n;
	uint32_t *parent;      /* a forest: the root of a tree stands for its cluster */
	struct map whole;      /* hash of all tokens -> stack */
	struct map beginnings; /* hash of the first tokens -> root, or SEVERAL */
};
#define SEVERAL UINT32_MAX

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
	uint32_t x = root_of(parent, a), y = root_of(parent, b);

	parent[MAX(x, y)] = MIN(x, y);
}

/* If the last functions repeat those before them, removes them. */
static void fold(struct shape *s)
{
	for (size_t period = 1; period <= CALLERS_PERIOD && 2 * period <= s->n; period++)
		if (!memcmp(&s->token[s->n - period], &s->token[s->n - 2 * period],
			    period * sizeof(s->token[0]))) {
			s->n -= period;
			return;
		}
}

static struct shape shape_of(const struct window *w, uint64_t id)
{
	const struct window_stack *stack = window_stack(w, id);
	struct shape s = { 0 };
	bool own = false;

	for (size_t i = 0; stack && i < stack->n_frames; i++) {
		const char *frame = stack->frames[i];

		s.open = frame_is_rest(frame) || s.n == FRAMES_MAX;
		if (s.open)
			break;
		s.token[s.n++] = hash_bytes(HASH_START, frame, frame_function_len(frame));
		fold(&s);
		if (!own)
			s.inner = s.n;
		own |= !frame_is_library(frame);
	}
	s.inner = MAX(s.inner, (size_t)CALLERS_INNER);
	return s;
}

/* Returns the hash of all tokens but one. without: its index; s->n: all tokens. */
static uint64_t hash_without(const struct shape *s, size_t without)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < s->n; i++)
		if (i != without)
			h = hash_add(h, map_hash(s->token[i]));
	return h;
}

static int add_whole(struct search *k, uint32_t i)
{
	struct shape s = shape_of(k->w, k->stacks[i]);
	uint64_t h = hash_without(&s, s.n), same;

	if (s.open)
		return 0;
	if (!map_get(&k->whole, h, &same))
		return map_set(&k->whole, h, i);
	join(k->parent, i, (uint32_t)same);
	return 0;
}

static void join_near(struct search *k, uint32_t i)
{
	struct shape s = shape_of(k->w, k->stacks[i]);
	uint64_t near;

	if (s.open)
		return;
	_Static_assert(CALLERS_EDITS == 1, "hash_without() leaves out one frame");
	for (size_t without = s.inner; without < s.n; without++)
		if (map_get(&k->whole, hash_without(&s, without), &near))
			join(k->parent, i, (uint32_t)near);
}

static int add_beginnings(struct search *k, uint32_t i)
{
	struct shape s = shape_of(k->w, k->stacks[i]);
	uint32_t root = root_of(k->parent, i);
	uint64_t h = HASH_START, before;
	int r = 0;

	for (size_t at = 0; at < s.n && !r; at++) {
		h = hash_add(h, map_hash(s.token[at]));
		if (!map_get(&k->beginnings, h, &before))
			r = map_set(&k->beginnings, h, root);
		else if (before != SEVERAL && root_of(k->parent, (uint32_t)before) != root)
			r = map_set(&k->beginnings, h, SEVERAL);
	}
	return r;
}

struct open_stack {
	uint32_t i;
	size_t n;
};

static int longest_cmp(const void *a, const void *b)
{
	const struct open_stack *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* The longest stacks come first, so that a stack also finds the ones that lack fewer frames. */
static int join_open(struct search *k)
{
	_cleanup_free_ struct open_stack *v = malloc((k->n + 1) * sizeof(*v));
	size_t n = 0;
	int r = 0;

	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < k->n && !r; i++) {
		struct shape s = shape_of(k->w, k->stacks[i]);

		if (s.open)
			v[n++] = (struct open_stack){ i, s.n };
		else
			r = add_beginnings(k, i);
	}
	qsort(v, n, sizeof(*v), longest_cmp);
	for (size_t i = 0; i < n && !r; i++) {
		struct shape s = shape_of(k->w, k->stacks[v[i].i]);
		uint64_t root;

		if (map_get(&k->beginnings, hash_without(&s, s.n), &root) && root != SEVERAL)
			join(k->parent, v[i].i, (uint32_t)root);
		r = add_beginnings(k, v[i].i);
	}
	return r;
}

static int64_t number(struct search *k, uint32_t *ret)
{
	int64_t clusters = 0;

	/* A root is the first stack of its cluster. */
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t root = root_of(k->parent, i);

		ret[i] = root == i ? (uint32_t)clusters++ : ret[root];
	}
	return clusters;
}

int64_t callers_find(const struct window *w, const uint64_t *stacks, size_t n, uint32_t *ret)
{
	_cleanup_free_ uint32_t *parent = malloc((n + 1) * sizeof(*parent));
	struct search k = { .w = w, .stacks = stacks, .n = n, .parent = parent };
	int64_t r = parent ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < n && !r; i++)
		parent[i] = i;
	for (uint32_t i = 0; i < n && !r; i++)
		r = add_whole(&k, i);
	for (uint32_t i = 0; i < n && !r; i++)
		join_near(&k, i);
	if (!r)
		r = join_open(&k);
	if (!r)
		r = number(&k, ret);
	map_done(&k.whole);
	map_done(&k.beginnings);
	return r;
}
