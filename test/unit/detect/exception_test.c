// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/unit/detect/detect_make.h"

#include "detect/thresholds.h"

#define EXCEPTION CT_OBJ_ID(CT_OBJ_MARK, 1)
#define FATAL     CT_OBJ_ID(CT_OBJ_MARK, 2)
#define OTHER     CT_OBJ_ID(CT_OBJ_MARK, 3)

static void name(struct make *m, uint64_t id, const char *text)
{
	union {
		struct ct_object_blob b;
		char bytes[sizeof(struct ct_object_blob) + 64];
	} o = { .b.h = { .ts = m->now, .kind = CT_OBJECT, .size = sizeof(o) }, .b.id = id };

	o.b.name_len = (ct_u16)strlen(text);
	memcpy(o.bytes + sizeof(o.b), text, strlen(text));
	detect_blob(m->d, &o.b.h);
}

static void names(struct make *m)
{
	name(m, EXCEPTION, "uncaught exception");
	name(m, FATAL, "fatal exception");
	name(m, OTHER, "uncaught exceptions");
}

static void call(struct make *m, uint32_t tid, uint64_t obj)
{
	m->now += MS;
	rec(m, (struct ct_rec){
		       .kind = CT_MARK, .tid = tid, .obj = obj, .flags = CT_MF_CALL, .nr = CT_NR_NONE });
}

static void ends(struct make *m, uint32_t tid, uint32_t tgid, uint32_t status)
{
	m->now += MS;
	rec(m, (struct ct_rec){
		       .kind = CT_EXIT, .tid = tid, .peer = status, .obj = tgid, .flags = CT_LF_GROUP_DEAD });
}

static void waits(struct make *m, uint32_t tid, uint8_t wait)
{
	m->now += MS;
	rec(m, (struct ct_rec){ .kind = CT_SWITCH, .tid = tid, .wait = wait, .nr = NR_EPOLL, .obj = EPOLL });
}

static void reported(void **state)
{
	uint64_t at_ns;
	MAKE(m);

	names(&m);
	task(&m, 10, "node");
	task(&m, 20, "other");
	call(&m, 10, EXCEPTION);
	at_ns = m.now;
	waits(&m, 10, CT_W_FUTEX);
	waits(&m, 20, CT_W_EPOLL);
	ends(&m, 20, 20, 1 << 8); /* has reported no exception */
	pass(&m, S);
	assert_int_equal(m.n, 0);
	ends(&m, 10, 10, 7 << 8);
	assert_int_equal(m.n, 0); /* only a tick reports */
	pass(&m, 3 * S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].rule, CT_HANG_EXCEPTION);
	assert_int_equal(m.hangs[0].tid, 10);
	assert_int_equal(m.hangs[0].tgid, 10);
	assert_string_equal(m.hangs[0].comm, "node");
	assert_int_equal(m.hangs[0].since_ns, at_ns);
	assert_int_equal(detect_stats(m.d).found[CT_HANG_EXCEPTION], 1);
	assert_int_equal(detect_stats(m.d).found[CT_HANG_CRASH], 0);
}

static void thread_ends(struct make *m, uint32_t tid, uint32_t tgid, uint32_t status)
{
	m->now += MS;
	rec(m, (struct ct_rec){ .kind = CT_EXIT, .tid = tid, .peer = status, .obj = tgid });
}

/* A thread ends after an exception, and its process goes on. No such thread: a thread without an exception,
 * the process is killed, the thread waits for its next work or ends long after, the exception is also fatal.
 */
static void threads(void **state)
{
	uint64_t at_ns;
	MAKE(m);

	names(&m);
	task(&m, 10, "python3");
	for (uint32_t tid = 11; tid <= 16; tid++)
		task_of(&m, tid, 10, "worker", CT_TF_FOUND);
	call(&m, 11, EXCEPTION);
	at_ns = m.now;
	call(&m, 13, EXCEPTION);
	call(&m, 14, EXCEPTION);
	call(&m, 15, EXCEPTION);
	call(&m, 16, EXCEPTION);
	call(&m, 16, FATAL);
	waits(&m, 14, CT_W_EPOLL);
	waits(&m, 10, CT_W_EPOLL); /* the first thread goes on, and not the one with the exception */
	thread_ends(&m, 11, 10, 0);
	thread_ends(&m, 12, 10, 0);
	thread_ends(&m, 13, 10, 9);
	thread_ends(&m, 14, 10, 0);
	thread_ends(&m, 16, 10, 0);
	assert_int_equal(m.n, 0);
	pass(&m, RAISED_THREAD_NS);
	thread_ends(&m, 15, 10, 0);
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].rule, CT_HANG_EXCEPTION);
	assert_int_equal(m.hangs[0].tid, 11);
	assert_int_equal(m.hangs[0].tgid, 10);
	assert_string_equal(m.hangs[0].comm, "worker");
	assert_int_equal(m.hangs[0].since_ns, at_ns);
}

/* The record of the call comes after that of the end of the thread; an earlier thread had the same tid. */
static void thread_late(void **state)
{
	uint64_t at_ns;
	MAKE(m);

	names(&m);
	task(&m, 10, "python3");
	task_of(&m, 11, 10, "worker", CT_TF_FOUND);
	task_of(&m, 12, 10, "worker", CT_TF_FOUND);
	thread_ends(&m, 12, 10, 0);
	at_ns = m.now;
	m.now += 5 * MS;
	thread_ends(&m, 11, 10, 0);
	m.now = at_ns;
	call(&m, 11, EXCEPTION);
	call(&m, 12, EXCEPTION);
	m.now = at_ns + 20 * MS;
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].tid, 11);
}

