// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/timeline/plain.h"
#include "lib/cleanup.h"
#include "test/unit/graph/causal_make.h"

static struct window_record *one_wake(struct make *m, enum ct_wait wait, uint64_t obj, uint64_t by)
{
	runs(m, 10, 10, 1, "waiter");
	runs(m, 20, 20, 10, "waker");
	sleeps(m, 10, 10, wait, obj);
	return wakes(m, 20, 10, 20, by);
}

static void assert_wake(enum ct_wait wait, uint64_t obj, uint64_t by, uint8_t flags, enum edge_kind kind,
			enum edge_strength strength)
{
	struct make m = { 0 };
	struct built b;

	one_wake(&m, wait, obj, by)->r.flags = flags;
	b = built(&m, 50);
	assert_sound(&b);
	assert_edge(&b, kind, 20, 10, strength);
	built_free(&b, &m);
}

static void test_wakes(void **state)
{
	const uint64_t event = CT_OBJ_ID(CT_OBJ_EVENTFD, 1), file = CT_OBJ_ID(CT_OBJ_FILE, 1);
	const uint64_t fuse = CT_OBJ_ID(CT_OBJ_FUSEDEV, 1), pidfd = CT_OBJ_ID(CT_OBJ_PIDFD, 1);

	assert_wake(CT_W_READ, PIPE(1), PIPE(1), 0, EDGE_PIPE, EDGE_STRONG);
	assert_wake(CT_W_READ, PIPE(1), PIPE(2), 0, EDGE_PIPE, EDGE_WEAK);
	assert_wake(CT_W_POLL, 0, PIPE(2), 0, EDGE_PIPE, EDGE_STRONG);
	assert_wake(CT_W_EPOLL, EPOLL(1), event, 0, EDGE_EVENTFD, EDGE_STRONG);
	assert_wake(CT_W_FUTEX, FUTEX(1), FUTEX(1), 0, EDGE_POST, EDGE_STRONG);
	assert_wake(CT_W_FUTEX, FUTEX(1), FUTEX(2), 0, EDGE_POST, EDGE_STRONG);
	assert_wake(CT_W_FUTEX, FUTEX(1), 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG); /* pthread_join() */
	assert_wake(CT_W_CHILD, 0, 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG);
	assert_wake(CT_W_SIGNAL, 0, 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG);     /* SIGCHLD */
	assert_wake(CT_W_READ, PIPE(1), 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG); /* the pipe closes */
	assert_wake(CT_W_POLL, pidfd, 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG);
	assert_wake(CT_W_SIGNAL, 0, 0, 0, EDGE_SIGNAL, EDGE_STRONG);
	assert_wake(CT_W_VFORK, 0, 0, 0, EDGE_VFORK, EDGE_STRONG);
	assert_wake(CT_W_FLOCK, file, file, 0, EDGE_FILELOCK, EDGE_STRONG);
	assert_wake(CT_W_STOPPED, 0, 0, 0, EDGE_STOP, EDGE_STRONG);
	assert_wake(CT_W_READ, fuse, file, 0, EDGE_FUSE, EDGE_STRONG);
	assert_wake(CT_W_FILE, file, fuse, 0, EDGE_FUSE, EDGE_STRONG);
	assert_wake(CT_W_READ, CT_OBJ_ID(CT_OBJ_TTY, 1), 0, 0, EDGE_WAKE, EDGE_WEAK);
	assert_wake(CT_W_WRITE, PIPE(1), PIPE(1), 0, EDGE_PIPE, EDGE_STRONG);
}

static uint32_t rnd(uint64_t *s)
{
	*s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*s >> 33);
}

