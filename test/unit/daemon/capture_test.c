/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of the kernel side, a made-up probe makes the records, and counts them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "daemon/capture/drain.h"
#include "daemon/capture/snapshot_request.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/read/reader.h"

#define CPUS  2
#define BATCH 400

struct probe {
	int epoll_fd;
	uint64_t last_ns;
	atomic_uint_fast64_t made;
	atomic_bool quiet, lose;
	atomic_uint n_bad;
};

int probe_fd(const struct probe *p)
{
	return p->epoll_fd;
}

unsigned probe_cpus(const struct probe *p)
{
	return CPUS;
}

uint64_t probe_ring_high_water(const struct probe *p)
{
	return 4711;
}

static void make_switches(struct probe *p, uint16_t cpu, uint64_t now, probe_record_fn fn, void *arg)
{
	uint64_t step = (now - p->last_ns) / (BATCH + 1);

	for (unsigned i = 0; i < BATCH; i++) {
		uint32_t base = 1000 + cpu * 100u;
		struct ct_rec r = { .ts = p->last_ns + (i + 1) * step,
				    .kind = CT_SWITCH,
				    .state = CT_ST_SLEEP,
				    .wait = CT_W_READ,
				    .tid = base + i % 10,
				    .peer = base + (i + 1) % 10,
				    .obj = CT_OBJ_ID(CT_OBJ_PIPE, 77 + cpu) };

		fn(arg, cpu, &r, sizeof(r));
		atomic_fetch_add(&p->made, 1);
	}
}

long probe_consume(struct probe *p, probe_record_fn fn, void *arg)
{
	uint64_t now = clock_boot_ns();

	if (atomic_load(&p->quiet))
		return 0;
	for (uint16_t cpu = 0; cpu < CPUS; cpu++)
		make_switches(p, cpu, now, fn, arg);
	if (p->n_bad) {
		struct ct_rec r = { .ts = now, .kind = CT_SWITCH };

		fn(arg, 0, &r, 20);
		r.kind = 63;
		fn(arg, 0, &r, sizeof(r));
		p->n_bad--;
	}
	p->last_ns = now;
	return BATCH * CPUS;
}

int probe_losses(struct probe *p, probe_loss_fn fn, void *arg)
{
	if (atomic_exchange(&p->lose, false))
		fn(arg, 1, CT_LOSS_RING_FULL, 42, p->last_ns - 10, p->last_ns);
	return 0;
}

static struct ct_iter_task one_task(uint32_t tid)
{
	return (struct ct_iter_task){
		.task = { .h = { .ts = clock_boot_ns(),
				 .kind = CT_TASK,
				 .size = sizeof(struct ct_task_blob),
				 .flags = CT_TF_FOUND,
				 .tid = tid },
			  .tgid = 500,
			  .comm = "made-up" },
		.wait = { .kind = CT_SWITCH, .tid = tid, .state = CT_ST_SLEEP, .wait = CT_W_POLL, .nr = 7 },
		.sched_since = 1,
	};
}

int probe_read_tasks(struct probe *p, probe_task_fn fn, void *arg)
{
	for (uint32_t tid = 500; tid < 520; tid++) {
		struct ct_iter_task t = one_task(tid);

		fn(arg, &t);
	}
	return 0;
}

uint64_t probe_cost_ns(struct probe *p)
{
	return 0;
}

uint64_t probe_short_ns(const struct probe *p)
{
	return 0;
}

uint64_t probe_whole_cost_ns(const struct probe *p)
{
	return 0;
}

bool probe_can_be_coarse(const struct probe *p)
{
	return true;
}

int probe_measure_clock(struct probe *p)
{
	return 0;
}

int probe_shed_begin(struct probe *p, enum ct_shed step)
{
	return 0;
}

void probe_shed_end(struct probe *p, enum ct_shed step)
{
}

void probe_pause(struct probe *p)
{
}

