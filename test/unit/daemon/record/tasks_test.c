/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/record/tasks.h"
#include "daemon/inspect/inspect_policy.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"

#define MS 1000000ULL
#define S  (1000 * MS)

static void free_tasks(struct tasks **t)
{
	tasks_free(*t);
}
#define TASKS(t, max)                                                                                        \
	_cleanup_(free_tasks) struct tasks *t = tasks_new(max);                                              \
	assert_non_null(t)

static void switch_at(struct tasks *t, uint16_t cpu, uint64_t ts, uint32_t prev, uint8_t wait, uint64_t obj,
		      uint32_t next)
{
	struct ct_rec r = { .ts = ts,
			    .kind = CT_SWITCH,
			    .state = wait ? CT_ST_SLEEP : CT_ST_RUNNING,
			    .wait = wait,
			    .flags = wait == CT_W_SLEEP ? CT_SF_TIMEOUT
				     : wait             ? 0
							: CT_SF_PREEMPT,
			    .tid = prev,
			    .peer = next,
			    .nr = wait,
			    .obj = obj };

	tasks_record(t, cpu, &r);
}

static void wake_at(struct tasks *t, uint16_t cpu, uint64_t ts, uint32_t tid, uint8_t ctx)
{
	struct ct_rec r = { .ts = ts, .kind = CT_WAKE, .state = ctx, .tid = tid };

	tasks_record(t, cpu, &r);
}

static void assert_state(struct tasks *t, uint32_t tid, int run, uint64_t since)
{
	const struct task *task = tasks_get(t, tid);

	assert_non_null(task);
	assert_int_equal(task->st.run, run);
	assert_int_equal(task->st.last.ts, since);
}

static void follows_a_task(void **state)
{
	TASKS(t, 10);

	switch_at(t, 1, 10, 0, 0, 0, 7);
	assert_state(t, 7, WINDOW_RUN_RUNNING, 10);
	assert_int_equal(tasks_get(t, 7)->st.cpu, 1);
	switch_at(t, 1, 20, 7, CT_W_READ, 99, 0);
	assert_state(t, 7, WINDOW_RUN_BLOCKED, 20);
	assert_int_equal(tasks_get(t, 7)->st.last.obj, 99);
	wake_at(t, 0, 30, 7, CT_CTX_TASK);
	assert_state(t, 7, WINDOW_RUN_RUNNABLE, 30);
	assert_int_equal(tasks_get(t, 7)->st.last.obj, 0);
	switch_at(t, 1, 40, 0, 0, 0, 7);
	switch_at(t, 1, 50, 7, CT_W_NONE, 0, 8);
	assert_state(t, 7, WINDOW_RUN_RUNNABLE, 50);
	assert_null(tasks_get(t, 0));
	assert_int_equal(tasks_count(t), 2);
}

/* The ring of CPU 1 is drained before that of CPU 0. */
static void older_never_overrides_newer(void **state)
{
	TASKS(t, 10);

	switch_at(t, 1, 60, 0, 0, 0, 7);
	switch_at(t, 0, 20, 7, CT_W_READ, 99, 0);
	assert_state(t, 7, WINDOW_RUN_RUNNING, 60);
	wake_at(t, 0, 30, 7, CT_CTX_TASK);
	assert_state(t, 7, WINDOW_RUN_RUNNING, 60);
}

static void wake_drained_before_its_switch(void **state)
{
	TASKS(t, 10);

	switch_at(t, 0, 10, 0, 0, 0, 7);
	wake_at(t, 1, 30, 7, CT_CTX_TASK);
	assert_state(t, 7, WINDOW_RUN_RUNNING, 10);
	switch_at(t, 0, 20, 7, CT_W_READ, 99, 0);
	assert_state(t, 7, WINDOW_RUN_RUNNABLE, 30);
	/* the wake-up at 30 ended an earlier wait */
	switch_at(t, 0, 40, 0, 0, 0, 7);
	switch_at(t, 0, 50, 7, CT_W_READ, 99, 0);
	assert_state(t, 7, WINDOW_RUN_BLOCKED, 50);
}

