// SPDX-License-Identifier: GPL-2.0-or-later
/* Edges of the causal graph: messages by bytes, and answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/graph/causal_make.h"

/* A server, three clients; it reads all requests, then answers all. */
static void batching(struct make *m)
{
	runs(m, 10, 10, 1, "server");
	for (uint32_t i = 0; i < 3; i++) {
		connection(m, SOCK(100 + i), SOCK(200 + i), STREAM);
		runs(m, 20 + 10 * i, 20 + 10 * i, 1, "client");
	}
	sleeps(m, 1, 10, CT_W_EPOLL, EPOLL(1));
	for (uint32_t i = 0; i < 3; i++) {
		if (i)
			sends(m, 10 + i, 20 + 10 * i, SOCK(200 + i), 50);
		else
			wakes_in(m, 10, 10, 20, CT_W_WRITE, SOCK(200));
		if (!i)
			sends(m, 10, 20, SOCK(200), 50);
		sleeps(m, 13, 20 + 10 * i, CT_W_READ, SOCK(200 + i));
	}
	for (uint32_t i = 0; i < 3; i++)
		receives(m, 20 + i, 10, SOCK(100 + i), 50);
	for (uint32_t i = 0; i < 3; i++) {
		wakes_in(m, 30 + i, 20 + 10 * i, 10, CT_W_WRITE, SOCK(100 + i));
		sends(m, 30 + i, 10, SOCK(100 + i), 70);
		receives(m, 31 + i, 20 + 10 * i, SOCK(200 + i), 70);
	}
	sleeps(m, 40, 10, CT_W_EPOLL, EPOLL(1));
}

static void by_ts(struct make *m)
{
	/* stable */
	for (size_t i = 1; i < m->events.n; i++)
		for (size_t k = i; k && m->events.v[k].r.ts < m->events.v[k - 1].r.ts; k--) {
			struct window_event e = m->events.v[k];

			m->events.v[k] = m->events.v[k - 1];
			m->events.v[k - 1] = e;
		}
}

/* Walks back along strong edges: is there a way from task `from` to this segment? */
static bool leads_to(const struct built *b, uint32_t from, uint32_t segment, int depth)
{
	const struct segment *s = &b->c->segments[segment];

	if (s->task == from)
		return true;
	for (uint32_t i = s->in; depth && i < s->in + s->n_in; i++) {
		const struct edge *e = &b->c->edges[i];

		if (e->strength == EDGE_STRONG && e->from != GRAPH_NONE &&
		    leads_to(b, from, e->from, depth - 1))
			return true;
	}
	return false;
}

static void test_batching_server(void **state)
{
	struct make m = { 0 };
	struct built b;

	batching(&m);
	by_ts(&m);
	b = built(&m, 60);
	assert_sound(&b);
	assert_int_equal(n_edges(&b, EDGE_ANSWER), 3);
	assert_int_equal(n_edges(&b, EDGE_MESSAGE), 6);
	for (uint32_t i = 0; i < 3; i++) {
		const struct edge *e = edge_of(&b, EDGE_MESSAGE, 10, 20 + 10 * i);

		assert_non_null(e);
		assert_true(e->flags & EDGE_BYTES);
		/* the segment that answers client i is due to client i, and to no other */
		for (uint32_t k = 0; k < 3; k++)
			assert_int_equal(leads_to(&b, task_of(&b, 20 + 10 * k), e->from, 4), i == k);
	}
	built_free(&b, &m);
}

