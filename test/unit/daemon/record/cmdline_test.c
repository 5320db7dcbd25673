// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "daemon/record/cmdline_text.h"
#include "daemon/record/recorder.h"
#include "lib/cleanup.h"
#include "trace/format/blob.h"
#include "test/unit/trace/trace_fixture.h"

#define SHELL  10
#define SERVER 20
#define WORKER 21

static const char *text_of(const char *first, const char *word, unsigned n, const char *last)
{
	static char text[CT_CMDLINE_MAX + 1];
	_cleanup_free_ char *all = calloc(1, 65536);
	const size_t tail = CT_RAWCMDLINE_MAX - CT_RAWCMDLINE_HEAD;
	char args[CT_RAWCMDLINE_MAX];
	uint64_t blob[CMDLINE_WORDS_MAX];
	const struct ct_cmdline_blob *b = (const void *)blob;
	size_t bytes = 0;

	bytes += (size_t)sprintf(all + bytes, "%s", first) + 1;
	for (unsigned i = 0; i < n; i++)
		bytes += (size_t)sprintf(all + bytes, "%s", word) + 1;
	bytes += (size_t)sprintf(all + bytes, "%s", last) + 1;
	memcpy(args, all, MIN(bytes, sizeof(args)));
	if (bytes > sizeof(args))
		memcpy(args + CT_RAWCMDLINE_HEAD, all + bytes - tail, tail);
	cmdline_text(7, 1000, args, bytes, blob);
	assert_true(blob_is_valid(&b->h));
	assert_int_equal(b->h.tid, 7);
	memcpy(text, b->text, b->len);
	text[b->len] = 0;
	return text;
}

static void the_text_fits(void **state)
{
	_cleanup_free_ char *want = calloc(1, 4096);

	assert_string_equal(text_of("cc", "-O2", 2, "a.c"), "cc -O2 -O2 a.c");
	assert_string_equal(text_of("sh", "-c", 1, "a\n\tb"), "sh -c a  b");
	/* options are left out first, also if some arguments are unknown */
	assert_string_equal(text_of("cc1", "-I/usr/include/x", 40, "a.c"), "cc1 ... a.c");
	assert_string_equal(text_of("cc1", "-I/usr/include/x", 1000, "a.c"), "cc1 ... a.c");
	assert_string_equal(text_of("cc1", "-I/usr/include/x", 40, "-c"), "cc1 ... -c");
	memset(want, 'x', CT_CMDLINE_MAX);
	memcpy(want, "cat ", 4);
	strcpy(want + CT_CMDLINE_MAX - 4, " ...");
	assert_string_equal(text_of("cat", want + 4, 1, "a.c"), want);
}

static struct recorder *start(struct fixture *f, void (*wanted)(void *arg, uint32_t tgid))
{
	const struct recorder_options opt = { .path = f->path,
					      .cmdline = wanted,
					      .arg = f,
					      .writer = { .size_bytes = FIXTURE_BYTES, .n_cpus = 4 } };
	char err[RECORDER_ERR_MAX];
	struct recorder *r;

	assert_int_equal(recorder_new(&opt, &r, err), 0);
	recorder_begin(r, f->now);
	return r;
}

static void put_task(struct recorder *r, uint64_t ts_ns, uint8_t flags, uint32_t tid, uint32_t parent,
		     uint64_t start_ns)
{
	const struct ct_rec one = { .ts = ts_ns, .kind = CT_WAKE_NEW, .tid = tid };
	struct ct_task_blob b = {
		.h = { .ts = ts_ns, .kind = CT_TASK, .flags = flags, .size = sizeof(b), .tid = tid },
		.tgid = tid,
		.ppid = parent,
		.start_ns = start_ns
	};

	recorder_take(r, 0, &b, sizeof(b));
	recorder_add(r, &one, NULL);
}

static void put_exec(struct recorder *r, uint64_t ts_ns, uint32_t tid, uint32_t exec_id, const char *args)
{
	struct ct_rawcmdline_blob b = {
		.h = { .ts = ts_ns, .kind = CT_RAWCMDLINE, .size = sizeof(b), .tid = tid },
		.bytes = (uint32_t)strlen(args) + 1,
		.exec_id = exec_id
	};

	memcpy(b.args, args, strlen(args));
	recorder_take(r, 0, &b, sizeof(b));
}

static void put_read(struct recorder *r, uint64_t ts_ns, uint32_t tid, const char *args)
{
	char room[CT_RAWCMDLINE_MAX] = "";
	uint64_t blob[CMDLINE_WORDS_MAX];

	memcpy(room, args, strlen(args));
	cmdline_text(tid, ts_ns, room, strlen(args) + 1, blob);
	recorder_take(r, 0, blob, ((struct ct_blob *)blob)->size);
}

static struct window *end(struct fixture *f, struct recorder *rec)
{
	char err[READER_ERR_MAX] = "";
	struct window *w = NULL;
	struct reader *r;

