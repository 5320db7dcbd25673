/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/hangs/hangs.h"
#include "daemon/incident/diagnoser.h"
#include "daemon/incident/diagnoser_private.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "test/unit/daemon/hang_make.h"
#include "trace/read/reader.h"

struct fixture {
	struct diagnoser *d;
	sd_event *event;
	int fd;
	char path[64];
	json_t *answer;
	char why[256];
	unsigned answers;
	uint64_t page_bytes; /* for ask() */
	char *page;
	size_t page_n;
	int page_error;
};

static void note(void *arg, json_t *answer, const char *why)
{
	struct fixture *f = arg;

	f->answers++;
	f->answer = json_incref(answer);
	snprintf(f->why, sizeof(f->why), "%s", why ? why : "");
	free(f->page);
	f->page = NULL;
	f->page_error = diagnoser_take_page(f->d, &f->page, &f->page_n);
}

static void make_trace(struct fixture *f, bool ends)
{
	hang_make(f->path, ends);
	close(f->fd);
	f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
	assert_true(f->fd >= 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	strcpy(f->path, "/tmp/ctraced-why-XXXXXX");
	f->fd = mkstemp(f->path);
	if (diagnoser_new(&f->d) || sd_event_new(&f->event) < 0 || diagnoser_attach(f->d, f->event) < 0)
		return -1;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	diagnoser_free(f->d);
	while (waitpid(-1, NULL, 0) > 0) /* a closed socket ends ctraced-why */
		;
	sd_event_unref(f->event);
	json_decref(f->answer);
	free(f->page);
	close(f->fd);
	unlink(f->path);
	free(f);
	return 0;
}

static void ask(struct fixture *f, uint32_t tid)
{
	const struct diagnoser_question q = { .since_ns = HANG_S(3),
					      .found_ns = HANG_S(5),
					      .tid = tid,
					      .rule = CT_HANG_LOOP,
					      .page_bytes = f->page_bytes,
					      .trace = "hang.ctr" };
	unsigned before = f->answers;

	json_decref(f->answer);
	f->answer = NULL;
	assert_int_equal(diagnoser_ask(f->d, f->fd, &q, note, f), 0);
	assert_int_equal(diagnoser_ask(f->d, f->fd, &q, note, f), -EBUSY);
	while (f->answers == before)
		assert_true(sd_event_run(f->event, 20000000) > 0);
}

static const char *word(struct fixture *f, const char *key)
{
	return json_string_value(json_object_get(f->answer, key)) ?: "";
}

static void one_that_lasts(void **state)
{
	struct fixture *f = *state;
	json_t *root;

	make_trace(f, false);
	ask(f, HANG_LOOPER);
	assert_string_equal(f->why, "");
	assert_string_equal(word(f, "verdict"), "long-wait");
	assert_string_equal(word(f, "cause"), "lock-holder");
	assert_true(json_is_true(json_object_get(f->answer, "lasts")));
	root = json_object_get(f->answer, "root_cause");
	assert_int_equal(json_integer_value(json_object_get(root, "tid")), HANG_HOLDER);
	assert_non_null(strstr(word(f, "text"), "holder[101"));
	assert_null(strchr(word(f, "text"), 0x1b));
	assert_int_equal(json_array_size(json_object_get(f->answer, "chain")), 2);
	assert_int_equal(json_integer_value(json_object_get(f->answer, "from_ns")), HANG_S(3));
}

static void one_that_ended(void **state)
{
	struct fixture *f = *state;

	make_trace(f, true);
	ask(f, HANG_LOOPER);
	assert_true(json_is_false(json_object_get(f->answer, "lasts")));
	assert_int_equal(json_integer_value(json_object_get(f->answer, "to_ns")), HANG_S(7));
	assert_string_equal(word(f, "cause"), "lock-holder");
}

static void what_cannot_be_answered(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write(f->fd, "no trace", 8), 8);
	ask(f, HANG_LOOPER);
	assert_null(f->answer);
	assert_true(strlen(f->why) > 10);
	make_trace(f, true);
	ask(f, 4711);
	assert_string_equal(f->why, "the snapshot does not show the task");
	ask(f, HANG_LOOPER);
	assert_non_null(f->answer);
}

