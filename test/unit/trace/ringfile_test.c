// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "test/unit/trace/trace_fixture.h"
#include "trace/snapshot/cut.h"

static size_t count_gaps(const struct window *w, uint8_t cause)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_events; i++)
		n += w->events[i].r.kind == CT_GAP && w->events[i].r.state == cause;
	return n;
}

static uint32_t first_segment(struct fixture *f)
{
	char err[READER_ERR_MAX];
	struct reader *r;
	uint64_t seq;

	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(reader_info(r)->n_bad_slots, 0);
	seq = reader_info(r)->first_seq;
	reader_free(r);
	return (uint32_t)seq - 1;
}

static void the_newest_stay(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	fixture_open(f, FIXTURE_BYTES);
	for (int i = 0; i < 240; i++) {
		fixture_busy(f, 10 + (unsigned)(fixture_random(f) % 20) * (i % 3 == 0) * 3000);
		fixture_seal(f);
		if (i % 80 == 79) {
			struct window *w = fixture_load(f, 0, UINT64_MAX);
			uint32_t first = first_segment(f);

			fixture_check(f, w, first, UINT64_MAX);
			assert_int_equal(w->skipped_slots, 0);
			assert_int_equal(count_gaps(w, CT_LOSS_SLOT), 0);
			assert_int_equal(writer_stats(f->w).oldest_ns, w->file_from_ns);
			assert_int_equal(writer_stats(f->w).newest_seq, f->segment);
			window_free(w);
		}
	}
	assert_true(first_segment(f) > 150);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_size, FIXTURE_BYTES);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void the_end_of_the_file_is_skipped(void **state)
{
	struct fixture *f = *state;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	for (int i = 0; i < 63 + 62; i++) {
		fixture_busy(f, 10);
		fixture_seal(f);
	}
	fixture_busy(f, 30000);
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->skipped_slots, 0);
	assert_true(first_segment(f) >= 63 + 2);
	fixture_check(f, w, first_segment(f), UINT64_MAX);
	window_free(w);
}

static void a_dictionary_survives_the_wrap(void **state)
{
	struct fixture *f = *state;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	for (uint32_t t = 1000; t < 1040; t++)
		fixture_task(f, t, "worker");
	for (unsigned o = 0; o < 16; o++)
		fixture_object(f, CT_OBJ_ID(CT_OBJ_PIPE, o), 0, "pipe");
	for (int i = 0; i < 150; i++) {
		fixture_busy(f, 500);
		fixture_seal(f);
	}
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->n_tasks, 40);
	assert_int_equal(w->n_objects, 16);
	for (size_t i = 0; i < w->n_events; i++) {
		assert_string_equal(window_task_at(w, w->events[i].r.tid, w->events[i].r.ts)->comm, "worker");
		assert_string_equal(window_object(w, w->events[i].r.obj)->name, "pipe");
	}
	window_free(w);
}

static void a_writer_goes_on_where_another_stopped(void **state)
{
	struct fixture *f = *state;
	uint64_t down_from, down_to;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	for (int round = 0; round < 5; round++) {
		fixture_busy(f, 300);
		fixture_seal(f);
	}
	fixture_busy(f, 300);
	f->all.n -= 300;
	down_from = f->now - 1;
	while (f->all.n && f->all.v[f->all.n - 1].segment == f->segment)
		f->all.n--;
	down_from = f->all.v[f->all.n - 1].e.r.ts + 1000000;
	writer_free(f->w);
	f->now += 5000000000u;
	down_to = f->now;
	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 300);
	fixture_seal(f);
	fixture_busy(f, 300);
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->n_events, f->all.n + 1);
	assert_int_equal(count_gaps(w, CT_LOSS_DOWN), 1);
	assert_int_equal(w->skipped_slots, 0);
	for (size_t i = 0; i < w->n_events; i++)
		if (w->events[i].r.kind == CT_GAP) {
			assert_int_equal(w->events[i].r.ts, down_to);
			assert_int_equal(window_words(w, &w->events[i])[0], down_from);
			assert_int_equal(window_words(w, &w->events[i])[1], down_to);
			assert_int_equal(w->events[i].r.tid, CT_GAP_ALL_CPUS);
			assert_int_equal(i, 1500);
		}
	assert_int_equal(w->n_resyncs, 1);
	assert_int_equal(w->resyncs[0].ns, down_to);
	window_free(w);
	w = fixture_load(f, down_to + 1, UINT64_MAX);
	assert_int_equal(count_gaps(w, CT_LOSS_DOWN), 0);
	assert_int_equal(w->n_resyncs, 0);
	window_free(w);
	w = fixture_load(f, down_to - 1000, UINT64_MAX);
	assert_int_equal(count_gaps(w, CT_LOSS_DOWN), 1);
	window_free(w);
	w = fixture_load(f, 0, down_from + 1000);
	assert_int_equal(count_gaps(w, CT_LOSS_DOWN), 1);
	assert_int_equal(w->events[w->n_events - 1].r.ts, down_from + 999);
	window_free(w);
}