/* A proxy: its clients' requests go through one connection to the backend. */
static void test_proxy(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "proxy");
	runs(&m, 20, 20, 1, "client");
	runs(&m, 30, 30, 1, "client");
	runs(&m, 40, 40, 1, "backend");
	connection(&m, SOCK(1), SOCK(2), STREAM); /* proxy, 20 */
	connection(&m, SOCK(3), SOCK(4), STREAM); /* proxy, 30 */
	connection(&m, SOCK(5), SOCK(6), STREAM); /* backend, proxy */
	sends(&m, 1, 20, SOCK(2), 10);
	sends(&m, 1, 30, SOCK(4), 10);
	receives(&m, 2, 10, SOCK(1), 10);
	sends(&m, 3, 10, SOCK(6), 10);
	receives(&m, 4, 10, SOCK(3), 10);
	sends(&m, 5, 10, SOCK(6), 10);
	receives(&m, 6, 40, SOCK(5), 10);
	sends(&m, 7, 40, SOCK(5), 30);
	receives(&m, 8, 40, SOCK(5), 10);
	sends(&m, 9, 40, SOCK(5), 30);
	receives(&m, 10, 10, SOCK(6), 30);
	sends(&m, 11, 10, SOCK(1), 30);
	receives(&m, 12, 10, SOCK(6), 30);
	sends(&m, 13, 10, SOCK(3), 30);
	b = built(&m, 20);
	assert_sound(&b);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 3)].behalf, task_of(&b, 20));
	assert_int_equal(b.c->segments[segment_at(&b, 10, 5)].behalf, task_of(&b, 30));
	assert_int_equal(b.c->segments[segment_at(&b, 10, 10)].behalf, task_of(&b, 20));
	assert_int_equal(b.c->segments[segment_at(&b, 10, 12)].behalf, task_of(&b, 30));
	assert_int_equal(segment_at(&b, 10, 10), segment_at(&b, 10, 11));
	built_free(&b, &m);
}

/* A bus: it passes 20's call on to 30, and 30's answer back to 20; to 30 it is not the answer to what 30 sent
 * last. */
static void test_bus(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "bus");
	runs(&m, 20, 20, 1, "caller");
	runs(&m, 30, 30, 1, "service");
	connection(&m, SOCK(1), SOCK(2), STREAM); /* bus, 20 */
	connection(&m, SOCK(3), SOCK(4), STREAM); /* bus, 30 */
	for (uint64_t i = 0; i < 20; i += 10) {
		sends(&m, i + 1, 20, SOCK(2), 10);
		receives(&m, i + 2, 10, SOCK(1), 10);
		sends(&m, i + 3, 10, SOCK(3), 10);
		receives(&m, i + 4, 30, SOCK(4), 10);
		sends(&m, i + 5, 30, SOCK(4), 10);
		receives(&m, i + 6, 10, SOCK(3), 10);
		sends(&m, i + 7, 10, SOCK(1), 10);
	}
	b = built(&m, 30);
	assert_sound(&b);
	for (uint64_t i = 0; i < 20; i += 10) {
		assert_int_equal(b.c->segments[segment_at(&b, 10, i + 3)].behalf, task_of(&b, 20));
		assert_int_equal(b.c->segments[segment_at(&b, 10, i + 6)].behalf, task_of(&b, 30));
		assert_int_equal(b.c->segments[segment_at(&b, 10, i + 7)].behalf, task_of(&b, 20));
	}
	/* to 20 twice */
	assert_int_equal(n_edges(&b, EDGE_ANSWER), 2);
	built_free(&b, &m);
}

/* Head and body are sent and received one after the other: one request.  The next answer is to the next. */
static void test_split_request(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	for (uint64_t i = 0; i < 30; i += 10) {
		sleeps(&m, i + 1, 10, CT_W_READ, SOCK(1));
		wakes_in(&m, i + 2, 10, 20, CT_W_WRITE, SOCK(2));
		sends(&m, i + 2, 20, SOCK(2), 10);
		sends(&m, i + 3, 20, SOCK(2), 50);
		receives(&m, i + 4, 10, SOCK(1), 10);
		receives(&m, i + 5, 10, SOCK(1), 50);
		sends(&m, i + 6, 10, SOCK(1), 10);
		receives(&m, i + 7, 20, SOCK(2), 10);
	}
	b = built(&m, 40);
	assert_sound(&b);
	/* each request is answered in the segment that took it */
	assert_int_equal(n_edges(&b, EDGE_ANSWER), 0);
	assert_int_equal(n_segments(&b, 10), 4);
	built_free(&b, &m);
}