/* Only a fatal exception of another thread ends the process. */
static void other_threads(void **state)
{
	MAKE(m);

	names(&m);
	task(&m, 10, "python3");
	task_of(&m, 11, 10, "worker", CT_TF_FOUND);
	task(&m, 20, "java");
	task_of(&m, 21, 20, "main", CT_TF_FOUND);
	call(&m, 11, EXCEPTION);
	call(&m, 21, FATAL);
	ends(&m, 10, 10, 1 << 8);
	ends(&m, 20, 20, 1 << 8);
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].tid, 21);
	assert_int_equal(m.hangs[0].tgid, 20);
}

/* A thread of a service has ended because of an exception. Much later, the service is stopped. */
static void long_after(void **state)
{
	for (unsigned late = 0; late < 2; late++) {
		MAKE(m);

		names(&m);
		task(&m, 10, "node");
		call(&m, 10, EXCEPTION);
		pass(&m, RAISED_KEPT_NS - 2 * S + late * 4 * S);
		ends(&m, 10, 10, 1 << 8);
		pass(&m, S);
		assert_int_equal(m.n, !late);
	}
}

/* The process has handled the exception, ends well, is killed, or executes another program; a pid is used
 * again; the call has another name, or is a mark of the user; the daemon itself. */
static void not_reported(void **state)
{
	MAKE(m);

	names(&m);
	for (uint32_t tid = 10; tid <= 17; tid++)
		task(&m, tid, "app");
	task_of(&m, 9, 9, "ctraced", CT_TF_FOUND);
	for (uint32_t tid = 9; tid <= 15; tid++)
		call(&m, tid, EXCEPTION);
	call(&m, 16, OTHER);
	rec(&m, (struct ct_rec){ .kind = CT_MARK, .tid = 17, .obj = EXCEPTION, .nr = CT_NR_NONE });
	waits(&m, 10, CT_W_EPOLL);
	waits(&m, 11, CT_W_ACCEPT);
	ends(&m, 12, 12, 0);
	ends(&m, 13, 13, 9);
	m.now += MS;
	rec(&m, (struct ct_rec){ .kind = CT_EXEC, .tid = 14, .peer = 14 });
	rec(&m, (struct ct_rec){ .kind = CT_FORK, .tid = 10, .peer = 15, .obj = 15 });
	for (uint32_t tid = 9; tid <= 17; tid++)
		ends(&m, tid, tid, 1 << 8);
	pass(&m, S);
	assert_int_equal(m.n, 0);
}

/* The records come through several rings: the end, or the wait of a program that goes on, before the call;
 * the call before the name of the task. */
static void late(void **state)
{
	uint64_t at_ns;
	MAKE(m);

	names(&m);
	task(&m, 10, "ends");
	task(&m, 20, "goes on");
	at_ns = m.now;
	m.now += 5 * MS;
	ends(&m, 10, 10, 1 << 8);
	waits(&m, 20, CT_W_EPOLL);
	m.now = at_ns;
	call(&m, 10, EXCEPTION);
	call(&m, 20, EXCEPTION);
	call(&m, 30, EXCEPTION);
	m.now = at_ns + 10 * MS;
	ends(&m, 20, 20, 1 << 8);
	ends(&m, 30, 30, 1 << 8);
	m.now = at_ns;
	task_of(&m, 30, 30, "young", CT_TF_FORK);
	m.now = at_ns + 20 * MS;
	pass(&m, S);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.hangs[0].tid, 10);
	assert_string_equal(m.hangs[1].comm, "young");
}

static void storm(void **state)
{
	MAKE(m);

	names(&m);
	for (uint32_t tid = 10; tid < 10 + 20; tid++) {
		task(&m, tid, "app");
		call(&m, tid, EXCEPTION);
		ends(&m, tid, tid, 1 << 8);
	}
	pass(&m, S);
	assert_int_equal(m.n, CRASHES_PER_TICK);
	assert_int_equal(detect_stats(m.d).crashes_refused, 20 - CRASHES_PER_TICK);
}

/* More processes than the table has places report exceptions, and go on for long. The oldest ones are
 * forgotten. */
static void many(void **state)
{
	MAKE(m);

	names(&m);
	for (uint32_t tid = 10; tid < 10 + 70; tid++) {
		task(&m, tid, "app");
		call(&m, tid, EXCEPTION);
	}
	assert_int_equal(detect_stats(m.d).crashes_refused, 6);
	ends(&m, 10, 10, 1 << 8);
	ends(&m, 79, 79, 1 << 8);
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].tid, 79);
}

static void off(void **state)
{
	struct detect_settings s;
	struct make m;

	make_settings(&s);
	s.overrides[0] = (struct detect_override){ .match = "script*", .set = 1u << CT_HANG_EXCEPTION };
	s.n_overrides = 1;
	make_with(&m, &s, 0);
	names(&m);
	task(&m, 10, "script");
	task(&m, 20, "other");
	call(&m, 10, EXCEPTION);
	call(&m, 20, EXCEPTION);
	ends(&m, 10, 10, 1 << 8);
	ends(&m, 20, 20, 1 << 8);
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].tid, 20);
	make_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reported),     cmocka_unit_test(other_threads),
		cmocka_unit_test(not_reported), cmocka_unit_test(late),
		cmocka_unit_test(storm),        cmocka_unit_test(many),
		cmocka_unit_test(off),          cmocka_unit_test(long_after),
		cmocka_unit_test(threads),      cmocka_unit_test(thread_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
