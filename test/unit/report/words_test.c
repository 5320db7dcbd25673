/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/limit.h"
#include "report/view/summary.h"
#include "report/view/words.h"

/* A doubt about the end of the chain is about its last task. A doubt about the work of a task is about the
 * task that worked, and not about the task that had its CPU meanwhile. */
static void doubted_link(void **state)
{
	struct link chain[] = { { .edge = EDGE_PIPE }, { .edge = EDGE_PIPE }, { .edge = 0 } };
	struct diagnosis d = { .chain = chain, .n_chain = ARRAY_SIZE(chain), .doubts = 1 << DOUBT_WORK };

	(void)state;
	assert_false(view_is_doubted(&d, 0));
	assert_false(view_is_doubted(&d, 1));
	assert_true(view_is_doubted(&d, 2));
	chain[1].edge = EDGE_CPU;
	assert_false(view_is_doubted(&d, 0));
	assert_true(view_is_doubted(&d, 1));
	assert_false(view_is_doubted(&d, 2));
	d.doubts = 1 << DOUBT_CPU;
	assert_false(view_is_doubted(&d, 1));
	assert_true(view_is_doubted(&d, 2));
}

/* The path goes on to the writer of the input, so the page says why the chain does not. */
static void writer_of_input(void **state)
{
	struct link chain[] = { { .comm = "app", .tid = 7 }, { .comm = "sh", .tid = 8, .task = 3 } };
	struct diagnosis d = { .chain = chain, .n_chain = ARRAY_SIZE(chain) };
	struct words none = { 0 }, sure = { 0 }, perhaps = { 0 };
	_cleanup_free_ char *text = NULL, *doubtful = NULL;

	(void)state;
	view_add_writer(&none, &d);
	assert_int_equal(none.n, 0);
	d.writer = (struct writer){
		.reader = 3, .tid = 9, .comm = "feed", .edge = EDGE_PIPE, .strength = EDGE_STRONG
	};
	view_add_writer(&sure, &d);
	text = words_take(&sure);
	assert_non_null(strstr(text, "feed[9] started sh[8], and writes what it reads."));
	assert_non_null(strstr(text, "the chain ends at sh[8]. The critical path goes on to feed[9]"));
	d.writer.strength = EDGE_WEAK;
	view_add_writer(&perhaps, &d);
	doubtful = words_take(&perhaps);
	assert_non_null(strstr(doubtful, "and perhaps writes what it reads."));
}

static void assert_link(const struct diagnosis *d, size_t i, const char *want)
{
	struct words t = { 0 };
	_cleanup_free_ char *text = NULL;

	summary_add_link(&t, d, i, i + 1);
	text = words_take(&t);
	assert_string_equal(text, want);
}

/* A database passes its lock on by a signal. The link is about the owner of the lock, not about the signal.
 */
static void owner_of_lock(void **state)
{
	struct link chain[] = { { .comm = "b",
				  .tid = 7,
				  .state = LINK_WAITING,
				  .kind = RESOURCE_DATABASE_LOCK,
				  .edge = EDGE_SIGNAL,
				  .waits = 1,
				  .total_ns = 2000000000 },
				{ .comm = "a", .tid = 8 } };
	struct diagnosis d = { .chain = chain, .n_chain = ARRAY_SIZE(chain), .cycle = 2 };

	(void)state;
	assert_link(&d, 0, "b[7] waited 2 s for a[8]: a[8] had the lock of the database.");
	chain[0].kind = RESOURCE_SIGNAL;
	assert_link(&d, 0, "b[7] waited 2 s for a[8]: a[8] sent the signal.");
}

static void assert_end(const struct graph *g, const struct blame *b, const char *want)
{
	struct link chain = { .comm = "sh", .tid = 8, .task = 1 };
	struct diagnosis d = { .chain = &chain, .n_chain = 1 };
	struct words t = { 0 };
	_cleanup_free_ char *text = NULL;

	view_add_end(&t, g, &d, &g->intervals[0], b);
	text = words_take(&t);
	assert_string_equal(text, want);
}