/* A loop has a worker do it, and answers when that is done: all of it for the client. */
static void test_worker(void **state)
{
	const uint64_t done = CT_OBJ_ID(CT_OBJ_EVENTFD, 1);
	struct make m = { 0 };
	const struct edge *e;
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "loop");
	runs(&m, 20, 20, 1, "client");
	runs(&m, 30, 10, 1, "worker");
	sleeps(&m, 1, 30, CT_W_FUTEX, FUTEX(1));
	sleeps(&m, 1, 10, CT_W_EPOLL, EPOLL(1));
	wakes_in(&m, 2, 10, 20, CT_W_WRITE, SOCK(2));
	sends(&m, 3, 20, SOCK(2), 10);
	receives(&m, 4, 10, SOCK(1), 10);
	wakes(&m, 5, 30, 10, FUTEX(1));
	sleeps(&m, 6, 10, CT_W_EPOLL, EPOLL(1));
	wakes(&m, 8, 10, 30, done);
	sends(&m, 9, 10, SOCK(1), 10);
	b = built(&m, 20);
	assert_sound(&b);
	assert_int_equal(b.c->segments[segment_at(&b, 30, 6)].behalf, task_of(&b, 20));
	assert_int_equal(b.c->segments[segment_at(&b, 10, 9)].behalf, task_of(&b, 20));
	assert_int_equal(n_segments(&b, 10), 3);
	e = edge_of(&b, EDGE_ANSWER, 10, 10);
	assert_non_null(e);
	assert_int_equal(e->from, segment_at(&b, 10, 4));
	assert_int_equal(e->to, segment_at(&b, 10, 9));
	built_free(&b, &m);
}

/* Requests come without waiting for answers: the first answer is to the first. */
static void test_pipelined(void **state)
{
	struct make m = { 0 };
	struct built b;
	size_t n = 0;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	runs(&m, 30, 30, 1, "other");
	sends(&m, 1, 20, SOCK(2), 10);
	sends(&m, 2, 20, SOCK(2), 10);
	for (uint64_t i = 0; i < 2; i++) {
		sleeps(&m, 5 + 10 * i, 10, CT_W_EPOLL, EPOLL(1));
		wakes(&m, 8 + 10 * i, 10, 30, PIPE(1));
		receives(&m, 9 + 10 * i, 10, SOCK(1), 10);
	}
	for (uint64_t i = 0; i < 2; i++) {
		sleeps(&m, 25 + 10 * i, 10, CT_W_EPOLL, EPOLL(1));
		wakes(&m, 28 + 10 * i, 10, 30, PIPE(1));
		sends(&m, 29 + 10 * i, 10, SOCK(1), 10);
	}
	b = built(&m, 60);
	for (size_t i = 0; i < b.c->n_edges; i++) {
		const struct edge *e = &b.c->edges[i];

		if (e->kind != EDGE_ANSWER)
			continue;
		assert_int_equal(e->from, segment_at(&b, 10, 9 + 10 * n));
		assert_int_equal(e->to, segment_at(&b, 10, 29 + 10 * n));
		n++;
	}
	assert_int_equal(n, 2);
	built_free(&b, &m);
}

/* Two tasks that share the sending end: each of its bytes has its own sender. */
static void test_partial_reads(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "reader");
	runs(&m, 20, 20, 1, "writer");
	runs(&m, 30, 20, 1, "writer");
	runs(&m, 40, 10, 1, "reader");
	sends(&m, 1, 20, SOCK(2), 100);
	sends(&m, 2, 30, SOCK(2), 100);
	receives(&m, 3, 10, SOCK(1), 100);
	receives(&m, 4, 40, SOCK(1), 50);
	b = built(&m, 10);
	assert_sound(&b);
	assert_edge(&b, EDGE_MESSAGE, 20, 10, EDGE_STRONG);
	assert_edge(&b, EDGE_MESSAGE, 30, 40, EDGE_STRONG);
	assert_int_equal(n_edges(&b, EDGE_MESSAGE), 2);
	built_free(&b, &m);
}