static void random_window(struct make *m, uint64_t seed)
{
	static const uint8_t kinds[] = { CT_SWITCH, CT_SWITCH, CT_SWITCH, CT_WAKE,      CT_WAKE, CT_SEND,
					 CT_RECV,   CT_SEND,   CT_RECV,   CT_FORK,      CT_EXEC, CT_EXIT,
					 CT_SIGNAL, CT_JOB,    CT_FLOCK,  CT_VISIT,     CT_GAP,  CT_ACCESS,
					 CT_SAMPLE, CT_WAITFD, CT_FUTEX,  CT_SIGDELIVER };
	uint64_t ts = MS, s = seed;

	for (uint32_t t = 1; t < 12; t++)
		make_task(m, t, t / 3 * 3 + 1, t / 2, "task");
	connection(m, SOCK(1), SOCK(2), STREAM);
	connection(m, SOCK(3), SOCK(4), DGRAM);
	for (uint64_t i = 5; i < 8; i++)
		make_object(m, SOCK(i))->peer = SOCK(12 - i);
	for (int i = 0; i < 3000; i++) {
		uint32_t kind = kinds[rnd(&s) % (sizeof(kinds) / sizeof(kinds[0]))];
		struct window_record *e;

		ts += rnd(&s) % 3 * 30000;
		e = make_event(m, ts, rnd(&s) % 3, kind, rnd(&s) % 13, rnd(&s) % 13);
		e->r.wait = kind == CT_WAITFD ? rnd(&s) % 9 : rnd(&s) % (CT_W_YIELD + 1);
		e->r.state = kind == CT_SWITCH ? (rnd(&s) % 9 ? rnd(&s) % 3 : CT_ST_DEAD) : rnd(&s) % 5;
		e->r.flags = rnd(&s) % 64;
		e->r.nr = rnd(&s) % 400;
		e->r.aux = rnd(&s) % 8;
		e->r.obj = kind == CT_SEND || kind == CT_RECV || rnd(&s) % 3
				   ? SOCK(rnd(&s) % 8 + 1)
				   : CT_OBJ_ID(rnd(&s) % 22, rnd(&s) % 3);
		e->x[0] = rnd(&s) % 4;
		if (kind == CT_SEND || kind == CT_RECV)
			e->r.peer = rnd(&s) % 100 + 1;
	}
}

static void test_random(void **state)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct causal_options o = { .policy = seed % 3, .cuts_off = seed % 5 ? 0 : (uint32_t)seed };
		struct make m = { 0 };
		struct causal *again;
		struct built b;

		random_window(&m, seed);
		b = built_with(&m, 1000, o.policy, o.cuts_off);
		assert_sound(&b);
		assert_int_equal(causal_build(b.g, &o, &again), 0);
		assert_int_equal(again->n_segments, b.c->n_segments);
		assert_int_equal(again->n_edges, b.c->n_edges);
		assert_memory_equal(again->segments, b.c->segments,
				    again->n_segments * sizeof(*again->segments));
		assert_memory_equal(again->edges, b.c->edges, again->n_edges * sizeof(*again->edges));
		causal_free(again);
		for (size_t i = 0; i < b.c->n_edges; i++) {
			char text[8];

			assert_true(edge_explain(b.c, &b.c->edges[i], text, sizeof(text)) > 8);
			assert_int_equal(strlen(text), 7);
			assert_true(edge_explain(b.c, &b.c->edges[i], NULL, 0) < EDGE_EXPLAIN_MAX);
		}
		built_free(&b, &m);
	}
}

/* The graph of a shown window has the edges of the whole graph, but not those to segments outside of the
 * window. Returns the number of edges that lead out of the window. */
static size_t assert_shown(const struct built *whole, const struct built *part, uint64_t from_ns,
			   uint64_t to_ns)
{
	const struct causal *c = whole->c;
	size_t n = 0, out = 0;

	assert_int_equal(part->c->n_segments, c->n_segments);
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct edge *e = &c->edges[i];

		if (segment_overlaps(&c->segments[e->to], from_ns, to_ns)) {
			assert_true(n < part->c->n_edges);
			assert_memory_equal(&part->c->edges[n++], e, sizeof(*e));
		} else if (e->from != GRAPH_NONE) {
			out += segment_overlaps(&c->segments[e->from], from_ns, to_ns);
		}
	}
	assert_int_equal(n, part->c->n_edges);
	return out;
}

static void test_shown_random(void **state)
{
	size_t out = 0, before = 0, kept = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct causal_options o = { .policy = seed % 3 };
		struct make m = { 0 };
		struct built b, part;
		uint64_t s = seed;

		random_window(&m, seed);
		b = built_with(&m, 1000, o.policy, 0);
		o.from_ns = rnd(&s) % 100 * MS;
		o.to_ns = o.from_ns + rnd(&s) % 30 * MS + 1;
		part.g = b.g;
		assert_int_equal(causal_build(b.g, &o, &part.c), 0);
		assert_sound(&part);
		out += assert_shown(&b, &part, o.from_ns, o.to_ns);
		before += o.from_ns > 0;
		kept += part.c->n_edges;
		causal_free(part.c);
		built_free(&b, &m);
	}
	assert_true(out && before && kept);
}