/* A task polls with a time limit until its child ends. The blame for each poll is the child, but only the
 * last poll ended because of the child. */
static void limit_of_a_poll(void **state)
{
	struct window_event wake = { .r = { .kind = CT_WAKE, .state = CT_CTX_TIMER } };
	struct window w = { .events = &wake, .n_events = 1, .to_ns = 9, .file_to_ns = 9 };
	struct interval x = {
		.state = INTERVAL_BLOCKED, .wait = CT_W_POLL, .wake = 0, .flags = CT_SF_TIMEOUT, .to_ns = 5
	};
	struct graph g = { .w = &w, .intervals = &x };
	struct blame b = {
		.task = 1, .ended = true, .edge = EDGE_EXIT, .strength = EDGE_STRONG, .kind = RESOURCE_CHILD
	};

	(void)state;
	assert_true(view_is_limited(&g, &x, &b));
	assert_end(
		&g, &b,
		"A timer or a time limit ended the wait. sh[8] could have ended the wait. Link: the end of its child, certain.");
	wake.r.state = CT_CTX_TASK;
	assert_false(view_is_limited(&g, &x, &b));
	assert_end(&g, &b, "sh[8] ended the wait. Link: the end of its child, certain.");
	/* a timer may be the event that the task awaits */
	wake.r.state = CT_CTX_TIMER;
	x.flags = 0;
	assert_false(view_is_limited(&g, &x, &b));
}

/* The text names the wake-up that ended the wait, and not one that went before it. */
static void wake_up_at_the_end(void **state)
{
	struct link chain[] = { { .comm = "b",
				  .tid = 7,
				  .state = LINK_WAITING,
				  .kind = RESOURCE_FUTEX,
				  .edge = EDGE_POST,
				  .strength = EDGE_STRONG,
				  .waits = 1,
				  .total_ns = 2000000000 },
				{ .comm = "a", .tid = 8 } };
	struct diagnosis d = { .chain = chain, .n_chain = ARRAY_SIZE(chain), .cycle = 2 };

	(void)state;
	assert_link(&d, 0,
		    "b[7] waited 2 s for a[8]: a[8] made the wake-up on the futex that ended the wait.");
	chain[0].strength = EDGE_WEAK;
	assert_link(&d, 0, "b[7] waited 2 s for a[8]: a[8] made the wake-up on the futex.");
	chain[0].strength = EDGE_STRONG;
	chain[0].unfinished = true;
	assert_link(&d, 0, "b[7] waited 2 s for a[8]: a[8] made the wake-up on the futex.");
}

/* A task that another task started during the wait did not wait itself. */
static void started_later(void **state)
{
	struct link chain[] = { { .comm = "curl",
				  .tid = 7,
				  .state = LINK_WAITING,
				  .kind = RESOURCE_PIPE,
				  .edge = EDGE_PIPE,
				  .waits = 1,
				  .total_ns = 3000000000 },
				{ .comm = "sh",
				  .tid = 8,
				  .state = LINK_UNBORN,
				  .kind = RESOURCE_CHILD,
				  .edge = EDGE_FORK,
				  .total_ns = 2000000000 },
				{ .comm = "sh", .tid = 9 } };
	struct diagnosis d = { .chain = chain, .n_chain = ARRAY_SIZE(chain), .cycle = 3 };

	(void)state;
	assert_link(
		&d, 0,
		"curl[7] waited 3 s for sh[8]: sh[8] has the other end of the pipe. sh[8] was started only during this wait.");
	assert_link(&d, 1, "sh[8] was started only after 2 s, by sh[9].");
	chain[1].total_ns = 0;
	assert_link(&d, 1, "sh[8] was started by sh[9].");
}

static void assert_notes(const struct diagnosis *d, const char *want)
{
	struct graph_task tasks[2] = { 0 };
	struct graph g = { .tasks = tasks, .n_tasks = ARRAY_SIZE(tasks) };
	struct words t = { 0 };
	_cleanup_free_ char *text = NULL;

	view_add_notes(&t, &g, d, 0);
	text = t.n ? words_take(&t) : NULL;
	assert_int_equal(!text, !want);
	if (want)
		assert_string_equal(text, want);
}

