// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctrace/format.h"
#include "daemon/record/recorder.h"
#include "lib/cleanup.h"
#include "trace/format/crc32c.h"
#include "trace/format/file_index.h"
#include "test/unit/trace/trace_fixture.h"

static const uint8_t boot_id[16] = { 1, 2, 3 };

static int start(struct fixture *f, uint64_t size, struct recorder **ret, char err[RECORDER_ERR_MAX])
{
	const struct recorder_options opt = { .path = f->path,
					      .daemon_tgid = 70,
					      .starter_tgid = 80,
					      .writer = {
						      .size_bytes = size, .n_cpus = 4, .boot_id = boot_id } };

	return recorder_new(&opt, ret, err);
}

static void old_trace(struct fixture *f)
{
	fixture_open(f, FIXTURE_BYTES);
	for (int i = 0; i < 3; i++) {
		fixture_busy(f, 100);
		fixture_seal(f);
	}
	writer_free(f->w);
	f->w = NULL;
}

static uint64_t records_of(const char *path)
{
	char err[READER_ERR_MAX] = "";
	struct reader *r;
	uint64_t n;

	if (reader_open(path, &r, err))
		fail_msg("%s", err);
	n = reader_info(r)->records;
	reader_free(r);
	return n;
}

static void begin_and_seal(struct fixture *f, struct recorder *r)
{
	const struct ct_rec rec = { .ts = f->now, .kind = CT_READY, .tid = 5 };

	recorder_begin(r, f->now);
	recorder_add(r, &rec, NULL);
	recorder_seal(r, f->now + 1000, true);
	recorder_free(r);
}

static void set_version(struct fixture *f, uint16_t major, uint16_t minor)
{
	size_t n;
	_cleanup_free_ uint8_t *bytes = fixture_slurp(f->path, &n);
	struct format_file *h = (struct format_file *)bytes;

	h->major = major;
	h->minor = minor;
	h->crc = 0;
	h->crc = crc32c(0, bytes, h->header_bytes + h->meta_bytes);
	memcpy(bytes + FORMAT_COPY_AT, bytes, h->header_bytes + h->meta_bytes);
	fixture_spew(f->path, bytes, n);
}

/* aside: the suffix that the old trace gets. NULL: the recorder continues the old trace. */
static void check_start(struct fixture *f, uint64_t size, const char *aside, const char *says)
{
	char err[RECORDER_ERR_MAX] = "?", path[128];
	struct recorder *r;

	assert_int_equal(start(f, size, &r, err), 0);
	begin_and_seal(f, r);
	assert_int_equal(records_of(f->path), aside ? 1 : 301);
	if (!aside) {
		assert_string_equal(err, "");
		return;
	}
	if (!strstr(err, says) || !strstr(err, "a new trace begins"))
		fail_msg("%s: no \"%s\"", err, says);
	snprintf(path, sizeof(path), "%s.%s", f->path, aside);
	assert_non_null(strstr(err, path));
	assert_int_equal(access(path, R_OK), 0);
	if (size != FIXTURE_BYTES)
		assert_int_equal(records_of(path), 300);
	unlink(path);
}

static void a_minor_version_is_gone_on_with(void **state)
{
	old_trace(*state);
	set_version(*state, FORMAT_MAJOR, 0);
	check_start(*state, FIXTURE_BYTES, NULL, NULL);
	unlink(((struct fixture *)*state)->path);
	old_trace(*state);
	set_version(*state, FORMAT_MAJOR, 77);
	check_start(*state, FIXTURE_BYTES, NULL, NULL);
}

static void another_major_version_is_set_aside(void **state)
{
	old_trace(*state);
	set_version(*state, FORMAT_MAJOR + 1, 0);
	check_start(*state, FIXTURE_BYTES, "damaged", "newer ctrace");
	old_trace(*state);
	set_version(*state, FORMAT_MAJOR - 1, 9);
	check_start(*state, FIXTURE_BYTES, "damaged", "goes on with 1 only");
}

static void another_size_is_set_aside(void **state)
{
	old_trace(*state);
	check_start(*state, 2 * FIXTURE_BYTES, "old", "4 MiB");
}

static void damage_is_set_aside(void **state)
{
	static const uint8_t zero[FORMAT_SLOT_BYTES];
	struct fixture *f = *state;
	struct file_index ix;
	char err[256];
	size_t n;
	_cleanup_free_ uint8_t *bytes = NULL;

	old_trace(f);
	bytes = fixture_slurp(f->path, &n);
	memcpy(bytes, zero, sizeof(zero));
	fixture_spew(f->path, bytes, n);
	check_start(f, FIXTURE_BYTES, "damaged", "not a ctrace trace");
	fixture_spew(f->path, "Dear diary, today nothing hung. A good day, and long enough for a header.",
		     70);
	check_start(f, FIXTURE_BYTES, "damaged", "not a ctrace trace");
	old_trace(f);
	free(bytes);
	bytes = fixture_slurp(f->path, &n);
	assert_int_equal(file_index_open(&ix, open(f->path, O_RDONLY), f->path, err), 0);
	for (int slot = 1; slot <= 3; slot++) {
		struct format_segment *h = (struct format_segment *)(bytes + slot * FORMAT_SLOT_BYTES);

		h->seq += UINT64_MAX - 3;
		h->crc = 0;
		h->crc = file_index_segment_crc(h, sizeof(*h));
	}
	file_index_done(&ix);
	fixture_spew(f->path, bytes, n);
	check_start(f, FIXTURE_BYTES, "damaged", "cannot be");
}