/* Returns the data of the page. */
static json_t *page_data(struct fixture *f)
{
	char *from = memmem(f->page, f->page_n, "{\"schema\"", 9);
	char *to = memmem(from, f->page_n - (size_t)(from - f->page), "</script>", 9);
	json_t *data = json_loadb(from, (size_t)(to - from), JSON_DISABLE_EOF_CHECK, NULL);

	assert_non_null(data);
	return data;
}

static void page(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *text = NULL;
	json_t *data, *next;

	make_trace(f, true);
	ask(f, HANG_LOOPER);
	assert_int_equal(f->page_error, -EBADMSG); /* no page was wanted */
	text = strdup(word(f, "text"));
	f->page_bytes = 1 << 20;
	ask(f, HANG_LOOPER);
	assert_string_equal(f->why, "");
	assert_int_equal(f->page_error, 0);
	assert_string_equal(word(f, "text"), text);
	data = page_data(f);
	assert_string_equal(json_string_value(json_object_get(json_object_get(data, "diagnosis"), "text")),
			    text);
	assert_string_equal(json_string_value(json_object_get(data, "trace")), "hang.ctr");
	next = json_array_get(json_object_get(data, "next"), 0);
	assert_non_null(
		strstr(json_string_value(json_object_get(next, "command")), "hang.ctr --tid 100 --at "));
	json_decref(data);
}

/* The page has the time of the local zone, though the process cannot open its file. */
static void zone_of_page(void **state)
{
	struct fixture *f = *state;
	json_t *data;

	make_trace(f, false);
	f->page_bytes = 1 << 20;
	ask(f, HANG_LOOPER);
	assert_int_equal(f->page_error, 0);
	data = page_data(f);
	assert_string_equal(json_string_value(json_object_get(data, "zone")), "+05:45");
	json_decref(data);
}

static int setup_kathmandu(void **state)
{
	setenv("TZ", "Asia/Kathmandu", true);
	return setup(state);
}

static int teardown_kathmandu(void **state)
{
	unsetenv("TZ");
	return teardown(state);
}

/* Makes the page in this process, as if the try had begun when this process had used begun_ns of CPU time.
 * Returns the words about the other hangs. */
static char *where_of_page(struct fixture *f, uint64_t begun_ns)
{
	const struct diagnoser_question q = {
		.found_ns = HANG_S(5), .tid = HANG_LOOPER, .rule = CT_HANG_LOOP, .page_bytes = 1 << 20
	};
	_cleanup_close_ int memory = memfd_create("page", MFD_CLOEXEC);
	char err[READER_ERR_MAX], why[DIAGNOSER_WHY_MAX], *where;
	struct reader *reader;
	struct diagnosis *d;
	struct window *w;
	struct graph *g;
	struct stat st;
	json_t *data;

	assert_int_equal(reader_open_fd(f->fd, "t", &reader, err), 0);
	reader_want_kinds(reader, GRAPH_KINDS);
	assert_int_equal(window_load(reader, 0, HANG_S(10), 1000, &w, err), 0);
	assert_int_equal(graph_build(w, &g), 0);
	assert_int_equal(
		diagnose(g, graph_task_at(g, HANG_LOOPER, HANG_S(5)), HANG_S(3), HANG_S(7), NULL, &d), 0);
	assert_int_equal(diagnoser_page(dup(memory), g, d, &q, true, begun_ns, why), 0);
	diagnosis_free(d);
	graph_free(g);
	window_free(w);
	reader_free(reader);
	assert_int_equal(fstat(memory, &st), 0);
	f->page_n = (size_t)st.st_size;
	f->page = realloc(f->page, f->page_n);
	assert_int_equal(pread(memory, f->page, f->page_n, 0), f->page_n);
	data = page_data(f);
	where = strdup(json_string_value(json_object_get(json_object_get(data, "hangs"), "where")));
	json_decref(data);
	return where;
}