static void futex_owner(void **state)
{
	struct ct_rec f = { .ts = 19, .kind = CT_FUTEX, .tid = 7, .peer = 5, .obj = 99 };
	TASKS(t, 10);

	tasks_record(t, 0, &f);
	switch_at(t, 0, 20, 7, CT_W_FUTEX, 99, 0);
	assert_int_equal(tasks_get(t, 7)->st.owner, 5);
	wake_at(t, 0, 30, 7, CT_CTX_TASK);
	assert_int_equal(tasks_get(t, 7)->st.owner, 0);
	switch_at(t, 0, 40, 0, 0, 0, 7);
	switch_at(t, 0, 50, 7, CT_W_FUTEX, 98, 0);
	assert_int_equal(tasks_get(t, 7)->st.owner, 0);
	wake_at(t, 0, 60, 7, CT_CTX_TASK);
	switch_at(t, 0, 70, 0, 0, 0, 7);
	switch_at(t, 0, 2 * MS, 7, CT_W_FUTEX, 99, 0);
	assert_int_equal(tasks_get(t, 7)->st.owner, 0);
}

static unsigned n_gone;
static void count_gone(void *arg, uint32_t tid)
{
	assert_int_equal(tid, 7);
	n_gone++;
}

static void death_and_reuse(void **state)
{
	struct ct_rec born = { .ts = 2 * S, .kind = CT_WAKE_NEW, .tid = 7 };
	struct ct_rec dead = {
		.ts = 20, .kind = CT_SWITCH, .state = CT_ST_DEAD, .wait = CT_W_EXITED, .tid = 7
	};
	TASKS(t, 1);

	n_gone = 0;
	switch_at(t, 0, 10, 0, 0, 0, 7);
	tasks_record(t, 0, &dead);
	assert_null(tasks_get(t, 7));
	wake_at(t, 1, 15, 7, CT_CTX_TASK); /* late, from another ring */
	assert_null(tasks_get(t, 7));
	assert_int_equal(tasks_count(t), 0);
	tasks_purge(t, 20 + S - 1, count_gone, NULL);
	assert_int_equal(n_gone, 0);
	tasks_record(t, 0, &born);
	assert_state(t, 7, WINDOW_RUN_RUNNABLE, 2 * S);
	tasks_purge(t, 5 * S, count_gone, NULL);
	assert_int_equal(n_gone, 0);
	dead.ts = 3 * S;
	tasks_record(t, 0, &dead);
	tasks_purge(t, 4 * S, count_gone, NULL);
	assert_int_equal(n_gone, 1);
	switch_at(t, 0, 5 * S, 0, 0, 0, 8);
	assert_non_null(tasks_get(t, 8));
	assert_int_equal(tasks_refused(t), 0);
}

static void exec_by_a_thread(void **state)
{
	struct ct_rec exec = { .ts = 20, .kind = CT_EXEC, .tid = 7, .peer = 8 };
	TASKS(t, 10);

	switch_at(t, 0, 10, 7, CT_W_OTHER, 0, 8);
	tasks_record(t, 0, &exec);
	assert_null(tasks_get(t, 8));
	exec.peer = 7;
	tasks_record(t, 0, &exec);
	assert_non_null(tasks_get(t, 7));
}

