// SPDX-License-Identifier: GPL-2.0-or-later
/* A child of the test is the session that waits. Its memory has the structures of a lock manager. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctrace/postgres.h"
#include "daemon/inspect/inspect_postgres.h"
#include "lib/cleanup.h"

enum { ROW_EXCLUSIVE = 3, SHARE = 5, ACCESS_SHARE = 1, ACCESS_EXCLUSIVE = 8 };

struct fake_proc {
	struct postgres_list queue;
	uint64_t other[5];
	uint32_t pid, more;
	struct postgres_wait wait;
	uint8_t rest[POSTGRES_PROC_BYTES];
};

/* inspect_postgres() looks for a variable with this name. */
extern struct fake_proc *MyProc;
struct fake_proc *MyProc;

static struct {
	struct postgres_lock lock;
	struct postgres_hold holds[3];
	struct fake_proc procs[3];
} db;

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

static void list_add(struct postgres_list *head, struct postgres_list *at)
{
	struct postgres_list *last = (void *)(uintptr_t)head->prev;

	*at = (struct postgres_list){ .prev = head->prev, .next = address(head) };
	head->prev = last->next = address(at);
}

/* Session i has the modes `held` of the lock, and waits for the mode `wanted`, if it is not 0. */
static void session(unsigned i, uint32_t pid, uint32_t held, uint32_t wanted)
{
	struct fake_proc *p = &db.procs[i];

	p->pid = pid;
	db.holds[i] = (struct postgres_hold){
		.lock = address(&db.lock), .proc = address(p), .leader = address(p), .held = held
	};
	list_add(&db.lock.owners, &db.holds[i].of_lock);
	if (!wanted)
		return;
	p->wait = (struct postgres_wait){ .lock = address(&db.lock),
					  .hold = address(&db.holds[i]),
					  .mode = wanted };
	list_add(&db.lock.waiters, &p->queue);
}

static void start(void)
{
	memset(&db, 0, sizeof(db));
	db.lock.owners = (struct postgres_list){ address(&db.lock.owners), address(&db.lock.owners) };
	db.lock.waiters = (struct postgres_list){ address(&db.lock.waiters), address(&db.lock.waiters) };
}

static pid_t child(void)
{
	pid_t pid = fork();

	if (!pid) {
		for (;;)
			pause();
	}
	return pid;
}

/* Forks the waiting session, procs[0], and inspects it. */
static struct ct_rec inspect(void)
{
	struct inspect_result r = { 0 }, again = { 0 };
	struct unwind_frame f;
	struct ct_iter_task t = { .task.ppid = (uint32_t)getpid() };
	struct map procs = { 0 };
	struct unwind *u;
	int ready[2];
	pid_t pid;
	char c;

	MyProc = &db.procs[0];
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		db.procs[0].pid = (uint32_t)getpid();
		(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	t.task.h.tid = t.task.tgid = (uint32_t)pid;
	assert_int_equal(unwind_new(&u), 0);
	assert_int_equal(unwind_begin(u, (uint32_t)pid), 0);
	f = unwind_locate(u, (uintptr_t)inspect, true);
	assert_non_null(f.elf);
	inspect_postgres(u, &t, &f, 0, &procs, &r);
	inspect_postgres(u, &t, &f, 0, &procs, &again); /* uses procs */
	assert_int_equal(r.rec.peer, again.rec.peer);
	assert_int_equal(r.rec.aux, again.rec.aux);
	unwind_end(u);
	unwind_free(u);
	map_done(&procs);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return r.rec;
}

static void check(const struct ct_rec *r, uint32_t owner, unsigned lock)
{
	assert_int_equal(r->peer, owner);
	assert_int_equal(r->aux, lock);
}

static pid_t a, b;

static void one_owner(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(1, (uint32_t)a, 1 << ROW_EXCLUSIVE, 0);
	session(2, (uint32_t)b, 1 << ACCESS_SHARE, 0);
	session(0, 0, 0, SHARE);
	r = inspect();
	check(&r, (uint32_t)a, CT_VL_DATABASE);
}

static void the_other_owner(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(0, 0, 0, SHARE);
	session(1, (uint32_t)a, 1 << ACCESS_SHARE, 0);
	session(2, (uint32_t)b, 1 << ROW_EXCLUSIVE, 0);
	r = inspect();
	check(&r, (uint32_t)b, CT_VL_DATABASE);
}

static void two_owners(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(1, (uint32_t)a, 1 << ACCESS_SHARE, 0);
	session(2, (uint32_t)b, 1 << ACCESS_SHARE, 0);
	session(0, 0, 0, ACCESS_EXCLUSIVE);
	r = inspect();
	check(&r, 0, CT_VL_DATABASE);
}

/* The mode that the owner has does not conflict with the mode that the waiter wants. But a session
 * in front of the waiter wants a mode that conflicts. */
static void queued(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(1, (uint32_t)a, 1 << ACCESS_SHARE, 0);
	session(2, (uint32_t)b, 0, ACCESS_EXCLUSIVE);
	session(0, 0, 0, ACCESS_SHARE);
	r = inspect();
	check(&r, (uint32_t)b, CT_VL_DATABASE);
}

static void queued_behind(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(1, (uint32_t)a, 1 << ACCESS_SHARE, 0);
	session(0, 0, 0, ACCESS_SHARE);
	session(2, (uint32_t)b, 0, ACCESS_EXCLUSIVE);
	r = inspect();
	check(&r, 0, CT_VL_DATABASE);
}

static void prepared(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(1, 0, 1 << ROW_EXCLUSIVE, 0);
	session(0, 0, 0, SHARE);
	r = inspect();
	check(&r, 0, CT_VL_DATABASE | CT_VL_NO_TASK);
}

/* A parallel worker does not wait for its own session. */
static void own_group(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(1, (uint32_t)a, 1 << ROW_EXCLUSIVE, 0);
	session(0, 0, 0, SHARE);
	db.holds[1].leader = address(&db.procs[0]);
	r = inspect();
	check(&r, 0, CT_VL_DATABASE);
}

static void of_another_server(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(1, 1, 1 << ROW_EXCLUSIVE, 0); /* process 1 is no child of the test */
	session(0, 0, 0, SHARE);
	r = inspect();
	check(&r, 0, CT_VL_DATABASE);
}

static void damaged(void **state)
{
	struct ct_rec r;

	(void)state;
	start();
	session(1, (uint32_t)a, 1 << ROW_EXCLUSIVE, 0);
	session(0, 0, 0, SHARE);
	db.holds[1].lock = 8;
	r = inspect();
	check(&r, 0, CT_VL_DATABASE);
	db.holds[1].lock = address(&db.lock);
	db.holds[1].of_lock.next = address(&db.holds[1].of_lock); /* a list without an end */
	r = inspect();
	check(&r, 0, CT_VL_DATABASE);
	db.holds[1].of_lock.next = 1ULL << 62;
	r = inspect();
	check(&r, 0, CT_VL_DATABASE);
	db.procs[0].wait.mode = POSTGRES_MODES + 1;
	r = inspect();
	check(&r, 0, CT_VL_DATABASE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_owner),     cmocka_unit_test(the_other_owner),
		cmocka_unit_test(two_owners),    cmocka_unit_test(queued),
		cmocka_unit_test(queued_behind), cmocka_unit_test(prepared),
		cmocka_unit_test(own_group),     cmocka_unit_test(of_another_server),
		cmocka_unit_test(damaged),
	};
	int failed;

	a = child();
	b = child();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kill(a, SIGKILL);
	kill(b, SIGKILL);
	return failed;
}