/* One receive gets the bytes of several sends: an edge from each. */
static void test_gathered(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "reader");
	runs(&m, 20, 20, 1, "writer");
	runs(&m, 30, 20, 1, "writer");
	sends(&m, 1, 20, SOCK(2), 100);
	sends(&m, 2, 20, SOCK(2), 100);
	sends(&m, 3, 30, SOCK(2), 100);
	receives(&m, 4, 10, SOCK(1), 300);
	b = built(&m, 10);
	assert_edge(&b, EDGE_MESSAGE, 30, 10, EDGE_STRONG);
	assert_int_equal(n_edges(&b, EDGE_MESSAGE), 3);
	built_free(&b, &m);
}

/* The receiver was faster than the record of the send; and the wake-up is explained by the message. */
static void test_received_before_sent(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "reader");
	runs(&m, 20, 20, 1, "writer");
	sleeps(&m, 1, 10, CT_W_READ, SOCK(1));
	wakes_in(&m, 5, 10, 20, CT_W_WRITE, SOCK(2));
	receives(&m, 6, 10, SOCK(1), 100);
	sends(&m, 7, 20, SOCK(2), 100);
	/* and that was all of it */
	sends(&m, 8, 20, SOCK(2), 30);
	receives(&m, 9, 10, SOCK(1), 30);
	b = built(&m, 10);
	assert_sound(&b);
	for (size_t i = 0; i < b.c->n_edges; i++)
		if (b.c->edges[i].kind == EDGE_MESSAGE) {
			assert_true(b.c->edges[i].flags & EDGE_BYTES);
			assert_int_equal(edge_arrived_ns(b.c, &b.c->edges[i]) < 7 * MS,
					 edge_left_ns(b.c, &b.c->edges[i]) == 7 * MS);
		}
	assert_int_equal(n_edges(&b, EDGE_MESSAGE), 2); /* and none of the wake-up */
	built_free(&b, &m);
}

/* Bytes sent before the window: the first receive is of none of the sends that are known. */
static void test_in_flight_at_start(void **state)
{
	struct make m = { 0 };
	const struct edge *e;
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "reader");
	runs(&m, 20, 20, 1, "writer");
	receives(&m, 1, 10, SOCK(1), 40);
	sleeps(&m, 2, 20, CT_W_EPOLL, EPOLL(1));
	make_wake(&m, 10, 0, 20, 0, 0)->r.state = CT_CTX_TIMER;
	make_switch(&m, 10, CPU(20), 0, 20, CT_W_NONE, 0);
	sleeps(&m, 11, 10, CT_W_READ, SOCK(1));
	wakes_in(&m, 12, 10, 20, CT_W_WRITE, SOCK(2));
	sends(&m, 13, 20, SOCK(2), 40);
	receives(&m, 14, 10, SOCK(1), 40);
	b = built(&m, 20);
	assert_sound(&b);
	e = edge_of(&b, EDGE_MESSAGE, 20, 10);
	assert_non_null(e);
	assert_int_equal(edge_arrived_ns(b.c, e), 14 * MS);
	built_free(&b, &m);
}

/* A receive that was lost does not shift all that follow: the reader was seen to find nothing. */
static void test_resync(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "reader");
	runs(&m, 20, 20, 1, "writer");
	runs(&m, 30, 20, 1, "writer");
	sends(&m, 1, 30, SOCK(2), 40); /* its receive is lost */
	sleeps(&m, 20, 10, CT_W_READ, SOCK(1));
	wakes_in(&m, 21, 10, 20, CT_W_WRITE, SOCK(2));
	sends(&m, 22, 20, SOCK(2), 40);
	receives(&m, 23, 10, SOCK(1), 40);
	b = built(&m, 30);
	assert_edge(&b, EDGE_MESSAGE, 20, 10, EDGE_STRONG);
	assert_null(edge_of(&b, EDGE_MESSAGE, 30, 10));
	built_free(&b, &m);
}