static void another_boot_is_another_trace(void **state)
{
	static const uint8_t boot_id[16] = { 9 };
	struct fixture *f = *state;
	struct writer_options opt = {
		.size_bytes = FIXTURE_BYTES, .n_cpus = 2, .host = "again", .boot_id = boot_id
	};
	char err[READER_ERR_MAX] = "";
	struct reader *r;
	struct window *w;
	size_t n;

	fixture_open(f, FIXTURE_BYTES);
	f->now = 1000000000000u;
	assert_int_equal(writer_begin(f->w, f->now, NULL, 0), 0);
	fixture_busy(f, 300);
	fixture_seal(f);
	n = f->all.n;
	writer_free(f->w);
	assert_int_equal(writer_open(f->path, &opt, &f->w, err), 0);
	f->now = 7000;
	assert_int_equal(writer_begin(f->w, f->now, NULL, 0), 0);
	fixture_busy(f, 200);
	fixture_seal(f);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(reader_info(r)->n_boots, 2);
	assert_int_equal(reader_info(r)->records, 200);
	assert_int_equal(reader_info(r)->from_ns, 7000);
	assert_string_equal(reader_info(r)->host, "again");
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), 0);
	assert_int_equal(w->n_events, 200);
	window_free(w);
	assert_int_equal(reader_use_boot(r, 2), -ERANGE);
	assert_int_equal(reader_use_boot(r, 1), 0);
	assert_int_equal(reader_info(r)->records, n);
	assert_int_equal(reader_info(r)->boot, 1);
	assert_string_equal(reader_info(r)->host, "here");
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), 0);
	f->all.n = n;
	fixture_check(f, w, 0, UINT64_MAX);
	window_free(w);
	reader_free(r);
}

static void only_one_writer(void **state)
{
	struct fixture *f = *state;
	struct writer_options opt = { .size_bytes = FIXTURE_BYTES };
	char err[256] = "";
	struct writer *w;

	fixture_open(f, FIXTURE_BYTES);
	assert_int_equal(writer_open(f->path, &opt, &w, err), -EBUSY);
	assert_non_null(strstr(err, "another writer"));
	writer_free(f->w);
	f->w = NULL;
	assert_int_equal(writer_open(f->path, &opt, &w, err), 0);
	writer_free(w);
}

static void a_file_of_another_size_or_kind_is_left_alone(void **state)
{
	struct fixture *f = *state;
	struct writer_options opt = { .size_bytes = 2 * FIXTURE_BYTES };
	_cleanup_free_ uint8_t *before = NULL, *after = NULL;
	char err[256] = "";
	size_t n, n_after;

	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 100);
	fixture_seal(f);
	writer_free(f->w);
	f->w = NULL;
	before = fixture_slurp(f->path, &n);
	assert_int_equal(writer_open(f->path, &opt, &f->w, err), -EXDEV);
	assert_non_null(strstr(err, "4 MiB"));
	after = fixture_slurp(f->path, &n_after);
	assert_int_equal(n, n_after);
	assert_memory_equal(before, after, n);
	fixture_spew(f->path, "Dear diary, today nothing hung. A good day, and long enough for a header.",
		     70);
	assert_int_equal(writer_open(f->path, &opt, &f->w, err), -EBADMSG);
	assert_non_null(strstr(err, "not a ctrace trace"));
	assert_int_equal(writer_open(f->dir, &opt, &f->w, err), -EBADMSG);
	assert_non_null(strstr(err, "not a regular file"));
	opt.size_bytes = FIXTURE_BYTES - 1;
	assert_int_equal(writer_open(f->path, &opt, &f->w, err), -EINVAL);
}