static void what_cannot_be_replaced_stays(void **state)
{
	struct fixture *f = *state;
	struct rlimit old, small = { .rlim_cur = FIXTURE_BYTES };
	char err[RECORDER_ERR_MAX] = "";
	struct recorder *r;
	int ret;

	old_trace(f);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	ret = start(f, 2 * FIXTURE_BYTES, &r, err);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(err, "make room"));
	assert_int_equal(records_of(f->path), 300);
}

/* Another user may have put a file or a link at the path of the trace. The recorder renames it, and
 * does not write to the target of a link. */
static void check_planted(struct fixture *f, const char *says)
{
	char err[RECORDER_ERR_MAX] = "?", path[128], target[128];
	struct recorder *r = NULL;
	struct stat st;

	assert_int_equal(start(f, FIXTURE_BYTES, &r, err), 0);
	begin_and_seal(f, r);
	if (!strstr(err, says) || !strstr(err, "a new trace begins"))
		fail_msg("%s: no \"%s\"", err, says);
	assert_int_equal(records_of(f->path), 1);
	assert_int_equal(lstat(f->path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_uid, geteuid());
	assert_int_equal(st.st_nlink, 1);
	snprintf(target, sizeof(target), "%s/target", f->dir);
	if (!stat(target, &st))
		assert_int_equal(st.st_size, 0);
	unlink(target);
	snprintf(path, sizeof(path), "%s.damaged", f->path);
	assert_true(!unlink(path) || !rmdir(path));
	unlink(f->path);
}

static void what_was_planted_is_set_aside(void **state)
{
	struct fixture *f = *state;
	char target[128];

	snprintf(target, sizeof(target), "%s/target", f->dir);
	fixture_spew(target, "", 0);
	assert_int_equal(symlink("target", f->path), 0);
	check_planted(f, "is a symbolic link");
	assert_int_equal(symlink("target", f->path), 0); /* no target: a write would create one */
	check_planted(f, "is a symbolic link");
	fixture_spew(target, "", 0);
	assert_int_equal(link(target, f->path), 0);
	check_planted(f, "has a second name");
	assert_int_equal(mkfifo(f->path, 0600), 0);
	check_planted(f, "is not a regular file");
	assert_int_equal(mkdir(f->path, 0700), 0);
	check_planted(f, "is not a regular file");
	fixture_spew(f->path, "", 0);
	assert_int_equal(chmod(f->path, 0666), 0);
	check_planted(f, "may be written by other users");
}

static void a_file_of_another_user_is_set_aside(void **state)
{
	struct fixture *f = *state;

	if (geteuid())
		skip(); /* only root can give files away */
	fixture_spew(f->path, "", 0);
	assert_int_equal(chmod(f->path, 0666), 0);
	assert_int_equal(chown(f->path, 65534, 65534), 0);
	check_planted(f, "belongs to another user");
}

static void a_trace_that_others_may_read_is_gone_on_with(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	old_trace(f);
	assert_int_equal(chmod(f->path, 0644), 0);
	check_start(f, FIXTURE_BYTES, NULL, NULL);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void check_task(const struct window *w, uint32_t tid, bool tracer)
{
	const struct window_task *t = window_task_at(w, tid, w->to_ns);

	assert_non_null(t);
	assert_int_equal(t->flags, CT_TF_FOUND | (tracer ? CT_TF_TRACER : 0));
}

static void the_tracer_is_told_apart(void **state)
{
	static const struct {
		uint32_t tid, tgid, ppid;
		bool tracer;
	} tasks[] = {
		{ 70, 70, 1, true },  { 71, 70, 1, true },   { 75, 75, 70, true },
		{ 76, 76, 75, true }, { 77, 76, 75, true },  { 78, 78, 76, true },
		{ 80, 80, 9, true },  { 90, 90, 80, false }, { 91, 90, 80, false },
	};
	struct fixture *f = *state;
	char err[READER_ERR_MAX] = "";
	struct window *w = NULL;
	struct recorder *rec;
	struct reader *r;

	assert_int_equal(start(f, FIXTURE_BYTES, &rec, err), 0);
	recorder_begin(rec, f->now);
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++) {
		const struct ct_rec one = { .ts = f->now + 1, .kind = CT_READY, .tid = tasks[i].tid };
		struct ct_task_blob b = { .h = { .ts = f->now,
						 .kind = CT_TASK,
						 .flags = CT_TF_FOUND,
						 .size = sizeof(b),
						 .tid = tasks[i].tid },
					  .tgid = tasks[i].tgid,
					  .ppid = tasks[i].ppid,
					  .comm = "ctraced" };

		recorder_take(rec, 0, &b, sizeof(b));
		recorder_add(rec, &one, NULL);
	}
	recorder_seal(rec, f->now + 1000, true);
	recorder_free(rec);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		check_task(w, tasks[i].tid, tasks[i].tracer);
	window_free(w);
	reader_free(r);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_minor_version_is_gone_on_with),
		TEST(another_major_version_is_set_aside),
		TEST(another_size_is_set_aside),
		TEST(damage_is_set_aside),
		TEST(what_cannot_be_replaced_stays),
		TEST(what_was_planted_is_set_aside),
		TEST(the_tracer_is_told_apart),
		TEST(a_file_of_another_user_is_set_aside),
		TEST(a_trace_that_others_may_read_is_gone_on_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