/* If the time is up before the search, the page does not say that the trace has no other hang. */
static void no_time_to_search(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *in_time = NULL, *late = NULL;

	make_trace(f, true);
	in_time = where_of_page(f, diagnoser_cpu_ns());
	assert_string_equal(in_time, "in the whole trace");
	late = where_of_page(f, diagnoser_cpu_ns() - DIAGNOSER_SEARCH_NS);
	assert_string_equal(late, "because there was no time to search for others");
}

static void large_page(void **state)
{
	struct fixture *f = *state;
	size_t size;

	make_trace(f, true);
	f->page_bytes = 1 << 20;
	ask(f, HANG_LOOPER);
	size = f->page_n;
	f->page_bytes = 16384;
	ask(f, HANG_LOOPER);
	assert_null(f->answer);
	assert_string_equal(f->why, "it would have more than 16 KiB");
	assert_int_equal(f->page_error, -EBADMSG);
	f->page_bytes = size;
	ask(f, HANG_LOOPER);
	assert_int_equal(f->page_error, 0);
	f->page_bytes = size - 1;
	ask(f, HANG_LOOPER);
	assert_int_equal(f->page_error, -EBADMSG);
	assert_non_null(strstr(f->why, "it would have more than"));
	f->page_bytes = 0;
	ask(f, HANG_LOOPER);
	assert_non_null(f->answer);
}

static pid_t its_pid(void)
{
	char path[64];
	FILE *p;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	p = fopen(path, "re");
	assert_non_null(p);
	assert_int_equal(fscanf(p, "%d", &pid), 1);
	fclose(p);
	return pid;
}

static void gives_up_its_rights(void **state)
{
	struct fixture *f = *state;
	char path[64], line[256];
	unsigned seen = 0;
	FILE *p;

	make_trace(f, true);
	ask(f, HANG_LOOPER); /* a child that answers has dropped its privileges */
	snprintf(path, sizeof(path), "/proc/%d/status", (int)its_pid());
	p = fopen(path, "re");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		seen += !strcmp(line, "NoNewPrivs:\t1\n") + !strcmp(line, "Seccomp:\t2\n") +
			!strcmp(line, "CapEff:\t0000000000000000\n") +
			!strcmp(line, "CapPrm:\t0000000000000000\n");
		seen += !geteuid() && !strcmp(line, "CapBnd:\t0000000000000000\n");
		seen += !geteuid() && !strcmp(line, "Uid:\t65534\t65534\t65534\t65534\n");
	}
	fclose(p);
	assert_int_equal(seen, geteuid() ? 4 : 6);
}

static void killed(void **state)
{
	const struct diagnoser_question q = { .since_ns = HANG_S(3),
					      .found_ns = HANG_S(5),
					      .tid = HANG_LOOPER };
	struct fixture *f = *state;

	make_trace(f, true);
	kill(its_pid(), SIGKILL);
	if (!diagnoser_ask(f->d, f->fd, &q, note, f))
		while (!f->answers)
			assert_true(sd_event_run(f->event, 20000000) > 0);
	else
		while (sd_event_run(f->event, 100000) > 0)
			;
	assert_null(f->answer);
	assert_int_equal(diagnoser_ask(f->d, f->fd, &q, note, f), -ESRCH);
}

#define WITH(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(gives_up_its_rights),
		WITH(one_that_lasts),
		WITH(one_that_ended),
		WITH(what_cannot_be_answered),
		WITH(killed),
		WITH(page),
		WITH(large_page),
		WITH(no_time_to_search),
		cmocka_unit_test_setup_teardown(zone_of_page, setup_kathmandu, teardown_kathmandu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