static void test_datagrams(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), DGRAM);
	runs(&m, 10, 10, 1, "reader");
	runs(&m, 20, 20, 1, "writer");
	runs(&m, 30, 20, 1, "writer");
	runs(&m, 40, 20, 1, "writer");
	sends(&m, 1, 20, SOCK(2), 100);
	sends(&m, 2, 30, SOCK(2), 70); /* dropped */
	sends(&m, 3, 40, SOCK(2), 60);
	receives(&m, 4, 10, SOCK(1), 50); /* cut */
	receives(&m, 5, 10, SOCK(1), 60);
	b = built(&m, 10);
	assert_edge(&b, EDGE_MESSAGE, 20, 10, EDGE_STRONG);
	assert_edge(&b, EDGE_MESSAGE, 40, 10, EDGE_STRONG);
	assert_null(edge_of(&b, EDGE_MESSAGE, 30, 10));
	built_free(&b, &m);
}

/* A connection is made and a request comes with it before the server is there: two edges. */
static void test_connect(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	sleeps(&m, 1, 10, CT_W_ACCEPT, SOCK(3));
	wakes_in(&m, 5, 10, 20, CT_W_CONNECT, SOCK(3))->r.flags = CT_WF_READY;
	sends(&m, 6, 20, SOCK(2), 10);
	receives(&m, 7, 10, SOCK(1), 10);
	b = built(&m, 10);
	assert_int_equal(n_edges(&b, EDGE_MESSAGE), 2);
	built_free(&b, &m);
}

/* Who receives makes room, which wakes those who wait to read from it as well: they got nothing. */
static void test_room_made(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "client");
	runs(&m, 20, 20, 1, "server");
	sends(&m, 1, 10, SOCK(2), 10);
	sleeps(&m, 2, 10, CT_W_READ, SOCK(2));
	wakes_in(&m, 5, 10, 20, CT_W_READ, SOCK(1));
	receives(&m, 5, 20, SOCK(1), 10);
	b = built(&m, 10);
	assert_edge(&b, EDGE_MESSAGE, 20, 10, EDGE_WEAK);
	built_free(&b, &m);
}

/* Who connects and speaks before it is accepted knows the other end by the name that it had until then. */
static void test_sent_before_accepted(void **state)
{
	struct make m = { 0 };
	struct built b;
	uint64_t early = SOCK(3) | CT_OBJ_NOT_ACCEPTED;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	m.objects.v[1].peer = early;
	make_object(&m, early)->peer = SOCK(2);
	m.objects.v[2].family = 1;
	m.objects.v[2].type = STREAM;
	m.objects.v[2].name = "/run/server";
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	sends(&m, 1, 20, SOCK(2), 10);
	receives(&m, 2, 10, SOCK(1), 10);
	b = built(&m, 10);
	assert_int_equal(graph_peer_object(b.g, SOCK(2)), SOCK(1));
	assert_edge(&b, EDGE_MESSAGE, 20, 10, EDGE_STRONG);
	built_free(&b, &m);
}

/* closer ends (or, flags 0, may return from a call), on top of whom the network tells a server that polls;
 * the server has spoken with 20 only, who says more, or nothing. */
static struct built end_connection(struct make *m, uint32_t closer, uint8_t flags, bool more)
{
	struct window_event *e;

	connection(m, SOCK(1), SOCK(2), STREAM);
	connection(m, SOCK(3), SOCK(4), STREAM);
	runs(m, 10, 10, 1, "server");
	runs(m, 20, 20, 1, "client");
	runs(m, 30, 30, 1, "stranger");
	sends(m, 1, 30, SOCK(4), 10);
	sends(m, 1, 20, SOCK(2), 10);
	receives(m, 2, 10, SOCK(1), 10);
	sleeps(m, 3, 10, CT_W_EPOLL, EPOLL(1));
	e = wakes(m, 5, 10, closer, 0);
	e->r.state = CT_CTX_SOFTIRQ;
	e->r.wait = 3;
	e->r.flags = flags;
	sleeps(m, 5, 10, CT_W_EPOLL, EPOLL(1));
	if (more)
		sends(m, 6, 20, SOCK(2), 10);
	return built(m, 10);
}

/* The wake-up for the end of a connection names no socket; but who used the other end is just ending. */
static void test_end_of_connection(void **state)
{
	struct make m = { 0 };
	struct built b = end_connection(&m, 20, CT_WF_EXITING, false);

	assert_int_equal(n_edges(&b, EDGE_MESSAGE), 2);
	for (size_t i = 0; i < b.c->n_edges; i++)
		if (b.c->edges[i].kind == EDGE_MESSAGE)
			assert_int_equal(b.c->edges[i].strength, EDGE_STRONG);
	assert_int_equal(n_edges(&b, EDGE_IRQ), 0);
	built_free(&b, &m);
}