void probe_pause_detach(struct probe *p)
{
}

int probe_resume(struct probe *p)
{
	return 0;
}

void probe_cap(struct probe *p, uint32_t tid)
{
}

bool probe_cap_group(struct probe *p, uint64_t group)
{
	return true;
}

void probe_uncap_groups(struct probe *p)
{
}

uint32_t probe_capped_next(const struct probe *p, uint32_t from)
{
	return 0;
}

void probe_caps_over(struct probe *p)
{
}

uint64_t probe_left_out(struct probe *p)
{
	return 0;
}

uint64_t probe_passed_ns(struct probe *p)
{
	return 0;
}

uint64_t probe_uncap(struct probe *p, uint32_t tid)
{
	return 0;
}

int probe_read_unread(struct probe *p, uint32_t tgid, uint64_t sock, uint64_t *ret)
{
	return -ENOENT;
}

int probe_read_task(struct probe *p, uint32_t tid, struct ct_iter_task *ret)
{
	if (tid < 500 || tid >= 520)
		return -ESRCH;
	*ret = one_task(tid);
	return 0;
}

int probe_read_files(struct probe *p, uint32_t tgid, void **ret, size_t *ret_bytes)
{
	struct ct_rec *r = calloc(3, sizeof(*r));

	assert_int_equal(tgid, 500);
	for (uint32_t i = 0; i < 3; i++)
		r[i] = (struct ct_rec){ .ts = clock_boot_ns(),
					.kind = CT_FD,
					.tid = tgid,
					.peer = i,
					.obj = CT_OBJ_ID(CT_OBJ_PIPE, 77 + i) };
	*ret = r;
	*ret_bytes = 3 * sizeof(*r);
	return 0;
}

struct fixture {
	char dir[64], trace[96];
	struct probe probe;
	sd_event *event;
	struct worker *worker;
	struct drain *drain;
};

static void start(struct fixture *f)
{
	char err[DRAIN_ERR_MAX];
	const struct drain_options o = {
		.probe = &f->probe,
		.worker = f->worker,
		.long_wait_ns = 100 * NSEC_PER_MSEC,
		.recorder = { .path = f->trace,
			      .writer = { .size_bytes = 64 << 20, .n_cpus = CPUS, .background = true } },
	};

	f->probe.last_ns = clock_boot_ns();
	assert_int_equal(drain_new(&o, &f->drain, err), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/ctraced-run-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->trace, sizeof(f->trace), "%s/t.ctr", f->dir);
	f->probe.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	*state = f;
	if (sd_event_new(&f->event) < 0 || worker_new(f->event, NULL, &f->worker))
		return -1;
	start(f);
	return 0;
}