static void nothing_is_begun_where_others_may_write(void **state)
{
	struct fixture *f = *state;
	struct writer_options opt = { .size_bytes = FIXTURE_BYTES, .own_dir = true };
	char moved[128], err[256] = "";
	struct stat st;

	snprintf(moved, sizeof(moved), "%s/moved", f->dir);
	assert_int_equal(writer_open(f->path, &opt, &f->w, err), 0);
	assert_int_equal(writer_begin(f->w, f->now, NULL, 0), 0);
	fixture_busy(f, 10);
	fixture_seal(f);
	assert_int_equal(chmod(f->dir, 0777), 0);
	assert_int_equal(rename(f->path, moved), 0);
	fixture_spew(f->path, "", 0);
	fixture_busy(f, 10);
	assert_int_equal(writer_seal(f->w, f->now, NULL, 0), -EPERM);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_size, 0);
	writer_free(f->w);
	f->w = NULL;
	assert_int_equal(writer_open(f->path, &opt, &f->w, err), -EPERM);
	assert_non_null(strstr(err, "may be written by other users"));
	assert_int_equal(unlink(moved), 0);
}

/* The trace file was moved, and a symbolic link to it is in its place. The writer refuses this
 * link, because it may lead to another file later. */
static void a_link_in_place_of_the_file(void **state)
{
	struct fixture *f = *state;
	char moved[128];

	snprintf(moved, sizeof(moved), "%s/moved", f->dir);
	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 10);
	fixture_seal(f);
	assert_int_equal(rename(f->path, moved), 0);
	assert_int_equal(symlink("moved", f->path), 0);
	fixture_busy(f, 10);
	assert_int_equal(writer_seal(f->w, f->now, NULL, 0), -EBADMSG);
	assert_int_equal(unlink(moved), 0);
}

static void a_creation_that_was_cut_short_is_begun_again(void **state)
{
	struct fixture *f = *state;

	fixture_spew(f->path, "", 1);
	assert_int_equal(truncate(f->path, FIXTURE_BYTES), 0);
	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 10);
	fixture_seal(f);
	assert_int_equal(first_segment(f), 0);
}

/* For the writer, a limit on the size of files is like a full disk. */
static void no_room_for_the_file(void **state)
{
	struct fixture *f = *state;
	struct writer_options opt = { .size_bytes = 2 * FIXTURE_BYTES };
	struct rlimit old, small = { .rlim_cur = FIXTURE_BYTES };
	char err[256] = "";
	int ret;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	ret = writer_open(f->path, &opt, &f->w, err);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(err, "make room"));
	assert_int_equal(access(f->path, F_OK), -1);
}

static void a_segment_that_cannot_be_written_is_a_gap(void **state)
{
	struct fixture *f = *state;
	struct rlimit old, small = { .rlim_cur = 128 * 1024 };
	uint64_t from, to;
	size_t kept, n = 0;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 100);
	fixture_seal(f);
	kept = f->all.n;
	from = f->now;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int i = 0; i < 3; i++) {
		fixture_busy(f, 100);
		f->now += 1000;
		assert_int_equal(writer_seal(f->w, f->now, NULL, 0), -EFBIG);
	}
	to = f->now;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(writer_stats(f->w).lost_disk, 300);
	f->all.n = kept;
	fixture_busy(f, 100);
	fixture_seal(f);
	fixture_busy(f, 100);
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->n_events, 301);
	assert_int_equal(w->lost_records, 300);
	assert_int_equal(w->skipped_slots, 0);
	for (size_t i = 0; i < w->n_events; i++)
		if (w->events[i].r.kind == CT_GAP) {
			assert_int_equal(w->events[i].r.state, CT_LOSS_DISK);
			assert_int_equal(window_words(w, &w->events[i])[0], from);
			assert_int_equal(window_words(w, &w->events[i])[1], to);
			n++;
		}
	assert_int_equal(n, 1);
	window_free(w);
}

static void a_segment_too_large_for_the_file_is_a_gap(void **state)
{
	struct fixture *f = *state;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	for (int i = 0; i < 200000; i++) {
		struct window_record e = fixture_record(f, CT_FLOCK);

		assert_int_equal(writer_add(f->w, 0, &e.r, e.x), 0);
	}
	assert_int_equal(writer_seal(f->w, f->now + 10, NULL, 0), -EFBIG);
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->n_events, 1);
	assert_int_equal(w->lost_records, 200000);
	window_free(w);
}

