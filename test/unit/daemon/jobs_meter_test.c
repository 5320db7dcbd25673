// SPDX-License-Identifier: GPL-2.0-or-later
/* The meter, with probes that no thread detaches: the kernel lets the thread *jobs* wait. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/jobs/jobs_meter.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define BUDGET_PPM 10000

static struct jobs_spec specs_v[2] = { { .name = "first" }, { .name = "second" } };
static const struct jobs_specs specs = { .n = 2, .is_auto = true, .v = { &specs_v[0], &specs_v[1] } };

static struct world {
	pthread_mutex_t lock;
	struct jobs_auto_spent spent[2];
	enum job_switch how[2];
	unsigned n_off, n_again, n_on;
} w = { .lock = PTHREAD_MUTEX_INITIALIZER };

void jobs_probe_spent(struct jobs_probe *p, struct jobs_auto_spent ret[JOB_SPECS_MAX])
{
	memset(ret, 0, JOB_SPECS_MAX * sizeof(*ret));
	pthread_mutex_lock(&w.lock);
	memcpy(ret, w.spent, sizeof(w.spent));
	pthread_mutex_unlock(&w.lock);
}

void jobs_probe_switch(struct jobs_probe *p, uint32_t spec, enum job_switch how)
{
	pthread_mutex_lock(&w.lock);
	w.how[spec] = how;
	pthread_mutex_unlock(&w.lock);
}

static void post(void *arg, void *data, size_t size)
{
	const struct ct_rec *r =
		(const void *)((char *)data + size - sizeof(struct ct_rec) - 2 * sizeof(uint64_t));

	pthread_mutex_lock(&w.lock);
	w.n_on += r->state == CT_JOB_ON;
	w.n_off += r->state == CT_JOB_OFF && !(r->flags & CT_JF_AGAIN);
	w.n_again += r->state == CT_JOB_OFF && r->flags & CT_JF_AGAIN;
	pthread_mutex_unlock(&w.lock);
	free(data);
}

static void spend(uint32_t spec, uint64_t ns)
{
	pthread_mutex_lock(&w.lock);
	w.spent[spec].hits += ns / 1000;
	w.spent[spec].cost_ns += ns;
	pthread_mutex_unlock(&w.lock);
}

static enum job_switch how_now(uint32_t spec)
{
	enum job_switch how;

	pthread_mutex_lock(&w.lock);
	how = w.how[spec];
	pthread_mutex_unlock(&w.lock);
	return how;
}

static bool await(uint32_t spec, enum job_switch how, unsigned ms)
{
	for (; ms && how_now(spec) != how; ms--)
		usleep(1000);
	return how_now(spec) == how;
}

static int new (void **state)
{
	struct jobs_meter_options opt = { .specs = &specs, .budget_ppm = BUDGET_PPM, .post = post };
	struct jobs_meter *m;

	memset(w.spent, 0, sizeof(w.spent));
	w.how[0] = w.how[1] = JOB_ON;
	w.n_on = w.n_off = w.n_again = 0;
	opt.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (opt.wake_fd < 0 || jobs_meter_new(&opt, &m))
		return -1;
	*state = m;
	return 0;
}

static int done(void **state)
{
	jobs_meter_free(*state);
	return 0;
}

/* A framework that costs too much is switched off although its probes stay, and the other one is not. */
static void off_while_the_probes_stay(void **state)
{
	struct jobs_meter *m = *state;
	struct jobs_auto a;

	jobs_meter_attached(m, 0, 0);
	jobs_meter_attached(m, 1, 0);
	assert_int_equal(w.n_on, 2);
	spend(1, 1000);
	spend(0, 100 * NSEC_PER_SEC);
	assert_true(await(0, JOB_OFF, 5000));
	assert_int_not_equal(how_now(1), JOB_OFF);
	a = jobs_meter_of(m, 0);
	assert_true(a.off && a.times == 1);
	assert_false(jobs_meter_of(m, 1).off);
	/* an attachment that began before does not switch it on */
	jobs_meter_attached(m, 0, 0);
	assert_int_equal(how_now(0), JOB_OFF);
	/* with no limit it may come back, but only once its probes are attached again */
	jobs_meter_budget(m, 0);
	for (unsigned i = 0; i < 5000 && jobs_meter_of(m, 0).off; i++)
		usleep(1000);
	assert_false(jobs_meter_of(m, 0).off);
	assert_int_equal(how_now(0), JOB_OFF);
	jobs_meter_attached(m, 0, 1);
	assert_int_equal(how_now(0), JOB_ON);
	pthread_mutex_lock(&w.lock);
	assert_int_equal(w.n_off, 1);
	assert_int_equal(w.n_on, 3);
	pthread_mutex_unlock(&w.lock);
}

/* The first thing that is left out are the stacks. */
static void stacks_first(void **state)
{
	uint64_t cpus = (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	uint64_t burst = (uint64_t)(BUDGET_PPM / JOBS_AUTO_SHARE / 1e6 * (double)cpus * JOBS_AUTO_BURST_NS);

	/* a round is a second, in which the limit allows half of the burst */
	spend(0, burst * 7 / 5);
	assert_true(await(0, JOB_NO_STACKS, 5000));
	assert_int_equal(how_now(1), JOB_NO_STACKS);
	assert_true(await(0, JOB_ON, 10000));
	assert_false(jobs_meter_of(*state, 0).off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(off_while_the_probes_stay, new, done),
		cmocka_unit_test_setup_teardown(stacks_first, new, done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