static void limits(void **state)
{
	const struct window_state *states;
	TASKS(t, 3);
	size_t n;

	switch_at(t, 0, 10, 0, 0, 0, TASKS_TID_MAX - 1);
	switch_at(t, 0, 10, 0, 0, 0, TASKS_TID_MAX);
	switch_at(t, 0, 10, 0, 0, 0, UINT32_MAX);
	assert_int_equal(tasks_refused(t), 2);
	switch_at(t, 0, 10, 0, 0, 0, 1);
	switch_at(t, 0, 11, 0, 0, 0, 70000);
	switch_at(t, 0, 12, 0, 0, 0, 5);
	assert_int_equal(tasks_refused(t), 3);
	assert_int_equal(tasks_states(t, &states, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(states[0].last.tid, 1);
	assert_int_equal(states[1].last.tid, 70000);
	assert_int_equal(states[2].last.tid, TASKS_TID_MAX - 1);
	assert_null(tasks_next(t, TASKS_TID_MAX));
}

static struct ct_iter_task found(uint32_t tid, uint8_t wait, uint64_t obj, uint64_t since)
{
	return (struct ct_iter_task){
		.task = { .h = { .ts = 100,
				 .kind = CT_TASK,
				 .size = sizeof(struct ct_task_blob),
				 .tid = tid },
			  .tgid = tid },
		.wait = { .ts = 100,
			  .kind = CT_SWITCH,
			  .tid = tid,
			  .state = wait ? CT_ST_SLEEP : CT_ST_RUNNING,
			  .wait = wait,
			  .obj = obj },
		.sched_since = since,
	};
}

static void found_by_the_iterator(void **state)
{
	struct ct_iter_task a = found(7, CT_W_READ, 99, 40), b = found(8, CT_W_READ, 99, 0);
	struct ct_iter_task c = found(9, CT_W_READ, 99, 0);
	TASKS(t, 10);

	switch_at(t, 0, 10, 0, 0, 0, 6); /* the record of the exit of task 6 was lost */
	tasks_found_begin(t, 100);
	switch_at(t, 0, 110, 0, 0, 0, 9);
	tasks_found(t, &a);
	tasks_found(t, &b);
	tasks_found(t, &c);
	tasks_found_end(t);
	assert_null(tasks_get(t, 6));
	assert_state(t, 7, WINDOW_RUN_BLOCKED, 40);
	assert_state(t, 8, WINDOW_RUN_BLOCKED, 100);
	assert_state(t, 9, WINDOW_RUN_RUNNING, 110);
	assert_int_equal(tasks_get(t, 7)->tgid, 7);

	/* Task 9 may have waited since its last record, so it counts as running only since 150. */
	a.wait.wait = CT_W_NONE;
	a.wait.state = CT_ST_RUNNING;
	c = a;
	c.task.h.tid = c.wait.tid = 9;
	c.wait.peer = 3;
	tasks_found_begin(t, 150);
	tasks_found(t, &a);
	tasks_found(t, &b);
	tasks_found(t, &c);
	tasks_found_end(t);
	assert_state(t, 7, WINDOW_RUN_RUNNABLE, 150);
	assert_state(t, 9, WINDOW_RUN_RUNNING, 150);
	assert_int_equal(tasks_get(t, 9)->st.cpu, 2);

	/* The iterator finds the wait without its begin, so the known begin stays. */
	tasks_found_begin(t, 200);
	b.sched_since = 0;
	tasks_found(t, &b);
	assert_state(t, 8, WINDOW_RUN_BLOCKED, 100);
}

/* Records of other tasks mention a capped task, but do not show its state. */
static void capped_is_not_known(void **state)
{
	struct ct_rec cap = { .ts = 20 * MS, .kind = CT_SHED, .flags = CT_GV_CAP | CT_GV_GROUP, .tid = 7 };
	struct ct_iter_task a = found(7, CT_W_READ, 99, 0);
	const struct window_state *states;
	size_t n;
	TASKS(t, 10);

	switch_at(t, 0, 10 * MS, 7, CT_W_READ, 99, 8);
	tasks_record(t, 0, &cap);
	assert_int_equal(tasks_states(t, &states, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(states[0].run, WINDOW_RUN_CAPPED);
	assert_int_equal(states[0].last.ts, 20 * MS);
	assert_int_equal(states[0].last.tid, 7);
	assert_int_equal(states[1].run, WINDOW_RUN_RUNNING);
	switch_at(t, 0, 30 * MS, 8, CT_W_READ, 99, 7);
	assert_int_equal(tasks_states(t, &states, &n), 0);
	assert_int_equal(states[0].run, WINDOW_RUN_CAPPED);
	assert_int_equal(states[0].last.ts, 20 * MS);
	tasks_uncap(t, 7, 40 * MS);
	tasks_record(t, 0, &cap);
	tasks_found_begin(t, 40 * MS);
	tasks_found(t, &a);
	assert_int_equal(tasks_states(t, &states, &n), 0);
	assert_int_equal(states[0].run, WINDOW_RUN_BLOCKED);
	cap.ts = 45 * MS;
	tasks_record(t, 0, &cap);
	switch_at(t, 0, 50 * MS, 7, CT_W_EXITED, 0, 8);
	switch_at(t, 0, 60 * MS, 8, CT_W_READ, 99, 7);
	assert_int_equal(tasks_states(t, &states, &n), 0);
	assert_int_equal(states[0].run, WINDOW_RUN_RUNNING);
}

/* While a task is capped, most of its records are left out. The record of the cap itself may come after the
 * end of the task. Then the task must not come back. */
static void cap_does_not_revive(void **state)
{
	struct ct_rec cap = { .ts = 60 * MS, .kind = CT_SHED, .flags = CT_GV_CAP, .tid = 7 };
	TASKS(t, 10);

	switch_at(t, 0, 10 * MS, 8, CT_W_READ, 99, 7);
	switch_at(t, 0, 50 * MS, 7, CT_W_EXITED, 0, 8);
	tasks_record(t, 0, &cap);
	assert_null(tasks_get(t, 7));
	tasks_purge(t, 2 * S, count_gone, NULL);
	cap.ts = 2 * S;
	tasks_record(t, 0, &cap);
	assert_null(tasks_get(t, 7));
	/* With CT_GV_GROUP, the record comes from a BPF program that saw the task alive. So there is a
	 * new task 7, and the record of its fork was left out. */
	cap.flags |= CT_GV_GROUP;
	tasks_record(t, 0, &cap);
	assert_non_null(tasks_get(t, 7));
	/* the record of the end is missing, but the iterator of tasks finds no task 7 */
	tasks_ended(t, 7, 3 * S);
	assert_null(tasks_get(t, 7));
	tasks_ended(t, 6, 3 * S);
	assert_int_equal(tasks_count(t), 1);
}

static uint32_t next_due(struct tasks *t, uint32_t from, uint64_t now_ns, uint64_t due_ns)
{
	struct task *task = tasks_next_due(t, from, now_ns);

	if (task)
		task->due_ns = due_ns;
	return task ? task->st.last.tid : 0;
}

static void only_due_tasks_are_found(void **state)
{
	TASKS(t, 10);

	switch_at(t, 0, 1 * MS, 7, CT_W_READ, 99, 0);
	switch_at(t, 0, 1 * MS, 8, CT_W_READ, 99, 0);
	switch_at(t, 0, 1 * MS, 70000, CT_W_READ, 99, 0);
	assert_int_equal(next_due(t, 1, 0, 100), 7);
	assert_int_equal(next_due(t, 8, 0, UINT64_MAX), 8);
	assert_int_equal(next_due(t, 9, 0, 0), 70000); /* stays due */
	assert_int_equal(next_due(t, 1, 99, 200), 70000);
	assert_int_equal(next_due(t, 1, 99, 0), 0);
	assert_int_equal(next_due(t, 1, 100, 150), 7);
	assert_int_equal(next_due(t, 1, 149, 0), 0);
	assert_int_equal(next_due(t, 8, 150, 0), 0);
	assert_int_equal(next_due(t, 1, 150, UINT64_MAX), 7);
	assert_int_equal(next_due(t, 1, 200, UINT64_MAX), 70000);
	assert_int_equal(next_due(t, 1, S, 0), 0);
	switch_at(t, 0, 2 * MS, 8, CT_W_READ, 99, 0); /* a new wait */
	assert_int_equal(next_due(t, 1, 0, UINT64_MAX), 8);
	/* another task gets the tid of a task that has ended before it was looked at */
	switch_at(t, 0, 3 * MS, 8, CT_W_READ, 99, 0);
	tasks_ended(t, 8, 4 * MS);
	assert_int_equal(next_due(t, 1, 0, 0), 0);
	switch_at(t, 0, 5 * MS, 8, CT_W_READ, 99, 0);
	assert_int_equal(next_due(t, 1, 0, 0), 8);
}

static unsigned n_inspections;
static uint32_t last_inspected;
static bool inspect(void *arg, struct task *task)
{
	n_inspections++;
	last_inspected = task->st.last.tid;
	return true;
}

static void long_wait_is_inspected_once(void **state)
{
	struct inspect_policy w;
	TASKS(t, 10);

	n_inspections = 0;
	inspect_policy_init(&w, 200 * MS, 0);
	switch_at(t, 0, 1 * MS, 7, CT_W_READ, 99, 8);
	inspect_policy_scan(&w, t, 200 * MS, inspect, NULL);
	assert_int_equal(n_inspections, 0);
	inspect_policy_scan(&w, t, 250 * MS, inspect, NULL);
	assert_int_equal(n_inspections, 0);
	inspect_policy_scan(&w, t, 300 * MS, inspect, NULL);
	assert_int_equal(n_inspections, 1);
	assert_int_equal(last_inspected, 7);
	for (uint64_t now = 400 * MS; now < 100 * S; now += 100 * MS)
		inspect_policy_scan(&w, t, now, inspect, NULL);
	assert_int_equal(n_inspections, 1);
	/* a snapshot needs an inspection inside its window */
	assert_int_equal(inspect_policy_all(&w, t, 100 * S, 300 * MS, 10, inspect, NULL), 0);
	assert_int_equal(inspect_policy_all(&w, t, 100 * S, 301 * MS, 0, inspect, NULL), 0);
	assert_int_equal(inspect_policy_all(&w, t, 100 * S, 301 * MS, 10, inspect, NULL), 1);
	/* If the last inspection showed a lock, the lock may have another owner by now. Then the
	 * wait is inspected again. */
	assert_int_equal(inspect_policy_all(&w, t, 101 * S, 300 * MS, 10, inspect, NULL), 0);
	tasks_get(t, 7)->inspect_lock = true;
	assert_int_equal(inspect_policy_all(&w, t, 101 * S, 300 * MS, 10, inspect, NULL), 1);
}

static void repeated_wait_backs_off(void **state)
{
	struct inspect_policy w;
	uint64_t now = 0;
	TASKS(t, 10);

	n_inspections = 0;
	inspect_policy_init(&w, 200 * MS, 0);
	for (int i = 0; i < 100; i++, now += 500 * MS) {
		switch_at(t, 0, now, 7, CT_W_READ, 99, 8);
		inspect_policy_scan(&w, t, now + 300 * MS, inspect, NULL);
		wake_at(t, 0, now + 400 * MS, 7, CT_CTX_TASK);
		switch_at(t, 0, now + 450 * MS, 8, CT_W_NONE, 0, 7);
	}
	assert_in_range(n_inspections, 4, 6);
	n_inspections = 0;
	switch_at(t, 0, now, 7, CT_W_READ, 100, 8);
	inspect_policy_scan(&w, t, now + 300 * MS, inspect, NULL);
	assert_int_equal(n_inspections, 1);
}

static void loop_of_short_waits(void **state)
{
	uint8_t by[] = { CT_CTX_TIMER, CT_CTX_TASK };
	unsigned inspections[2];

	for (int k = 0; k < 2; k++) {
		struct inspect_policy w;
		TASKS(t, 10);

		n_inspections = 0;
		inspect_policy_init(&w, 200 * MS, 0);
		for (uint64_t now = 1 * MS; now < 3 * S; now += 10 * MS) {
			switch_at(t, 0, now, 7, CT_W_SLEEP, 0, 8);
			inspect_policy_scan(&w, t, now + MS, inspect, NULL);
			wake_at(t, 0, now + 9 * MS, 7, by[k]);
			switch_at(t, 0, now + 9 * MS + 1, 8, CT_W_NONE, 0, 7);
		}
		inspections[k] = n_inspections;
	}
	assert_in_range(inspections[0], 1, 2);
	assert_int_equal(inspections[1], 0);
}

/* A long sleep just before the loop must not delay the inspection of the loop. */
static void loop_after_a_long_sleep(void **state)
{
	struct inspect_policy w;
	TASKS(t, 10);

	n_inspections = 0;
	inspect_policy_init(&w, 200 * MS, 0);
	switch_at(t, 0, 1 * MS, 7, CT_W_SLEEP, 0, 8);
	inspect_policy_scan(&w, t, 300 * MS, inspect, NULL);
	assert_int_equal(n_inspections, 1);
	wake_at(t, 0, 400 * MS, 7, CT_CTX_TIMER);
	switch_at(t, 0, 400 * MS + 1, 8, CT_W_NONE, 0, 7);
	for (uint64_t now = 401 * MS; now < 1600 * MS; now += 10 * MS) {
		switch_at(t, 0, now, 7, CT_W_SLEEP, 0, 8);
		inspect_policy_scan(&w, t, now + MS, inspect, NULL);
		wake_at(t, 0, now + 9 * MS, 7, CT_CTX_TIMER);
		switch_at(t, 0, now + 9 * MS + 1, 8, CT_W_NONE, 0, 7);
	}
	assert_int_equal(n_inspections, 2);
}

static void rate_is_limited(void **state)
{
	struct inspect_policy w;
	TASKS(t, 10000);

	n_inspections = 0;
	inspect_policy_init(&w, 200 * MS, 0);
	for (uint32_t tid = 1; tid <= 1000; tid++)
		switch_at(t, 0, 1, tid, CT_W_READ, 99, 0);
	inspect_policy_scan(&w, t, 1 * S, inspect, NULL);
	assert_int_equal(n_inspections, INSPECT_POLICY_PER_SEC);
	assert_true(w.postponed > 0);
	for (uint64_t now = 1100 * MS; now <= 11 * S; now += 100 * MS)
		inspect_policy_scan(&w, t, now, inspect, NULL);
	assert_int_equal(n_inspections, 1000);
	assert_int_equal(last_inspected, 1000);
}

static void of_user(struct tasks *t, uint32_t tid, uint32_t uid)
{
	struct ct_task_blob b = { .h = { .ts = 1, .kind = CT_TASK, .tid = tid, .size = sizeof(b) },
				  .tgid = tid,
				  .uid = uid };

	tasks_identity(t, &b);
	switch_at(t, 0, 2, tid, CT_W_READ, 99, 0);
}

static void users_share_the_inspections(void **state)
{
	struct inspect_policy w;
	TASKS(t, 10000);

	inspect_policy_init(&w, 200 * MS, 0);
	for (uint32_t tid = 1; tid <= 1000; tid++)
		of_user(t, tid, 1000);
	of_user(t, 1001, 1001);
	n_inspections = 0;
	inspect_policy_scan(&w, t, 1 * S, inspect, NULL);
	assert_int_equal(last_inspected, 1001);
	assert_int_equal(n_inspections, INSPECT_POLICY_PER_SEC / 2 + 1);
	assert_int_equal(w.postponed, 1000 - INSPECT_POLICY_PER_SEC / 2);
	for (uint64_t now = 1100 * MS; now <= 30 * S; now += 100 * MS)
		inspect_policy_scan(&w, t, now, inspect, NULL);
	assert_true(n_inspections >= 1001);

	n_inspections = 0;
	assert_int_equal(inspect_policy_all(&w, t, 100 * S, 99 * S, 200, inspect, NULL), 102);
	assert_int_equal(last_inspected, 1001);
}

static void tells_an_idle_task_once(void **state)
{
	TASKS(t, 10);
	struct ct_iter_task found = {
		.task.h.tid = 7,
		.wait = { .ts = 2 * S, .kind = CT_SWITCH, .state = CT_ST_SLEEP, .wait = CT_W_READ, .tid = 7 },
		.switches = 1ULL << 32,
		.sched_since = S,
	};
	uint64_t words[2];
	struct ct_rec rec;

	(void)state;
	assert_true(tasks_read(t, &found, &rec, words));
	assert_false(tasks_read(t, &found, &rec, words));
	found.switches++;
	assert_true(tasks_read(t, &found, &rec, words));
}

static void tells_a_throttled_task(void **state)
{
	TASKS(t, 10);
	struct ct_iter_task found = {
		.task.h.tid = 7,
		.wait = { .ts = 2 * S,
			  .kind = CT_SWITCH,
			  .state = CT_ST_RUNNING,
			  .flags = CT_SF_PREEMPT | CT_SF_THROTTLED,
			  .tid = 7 },
		.sched_since = S,
	};
	uint64_t words[2];
	struct ct_rec rec;

	(void)state;
	assert_true(tasks_read(t, &found, &rec, words));
	assert_int_equal(rec.aux, CT_FOUND_QUEUED);
	assert_int_equal(rec.flags, CT_SF_THROTTLED);
}

/* The kernel counts a wait for a CPU anew when the task moves to another CPU. */
static void knows_how_long_a_task_is_queued(void **state)
{
	TASKS(t, 10);
	struct ct_iter_task found = {
		.task.h.tid = 7,
		.wait = { .ts = 2 * S, .kind = CT_SWITCH, .state = CT_ST_RUNNING, .tid = 7 },
		.times = 5 | 7ULL << 32,
		.switches = 3,
		.sched_since = S,
	};
	uint64_t words[2];
	struct ct_rec rec;

	(void)state;
	assert_true(tasks_read(t, &found, &rec, words));
	assert_int_equal(words[0], S);
	found.wait.ts = 3 * S;
	found.sched_since = 3 * S - 1;
	found.times = 5 | 9ULL << 32;
	assert_int_equal(tasks_since(t, &found), S);
	assert_true(tasks_read(t, &found, &rec, words));
	assert_int_equal(rec.aux, CT_FOUND_QUEUED);
	assert_int_equal(words[0], S);
	found.sched_since = 0;
	assert_int_equal(tasks_since(t, &found), S);
	found.sched_since = 3 * S;
	found.wait.peer = 1; /* it runs */
	assert_int_equal(tasks_since(t, &found), 3 * S);
	found.wait.peer = 0;
	found.times++; /* it ran */
	assert_int_equal(tasks_since(t, &found), 3 * S);
	found.times--;
	found.switches++;
	assert_int_equal(tasks_since(t, &found), 3 * S);
	found.switches--;
	found.wait.state = CT_ST_SLEEP;
	found.wait.wait = CT_W_READ;
	assert_int_equal(tasks_since(t, &found), 3 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_a_task),
		cmocka_unit_test(older_never_overrides_newer),
		cmocka_unit_test(wake_drained_before_its_switch),
		cmocka_unit_test(futex_owner),
		cmocka_unit_test(death_and_reuse),
		cmocka_unit_test(exec_by_a_thread),
		cmocka_unit_test(limits),
		cmocka_unit_test(users_share_the_inspections),
		cmocka_unit_test(found_by_the_iterator),
		cmocka_unit_test(capped_is_not_known),
		cmocka_unit_test(cap_does_not_revive),
		cmocka_unit_test(only_due_tasks_are_found),
		cmocka_unit_test(long_wait_is_inspected_once),
		cmocka_unit_test(repeated_wait_backs_off),
		cmocka_unit_test(loop_of_short_waits),
		cmocka_unit_test(loop_after_a_long_sleep),
		cmocka_unit_test(rate_is_limited),
		cmocka_unit_test(tells_an_idle_task_once),
		cmocka_unit_test(tells_a_throttled_task),
		cmocka_unit_test(knows_how_long_a_task_is_queued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
