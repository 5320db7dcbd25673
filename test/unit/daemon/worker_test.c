/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/thresholds.h"
#include "daemon/worker.h"
#include "lib/cleanup.h"

#define LIMIT_NS 300000000ULL

struct fixture {
	sd_event *event;
	struct worker *worker;
	char order[64];
	_Atomic unsigned n_run, n_done, n_dropped;
	unsigned n_late;
	uint64_t last_late;
	const char *last_why;
};

struct job {
	struct fixture *f;
	char name;
	int wait_fd;
	/* the job calls worker_leave() before its wait, worker_enter() after its wait */
	bool leaves, enters, entered, progressed;
};

static void job_run(void *arg)
{
	struct job *j = arg;
	char byte;

	j->f->order[j->f->n_run++] = j->name;
	if (j->leaves)
		worker_leave();
	if (j->wait_fd >= 0) {
		(void)!read(j->wait_fd, &byte, 1);
		close(j->wait_fd);
	}
	j->progressed = worker_progress();
	if (j->enters)
		j->entered = worker_enter();
}

static void job_done(void *arg)
{
	struct job *j = arg;

	j->f->n_done++;
}

static void job_drop(void *arg)
{
	struct job *j = arg;

	j->f->n_dropped++;
}

static void on_late(void *arg, uint64_t client, const char *why)
{
	struct fixture *f = arg;

	f->n_late++;
	f->last_late = client;
	f->last_why = why;
}

static int start(void **state, uint64_t limit_ns, bool answers)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const struct worker_options opt = { .name = "test",
					    .queue_max = 8,
					    .limit_ns = limit_ns,
					    .late = answers ? on_late : NULL,
					    .arg = f };

	*state = f;
	return sd_event_new(&f->event) < 0 || worker_new(f->event, &opt, &f->worker);
}

static int setup(void **state)
{
	return start(state, LIMIT_NS, true);
}

static int setup_without_answers(void **state)
{
	return start(state, LIMIT_NS, false);
}

static int setup_without_limit(void **state)
{
	return start(state, 0, false);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->worker) {
		assert_true(worker_stop(f->worker));
		worker_free(f->worker);
	}
	sd_event_unref(f->event);
	free(f);
	return 0;
}

static void until(struct fixture *f, const _Atomic unsigned *n, unsigned want)
{
	for (unsigned i = 0; i < 500 && *n < want; i++)
		sd_event_run(f->event, 10000);
	assert_true(*n >= want);
}

static void until_stuck(struct fixture *f, unsigned want)
{
	for (unsigned i = 0; i < 500 && worker_stats(f->worker).stuck != want; i++)
		sd_event_run(f->event, 10000);
	assert_int_equal(worker_stats(f->worker).stuck, want);
}

static int post(struct fixture *f, struct job *j, uint64_t client, uid_t uid)
{
	const struct worker_job wj = { .run = job_run,
				       .done = job_done,
				       .drop = job_drop,
				       .arg = j,
				       .late = "it is stuck",
				       .client = client,
				       .uid = uid,
				       .owner = !uid };

	j->f = f;
	return worker_post(f->worker, &wj);
}

static int post_waiting(struct fixture *f, struct job *j, uint64_t client, uid_t uid)
{
	unsigned before = f->n_run;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	*j = (struct job){ .name = 'w', .wait_fd = ends[0], .leaves = j->leaves, .enters = j->enters };
	assert_int_equal(post(f, j, client, uid), 0);
	until(f, &f->n_run, before + 1);
	return ends[1];
}

static void root_goes_first(void **state)
{
	struct fixture *f = *state;
	struct job first = { 0 }, jobs[4];
	int end = post_waiting(f, &first, 1, 1000);

	for (unsigned i = 0; i < 4; i++) {
		jobs[i] = (struct job){ .name = (char)('a' + i), .wait_fd = -1 };
		assert_int_equal(post(f, &jobs[i], 2 + i, i < 2 ? 1000 : 0), 0);
	}
	close(end);
	until(f, &f->n_done, 5);
	assert_string_equal(f->order, "wcdab");
}

/* The queued job is dropped. The running job learns from worker_progress() that it may end. */
static void gone_client(void **state)
{
	struct fixture *f = *state;
	struct job first = { 0 }, same = { .name = 'a', .wait_fd = -1 },
		   other = { .name = 'b', .wait_fd = -1 };
	int end = post_waiting(f, &first, 1, 1000);

	assert_int_equal(post(f, &same, 1, 1000), 0);
	assert_int_equal(post(f, &other, 2, 1000), 0);
	worker_cancel(f->worker, 1);
	assert_int_equal(f->n_dropped, 1);
	assert_int_equal(worker_stats(f->worker).queued, 1);
	close(end);
	until(f, &f->n_done, 2);
	assert_false(first.progressed);
	assert_true(other.progressed);
	assert_string_equal(f->order, "wb");
}