static void stop(struct fixture *f)
{
	assert_true(drain_stop(f->drain));
	assert_int_equal(drain_call(f->drain, NULL, NULL), -ESHUTDOWN);
	drain_free(f->drain);
	f->drain = NULL;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_true(worker_stop(f->worker));
	stop(f);
	worker_free(f->worker);
	sd_event_unref(f->event);
	close(f->probe.epoll_fd);
	unlink(f->trace);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void pause_ms(long ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

struct counts {
	uint64_t by_kind[64], lost;
};

static struct counts count(const char *path, uint64_t from_ns, uint64_t to_ns)
{
	struct counts c = { { 0 } };
	struct window *w = NULL;
	char err[READER_ERR_MAX];
	struct reader *r;

	assert_int_equal(reader_open(path, &r, err), 0);
	assert_int_equal(window_load(r, from_ns, to_ns, 0, &w, err), 0);
	for (size_t i = 0; i < w->n_events; i++)
		c.by_kind[w->events[i].r.kind]++;
	c.lost = w->lost_records;
	window_free(w);
	reader_free(r);
	return c;
}

static void all_is_written(void **state)
{
	struct fixture *f = *state;
	struct counts c;

	f->probe.n_bad = 3;
	pause_ms(600);
	atomic_store(&f->probe.lose, true);
	pause_ms(1500);
	atomic_store(&f->probe.quiet, true);
	pause_ms(100);
	assert_true(worker_stop(f->worker));
	drain_stop(f->drain);
	c = count(f->trace, 0, UINT64_MAX);
	assert_int_equal(c.by_kind[CT_SWITCH], atomic_load(&f->probe.made));
	assert_int_equal(c.lost, 42 + 6);
	/* The descriptors of a process are recorded at most once in five seconds. */
	assert_int_equal(c.by_kind[CT_FD], 3);
}

struct cutter {
	struct fixture *f;
	char path[128];
	int result;
	struct snapshot_request res;
};

static void *cut(void *arg)
{
	struct cutter *c = arg;
	const struct snapshot_request_source src = { .probe = &c->f->probe,
						     .drain = c->f->drain,
						     .trace = c->f->trace };
	char err[SNAPSHOT_REQUEST_ERR_MAX];
	int fd = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	c->result = snapshot_request_take(&src, 0, UINT64_MAX, fd, &c->res, err);
	close(fd);
	return NULL;
}

static void snapshots_meanwhile(void **state)
{
	struct fixture *f = *state;
	struct cutter cutters[2] = { { .f = f }, { .f = f } };
	uint64_t before;
	pthread_t threads[2];

	pause_ms(300);
	before = atomic_load(&f->probe.made);
	for (int i = 0; i < 2; i++) {
		snprintf(cutters[i].path, sizeof(cutters[i].path), "%s/s%d.ctr", f->dir, i);
		assert_int_equal(pthread_create(&threads[i], NULL, cut, &cutters[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		struct counts c;

		pthread_join(threads[i], NULL);
		assert_int_equal(cutters[i].result, 0);
		assert_true(cutters[i].res.segments > 0);
		c = count(cutters[i].path, 0, UINT64_MAX);
		assert_true(c.by_kind[CT_SWITCH] >= before);
		assert_true(c.by_kind[CT_FD] >= 3);
		unlink(cutters[i].path);
	}
	pause_ms(200);
	assert_true(atomic_load(&f->probe.made) > before);
}

static void an_empty_window(void **state)
{
	struct fixture *f = *state;
	struct snapshot_request_source src = { .probe = &f->probe, .drain = f->drain, .trace = f->trace };
	struct snapshot_request res;
	char err[SNAPSHOT_REQUEST_ERR_MAX] = "", path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/s.ctr", f->dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(snapshot_request_take(&src, 1000, 2000, fd, &res, err), -ERANGE);
	assert_true(strlen(err) > 20);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	unlink(path);
}

static bool one_step(void *arg)
{
	static unsigned n;

	return n++ % 2 == 0;
}

/* snapshot_request_finish() copies one segment after the other into the client's file. one_step() cancels
 * the copying after a segment. Then no further segment is copied, and the file becomes empty. */
static void a_cut_that_is_cancelled(void **state)
{
	struct fixture *f = *state;
	struct snapshot_request_source src = { .probe = &f->probe, .drain = f->drain, .trace = f->trace };
	_cleanup_close_ int fd = memfd_create("snapshot", MFD_CLOEXEC);
	char err[SNAPSHOT_REQUEST_ERR_MAX] = "";
	struct snapshot_request s;

	for (int i = 0; i < 4; i++) {
		snapshot_request_begin(&src, 0, UINT64_MAX, &s);
		pause_ms(60);
	}
	assert_int_equal(snapshot_request_finish(&s, fd, one_step, err), -ECANCELED);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	assert_int_equal(s.missing_ns, 0);
	snapshot_request_begin(&src, 0, UINT64_MAX, &s);
	assert_int_equal(snapshot_request_finish(&s, fd, NULL, err), 0);
	assert_true(s.segments > 3);
}

/* The first snapshot says that the segment could not be written. The next snapshot has a gap in
 * place of the segment. */
static void a_segment_that_cannot_be_written(void **state)
{
	struct fixture *f = *state;
	struct snapshot_request_source src = { .probe = &f->probe, .drain = f->drain, .trace = f->trace };
	struct rlimit old, small;
	struct snapshot_request s;

	signal(SIGXFSZ, SIG_IGN);
	pause_ms(60);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ 1, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	snapshot_request_begin(&src, 0, UINT64_MAX, &s);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(s.storage.trouble, WRITER_WRITE);
	assert_int_equal(s.storage.error, -EFBIG);
	assert_int_not_equal(s.missing_ns, 0);
	snapshot_request_begin(&src, 0, UINT64_MAX, &s);
	assert_int_not_equal(s.storage.lost_records, 0);
	assert_int_equal(s.missing_ns, 0);
}

static void check_fd(int fd, const char *why)
{
	char err[SNAPSHOT_REQUEST_ERR_MAX] = "";
	int r = snapshot_request_check_fd(fd, err);

	if (r != (why ? -EINVAL : 0) || (why && !strstr(err, why)))
		fail_msg("%d, \"%s\" instead of \"%s\"", r, err, why ? why : "");
	if (fd >= 0)
		close(fd);
}

static int sealed(unsigned seals)
{
	int fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void descriptors_that_cannot_take_one(void **state)
{
	struct fixture *f = *state;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/x.ctr", f->dir);
	check_fd(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), NULL);
	check_fd(open(path, O_WRONLY | O_CLOEXEC), NULL);
	check_fd(open(path, O_WRONLY | O_APPEND | O_CLOEXEC), "O_APPEND");
	fd = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC); /* not every file system has O_DIRECT */
	if (fd >= 0)
		check_fd(fd, "O_DIRECT");
	check_fd(open(path, O_RDONLY | O_CLOEXEC), "not open for writing");
	check_fd(open(path, O_PATH | O_CLOEXEC), "not open for writing");
	check_fd(-1, "no descriptor");
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(write(fd, "x", 1), 1);
	check_fd(fd, "not empty");
	assert_int_equal(unlink(path), 0);
	check_fd(open("/dev/null", O_RDWR | O_CLOEXEC), "not of a regular file");
	check_fd(memfd_create("x", MFD_CLOEXEC), NULL);
	check_fd(sealed(F_SEAL_SEAL), NULL);
	check_fd(sealed(F_SEAL_WRITE), "sealed");
	check_fd(sealed(F_SEAL_FUTURE_WRITE), "sealed");
	check_fd(sealed(F_SEAL_GROW), "sealed");
	check_fd(sealed(F_SEAL_SHRINK), "sealed");
	/* files of /proc look like regular empty files */
	check_fd(open("/proc/self/comm", O_RDWR | O_CLOEXEC), "cannot be made larger");
}

static void goes_on_after_restart(void **state)
{
	struct fixture *f = *state;
	uint64_t first;

	pause_ms(300);
	stop(f);
	first = count(f->trace, 0, UINT64_MAX).by_kind[CT_SWITCH];
	assert_int_equal(first, atomic_load(&f->probe.made));
	start(f);
	pause_ms(300);
	atomic_store(&f->probe.quiet, true);
	pause_ms(100);
	assert_true(worker_stop(f->worker));
	drain_stop(f->drain);
	assert_int_equal(count(f->trace, 0, UINT64_MAX).by_kind[CT_SWITCH], atomic_load(&f->probe.made));
	assert_true(atomic_load(&f->probe.made) > first);
}

#define WITH(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(all_is_written),
		WITH(snapshots_meanwhile),
		WITH(an_empty_window),
		WITH(a_cut_that_is_cancelled),
		WITH(a_segment_that_cannot_be_written),
		WITH(descriptors_that_cannot_take_one),
		WITH(goes_on_after_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