static struct window *load(const char *path, uint64_t from, uint64_t to)
{
	char err[READER_ERR_MAX] = "";
	struct window *w = NULL;
	struct reader *r = NULL;

	assert_int_equal(reader_open(path, &r, err), 0);
	assert_int_equal(window_load(r, from, to, 0, &w, err), 0);
	reader_free(r);
	return w;
}

static void a_cut_is_the_window_of_its_source(void **state)
{
	struct fixture *f = *state;
	uint64_t from = 0, to = 0, n = 0;
	char path[128], err[READER_ERR_MAX] = "";
	struct window *a, *b;
	struct reader *r;
	struct stat st;
	int fd;

	fixture_open(f, FIXTURE_BYTES);
	for (uint32_t t = 1000; t < 1040; t++)
		fixture_task(f, t, "worker");
	for (unsigned o = 0; o < 16; o++)
		fixture_object(f, CT_OBJ_ID(CT_OBJ_PIPE, o), 0, "pipe");
	for (int i = 0; i < 200; i++) {
		if (i == 170)
			from = f->now + 1234;
		if (i == 190)
			to = f->now + 1234;
		fixture_busy(f, 700);
		fixture_seal(f);
	}
	snprintf(path, sizeof(path), "%s/cut.ctr", f->dir);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(cut_window(r, &(struct cut_options){ .from_ns = from, .to_ns = to }, fd, &n, err),
			 0);
	assert_int_equal(cut_window(r, &(struct cut_options){ .from_ns = 1, .to_ns = 2 }, fd, &n, err),
			 -ERANGE);
	reader_free(r);
	close(fd);
	assert_int_equal(n, 21);
	a = load(f->path, from, to);
	b = load(path, from, to);
	assert_int_equal(a->n_events, b->n_events);
	assert_int_equal(a->n_tasks, b->n_tasks);
	assert_int_equal(a->n_objects, b->n_objects);
	assert_int_equal(a->state_ns, b->state_ns);
	assert_int_equal(a->from_ns, b->from_ns);
	assert_int_equal(a->to_ns, b->to_ns);
	assert_memory_equal(a->events, b->events, a->n_events * sizeof(*a->events));
	assert_memory_equal(a->tasks, b->tasks, a->n_tasks * sizeof(*a->tasks));
	assert_memory_equal(&a->offsets, &b->offsets, sizeof(a->offsets));
	fixture_check(f, b, 170, to);
	window_free(a);
	window_free(b);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 22 * 65536);
	assert_int_equal(reader_open(path, &r, err), 0);
	assert_int_equal(reader_info(r)->n_segments, 21);
	assert_string_equal(reader_info(r)->hooks, "sched/switch=tp_btf");
	assert_string_equal(reader_info(r)->kernel, "6.1.0");
	reader_free(r);
}

struct live {
	struct fixture *f;
	atomic_bool stop;
};

static struct ct_rec live_record(uint64_t base_ns, uint64_t n)
{
	return (struct ct_rec){
		.ts = base_ns + n, .kind = CT_READY, .obj = n, .tid = (uint32_t)n * 2654435761u
	};
}

static void *live_writer(void *arg)
{
	struct live *l = arg;
	struct writer *w = l->f->w;
	uint64_t base = l->f->now, n = 0;

	while (!atomic_load(&l->stop)) {
		for (int i = 0; i < 3000; i++, n++) {
			struct ct_rec r = live_record(base, n);

			if (writer_add(w, 0, &r, NULL))
				return (void *)"writer_add failed";
		}
		if (writer_seal(w, base + n, NULL, 0))
			return (void *)"writer_seal failed";
	}
	return NULL;
}

static const char *check_live(const struct window *w, uint64_t base_ns)
{
	const struct window_event *last = NULL;
	bool gap = false;

	for (size_t i = 0; i < w->n_events; i++) {
		const struct window_event *e = &w->events[i];
		struct ct_rec want = live_record(base_ns, e->r.obj);

		if (e->r.kind == CT_GAP) {
			gap = true;
			continue;
		}
		if (memcmp(&e->r, &want, sizeof(want)))
			return "a record is wrong";
		if (last && last->r.obj + 1 != e->r.obj && !gap)
			return "records are missing and there is no gap";
		gap = false;
		last = e;
	}
	return last ? NULL : "there is no record";
}