/* The worker gives up a stuck job. When the wait of this job ends, the job is dropped. */
static void stuck_job(void **state)
{
	struct fixture *f = *state;
	struct job first = { .leaves = true, .enters = true }, next = { .name = 'a', .wait_fd = -1 };
	int end = post_waiting(f, &first, 1, 1000);

	assert_int_equal(post(f, &next, 2, 1000), 0);
	until(f, &f->n_done, 1);
	assert_int_equal(f->n_late, 1);
	assert_int_equal(f->last_late, 1);
	assert_string_equal(f->last_why, "it is stuck");
	assert_int_equal(worker_stats(f->worker).stuck, 1);
	assert_int_equal(worker_stats(f->worker).given_up, 1);
	assert_int_equal(f->n_dropped, 0);
	close(end);
	until(f, &f->n_dropped, 1);
	until_stuck(f, 0);
	assert_int_equal(f->n_done, 1);
	assert_false(first.progressed);
	assert_false(first.entered);
}

/* If too many jobs of one user are stuck, further jobs of this user are refused. If too many jobs of all
 * users other than root are stuck together, further jobs of all these users are refused. Jobs of root are
 * still done. */
static void stuck_users(void **state)
{
	struct fixture *f = *state;
	struct job jobs[WORKER_STUCK_OTHERS], more = { .name = 'a', .wait_fd = -1 };
	int ends[WORKER_STUCK_OTHERS];

	for (unsigned i = 0; i < WORKER_STUCK_OTHERS; i++) {
		jobs[i] = (struct job){ .leaves = true };
		ends[i] = post_waiting(f, &jobs[i], 1 + i, 1000 + i / WORKER_STUCK_USER);
		if (i + 1 == WORKER_STUCK_USER) {
			struct job queued = { .name = 'q', .wait_fd = -1 };

			assert_int_equal(post(f, &queued, 99, 1000), 0);
			until_stuck(f, i + 1);
			assert_int_equal(f->last_late, 99);
			assert_null(f->last_why);
			assert_int_equal(f->n_dropped, 1);
		}
		until_stuck(f, i + 1);
	}
	assert_int_equal(post(f, &more, 50, 1000), -EBUSY);
	assert_int_equal(post(f, &more, 51, 4000), -EBUSY);
	assert_int_equal(post(f, &more, 52, 0), 0);
	until(f, &f->n_done, 1);
	for (unsigned i = 0; i < WORKER_STUCK_OTHERS; i++)
		close(ends[i]);
	until_stuck(f, 0);
	assert_int_equal(post(f, &more, 53, 1000), 0);
	until(f, &f->n_done, 2);
}

/* Too many jobs of one user are stuck. If the worker has no late() function, a further job of this user
 * is not refused, but waits until a stuck job ends. A job of another user does not wait. */
static void waits_for_the_stuck(void **state)
{
	struct fixture *f = *state;
	struct job jobs[WORKER_STUCK_USER], more = { .name = 'a', .wait_fd = -1 },
					    other = { .name = 'b', .wait_fd = -1 };
	int ends[WORKER_STUCK_USER];

	for (unsigned i = 0; i < WORKER_STUCK_USER; i++) {
		jobs[i] = (struct job){ .leaves = true };
		ends[i] = post_waiting(f, &jobs[i], 0, 1000);
		until_stuck(f, i + 1);
	}
	assert_int_equal(post(f, &more, 0, 1000), 0);
	assert_int_equal(post(f, &other, 0, 1001), 0);
	until(f, &f->n_done, 1);
	assert_string_equal(f->order, "wwb");
	close(ends[0]);
	until(f, &f->n_done, 2);
	assert_string_equal(f->order, "wwba");
	close(ends[1]);
	until_stuck(f, 0);
}

static void ends_while_stuck(void **state)
{
	struct fixture *f = *state;
	struct job given_up = { .leaves = true, .enters = true },
		   on_hand = { .leaves = true, .enters = true };
	struct job queued = { .name = 'a', .wait_fd = -1 };
	int end = post_waiting(f, &given_up, 1, 1000), end2;

	until_stuck(f, 1);
	end2 = post_waiting(f, &on_hand, 2, 1001);
	assert_int_equal(post(f, &queued, 3, 1001), 0);
	assert_true(worker_stop(f->worker));
	assert_int_equal(f->n_dropped, 1);
	worker_free(TAKE_PTR(f->worker));
	close(end);
	close(end2);
	until(f, &f->n_dropped, 3);
	assert_false(given_up.entered);
	assert_false(on_hand.entered);
	assert_int_equal(f->n_done, 0);
}

/* A job without worker_leave() may use memory of the daemon, which must not be freed. */
static void ends_not_while_used(void **state)
{
	struct fixture *f = *state;
	static struct job first; /* its thread outlives this function */
	int end = post_waiting(f, &first, 1, 0);

	assert_false(worker_stop(f->worker));
	close(end);
}

#define WITH(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(root_goes_first),
		WITH(gone_client),
		WITH(stuck_job),
		WITH(stuck_users),
		cmocka_unit_test_setup_teardown(waits_for_the_stuck, setup_without_answers, teardown),
		WITH(ends_while_stuck),
		cmocka_unit_test_setup_teardown(ends_not_while_used, setup_without_limit, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