/* Task 10 wakes task 20 at 20 ms, and task 20 wakes task 30 at 60 ms. */
static void test_edge_out_of_window(void **state)
{
	struct causal_options o = { .to_ns = 50 * MS };
	struct make m = { 0 };
	struct built b, part;

	runs(&m, 10, 10, 1, "first");
	runs(&m, 20, 20, 1, "second");
	runs(&m, 30, 30, 1, "third");
	sleeps(&m, 5, 20, CT_W_EPOLL, EPOLL(1));
	sleeps(&m, 5, 30, CT_W_EPOLL, EPOLL(2));
	wakes(&m, 20, 20, 10, PIPE(1));
	wakes(&m, 60, 30, 20, PIPE(2));
	b = built(&m, 100);
	part.g = b.g;
	assert_true(segment_at(&b, 30, 70) != segment_at(&b, 30, 40));
	assert_int_equal(n_edges(&b, EDGE_PIPE), 2);
	assert_int_equal(causal_build(b.g, &o, &part.c), 0);
	assert_int_equal(n_edges(&part, EDGE_PIPE), 1);
	assert_non_null(edge_of(&part, EDGE_PIPE, 10, 20));
	causal_free(part.c);
	o = (struct causal_options){ .from_ns = 65 * MS, .to_ns = 100 * MS };
	assert_int_equal(causal_build(b.g, &o, &part.c), 0);
	assert_int_equal(n_edges(&part, EDGE_PIPE), 2);
	causal_free(part.c);
	built_free(&b, &m);
}

#define TALK_TASKS 24
#define TALK_HALF  12u

static uint32_t talk_process(uint32_t tid)
{
	return (tid - 1) / 2 * 2 + 1;
}

static uint64_t talk_object(uint64_t *s, uint32_t tid)
{
	enum ct_obj_kind kind = rnd(s) % 22;
	uint64_t id = rnd(s) % 3;

	return CT_OBJ_ID(kind, kind == CT_OBJ_FUTEX ? (uint64_t)talk_process(tid) << 47 | id : id);
}

/* The tasks of each half talk with each other on 12 sockets. In most windows, few sockets have several users,
 * and some windows have no signals, file locks or forks. So in many windows, some processes are plain
 * (graph/timeline/plain.h), and others are not. */
static void random_talk(struct make *m, uint64_t seed)
{
	static const uint8_t kinds[] = { CT_SWITCH, CT_SWITCH, CT_WAKE,  CT_WAKE,   CT_SEND,       CT_SEND,
					 CT_SEND,   CT_RECV,   CT_RECV,  CT_RECV,   CT_WAITFD,     CT_VISIT,
					 CT_JOB,    CT_ACCESS, CT_FLOCK, CT_SIGNAL, CT_SIGDELIVER, CT_FORK };
	size_t n_kinds = ARRAY_SIZE(kinds) - (seed / 2 % 4 ? seed / 2 % 4 + 1 : 0);
	uint64_t ts = MS, s = seed;
	uint32_t strangers = seed % 3 ? 1000 : 8; /* one of so many messages is of any task */

	for (uint32_t t = 1; t <= TALK_TASKS; t++)
		make_task(m, t, talk_process(t), t / 6, "task");
	for (uint64_t i = 1; i < TALK_TASKS; i += 2)
		connection(m, SOCK(i), SOCK(i + 1), i % 5 ? STREAM : DGRAM);
	for (int i = 0; i < 3000; i++) {
		uint32_t kind = kinds[rnd(&s) % n_kinds], half = rnd(&s) % 2 * TALK_HALF;
		uint32_t sock = half + rnd(&s) % TALK_HALF + 1;
		bool message = kind == CT_SEND || kind == CT_RECV;
		bool rare = kind == CT_FLOCK || kind == CT_SIGNAL || kind == CT_SIGDELIVER;
		uint32_t any = rnd(&s) % (rare ? 4 : TALK_TASKS) + 1;
		uint32_t owner = half + (sock * 5 + (uint32_t)seed) % TALK_HALF + 1;
		struct window_record *e;

		ts += rnd(&s) % 3 * 30000;
		e = make_event(m, ts, rnd(&s) % 3, kind, message && rnd(&s) % strangers ? owner : any,
			       message ? rnd(&s) % 100 + 1 : rnd(&s) % (rare ? 4 : TALK_TASKS) + 1);
		e->r.wait = kind == CT_WAITFD ? rnd(&s) % 9 : rnd(&s) % (CT_W_YIELD + 1);
		e->r.state = kind == CT_SWITCH ? rnd(&s) % 3 : rnd(&s) % 5;
		e->r.flags = rnd(&s) % 64;
		e->r.nr = rnd(&s) % 400;
		e->r.aux = rnd(&s) % 8;
		e->r.obj = message || rnd(&s) % 2 ? SOCK(sock) : talk_object(&s, e->r.tid);
		e->x[0] = rnd(&s) % 4;
	}
}

struct found {
	uint32_t to, event, from, cause;
};
typedef VEC(struct found) founds;