static void reading_while_it_is_written(void **state)
{
	struct fixture *f = *state;
	struct live l = { .f = f };
	char err[READER_ERR_MAX] = "";
	const char *wrong = NULL;
	unsigned good = 0;
	pthread_t thread;
	struct reader *r;
	void *failed;

	fixture_open(f, FIXTURE_BYTES);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(pthread_create(&thread, NULL, live_writer, &l), 0);
	for (int i = 0; i < 60 && !wrong; i++) {
		struct window *w = NULL;
		int ret = reader_refresh(r, err);

		/* the writer may fill the whole file meanwhile */
		if (i % 2)
			usleep(i % 4 == 1 ? 3000 : 50000);
		if (!ret)
			ret = window_load(r, 0, UINT64_MAX, 0, &w, err);
		if (!ret) {
			good++;
			wrong = check_live(w, f->now);
			window_free(w);
		} else if (ret != -ERANGE && ret != -EBADMSG) {
			wrong = err;
		}
	}
	atomic_store(&l.stop, true);
	pthread_join(thread, &failed);
	reader_free(r);
	assert_null(failed);
	if (wrong)
		fail_msg("%s", wrong);
	assert_in_range(good, 10, 60);
}

static void sealing_child(struct fixture *f, int fd)
{
	struct writer_options opt = { .size_bytes = FIXTURE_BYTES };
	char err[256];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (writer_open(f->path, &opt, &f->w, err) || writer_begin(f->w, f->now, NULL, 0))
		_exit(1);
	for (uint64_t n = 0;;) {
		for (int i = 0; i < 2000; i++, n++) {
			struct ct_rec r = live_record(f->now, n);

			if (writer_add(f->w, 0, &r, NULL))
				_exit(1);
		}
		if (writer_seal(f->w, f->now + n, NULL, 0) || write(fd, &n, sizeof(n)) < 0)
			_exit(1);
	}
}

static void killed_at_any_moment(void **state)
{
	struct fixture *f = *state;
	useconds_t most_us = 40000;
	int with_records = 0;

	for (int round = 0; round < 25; round++, f->now += 10000000000u) {
		uint64_t sealed = 0;
		char err[READER_ERR_MAX] = "";
		const char *wrong;
		struct reader *r;
		struct window *w;
		int fds[2], status;
		pid_t pid;

		assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			sealing_child(f, fds[1]);
		close(fds[1]);
		usleep(2000 + (useconds_t)(fixture_random(f) % most_us));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		assert_true(WIFSIGNALED(status));
		for (uint64_t n; read(fds[0], &n, sizeof(n)) == sizeof(n);)
			sealed = n;
		close(fds[0]);
		/* On a busy machine, the child needs longer until it has sealed its first segment. */
		if (!sealed) {
			most_us = MIN(2 * most_us, 2000000);
			continue;
		}
		with_records++;
		assert_int_equal(reader_open(f->path, &r, err), 0);
		assert_int_equal(reader_info(r)->n_bad_slots, 0);
		assert_int_equal(window_load(r, f->now, UINT64_MAX, 0, &w, err), 0);
		assert_int_equal(w->skipped_slots, 0);
		wrong = check_live(w, f->now);
		if (wrong)
			fail_msg("%s", wrong);
		assert_true(w->events[w->n_events - 1].r.obj + 1 >= sealed);
		window_free(w);
		reader_free(r);
	}
	assert_true(with_records > 5);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_newest_stay),
		TEST(the_end_of_the_file_is_skipped),
		TEST(a_dictionary_survives_the_wrap),
		TEST(a_writer_goes_on_where_another_stopped),
		TEST(another_boot_is_another_trace),
		TEST(only_one_writer),
		TEST(a_file_of_another_size_or_kind_is_left_alone),
		TEST(nothing_is_begun_where_others_may_write),
		TEST(a_link_in_place_of_the_file),
		TEST(a_creation_that_was_cut_short_is_begun_again),
		TEST(no_room_for_the_file),
		TEST(a_segment_that_cannot_be_written_is_a_gap),
		TEST(a_segment_too_large_for_the_file_is_a_gap),
		TEST(a_cut_is_the_window_of_its_source),
		TEST(reading_while_it_is_written),
		TEST(killed_at_any_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