/* A close() has returned when its work is done; who uses the connection later has not closed it. */
static void test_end_after_close(void **state)
{
	for (int more = 0; more < 2; more++) {
		struct make m = { 0 };
		struct built b = end_connection(&m, 20, 0, more);

		assert_int_equal(n_edges(&b, EDGE_MESSAGE), more ? 1 : 2);
		assert_int_equal(n_edges(&b, EDGE_IRQ), more);
		built_free(&b, &m);
	}
}

/* It happened to be on the CPU when the network told of something else. */
static void test_end_of_another(void **state)
{
	struct make m = { 0 };
	struct built b = end_connection(&m, 30, CT_WF_EXITING, false);

	assert_null(edge_of(&b, EDGE_MESSAGE, 30, 10));
	assert_int_equal(n_edges(&b, EDGE_IRQ), 1);
	built_free(&b, &m);
}

/* No bytes: the other end was closed; the wake-up is the edge. */
static void test_end_of_file(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), STREAM);
	runs(&m, 10, 10, 1, "reader");
	runs(&m, 20, 20, 1, "closer");
	sleeps(&m, 1, 10, CT_W_READ, SOCK(1));
	wakes_in(&m, 5, 10, 20, CT_W_OTHER, SOCK(2));
	b = built(&m, 10);
	assert_edge(&b, EDGE_MESSAGE, 20, 10, EDGE_STRONG);
	assert_int_equal(edge_of(&b, EDGE_MESSAGE, 20, 10)->flags, 0);
	built_free(&b, &m);
}

/* A damaged trace: what is sent through has no number that a socket could have. */
static void test_no_socket(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "server");
	receives(&m, 1, 10, 0xfffffff0, 50);
	sleeps(&m, 2, 10, CT_W_FUTEX, FUTEX(1));
	wakes(&m, 3, 10, 20, FUTEX(1));
	receives(&m, 4, 10, 0x7ffffff0, 50);
	sends(&m, 5, 10, 0xfffffff0, 50);
	b = built(&m, 10);
	for (size_t i = 0; i < b.c->n_segments; i++)
		assert_int_equal(b.c->segments[i].behalf, GRAPH_NONE);
	assert_sound(&b);
	built_free(&b, &m);
}

/* Datagrams that nobody receives, and receives of others: each is not held against all. */
static void test_lost_datagrams(void **state)
{
	enum { N = 200000 };
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "sink");
	runs(&m, 20, 20, 1, "source");
	connection(&m, SOCK(1), SOCK(2), DGRAM);
	for (uint32_t i = 0; i < N; i++)
		sends(&m, 1, 20, SOCK(2), 100);
	for (uint32_t i = 0; i < N; i++)
		receives(&m, 2, 10, SOCK(1), 60);
	b = built(&m, 10);
	assert_int_equal(n_edges(&b, EDGE_MESSAGE), N);
	built_free(&b, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batching_server),
		cmocka_unit_test(test_proxy),
		cmocka_unit_test(test_bus),
		cmocka_unit_test(test_split_request),
		cmocka_unit_test(test_worker),
		cmocka_unit_test(test_pipelined),
		cmocka_unit_test(test_partial_reads),
		cmocka_unit_test(test_gathered),
		cmocka_unit_test(test_received_before_sent),
		cmocka_unit_test(test_in_flight_at_start),
		cmocka_unit_test(test_resync),
		cmocka_unit_test(test_datagrams),
		cmocka_unit_test(test_connect),
		cmocka_unit_test(test_room_made),
		cmocka_unit_test(test_sent_before_accepted),
		cmocka_unit_test(test_end_of_connection),
		cmocka_unit_test(test_end_after_close),
		cmocka_unit_test(test_end_of_another),
		cmocka_unit_test(test_end_of_file),
		cmocka_unit_test(test_no_socket),
		cmocka_unit_test(test_lost_datagrams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