static int found_cmp(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct found));
}

/* The edges of which causal_links_find() makes links. */
static void find_edges(const struct built *b, founds *ret)
{
	for (size_t i = 0; i < b->c->n_edges; i++) {
		const struct edge *e = &b->c->edges[i];
		struct found f = { .to = b->c->segments[e->to].task, .event = e->event, .cause = e->cause };

		if (e->kind == EDGE_EXEC || e->kind == EDGE_NEIGHBOUR || e->from == GRAPH_NONE ||
		    b->g->w->events[e->event].r.kind == CT_WAKE)
			continue;
		f.from = b->c->segments[e->from].task;
		if (f.from != f.to)
			assert_int_equal(VEC_PUSH(ret, f), 0);
	}
	VEC_SORT(ret, found_cmp);
}

static void find_links(const struct graph *g, founds *ret)
{
	struct causal_links links;

	assert_int_equal(causal_links_find(g, &links), 0);
	for (uint32_t t = 0; t < links.n_tasks; t++)
		for (size_t i = 0; i < links.to[t].v.n; i++) {
			struct causal_link l = causal_link_get(&links.to[t], i);

			assert_int_equal(VEC_PUSH(ret, (struct found){ t, l.event, l.from, l.cause }), 0);
		}
	causal_links_done(&links);
	VEC_SORT(ret, found_cmp);
}

/* A list keeps all fields of a link, however large they are. */
static void test_packed_links(void **state)
{
	static const uint32_t froms[] = { 0, 1, LINK_WIDE - 1, LINK_WIDE, LINK_WIDE + 1, GRAPH_NONE };
	static const uint32_t events[] = { 0, 1, 100000, 100000 + INT16_MAX, 100001 + INT16_MAX, GRAPH_NONE };
	static const uint32_t causes[] = { 0, 1, 100000, 100000 - INT16_MIN, 100001 - INT16_MIN, GRAPH_NONE };
	struct causal_link_list list = { 0 };
	VEC(struct causal_link) all = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(froms); i++)
		for (size_t k = 0; k < ARRAY_SIZE(events); k++)
			for (size_t j = 0; j < ARRAY_SIZE(causes); j++) {
				struct causal_link l = { froms[i], events[k], causes[j] };

				assert_int_equal(causal_link_add(&list, &l), 0);
				assert_int_equal(VEC_PUSH(&all, l), 0);
			}
	for (size_t i = 0; i < all.n; i++) {
		struct causal_link l = causal_link_get(&list, i);

		assert_memory_equal(&l, &all.v[i], sizeof(l));
		causal_link_cut(&list, i);
		all.v[i].cause = all.v[i].event;
		l = causal_link_get(&list, i);
		assert_memory_equal(&l, &all.v[i], sizeof(l));
	}
	assert_true(list.wide.n > 0 && list.wide.n < list.v.n);
	causal_link_list_done(&list);
	VEC_FREE(&all);
}

static void test_links(void **state)
{
	size_t n[2] = { 0 }, answers = 0;

	for (uint64_t seed = 1; seed <= 600; seed++) {
		struct make m = { 0 };
		founds edges = { 0 }, links = { 0 };
		struct built b;
		uint8_t *plain;

		if (seed % 2)
			random_talk(&m, seed);
		else
			random_window(&m, seed);
		b = built(&m, 1000);
		plain = plain_find(b.g);
		assert_non_null(plain);
		find_edges(&b, &edges);
		find_links(b.g, &links);
		assert_int_equal(links.n, edges.n);
		for (size_t i = 0; i < links.n; i++) {
			assert_memory_equal(&links.v[i], &edges.v[i], sizeof(edges.v[i]));
			n[plain[links.v[i].to] != PLAIN_NOT]++;
			answers += b.g->w->events[links.v[i].cause].r.kind == CT_RECV;
		}
		free(plain);
		VEC_FREE(&edges);
		VEC_FREE(&links);
		built_free(&b, &m);
	}
	assert_true(n[true] > 1000 && n[false] > 1000 && answers > 100);
}

static void test_empty(void **state)
{
	struct make m = { 0 };
	struct built b = built(&m, 10);

	assert_int_equal(b.c->n_segments, 0);
	assert_int_equal(b.c->n_edges, 0);
	assert_int_equal(causal_segment_at(b.c, 0, 5), GRAPH_NONE);
	built_free(&b, &m);
	causal_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wakes),        cmocka_unit_test(test_random),
		cmocka_unit_test(test_shown_random), cmocka_unit_test(test_edge_out_of_window),
		cmocka_unit_test(test_links),        cmocka_unit_test(test_empty),
		cmocka_unit_test(test_packed_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
