// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "test/unit/trace/trace_fixture.h"
#include "trace/snapshot/cut.h"
#include "trace/snapshot/label.h"

static void write_trace(struct fixture *f)
{
	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 100);
	fixture_seal(f);
	writer_free(TAKE_PTR(f->w));
}

static int add(const struct fixture *f, const struct label *l, size_t n)
{
	_cleanup_close_ int fd = open(f->path, O_RDWR | O_CLOEXEC);
	char err[LABEL_ERR_MAX] = "";
	int r = label_add(fd, l, n, err);

	assert_int_equal(r != 0, err[0] != '\0');
	return r;
}

static void check_labels(const char *path, const char *cpus, const char *limits)
{
	struct reader *r;
	char err[READER_ERR_MAX];

	assert_int_equal(reader_open(path, &r, err), 0);
	assert_string_equal(reader_info(r)->command_cpus, cpus);
	assert_string_equal(reader_info(r)->command_limits, limits);
	assert_string_equal(reader_info(r)->kernel, "6.1.0");
	reader_free(r);
}

static void labels_are_read(void **state)
{
	struct fixture *f = *state;
	const struct label labels[] = { { "command_cpus", "2" }, { "command_limits", "cpu 0.50" } };

	write_trace(f);
	check_labels(f->path, "", "");
	assert_int_equal(add(f, labels, 2), 0);
	check_labels(f->path, "2", "cpu 0.50");
}

static void an_empty_label_is_left_out(void **state)
{
	struct fixture *f = *state;
	const struct label labels[] = { { "command_cpus", "" }, { "command_limits", "none" } };

	write_trace(f);
	assert_int_equal(add(f, labels, 2), 0);
	check_labels(f->path, "", "none");
}

static void a_cut_keeps_labels(void **state)
{
	struct fixture *f = *state;
	const struct label labels[] = { { "command_cpus", "2" }, { "command_limits", "none" } };
	char path[128], err[READER_ERR_MAX];
	struct reader *r;
	uint64_t n;

	write_trace(f);
	assert_int_equal(add(f, labels, 2), 0);
	snprintf(path, sizeof(path), "%s/cut", f->dir);
	for (int redact = 0; redact < 2; redact++) {
		_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		const struct cut_options all = { .to_ns = UINT64_MAX, .redact = redact };

		assert_int_equal(reader_open(f->path, &r, err), 0);
		assert_int_equal(cut_window(r, &all, fd, &n, err), 0);
		reader_free(r);
		check_labels(path, "2", "none");
	}
	unlink(path);
}

static void a_long_label_is_refused(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *text = malloc(FORMAT_META_MAX + 1);
	const struct label label = { "command_limits", text };

	memset(text, 'x', FORMAT_META_MAX);
	text[FORMAT_META_MAX] = '\0';
	write_trace(f);
	assert_int_equal(add(f, &label, 1), -EFBIG);
	check_labels(f->path, "", "");
}

/* A redacted snapshot has a hash in place of the host's name. The hash is longer than the name, so the
 * meta data have no room for it. The error must not be about the size of files (ulimit -f). */
static void a_hash_may_not_fit(void **state)
{
	struct fixture *f = *state;
	const struct cut_options all = { .to_ns = UINT64_MAX, .redact = true };
	_cleanup_free_ char *text = malloc(FORMAT_META_MAX + 1);
	const struct label label = { "command_limits", text };
	char path[128], err[READER_ERR_MAX];
	_cleanup_close_ int fd = -1;
	size_t len = FORMAT_META_MAX;
	struct reader *r;
	uint64_t n;

	write_trace(f);
	memset(text, 'x', len);
	do
		text[--len] = '\0';
	while (add(f, &label, 1));
	snprintf(path, sizeof(path), "%s/cut", f->dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(cut_window(r, &all, fd, &n, err), -EMSGSIZE);
	assert_non_null(strstr(err, "cannot redact the snapshot: "));
	assert_null(strstr(err, "ulimit"));
	reader_free(r);
	unlink(path);
}

static void another_file_is_refused(void **state)
{
	struct fixture *f = *state;
	const struct label label = { "command_cpus", "1" };
	char bytes[8192] = "no trace";

	fixture_spew(f->path, bytes, sizeof(bytes));
	assert_int_equal(add(f, &label, 1), -EBADMSG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(labels_are_read),    TEST(an_empty_label_is_left_out), TEST(a_cut_keeps_labels),
		TEST(a_hash_may_not_fit), TEST(a_long_label_is_refused),    TEST(another_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
