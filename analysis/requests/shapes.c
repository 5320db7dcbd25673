// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/requests/shapes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/texts.h"
#include "trace/words/words.h"

/* One request of a service, with its shape. */
struct shaped {
	uint64_t key; /* service << 32 | number of the shape */
	uint64_t ns;
	uint32_t request;
};

struct shaping {
	struct services *s;
	/* For each request R, and each request that is asked for its sake: R << 32 | the service that is
	 * asked. Sorted. */
	VEC(uint64_t) below;
	VEC(struct service_shape) shapes; /* of one service */
};

/* The elements of `below` for one request and one service. */
struct run {
	uint32_t service;
	size_t n;
};

static uint32_t high(uint64_t x)
{
	return (uint32_t)(x >> 32);
}

static int number_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int find_below(struct shaping *k)
{
	const struct requests *r = &k->s->requests;

	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t at = r->v[i].parent;

		if (request_is_of_tracer(k->s->g, &r->v[i]))
			continue;
		for (size_t depth = 0; at != GRAPH_NONE && depth < REQUEST_MAX_DEPTH; depth++) {
			if (VEC_PUSH(&k->below, (uint64_t)at << 32 | k->s->of[i]))
				return -ENOMEM;
			at = r->v[at].parent;
		}
	}
	if (k->below.n)
		qsort(k->below.v, k->below.n, sizeof(*k->below.v), number_cmp);
	return 0;
}

