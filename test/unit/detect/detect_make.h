/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detect_make.h - streams of records for the detector, made by hand. m.now is the present time. */
#ifndef CTRACE_TEST_UNIT_DETECT_MAKE_H
#define CTRACE_TEST_UNIT_DETECT_MAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "detect/detect.h"
#include "lib/cleanup.h"

#define MS 1000000ULL
#define S  (1000 * MS)

#define EPOLL    CT_OBJ_ID(CT_OBJ_EPOLL, 0x1000)
#define SOCK_A   CT_OBJ_ID(CT_OBJ_SOCK, 501)
#define SOCK_B   CT_OBJ_ID(CT_OBJ_SOCK, 502)
#define PIPE     CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define NR_EPOLL 232

struct make {
	struct detect *d;
	uint64_t now;
	struct detect_hang hangs[16];
	unsigned n;
	/* The kernel's answer about a task. 0: as in `seen`. -ESRCH: no such task. 1: failed to
	 * read it. */
	int look;
	struct ct_iter_task seen;
	/* The kernel's answer about a socket: its unread bytes, or -errno. */
	int unread;
	unsigned asked;
};

static void make_hang(void *arg, const struct detect_hang *h)
{
	struct make *m = arg;

	assert_true(m->n < ARRAY_SIZE(m->hangs));
	m->hangs[m->n++] = *h;
}

static int make_look(void *arg, uint32_t tid, struct ct_iter_task *ret)
{
	struct make *m = arg;

	if (m->look > 0)
		return -5;
	*ret = m->seen;
	return m->look;
}

static int make_unread(void *arg, uint32_t tgid, uint64_t sock, uint64_t *ret)
{
	struct make *m = arg;

	m->asked++;
	*ret = m->unread > 0 ? (uint64_t)m->unread : 0;
	return MIN(m->unread, 0);
}

static void make_settings(struct detect_settings *s)
{
	detect_defaults(s);
	s->learn_ns = 5 * S;
}

static void make_with(struct make *m, const struct detect_settings *s, uint32_t max_tasks)
{
	const struct detect_options o = { .settings = s,
					  .max_tasks = max_tasks,
					  .own_tgid = 9,
					  .messages = true,
					  .look = make_look,
					  .unread = make_unread,
					  .look_arg = m,
					  .hang = make_hang,
					  .hang_arg = m };

	*m = (struct make){ .now = 100 * S, .look = 1 };
	m->d = detect_new(&o);
	assert_non_null(m->d);
	detect_tick(m->d, m->now);
}

static inline void make_init(struct make *m)
{
	struct detect_settings s;

	make_settings(&s);
	make_with(m, &s, 0);
}

static void make_done(struct make *m)
{
	detect_free(m->d);
}
#define MAKE(m)                                                                                              \
	_cleanup_(make_done) struct make m;                                                                  \
	make_init(&m)

static void pass(struct make *m, uint64_t ns)
{
	for (uint64_t end = m->now + ns; m->now < end;) {
		m->now = MIN(m->now + 250 * MS, end);
		detect_tick(m->d, m->now);
	}
}

static inline void task_of(struct make *m, uint32_t tid, uint32_t tgid, const char *comm, uint8_t flags)
{
	struct ct_task_blob b = {
		.h = { .ts = m->now, .kind = CT_TASK, .flags = flags, .size = sizeof(b), .tid = tid },
		.tgid = tgid,
		.cgroup_id = 4242
	};

	strncpy(b.comm, comm, sizeof(b.comm) - 1);
	detect_blob(m->d, &b.h);
}

static inline void task(struct make *m, uint32_t tid, const char *comm)
{
	task_of(m, tid, tid, comm, CT_TF_FOUND);
}

static inline void rec(struct make *m, struct ct_rec r)
{
	r.ts = r.ts ?: m->now;
	detect_record(m->d, &r, NULL);
}

static inline void step(struct make *m, enum ct_shed step_now)
{
	rec(m, (struct ct_rec){ .kind = CT_SHED, .state = (uint8_t)step_now });
}

static inline void found_as(struct make *m, uint32_t tid, enum ct_found what, struct ct_rec r,
			    uint64_t since_ns)
{
	uint64_t words[2] = { since_ns };

	r.kind = CT_FOUND;
	r.ts = m->now;
	r.tid = tid;
	r.aux = (uint16_t)what;
	detect_record(m->d, &r, words);
}

static inline void runs(struct make *m, uint32_t tid)
{
	rec(m, (struct ct_rec){ .kind = CT_SWITCH, .peer = tid, .nr = CT_NR_NONE });
}

static inline void leaves_cpu(struct make *m, uint32_t tid, uint16_t nr)
{
	rec(m,
	    (struct ct_rec){ .kind = CT_SWITCH, .tid = tid, .flags = CT_SF_PREEMPT, .nr = nr, .aux = 120 });
}

static inline void blocks(struct make *m, uint32_t tid, uint8_t wait, uint64_t obj)
{
	rec(m, (struct ct_rec){ .kind = CT_SWITCH,
				.tid = tid,
				.state = CT_ST_SLEEP,
				.wait = wait,
				.obj = obj,
				.nr = wait == CT_W_EPOLL ? NR_EPOLL : 1,
				.aux = 120 });
}

static inline void locks(struct make *m, uint32_t tid, uint64_t word, uint32_t owner)
{
	rec(m, (struct ct_rec){ .kind = CT_FUTEX, .tid = tid, .peer = owner, .obj = word });
	blocks(m, tid, CT_W_FUTEX, word);
}

static inline void wakes(struct make *m, uint32_t tid)
{
	rec(m, (struct ct_rec){ .kind = CT_WAKE, .tid = tid });
	runs(m, tid);
}

static inline void moves(struct make *m, uint8_t kind, uint32_t tid, uint64_t obj, uint32_t bytes)
{
	rec(m, (struct ct_rec){ .kind = kind, .tid = tid, .obj = obj, .peer = bytes });
}

static inline void pair(struct make *m, uint64_t a, uint64_t b)
{
	struct ct_object_blob o = {
		.h = { .ts = m->now, .kind = CT_OBJECT, .size = sizeof(o) }, .id = a, .peer = b, .family = 1
	};

	detect_blob(m->d, &o.h);
}

static inline void talk(struct make *m, uint32_t client, uint64_t a, uint32_t server, uint64_t b, unsigned n)
{
	task(m, client, "client");
	task(m, server, "server");
	for (unsigned i = 0; i < n; i++) {
		blocks(m, server, CT_W_READ, b);
		m->now += MS;
		moves(m, CT_SEND, client, a, 10);
		blocks(m, client, CT_W_READ, a);
		wakes(m, server);
		m->now += MS;
		moves(m, CT_RECV, server, b, 10);
		pass(m, 250 * MS);
		moves(m, CT_SEND, server, b, 20);
		wakes(m, client);
		m->now += MS;
		moves(m, CT_RECV, client, a, 20);
	}
}

static inline void lives(struct make *m, uint32_t tid, uint8_t wait, uint64_t idle_point, unsigned n,
			 unsigned idle_ms)
{
	for (unsigned i = 0; i < n; i++) {
		blocks(m, tid, wait, idle_point);
		pass(m, idle_ms * MS);
		wakes(m, tid);
		m->now += 5 * MS;
	}
}

#endif