/* A task that tries again and again to get a lock sleeps in between. Each sleep ends by itself. */
static void end_of_a_wait(void **state)
{
	struct link chain[] = { { .tid = 7, .edge = EDGE_FILELOCK, .unfinished = true },
				{ .tid = 8, .task = 1 } };
	struct diagnosis d = { .chain = chain, .n_chain = ARRAY_SIZE(chain) };

	(void)state;
	assert_notes(
		&d,
		" The owner of the lock is not recorded for the whole wait. No record shows what ended the wait.");
	chain[0].strength = EDGE_STRONG;
	assert_notes(&d, " No record shows what ended the wait.");
	chain[0].edge = EDGE_POLLED;
	assert_notes(&d, NULL);
}

static void assert_limit(const struct link *k, const char *want)
{
	struct words t = { 0 };
	_cleanup_free_ char *text = NULL;

	limit_add(&t, k);
	text = t.n ? words_take(&t) : NULL;
	assert_int_equal(!text, !want);
	if (want)
		assert_string_equal(text, want);
}

static void own_time_limit(void **state)
{
	struct link k = { .state = LINK_WAITING, .kind = RESOURCE_TCP, .waits = 1, .total_ns = 5000000000 };

	(void)state;
	assert_limit(&k, NULL);
	k.timeouts = 1;
	assert_limit(&k, "Its own time limit ended the wait, after 5 s.");
	k.before_ns = 1000000000;
	assert_limit(&k, "Its own time limit ended the wait, after at least 6 s.");
	k.waits = 3;
	assert_limit(&k, "Its own time limit ended 1 of these 3 waits.");
	/* a sleep ends so by its nature */
	k.state = LINK_SLEEPING;
	assert_limit(&k, NULL);
	k.state = LINK_WAITING;
	k.kind = RESOURCE_TIMER;
	assert_limit(&k, NULL);
}

static void assert_sure(const struct diagnosis *d, const char *want)
{
	struct words t = { 0 };
	_cleanup_free_ char *text = NULL;

	summary_add_sure(&t, d);
	text = words_take(&t);
	assert_string_equal(text, want);
}

static void what_is_not_certain(void **state)
{
	struct link chain[] = {
		{ .comm = "a", .tid = 7, .task = 1, .edge = EDGE_PIPE, .strength = EDGE_STRONG },
		{ .comm = "b", .tid = 8, .task = 2 }
	};
	struct choice choice = { .task = 3 };
	struct diagnosis d = { .chain = chain,
			       .n_chain = ARRAY_SIZE(chain),
			       .cycle = 2,
			       .verdict = VERDICT_LONG_WAIT,
			       .doubts = 1 << DOUBT_LEAF | 1 << DOUBT_CHOICE,
			       .choices = &choice,
			       .n_choices = 1 };

	(void)state;
	assert_sure(
		&d,
		"partly inferred. Records show each step from the victim to b[8], but not that the chain ends there. The box \"Inferred\" says why.");
	/* the victim could have another next task */
	choice.task = 1;
	assert_sure(
		&d,
		"partly inferred. Records show each step, but the cause is inferred. The box \"Inferred\" says why.");
	chain[0].strength = EDGE_WEAK;
	assert_sure(
		&d,
		"partly inferred. Of 1 step from the victim to the task to blame, 1 is inferred. The box \"Inferred\" says why.");
	d.doubts = 0;
	d.strong = true;
	assert_sure(&d, "certain. Records show each step from the victim to the task to blame.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubted_link),        cmocka_unit_test(writer_of_input),
		cmocka_unit_test(owner_of_lock),       cmocka_unit_test(limit_of_a_poll),
		cmocka_unit_test(wake_up_at_the_end),  cmocka_unit_test(end_of_a_wait),
		cmocka_unit_test(started_later),       cmocka_unit_test(own_time_limit),
		cmocka_unit_test(what_is_not_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