static size_t first_below(const struct shaping *k, uint32_t request)
{
	size_t lo = 0, hi = k->below.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (high(k->below.v[mid]) < request)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Takes the run that begins at element *at. Returns false if the request has no further one. */
static bool next_run(const struct shaping *k, uint32_t request, size_t *at, struct run *ret)
{
	size_t from = *at;

	if (from == k->below.n || high(k->below.v[from]) != request)
		return false;
	while (*at < k->below.n && k->below.v[*at] == k->below.v[from])
		(*at)++;
	*ret = (struct run){ (uint32_t)k->below.v[from], *at - from };
	return true;
}

/* Counts of which one is less than twice the other have mostly one power: 1, 2 to 3, 4 to 7, ... */
static unsigned power_of(size_t n)
{
	return 63 - (unsigned)__builtin_clzll(n);
}

/* Adds the number of the request's shape. */
static int number_shape(const struct shaping *k, struct texts *names, uint32_t request, size_t *ret)
{
	size_t at = first_below(k, request), n = 0;
	char name[SHAPE_SERVICES * 16 + 1] = "";
	struct run run;

	for (size_t services = 0; services < SHAPE_SERVICES && next_run(k, request, &at, &run); services++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "%x.%x ", run.service, power_of(run.n));
	return texts_add(names, name, ret);
}

static int shaped_cmp(const void *a, const void *b)
{
	const struct shaped *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->request < y->request ? -1 : x->request > y->request;
}

static int shape_cmp(const void *a, const void *b)
{
	const struct service_shape *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int add_shape(struct shaping *k, const struct shaped *v, size_t first, size_t n)
{
	struct service_shape x = { .first = first, .count = n };

	for (size_t i = 0; i < n; i++)
		x.ns += v[i].ns;
	x.latency = (struct quantiles){ v[quantile_rank(n, 50)].ns, v[quantile_rank(n, 95)].ns,
					v[quantile_rank(n, 99)].ns, v[n - 1].ns };
	return VEC_PUSH(&k->shapes, x);
}

/* All requests of a shape ask the same services. The numbers differ: least and most are the bounds. */
static int fill_asks(const struct shaping *k, const struct shaped *v, struct service_shape *x)
{
	x->asks = calloc(SHAPE_SERVICES, sizeof(*x->asks));
	if (!x->asks)
		return -ENOMEM;
	for (size_t i = 0; i < x->count; i++) {
		uint32_t request = v[x->first + i].request;
		size_t at = first_below(k, request), m = 0;
		struct run run;

		for (; m < SHAPE_SERVICES && next_run(k, request, &at, &run); m++) {
			struct service_shape_ask *a = &x->asks[m];

			a->service = run.service;
			a->least = i ? MIN(a->least, run.n) : run.n;
			a->most = MAX(a->most, run.n);
		}
		x->n_asks = m;
	}
	return 0;
}

/* v[first..first+n): the requests of one service. */
static int fill_shapes(struct shaping *k, const struct shaped *v, size_t first, size_t n)
{
	struct service *x = &k->s->v[high(v[first].key)];
	int r = 0;

	k->shapes.n = 0;
	for (size_t lo = first, hi; lo < first + n && !r; lo = hi) {
		for (hi = lo; hi < first + n && v[hi].key == v[lo].key; hi++)
			;
		r = add_shape(k, v + lo, lo, hi - lo);
	}
	VEC_SORT(&k->shapes, shape_cmp);
	x->n_all_shapes = k->shapes.n;
	x->shapes = calloc(SERVICE_SHAPES, sizeof(*x->shapes));
	if (!x->shapes)
		return -ENOMEM;
	for (; x->n_shapes < MIN(k->shapes.n, (size_t)SERVICE_SHAPES) && !r; x->n_shapes++) {
		x->shapes[x->n_shapes] = k->shapes.v[x->n_shapes];
		r = fill_asks(k, v, &x->shapes[x->n_shapes]);
	}
	return r;
}

static int fill_services(struct shaping *k, const struct shaped *v, size_t n)
{
	int r = 0;

	for (size_t lo = 0, hi; lo < n && !r; lo = hi) {
		for (hi = lo; hi < n && high(v[hi].key) == high(v[lo].key); hi++)
			;
		r = fill_shapes(k, v, lo, hi - lo);
	}
	return r;
}

int shapes_find(struct services *s, const uint32_t *requests, size_t n)
{
	_cleanup_free_ struct shaped *v = malloc((n + 1) * sizeof(*v));
	_cleanup_(texts_done) struct texts names = { 0 };
	struct shaping k = { .s = s };
	int r = v ? find_below(&k) : -ENOMEM;
	size_t shape;

	for (size_t i = 0; i < n && !r; i++) {
		const struct request *q = &s->requests.v[requests[i]];

		r = number_shape(&k, &names, requests[i], &shape);
		if (!r)
			v[i] = (struct shaped){ (uint64_t)s->of[requests[i]] << 32 | shape,
						request_to_ns(s->g, q) - request_from_ns(s->g, q),
						requests[i] };
	}
	if (!r) {
		qsort(v, n, sizeof(*v), shaped_cmp);
		r = fill_services(&k, v, n);
	}
	VEC_FREE(&k.below);
	VEC_FREE(&k.shapes);
	return r;
}

static int ask_cmp(const void *a, const void *b)
{
	const struct service_shape_ask *x = a, *y = b;

	return x->service < y->service ? -1 : x->service > y->service;
}

void shapes_renumber(struct service_shape *x, const uint32_t *now)
{
	for (size_t i = 0; i < x->n_asks; i++)
		x->asks[i].service = now[x->asks[i].service];
	qsort(x->asks, x->n_asks, sizeof(*x->asks), ask_cmp);
}

void shapes_free(struct service *s)
{
	for (size_t i = 0; i < s->n_shapes; i++)
		free(s->shapes[i].asks);
	free(s->shapes);
}

static void say_ask(struct words *t, const struct services *s, const struct service_shape_ask *a)
{
	const struct service *to = &s->v[a->service];

	words_add(t, "%s (%s) ", to->name, to->address);
	if (a->most == 1)
		words_add(t, "once");
	else if (a->least == a->most)
		words_add(t, "%zu times", a->most);
	else
		words_add(t, "%zu to %zu times", a->least, a->most);
}

char *shapes_say(const struct services *s, const struct service_shape *shape)
{
	size_t n = MIN(shape->n_asks, (size_t)SHAPE_SAID);
	struct words t = { 0 };

	words_add(&t, n ? "ask " : "ask no other service");
	for (size_t i = 0; i < n; i++) {
		words_add(&t, i ? ", " : "");
		say_ask(&t, s, &shape->asks[i]);
	}
	if (n < shape->n_asks)
		words_add(&t, ", and %zu more service%s", shape->n_asks - n,
			  shape->n_asks - n > 1 ? "s" : "");
	return words_take(&t);
}