	recorder_seal(rec, f->now + 100000, true);
	recorder_free(rec);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), 0);
	reader_free(r);
	return w;
}

static uint32_t n_wanted, last_wanted;

static void count_wanted(void *arg, uint32_t tgid)
{
	n_wanted++;
	last_wanted = tgid;
}

static void an_exec_counts_from_its_time_on(void **state)
{
	struct fixture *f = *state;
	struct recorder *r = start(f, NULL);
	struct window *w;

	put_task(r, f->now, CT_TF_FORK, SERVER, 1, f->now);
	put_task(r, f->now + 10, CT_TF_EXEC, SERVER, 1, f->now);
	put_exec(r, f->now + 10, SERVER, 2, "shopd");
	w = end(f, r);
	assert_string_equal(window_cmdline(w, SERVER, f->now + 9), "");
	assert_string_equal(window_cmdline(w, SERVER, f->now + 10), "shopd");
	window_free(w);
}

static void a_fork_inherits(void **state)
{
	struct fixture *f = *state;
	struct recorder *r = start(f, count_wanted);
	struct window *w;

	n_wanted = 0;
	put_task(r, f->now, CT_TF_FORK, SHELL, 1, f->now);
	put_task(r, f->now, CT_TF_FORK, SERVER, 1, f->now);
	/* the ring with the fork is read before the ring with the exec of the parent */
	put_task(r, f->now + 20, CT_TF_FORK, WORKER, SERVER, f->now + 20);
	put_task(r, f->now + 10, CT_TF_EXEC, SERVER, 1, f->now);
	put_exec(r, f->now + 10, SERVER, 2, "shopd");
	put_task(r, f->now + 21, CT_TF_FORK, WORKER + 1, SERVER, f->now + 21);
	put_task(r, f->now + 22, CT_TF_EXEC, WORKER + 1, SERVER, f->now + 21);
	put_exec(r, f->now + 22, WORKER + 1, 3, "gzip");
	/* The shell executes tar after its fork. The recorder then has only the command line of tar, which is
	 * not the child's. So it asks for the child's command line. */
	put_exec(r, f->now + 5, SHELL, 2, "sh");
	put_task(r, f->now + 23, CT_TF_FORK, WORKER + 2, SHELL, f->now + 23);
	put_exec(r, f->now + 24, SHELL, 3, "tar");
	w = end(f, r);
	assert_string_equal(window_cmdline(w, WORKER, f->now + 30), "shopd");
	assert_string_equal(window_cmdline(w, WORKER + 1, f->now + 30), "gzip");
	assert_string_equal(window_cmdline(w, WORKER + 2, f->now + 30), "");
	assert_string_equal(window_cmdline(w, SHELL, f->now + 30), "tar");
	assert_int_equal(last_wanted, WORKER + 2);
	window_free(w);
}

static void a_missed_exec_is_noticed(void **state)
{
	struct fixture *f = *state;
	struct recorder *r = start(f, count_wanted);
	struct window *w;

	n_wanted = 0;
	put_task(r, f->now, CT_TF_FOUND, SERVER, 1, 5);
	recorder_found(r, SERVER, 4, f->now);
	assert_int_equal(n_wanted, 1);
	put_read(r, f->now + 10, SERVER, "sh");
	recorder_found(r, SERVER, 4, f->now + 20);
	assert_int_equal(n_wanted, 1);
	recorder_seal(r, f->now + 25, true);
	recorder_found(r, SERVER, 5, f->now + 30);
	assert_int_equal(n_wanted, 2);
	put_task(r, f->now + 31, CT_TF_RENAME, SERVER, 1, 5);
	recorder_seal(r, f->now + 35, true);
	put_read(r, f->now + 40, SERVER, "shopd");
	put_task(r, f->now + 41, CT_TF_RENAME, SERVER, 1, 5);
	w = end(f, r);
	assert_string_equal(window_cmdline(w, SERVER, f->now + 9), "");
	assert_string_equal(window_cmdline(w, SERVER, f->now + 29), "sh");
	assert_string_equal(window_cmdline(w, SERVER, f->now + 39), "");
	assert_string_equal(window_cmdline(w, SERVER, f->now + 40), "shopd");
	window_free(w);
}

static void an_id_is_used_again(void **state)
{
	struct fixture *f = *state;
	struct recorder *r = start(f, NULL);
	struct window *w;

	put_task(r, f->now, CT_TF_FORK, SERVER, 1, f->now);
	put_exec(r, f->now + 10, SERVER, 2, "shopd");
	recorder_seal(r, f->now + 15, true);
	put_task(r, f->now + 20, CT_TF_FORK, SERVER, 1, f->now + 20);
	w = end(f, r);
	assert_string_equal(window_cmdline(w, SERVER, f->now + 19), "shopd");
	assert_string_equal(window_cmdline(w, SERVER, f->now + 20), "");
	window_free(w);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_fits), TEST(an_exec_counts_from_its_time_on),
		TEST(a_fork_inherits),           TEST(a_missed_exec_is_noticed),
		TEST(an_id_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
