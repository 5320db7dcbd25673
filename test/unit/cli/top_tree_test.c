// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/thresholds.h"
#include "cli/top/services.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define S         NSEC_PER_SEC
#define MAX_TASKS 64

/* Task i has the tid 100 + i, and is the only thread of its process. */
struct made {
	struct waitlive w;
	struct proctask_thread threads[MAX_TASKS];
	struct proctask_proc procs[MAX_TASKS];
	struct procwait waits[MAX_TASKS];
};

static void make(struct made *m, uint32_t n)
{
	*m = (struct made){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		m->threads[i] = (struct proctask_thread){
			.tid = 100 + i, .proc = i, .switches = 5, .nr = -1, .comm = "task"
		};
		m->procs[i] = (struct proctask_proc){
			.pid = 100 + i, .start_ticks = 7, .first_thread = i, .n_threads = 1
		};
		m->waits[i] = (struct procwait){ .class = PROCWAIT_WAIT, .nr = -1, .kind = "flock" };
	}
	m->w.tables.tasks.threads.v = m->threads;
	m->w.tables.tasks.threads.n = n;
	m->w.tables.tasks.procs.v = m->procs;
	m->w.tables.tasks.procs.n = n;
	m->w.waits = m->waits;
}

static void chain(struct made *m, bool cycle, const uint32_t *tasks, size_t n)
{
	struct waitlive_chain c = { .cycle = cycle, .closed = cycle, .strong = true, .told = true };

	for (size_t i = 0; i < n; i++)
		assert_int_equal(0,
				 VEC_PUSH(&c.links, (struct waitlive_link){ .th = &m->threads[tasks[i]],
									    .wait = &m->waits[tasks[i]] }));
	assert_int_equal(0, VEC_PUSH(&m->w.chains, c));
}
#define CHAIN(m, cycle, ...)                                                                                 \
	chain(m, cycle, (const uint32_t[]){ __VA_ARGS__ },                                                   \
	      sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void forget(struct made *m)
{
	for (size_t i = 0; i < m->w.chains.n; i++)
		VEC_FREE(&m->w.chains.v[i].links);
	VEC_FREE(&m->w.chains);
}

static void row_is(const struct top *t, size_t i, uint32_t tid, unsigned depth, uint64_t wait_ns,
		   bool at_least)
{
	assert_true(i < t->rows.n);
	assert_int_equal(tid, t->rows.v[i].tid);
	assert_int_equal(depth, t->rows.v[i].depth);
	assert_int_equal(wait_ns, t->rows.v[i].wait_ns);
	assert_int_equal(at_least, t->rows.v[i].at_least);
}

static void ages(void **state)
{
	struct top t = { 0 };
	struct made m;

	make(&m, 4);
	CHAIN(&m, false, 1, 0);
	CHAIN(&m, false, 2, 1, 0);
	assert_int_equal(0, top_update(&t, &m.w, 10 * S));
	assert_int_equal(0, top_update(&t, &m.w, 12 * S));
	m.threads[2].switches++; /* waits anew */
	assert_int_equal(0, top_update(&t, &m.w, 13 * S));
	assert_int_equal(0, top_update(&t, &m.w, 15 * S));
	assert_int_equal(1, t.trees.n);
	assert_int_equal(2, t.trees.v[0].waiters);
	assert_int_equal(5 * S, t.trees.v[0].longest_ns);
	row_is(&t, 0, 100, 0, 5 * S, true);
	assert_false(t.rows.v[0].waits);
	row_is(&t, 1, 101, 1, 5 * S, true);
	row_is(&t, 2, 102, 2, 2 * S, false);
	assert_int_equal(1, t.ended.n); /* the first wait of 102 */
	assert_int_equal(102, t.ended.v[0].tid);
	forget(&m);
	top_done(&t);
}

/* A new process with the pid of an old process does not inherit the wait of the old process. */
static void pid_again(void **state)
{
	struct top t = { 0 };
	struct made m;

	make(&m, 2);
	CHAIN(&m, false, 1, 0);
	assert_int_equal(0, top_update(&t, &m.w, 10 * S));
	assert_int_equal(0, top_update(&t, &m.w, 12 * S));
	m.procs[1].start_ticks++;
	assert_int_equal(0, top_update(&t, &m.w, 14 * S));
	row_is(&t, 1, 101, 1, 0, false);
	assert_int_equal(1, t.ended.n);
	assert_int_equal(2 * S, t.ended.v[0].wait_ns);
	forget(&m);
	assert_int_equal(0, top_update(&t, &m.w, 14 * S + TOP_ENDED_KEEP_NS + 1));
	assert_int_equal(0, t.ended.n);
	assert_int_equal(0, t.rows.n);
	top_done(&t);
}

static void circle(void **state)
{
	struct top t = { 0 };
	struct top_pick pick;
	struct made m;

	make(&m, 6);
	CHAIN(&m, true, 1, 2);
	CHAIN(&m, false, 3, 2, 1);
	CHAIN(&m, false, 5, 4);
	assert_int_equal(0, top_update(&t, &m.w, 10 * S));
	assert_int_equal(0, top_update(&t, &m.w, 11 * S));
	assert_int_equal(2, t.trees.n);
	assert_int_equal(0, top_pick(&t, TOP_LONGEST, "", &pick));
	assert_int_equal(2, pick.trees.n);
	assert_true(t.trees.v[pick.trees.v[0]].circle);
	assert_int_equal(3, t.trees.v[pick.trees.v[0]].waiters);
	assert_int_equal(3, t.trees.v[pick.trees.v[0]].n_rows);
	assert_memory_equal("DEADLOCK: ", t.rows.v[t.trees.v[pick.trees.v[0]].first_row].text, 10);
	top_pick_done(&pick);
	assert_int_equal(0, top_pick(&t, TOP_LONGEST, "TASK[105]", &pick));
	assert_int_equal(1, pick.trees.n);
	assert_int_equal(1, t.trees.v[pick.trees.v[0]].waiters);
	top_pick_done(&pick);
	forget(&m);
	top_done(&t);
}

static void many_waiters(void **state)
{
	struct top t = { 0 };
	struct top_pick pick;
	struct made m;

	make(&m, 34);
	for (uint32_t i = 1; i < 31; i++)
		CHAIN(&m, false, i, 0);
	CHAIN(&m, false, 32, 31);
	assert_int_equal(0, top_update(&t, &m.w, 10 * S));
	for (uint32_t i = 1; i < 31; i++)
		m.threads[i].switches++;
	assert_int_equal(0, top_update(&t, &m.w, 11 * S));
	assert_int_equal(30, t.trees.v[0].waiters);
	assert_int_equal(1 + TOP_SIBLINGS + 1, t.trees.v[0].n_rows);
	row_is(&t, 1 + TOP_SIBLINGS, 0, 1, 0, false);
	assert_string_equal("22 more tasks wait for it", t.rows.v[1 + TOP_SIBLINGS].text);
	assert_int_equal(0, top_pick(&t, TOP_LONGEST, "", &pick));
	assert_int_equal(1, pick.trees.v[0]);
	top_pick_done(&pick);
	assert_int_equal(0, top_pick(&t, TOP_WAITERS, "", &pick));
	assert_int_equal(0, pick.trees.v[0]);
	top_pick_done(&pick);
	forget(&m);
	top_done(&t);
}

/* The chain has 40 tasks. The tree ends at the depth TOP_DEPTH, with a row for all further tasks. */
static void deep(void **state)
{
	struct top t = { 0 };
	uint32_t tasks[40];
	struct made m;

	make(&m, 40);
	for (uint32_t i = 0; i < 40; i++)
		tasks[i] = 39 - i;
	chain(&m, false, tasks, 40);
	assert_int_equal(0, top_update(&t, &m.w, 10 * S));
	assert_int_equal(TOP_DEPTH + 2, t.rows.n);
	assert_string_equal("more tasks wait for it", t.rows.v[TOP_DEPTH + 1].text);
	assert_int_equal(39, t.trees.v[0].waiters);
	forget(&m);
	top_done(&t);
}

static const struct top_service *service(const struct top_services *s, const char *name)
{
	for (size_t i = 0; i < s->v.n; i++)
		if (!strcmp(s->v.v[i].name, name))
			return &s->v.v[i];
	fail_msg("no service %s", name);
	return NULL;
}

static void update_both(struct top *t, struct top_services *s, struct made *m, uint64_t now_ns)
{
	assert_int_equal(0, top_update(t, &m->w, now_ns));
	assert_int_equal(0, top_services_update(s, t, &m->w, now_ns));
}

static void about(double got, double want)
{
	assert_true(got > want - 0.001 && got < want + 0.001);
}

/* Tasks 0 and 1 are of the service "db", tasks 2 and 3 of "web", task 4 of "bad". Task 1 waits for a lock of
 * task 0, and task 2 waits for task 1 in another way. Task 3 idles. Task 4 waits for a disk. */
static void make_services(struct made *m)
{
	static const char *const names[] = { "db", "db", "web", "web", "bad\x1b[1m" };

	make(m, 5);
	for (uint32_t i = 0; i < 5; i++)
		strncpy(m->threads[i].comm, names[i], sizeof(m->threads[i].comm) - 1);
	m->waits[0].class = PROCWAIT_RUN;
	m->waits[2].kind = "unix";
	m->waits[3].class = PROCWAIT_IDLE;
	m->waits[4].class = PROCWAIT_DISK;
	m->waits[1].kind = "file-lock";
	CHAIN(m, false, 2, 1, 0);
}

static void services(void **state)
{
	struct top_services s = { 0 };
	struct top t = { 0 };
	top_service_list v = { 0 };
	struct made m;

	make_services(&m);
	update_both(&t, &s, &m, 10 * S);
	about(service(&s, "db")->average[SHARE_LOCK], 0); /* one update says nothing about a time */
	/* in the next second, task 0 has a CPU for half of the time, and waits for one */
	m.threads[0].cpu_ns = S / 2;
	m.threads[0].queued_ns = S / 2;
	m.threads[0].switches++;
	update_both(&t, &s, &m, 11 * S);
	assert_int_equal(2, service(&s, "db")->tasks);
	about(service(&s, "db")->average[SHARE_CPU], 0.5);
	about(service(&s, "db")->average[SHARE_QUEUE], 0.5);
	about(service(&s, "db")->average[SHARE_LOCK], 1);
	about(service(&s, "web")->average[SHARE_TASKS], 1);
	about(service(&s, "web")->average[SHARE_LOCK], 0);
	about(service(&s, "bad\\x1b[1m")->average[SHARE_DISK], 1);
	assert_int_equal(101, service(&s, "db")->tid);
	assert_int_equal(1 * S, service(&s, "db")->wait_ns);
	assert_int_equal(102, service(&s, "web")->tid);
	assert_non_null(strstr(service(&s, "web")->text, "db[101]"));
	assert_null(strchr(service(&s, "bad\\x1b[1m")->text, 0x1b));
	/* the disk answers; the average goes down slowly */
	m.waits[4].class = PROCWAIT_IDLE;
	update_both(&t, &s, &m, 12 * S);
	about(service(&s, "bad\\x1b[1m")->average[SHARE_DISK], 0.5);
	assert_int_equal(0, service(&s, "bad\\x1b[1m")->tid);
	assert_int_equal(0, top_services_pick(&s, TOP_LONGEST, "", &v));
	assert_int_equal(3, v.n);
	assert_string_equal("bad\\x1b[1m", s.v.v[v.v[2]].name);
	v.n = 0;
	assert_int_equal(0, top_services_pick(&s, TOP_WAITERS, "WEB", &v));
	assert_int_equal(1, v.n);
	VEC_FREE(&v);
	forget(&m);
	/* a service without processes is not shown, and is forgotten after a while */
	make(&m, 1);
	update_both(&t, &s, &m, 13 * S);
	assert_int_equal(4, s.v.n);
	assert_int_equal(0, top_services_pick(&s, TOP_LONGEST, "", &v));
	assert_int_equal(1, v.n);
	VEC_FREE(&v);
	update_both(&t, &s, &m, 12 * S + TOP_AVERAGE_NS + 1);
	assert_int_equal(1, s.v.n);
	top_services_done(&s);
	top_done(&t);
}

/* What counts is how long a task ran and waited for a CPU, not whether it runs at the moment of an update. */
static void cpu_times(void **state)
{
	struct top_services s = { 0 };
	struct top t = { 0 };
	struct made m;

	make(&m, 2);
	update_both(&t, &s, &m, 10 * S);
	make(&m, 3);
	/* task 0 ran all the time; task 1 waits for a CPU; task 2 is new, and has run since its start */
	m.waits[0].class = m.waits[1].class = m.waits[2].class = PROCWAIT_RUN;
	m.threads[0].cpu_ns = 2 * S;
	m.threads[1].switches = 5;
	m.threads[2].cpu_ns = S / 10;
	update_both(&t, &s, &m, 12 * S);
	about(service(&s, "task")->average[SHARE_CPU], 1.05);
	about(service(&s, "task")->average[SHARE_QUEUE], 1);
	/* task 1 gets a CPU: its wait counts only for the time since the last update */
	m.waits[1].class = PROCWAIT_IDLE;
	m.threads[1].cpu_ns = S / 10;
	m.threads[1].queued_ns = 39 * S / 10;
	m.threads[1].switches++;
	m.threads[0].cpu_ns = m.threads[2].cpu_ns = 3 * S;
	update_both(&t, &s, &m, 14 * S);
	about(service(&s, "task")->average[SHARE_QUEUE], 1);
	top_services_done(&s);
	top_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(services),  cmocka_unit_test(ages),         cmocka_unit_test(pid_again),
		cmocka_unit_test(circle),    cmocka_unit_test(many_waiters), cmocka_unit_test(deep),
		cmocka_unit_test(cpu_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
