/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of the code that takes snapshots, this file makes a trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/incident/incident.h"
#include "daemon/incident/incident_private.h"
#include "daemon/capture/snapshot_request.h"
#include "daemon/thresholds.h"
#include "test/unit/daemon/hang_make.h"
#include "lib/cleanup.h"
#include "lib/incidents.h"

struct fixture {
	char dir[64], hangs[80], trace[96];
	sd_event *event;
	struct worker *worker;
	struct diagnoser *diagnoser;
	struct incidents *is;
	struct incidents_options opt;
};

static atomic_int snapshot_error;
static atomic_uint_fast64_t snapshot_from_ns;

int snapshot_request_take(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns, int fd,
			  struct snapshot_request *ret, char err[SNAPSHOT_REQUEST_ERR_MAX])
{
	_cleanup_close_ int from = open(src->trace, O_RDONLY | O_CLOEXEC);
	char buf[65536];
	ssize_t n;

	atomic_store(&snapshot_from_ns, from_ns);
	if (snapshot_error) {
		snprintf(err, SNAPSHOT_REQUEST_ERR_MAX, "Cannot write: %s.", strerror(-snapshot_error));
		return snapshot_error;
	}
	while ((n = read(from, buf, sizeof(buf))) > 0)
		assert_int_equal(write(fd, buf, (size_t)n), n);
	*ret = (struct snapshot_request){
		.segments = 1, .from_ns = HANG_S(1), .to_ns = HANG_S(9), .bytes = 4711
	};
	return 0;
}

static const struct detect_hang loop_hang = { .rule = CT_HANG_LOOP,
					      .tid = HANG_LOOPER,
					      .tgid = HANG_LOOPER,
					      .comm = "loop/\xff\x1b",
					      .since_ns = HANG_S(3),
					      .found_ns = HANG_S(5),
					      .threshold_ns = HANG_S(2),
					      .wait = CT_W_FUTEX,
					      .nr = CT_NR_NONE,
					      .peer = HANG_HOLDER };

static void start(struct fixture *f)
{
	assert_int_equal(diagnoser_new(&f->diagnoser), 0);
	f->opt.diagnoser = f->diagnoser;
	assert_int_equal(sd_event_new(&f->event), 0);
	assert_int_equal(worker_new(f->event, NULL, &f->worker), 0);
	f->opt.worker = f->worker;
	assert_int_equal(incidents_new(f->event, &f->opt, &f->is), 0);
	incidents_begin(f->is, (struct drain *)f);
}

static void stop(struct fixture *f)
{
	assert_true(worker_stop(f->worker));
	incidents_finish(f->is);
	incidents_free(f->is);
	diagnoser_free(f->diagnoser);
	worker_free(f->worker);
	sd_event_unref(f->event);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	snapshot_error = 0;
	strcpy(f->dir, "/tmp/ctraced-hangs-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->trace, sizeof(f->trace), "%s/t.ctr", f->dir);
	snprintf(f->hangs, sizeof(f->hangs), "%s/" INCIDENTS_DIR, f->dir);
	hang_make(f->trace, true);
	f->opt = (struct incidents_options){
		.state_dir = f->dir, .trace = f->trace, .before_ns = HANG_S(1), .size_bytes = 1ULL << 30
	};
	assert_int_equal(incident_rate_parse("100/s", &f->opt.rate), 0);
	start(f);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char cmd[128];

	stop(f);
	while (waitpid(-1, NULL, 0) > 0)
		;
	snprintf(cmd, sizeof(cmd), "rm -r %s", f->dir);
	if (system(cmd))
		return -1;
	free(f);
	return 0;
}

static json_t *wait_for(struct fixture *f, size_t n)
{
	for (unsigned i = 0; i < 2000; i++) {
		json_t *list = NULL, *o;
		size_t left_out = 0, k, complete = 0;

		assert_true(sd_event_run(f->event, 10000) >= 0);
		if (incidents_read(f->hangs, 100, &list, &left_out))
			continue;
		json_array_foreach (list, k, o)
			complete += json_is_false(json_object_get(o, "pending"));
		if (complete == n)
			return list;
		json_decref(list);
	}
	fail_msg("there were never %zu", n);
	return NULL;
}

static const char *text(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key)) ?: "";
}

static void one_hang(void **state)
{
	struct fixture *f = *state;
	json_t *list, *o, *diagnosis;
	struct stat st;

	incidents_note(f->is, &loop_hang);
	list = wait_for(f, 1);
	o = json_array_get(list, 0);
	diagnosis = json_object_get(o, "diagnosis");
	assert_string_equal(text(o, "problem"), "");
	assert_string_equal(text(diagnosis, "cause"), "lock-holder");
	assert_int_equal(json_integer_value(json_object_get(o, "held_ns")), HANG_S(4));
	assert_true(json_is_false(json_object_get(o, "lasts")));
	assert_int_equal(snapshot_from_ns, HANG_S(2));
	assert_true(json_is_null(json_object_get(o, "view")));
	/* no character of the name has a meaning in a shell or a path */
	assert_non_null(strstr(text(o, "name"), "Z-loop___-100"));
	assert_int_equal(stat(text(o, "snapshot"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	json_decref(list);
	assert_int_equal(incidents_stats(f->is).taken, 1);
}

static void restart_with_pages(struct fixture *f)
{
	stop(f);
	f->opt.view = true;
	start(f);
}

static int trim_to(const struct incident_store *s, const char *name, uint64_t now_ns,
		   struct incident_store_use *ret)
{
	return incident_store_trim(s, &name, 1, now_ns, ret);
}

static void with_page(void **state)
{
	struct fixture *f = *state;
	struct detect_hang crash = loop_hang;
	struct incident_store_use use;
	struct incident_store store;
	_cleanup_free_ char *page = malloc(1 << 20);
	_cleanup_close_ int fd = -1;
	uint64_t bytes;
	json_t *list, *o;
	struct stat st, st2;
	ssize_t n;

	restart_with_pages(f);
	incidents_note(f->is, &loop_hang);
	list = wait_for(f, 1);
	o = json_array_get(list, 0);
	assert_string_equal(text(o, "problem"), "");
	assert_int_equal(stat(text(o, "view"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	fd = open(text(o, "view"), O_RDONLY | O_CLOEXEC);
	n = read(fd, page, 1 << 20);
	assert_int_equal(n, st.st_size);
	assert_non_null(memmem(page, (size_t)n, "waited 4.0 s", 12));
	assert_non_null(strstr(text(json_object_get(o, "diagnosis"), "text"), "waited 4.0 s"));
	assert_int_equal(stat(text(o, "snapshot"), &st2), 0);
	do
		bytes = incidents_stats(f->is).bytes;
	while (bytes < (uint64_t)(st.st_blocks + st2.st_blocks) * 512 && sd_event_run(f->event, 1000000) > 0);
	assert_true(bytes >= (uint64_t)(st.st_blocks + st2.st_blocks) * 512);
	/* the page goes together with its incident */
	store = (struct incident_store){ .size_bytes = 1 };
	strcpy(store.dir, f->hangs);
	assert_int_equal(trim_to(&store, "20990101T000000Z-x-1", clock_boot_ns(), &use), 0);
	assert_int_equal(use.removed, 1);
	assert_int_equal(stat(text(o, "view"), &st), -1);
	json_decref(list);
	crash.rule = CT_HANG_CRASH;
	incidents_note(f->is, &crash);
	list = wait_for(f, 1);
	assert_true(json_is_null(json_object_get(json_array_get(list, 0), "view")));
	json_decref(list);
}

/* A directory has the name of the page. */
static void page_fails(void **state)
{
	struct fixture *f = *state;
	struct detect_hang hang = loop_hang;
	char name[INCIDENT_NAME_MAX], path[200];
	json_t *list, *o;

	restart_with_pages(f);
	incident_store_name(name, hang.found_ns + (uint64_t)clock_offsets_now().boot_to_real_ns, hang.comm,
			    hang.tid, 1);
	mkdir(f->hangs, 0700);
	snprintf(path, sizeof(path), "%s/%s.html", f->hangs, name);
	assert_int_equal(mkdir(path, 0700), 0);
	incidents_note(f->is, &hang);
	list = wait_for(f, 1);
	o = json_array_get(list, 0);
	assert_non_null(strstr(text(o, "problem"), "There is no page: "));
	assert_string_equal(text(json_object_get(o, "diagnosis"), "cause"), "lock-holder");
	assert_true(*text(o, "snapshot"));
	json_decref(list);
}

/* Returns the note of the only incident as soon as it has a diagnosis. With pages, this is before the page.
 */
static json_t *wait_for_diagnosis(struct fixture *f)
{
	for (unsigned i = 0; i < 2000; i++) {
		json_t *list = NULL, *o;
		size_t left_out;

		assert_true(sd_event_run(f->event, 10000) >= 0);
		if (incidents_read(f->hangs, 100, &list, &left_out))
			continue;
		o = json_incref(json_array_get(list, 0));
		json_decref(list);
		if (json_is_object(json_object_get(o, "diagnosis")))
			return o;
		json_decref(o);
	}
	fail_msg("there was never a diagnosis");
	return NULL;
}

static void put_file(const struct fixture *f, const char *name, const char *suffix, const char *data)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.%s", f->hangs, name, suffix);
	out = fopen(path, "we");
	assert_non_null(out);
	assert_true(fputs(data, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static bool has_file(const struct fixture *f, const char *name, const char *suffix)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s.%s", f->hangs, name, suffix);
	return !access(path, F_OK);
}

/* The daemon ends after the diagnosis and before the page. The next daemon makes the page. */
static void ended_before_page(void **state)
{
	struct fixture *f = *state;
	json_t *list, *o;

	restart_with_pages(f);
	incidents_note(f->is, &loop_hang);
	o = wait_for_diagnosis(f);
	assert_true(json_is_true(json_object_get(o, "pending")));
	assert_true(json_is_null(json_object_get(o, "view")));
	stop(f);
	start(f);
	list = wait_for(f, 1);
	assert_true(json_equal(json_object_get(json_array_get(list, 0), "diagnosis"),
			       json_object_get(o, "diagnosis")));
	assert_true(*text(json_array_get(list, 0), "view"));
	json_decref(list);
	json_decref(o);
}

/* The next daemon keeps the diagnosis of the note, and makes no new one. Here the note is changed meanwhile,
 * so the page does not belong to it. A page from before a kill goes too. */
static void check_kept(struct fixture *f, bool pages)
{
	_cleanup_free_ char *note = NULL, *name = NULL;
	json_t *list, *o;

	restart_with_pages(f);
	incidents_note(f->is, &loop_hang);
	o = wait_for_diagnosis(f);
	stop(f);
	name = strdup(text(o, "name"));
	json_object_set_new(json_object_get(o, "diagnosis"), "text", json_string("kept"));
	json_object_set_new(o, "snapshot", json_sprintf("%s.ctr", name));
	note = json_dumps(o, 0);
	json_decref(o);
	put_file(f, name, "json", note);
	put_file(f, name, "html", "a page from before a kill");
	f->opt.view = pages;
	start(f);
	list = wait_for(f, 1);
	o = json_array_get(list, 0);
	assert_string_equal(text(json_object_get(o, "diagnosis"), "text"), "kept");
	assert_int_equal(!!strstr(text(o, "problem"), "the diagnosis was another one"), pages);
	assert_true(json_is_null(json_object_get(o, "view")));
	assert_false(has_file(f, name, "html"));
	json_decref(list);
}

static void keeps_diagnosis(void **state)
{
	check_kept(*state, true);
}

static void keeps_diagnosis_without_pages(void **state)
{
	check_kept(*state, false);
}

/* A directory has the name of the half-written note, so the page can be written, but no note that names it.
 */
static void note_fails(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *name = NULL;
	char path[200];
	json_t *list, *o;

	restart_with_pages(f);
	incidents_note(f->is, &loop_hang);
	o = wait_for_diagnosis(f);
	name = strdup(text(o, "name"));
	json_decref(o);
	snprintf(path, sizeof(path), "%s/%s.json.tmp", f->hangs, name);
	assert_int_equal(mkdir(path, 0700), 0);
	while (sd_event_run(f->event, 2000000) > 0)
		;
	assert_false(has_file(f, name, "html"));
	o = wait_for_diagnosis(f);
	assert_string_equal(text(json_object_get(o, "diagnosis"), "cause"), "lock-holder");
	json_decref(o);
	stop(f);
	assert_int_equal(rmdir(path), 0);
	start(f);
	list = wait_for(f, 1);
	assert_true(*text(json_array_get(list, 0), "view"));
	json_decref(list);
}

/* Writes a snapshot, and a note as before its diagnosis. */
static void put_pending(const struct fixture *f, unsigned nth)
{
	struct incident_store store = { .size_bytes = 1 << 30 };
	struct incident in = {
		.n_hangs = 1, .hangs = { loop_hang }, .from_ns = HANG_S(2), .has_snapshot = true
	};
	_cleanup_free_ char *doc = NULL;
	char path[200];

	strcpy(store.dir, f->hangs);
	incident_store_name(in.name, HANG_S(1000000), "loop", HANG_LOOPER, nth);
	doc = incident_doc(&in, true);
	assert_int_equal(incident_store_sidecar(&store, in.name, doc), 0);
	snprintf(path, sizeof(path), "%s/%s.ctr", f->hangs, in.name);
	hang_make(path, true);
}

/* Runs until n incidents are complete. Fails if there is a page before all n have their diagnosis. */
static json_t *wait_for_pages(struct fixture *f, size_t n)
{
	for (unsigned i = 0; i < 2000; i++) {
		json_t *list = NULL, *o;
		size_t left_out, k, complete = 0, diagnosed = 0, pages = 0;

		assert_true(sd_event_run(f->event, 10000) >= 0);
		assert_int_equal(incidents_read(f->hangs, 100, &list, &left_out), 0);
		json_array_foreach (list, k, o) {
			complete += json_is_false(json_object_get(o, "pending"));
			diagnosed += json_is_object(json_object_get(o, "diagnosis"));
			pages += !!*text(o, "view");
		}
		assert_true(!pages || diagnosed == n);
		if (complete == n)
			return list;
		json_decref(list);
	}
	fail_msg("there were never %zu", n);
	return NULL;
}

static void pages_come_last(void **state)
{
	struct fixture *f = *state;
	const unsigned n = INCIDENTS_OPEN_MAX - INCIDENTS_SPARE + 2;
	unsigned given_up = 0, pages = 0;
	json_t *list, *o;
	size_t i;

	stop(f);
	for (unsigned nth = 1; nth <= n; nth++)
		put_pending(f, nth);
	f->opt.view = true;
	start(f);
	list = wait_for_pages(f, n);
	json_array_foreach (list, i, o) {
		pages += !!*text(o, "view");
		given_up += !!strstr(text(o, "problem"), "There is no page: too many other hangs wait.");
	}
	json_decref(list);
	assert_int_equal(given_up, 2);
	assert_int_equal(pages, n - 2);
}

/* The page of the first incident, NAME-2, needs room. It must not cost the snapshot of the second incident,
 * NAME, which is open and the last one in the list. */
static void page_spares_the_open(void **state)
{
	struct fixture *f = *state;
	json_t *list = NULL, *o = NULL;

	stop(f);
	put_pending(f, 1);
	put_pending(f, 2);
	f->opt.view = true;
	f->opt.size_bytes = 1;
	start(f);
	for (unsigned i = 0; i < 2000 && !json_is_false(json_object_get(o, "pending")); i++) {
		size_t left_out;

		json_decref(list);
		assert_true(sd_event_run(f->event, 10000) >= 0);
		assert_int_equal(incidents_read(f->hangs, 100, &list, &left_out), 0);
		o = json_array_get(list, json_array_size(list) - 1);
	}
	assert_string_equal(strrchr(text(o, "name"), '-'), "-100");
	assert_true(*text(o, "view") && *text(o, "snapshot"));
	json_decref(list);
}

static void several_at_once(void **state)
{
	struct fixture *f = *state;
	struct detect_hang h = loop_hang;
	json_t *list;

	for (unsigned i = 0; i < 40; i++) {
		h.tid = HANG_LOOPER + i;
		h.since_ns = HANG_S(3) - i;
		incidents_note(f->is, &h);
	}
	incidents_note(f->is, &loop_hang);
	list = wait_for(f, 1);
	assert_int_equal(json_array_size(json_object_get(json_array_get(list, 0), "hangs")),
			 INCIDENT_HANGS_MAX);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "hangs_refused")),
			 40 - INCIDENT_HANGS_MAX);
	json_decref(list);
	assert_int_equal(snapshot_from_ns, HANG_S(2) - (INCIDENT_HANGS_MAX - 1));
}

/* Returns how many elements of the list have this rule in all rows of their hangs, and n rows. */
static size_t count_rule(json_t *list, const char *rule, size_t n)
{
	size_t i, k, found = 0, same;
	json_t *o, *row;

	json_array_foreach (list, i, o) {
		same = 0;
		json_array_foreach (json_object_get(o, "hangs"), k, row)
			same += !strcmp(text(row, "rule"), rule);
		found += same == n && json_array_size(json_object_get(o, "hangs")) == n;
	}
	return found;
}

/* One process hangs and crashes at the same time, in both orders. The hangs are one incident, and the crashes
 * another one, with a snapshot of its own. */
static void crash_beside_hang(void **state)
{
	for (unsigned crash_first = 0; crash_first < 2; crash_first++) {
		struct fixture *f = *state;
		struct detect_hang hang = loop_hang, crash = loop_hang;
		json_t *list;

		crash.rule = CT_HANG_CRASH;
		crash.since_ns = HANG_S(4.5);
		for (unsigned i = 0; i < 4; i++) {
			struct detect_hang *h = i % 2 == crash_first ? &hang : &crash;

			incidents_note(f->is, h);
			h->tid++; /* another thread */
		}
		list = wait_for(f, 2 * (crash_first + 1));
		assert_int_equal(count_rule(list, "loop", 2), crash_first + 1);
		assert_int_equal(count_rule(list, "crash", 2), crash_first + 1);
		json_decref(list);
		assert_int_equal(incidents_stats(f->is).taken, 2 * (crash_first + 1));
	}
}

/* The line in the journal says whether a thread or a process ended. */
static void exception_lines(void **state)
{
	struct incident in = { .n_hangs = 1, .hangs = { loop_hang } };
	char *line;

	strcpy(in.hangs[0].comm, "python3");
	in.hangs[0].rule = CT_HANG_EXCEPTION;
	line = incident_say_text(&in);
	assert_string_equal(line, "python3[100] ended after an uncaught exception.");
	free(line);
	in.hangs[0].tid++;
	line = incident_say_text(&in);
	assert_string_equal(line, "python3[101], a thread of pid 100, ended after an uncaught exception.");
	free(line);
}

/* A restarted daemon reads its notes about earlier hangs. So the snapshots of these hangs count for the limit
 * too. */
static void limited(void **state)
{
	struct fixture *f = *state;
	struct detect_hang h = loop_hang;

	stop(f);
	incident_rate_parse("1/day", &f->opt.rate);
	start(f);
	/* After the restart below, the limit of one snapshot a day counts this hang only if it was
	 * found within the last day. */
	h.found_ns = clock_boot_ns();
	h.since_ns = h.found_ns - HANG_S(2);
	incidents_note(f->is, &h);
	json_decref(wait_for(f, 1));
	incidents_note(f->is, &h);
	while (!incidents_stats(f->is).limited)
		assert_true(sd_event_run(f->event, 1000000) >= 0);
	stop(f);
	start(f);
	incidents_note(f->is, &h);
	while (!incidents_stats(f->is).limited)
		assert_true(sd_event_run(f->event, 1000000) >= 0);
	json_decref(wait_for(f, 1));
}

/* The limit of one snapshot a day applies to crashes, exceptions and hangs separately, also after a restart.
 */
static void crashes_apart(void **state)
{
	struct fixture *f = *state;
	struct detect_hang hang = loop_hang, crash = loop_hang, exception;

	stop(f);
	incident_rate_parse("1/day", &f->opt.rate);
	start(f);
	crash.rule = CT_HANG_CRASH;
	crash.tid = HANG_HOLDER; /* the name of an incident has the tid */
	hang.found_ns = crash.found_ns = clock_boot_ns();
	hang.since_ns = crash.since_ns = crash.found_ns - HANG_S(2);
	exception = crash;
	exception.rule = CT_HANG_EXCEPTION;
	exception.tid++;
	incidents_note(f->is, &crash);
	json_decref(wait_for(f, 1));
	stop(f);
	start(f);
	incidents_note(f->is, &hang);
	json_decref(wait_for(f, 2));
	stop(f);
	start(f);
	incidents_note(f->is, &exception);
	json_decref(wait_for(f, 3));
	assert_int_equal(incidents_stats(f->is).limited, 0);
	stop(f);
	start(f);
	incidents_note(f->is, &crash);
	incidents_note(f->is, &hang);
	incidents_note(f->is, &exception);
	while (incidents_stats(f->is).limited < 3)
		assert_true(sd_event_run(f->event, 1000000) >= 0);
}

static void no_space(void **state)
{
	struct fixture *f = *state;
	json_t *list;

	snapshot_error = -ENOSPC;
	incidents_note(f->is, &loop_hang);
	list = wait_for(f, 1);
	assert_true(json_is_null(json_object_get(json_array_get(list, 0), "snapshot")));
	assert_non_null(strstr(text(json_array_get(list, 0), "problem"), "No space left"));
	json_decref(list);
	while (!incidents_stats(f->is).failed)
		assert_true(sd_event_run(f->event, 1000000) >= 0);
	snapshot_error = 0;
	struct detect_hang h = loop_hang;
	h.comm[0] = 'x';
	incidents_note(f->is, &h);
	json_decref(wait_for(f, 2));
	assert_int_equal(incidents_stats(f->is).taken, 1);
}

static void too_many(void **state)
{
	struct fixture *f = *state;
	struct detect_hang h = loop_hang;
	json_t *list;

	stop(f);
	f->opt.size_bytes = 1;
	start(f);
	for (unsigned i = 0; i < 3; i++) {
		h.found_ns = loop_hang.found_ns + HANG_S(i);
		incidents_note(f->is, &h);
		while (incidents_stats(f->is).taken <= i)
			assert_true(sd_event_run(f->event, 1000000) >= 0);
	}
	list = wait_for(f, 1);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "found_ns")),
			 loop_hang.found_ns + HANG_S(2));
	assert_true(json_is_string(json_object_get(json_array_get(list, 0), "snapshot")));
	json_decref(list);
	assert_int_equal(incidents_stats(f->is).removed, 2);
}

/* A daemon that ends takes the snapshot at once. The next daemon makes the diagnosis. */
static void ended_meanwhile(void **state)
{
	struct fixture *f = *state;
	struct detect_hang h = loop_hang;
	size_t left_out;
	json_t *list;

	stop(f);
	f->opt.after_ns = HANG_S(1000000);
	start(f);
	incidents_note(f->is, &h);
	while (!incidents_stats(f->is).noticed)
		assert_true(sd_event_run(f->event, 1000000) >= 0);
	stop(f);
	assert_int_equal(incidents_read(f->hangs, 100, &list, &left_out), 0);
	assert_true(json_is_true(json_object_get(json_array_get(list, 0), "pending")));
	assert_true(json_is_string(json_object_get(json_array_get(list, 0), "snapshot")));
	json_decref(list);
	start(f);
	list = wait_for(f, 1);
	assert_string_equal(text(json_object_get(json_array_get(list, 0), "diagnosis"), "cause"),
			    "lock-holder");
	json_decref(list);
}

static void killed_meanwhile(void **state)
{
	struct fixture *f = *state;
	struct incident_store store = { .size_bytes = 1 << 30 };
	struct incident in = { .n_hangs = 1, .hangs = { loop_hang }, .from_ns = HANG_S(2) };
	_cleanup_free_ char *doc = NULL, *crash = NULL;
	json_t *list;

	strcpy(store.dir, f->hangs);
	strcpy(in.boot_id, "00000000-0000-0000-0000-000000000000");
	incident_store_name(in.name, HANG_S(1000000), "loop", HANG_LOOPER, 1);
	doc = incident_doc(&in, true);
	assert_int_equal(incident_store_sidecar(&store, in.name, doc), 0);
	in.hangs[0].rule = CT_HANG_CRASH;
	incident_store_name(in.name, HANG_S(1000001), "loop", HANG_LOOPER, 1);
	crash = incident_doc(&in, true);
	assert_int_equal(incident_store_sidecar(&store, in.name, crash), 0);
	stop(f);
	start(f);
	list = wait_for(f, 2);
	assert_non_null(strstr(text(json_array_get(list, 0), "problem"), "'ctrace diagnose --boot 1 "));
	assert_non_null(strstr(text(json_array_get(list, 1), "problem"), "'ctrace crashes --boot 1 "));
	json_decref(list);
	close(incident_store_create(&store, in.name));
	incidents_note(f->is, &loop_hang);
	json_decref(wait_for(f, 3));
	for (DIR *d = opendir(f->hangs); d; d = NULL) {
		for (struct dirent *e; (e = readdir(d));)
			assert_null(strstr(e->d_name, ".tmp"));
		closedir(d);
	}
}

static void hostile_answers(void **state)
{
	static const char *const bad[] = {
		"{}",
		"[]",
		"{\"text\":1,\"verdict\":\"a\",\"cause\":\"b\",\"confidence\":\"c\"}",
		"{\"text\":\"x\",\"verdict\":\"a b\",\"cause\":\"b\",\"confidence\":\"c\"}",
		"{\"text\":\"x\",\"verdict\":\"a\",\"cause\":\"\\u001b\",\"confidence\":\"c\"}",
	};
	json_t *good, *o;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		o = json_loads(bad[i], 0, NULL);
		assert_null(incident_doc_diagnosis(o));
		json_decref(o);
	}
	good = json_loads("{\"text\":\"a\\u001b[2J\",\"verdict\":\"a\",\"cause\":\"b\",\"confidence\":\"c\","
			  "\"chain\":[1,{\"pid\":\"x\",\"edge\":\"A B\"}],\"root_cause\":[],\"more\":1}",
			  0, NULL);
	o = incident_doc_diagnosis(good);
	assert_string_equal(text(o, "text"), "a\\x1b[2J");
	assert_null(json_object_get(o, "more"));
	assert_string_equal(text(json_array_get(json_object_get(o, "chain"), 1), "edge"), "none");
	json_decref(o);
	json_decref(good);
}

static void rates(void **state)
{
	static const char *const bad[] = { "",
					   "1",
					   "1/",
					   "0/s",
					   "101/h",
					   "1/week",
					   "-1/h",
					   "1/h,",
					   "1/h 2/s",
					   "no, 1/h",
					   "1/s,1/s,1/s,1/s,1/s" };
	struct incident_times t = { .n = 0 };
	struct incident_rate r;
	uint64_t next_ns;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(incident_rate_parse(bad[i], &r), -EINVAL);
	assert_int_equal(incident_rate_parse("no", &r), 0);
	assert_false(incident_rate_allows(&r, &t, "a", 0, HANG_S(1), &next_ns));
	assert_true(next_ns == UINT64_MAX);
	assert_int_equal(incident_rate_parse(" 1/min , 3 / h", &r), 0);
	for (unsigned i = 0; i < 3; i++) {
		const char *comm = i ? "a" : "b";

		assert_true(incident_rate_allows(&r, &t, comm, 0, HANG_S(3600 + 60.0 * i), NULL));
		incident_times_add(&t, comm, 0, HANG_S(3600 + 60.0 * i));
		assert_false(incident_rate_allows(&r, &t, "c", 0, HANG_S(3600 + 60.0 * i + 59), &next_ns));
	}
	assert_int_equal(next_ns, HANG_S(7200));
	assert_true(incident_rate_allows(&r, &t, "c", 0, HANG_S(7200), NULL));
	/* one program gets half of the limit, rounded up */
	assert_false(incident_rate_allows(&r, &t, "a", 0, HANG_S(7200), &next_ns));
	assert_int_equal(next_ns, HANG_S(7260));
	assert_true(incident_rate_allows(&r, &t, "b", 0, HANG_S(7200), NULL));
	for (unsigned i = 0; i < 2 * INCIDENT_RATE_MAX; i++)
		incident_times_add(&t, "a", 0, HANG_S(8000.0 + i));
	assert_false(incident_rate_allows(&r, &t, "c", 0, HANG_S(8000.0 + 2 * INCIDENT_RATE_MAX), &next_ns));
}

static void names(void **state)
{
	char name[INCIDENT_NAME_MAX];

	incident_store_name(name, 1769868192ULL * NSEC_PER_SEC + 5, "a b/../\n", 7, 1);
	assert_string_equal(name, "20260131T140312Z-a_b_..__-7");
	assert_int_equal(incident_store_time(name), 1769868192ULL * NSEC_PER_SEC);
	assert_int_equal(incident_store_time("core.json"), 0);
	assert_int_equal(incident_store_time(""), 0);
	incident_store_name(name, UINT64_MAX, "0123456789abcdef0123456789abcdef0", UINT32_MAX, 1);
	assert_non_null(strstr(name, "-4294967295"));
	incident_store_name(name, 1769868192ULL * NSEC_PER_SEC, "0123456789abcde", UINT32_MAX, 2);
	assert_string_equal(name, "20260131T140312Z-0123456789abcde-4294967295-2");
}

/* Incidents of one task in one second keep their own files, also if the daemon was restarted. */
static void same_second(void **state)
{
	struct fixture *f = *state;
	json_t *list, *o;
	size_t i;

	for (unsigned n = 1; n <= 3; n++) {
		incidents_note(f->is, &loop_hang);
		json_decref(wait_for(f, n));
		if (n == 2) {
			stop(f);
			start(f);
		}
	}
	list = wait_for(f, 3);
	json_array_foreach (list, i, o)
		assert_int_equal(access(text(o, "snapshot"), F_OK), 0);
	json_decref(list);
}

/* The second hang comes after the snapshot of the first incident has begun, so it becomes an incident of its
 * own. Its name must differ, although the files of the first incident may not exist yet. */
static void same_second_open(void **state)
{
	struct fixture *f = *state;
	json_t *list;

	incidents_note(f->is, &loop_hang);
	while (!incidents_stats(f->is).noticed)
		assert_true(sd_event_run(f->event, 1000000) >= 0);
	incidents_note(f->is, &loop_hang);
	list = wait_for(f, 2);
	json_decref(list);
}

/* All programs of one user together get half of the limit. Programs of root have no such limit.
 * Unknown users count as one user. */
static void rates_of_users(void **state)
{
	static const uint32_t uids[] = { 1000, INCIDENT_UID_UNKNOWN };
	struct incident_rate r;

	assert_int_equal(incident_rate_parse("4/h", &r), 0);
	for (size_t i = 0; i < ARRAY_SIZE(uids); i++) {
		struct incident_times t = { .n = 0 };
		uint64_t next_ns;

		incident_times_add(&t, "a", uids[i], HANG_S(1));
		assert_true(incident_rate_allows(&r, &t, "c", uids[i], HANG_S(2), NULL));
		incident_times_add(&t, "b", uids[i], HANG_S(2));
		assert_false(incident_rate_allows(&r, &t, "c", uids[i], HANG_S(3), &next_ns));
		assert_int_equal(next_ns, HANG_S(3601));
		assert_true(incident_rate_allows(&r, &t, "c", 1001, HANG_S(3), NULL));
		incident_times_add(&t, "c", 0, HANG_S(3));
		assert_true(incident_rate_allows(&r, &t, "d", 0, HANG_S(4), NULL));
	}
}

static void whose(void **state)
{
	struct fixture *f = *state;
	struct detect_hang h = loop_hang;
	json_t *list;

	h.tgid = (uint32_t)getpid();
	incidents_note(f->is, &h);
	list = wait_for(f, 1);
	assert_int_equal(incident_store_doc_uid(json_array_get(list, 0)), getuid());
	json_decref(list);
	assert_int_equal(incident_store_doc_uid(NULL), INCIDENT_UID_UNKNOWN);
}

static void put(const struct incident_store *s, const char *name, uint32_t uid)
{
	static const char bytes[1 << 16] = { 1 };
	char note[64];
	int fd = incident_store_create(s, name);

	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(incident_store_commit(s, name, fd, true), 0);
	close(fd);
	snprintf(note, sizeof(note), "{\"schema\":\"" INCIDENTS_SCHEMA "\",\"uid\":%u}", uid);
	assert_int_equal(incident_store_sidecar(s, name, note), 0);
}

static bool has(const struct incident_store *s, const char *name)
{
	int fd = incident_store_snapshot(s, name);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A snapshot has data of every process, so no other user may write to its directory. */
static void others_may_write(void **state)
{
	const struct fixture *f = *state;
	struct incident_store s = { .size_bytes = 1 << 30 };
	char elsewhere[96];

	strcpy(s.dir, f->hangs);
	assert_int_equal(incident_store_check(&s), 0);
	assert_int_equal(mkdir(f->hangs, 0700), 0);
	assert_int_equal(incident_store_check(&s), 0);
	assert_int_equal(chmod(f->hangs, 0770), 0);
	assert_int_equal(incident_store_check(&s), -EPERM);
	assert_int_equal(incident_store_create(&s, "20260131T130000Z-a-1"), -EPERM);
	assert_int_equal(incident_store_sidecar(&s, "20260131T130000Z-a-1", "{}"), -EPERM);
	assert_int_equal(rmdir(f->hangs), 0);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", f->dir);
	assert_int_equal(mkdir(elsewhere, 0700), 0);
	assert_int_equal(symlink("elsewhere", f->hangs), 0);
	assert_int_equal(incident_store_check(&s), -EPERM);
	assert_int_equal(incident_store_create(&s, "20260131T130000Z-a-1"), -EPERM);
	assert_int_equal(rmdir(elsewhere), 0);
	assert_int_equal(unlink(f->hangs), 0);
	assert_int_equal(chmod(f->dir, 0777), 0);
	assert_int_equal(incident_store_create(&s, "20260131T130000Z-a-1"), -EPERM);
	assert_int_equal(access(f->hangs, F_OK), -1);
	assert_int_equal(chmod(f->dir, 0700), 0);
}

/* A pipe among the files would block the thread that opens it. */
static void pipes_among_the_files(void **state)
{
	const struct fixture *f = *state;
	struct incident_store s = { .size_bytes = 1 };
	struct incident_store_use use;
	char path[160];

	strcpy(s.dir, f->hangs);
	put(&s, "20260131T140000Z-new-1", 0);
	snprintf(path, sizeof(path), "%s/20260131T130000Z-a-1.json", f->hangs);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/20260131T130000Z-a-1.ctr", f->hangs);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_int_equal(incident_store_snapshot(&s, "20260131T130000Z-a-1"), -EPERM);
	assert_int_equal(trim_to(&s, "20260131T140000Z-new-1", UINT64_MAX / 2, &use), 0);
	alarm(0);
	assert_int_equal(use.removed, 1);
}

/* If the files take more than size_bytes, incidents that are more than INCIDENTS_AHEAD_NS in the future (the
 * clock was set back) are removed first, then the oldest ones. The incident that was written last stays. */
static void clock_back(void **state)
{
	const struct fixture *f = *state;
	struct incident_store s = { .size_bytes = 180 << 10 };
	const uint64_t now_ns = 1769868192ULL * NSEC_PER_SEC; /* 2026-01-31T14:03:12Z */
	struct incident_store_use use;

	strcpy(s.dir, f->hangs);
	put(&s, "20260131T130000Z-a-1", 0);
	put(&s, "20260131T140312Z-new-1", 0);
	put(&s, "20270101T000000Z-ahead-1", 0);
	assert_int_equal(trim_to(&s, "20260131T140312Z-new-1", now_ns, &use), 0);
	assert_int_equal(use.removed, 1);
	assert_int_equal(use.kept, 2);
	assert_false(has(&s, "20270101T000000Z-ahead-1"));
	/* new-2 was written last. It stays, although its time is the oldest. */
	put(&s, "20260131T230000Z-b-1", 0);
	put(&s, "20260131T120000Z-new-2", 0);
	assert_int_equal(trim_to(&s, "20260131T120000Z-new-2", now_ns, &use), 0);
	assert_true(has(&s, "20260131T120000Z-new-2"));
	assert_int_equal(use.removed, 2);
	s.size_bytes = 1;
	assert_int_equal(trim_to(&s, "20260131T120000Z-new-2", now_ns, &use), 0);
	assert_true(has(&s, "20260131T120000Z-new-2"));
	assert_int_equal(use.kept, 1);
}

static void some_stay(void **state)
{
	static const char *const stay[] = { "20260131T100000Z-a-1", "20260131T110000Z-a-11" };
	const struct fixture *f = *state;
	struct incident_store s = { .size_bytes = 1 };
	struct incident_store_use use;

	strcpy(s.dir, f->hangs);
	put(&s, stay[0], 0);
	put(&s, "20260131T110000Z-a-1", 0);
	put(&s, stay[1], 0);
	assert_int_equal(incident_store_trim(&s, stay, ARRAY_SIZE(stay), UINT64_MAX / 2, &use), 0);
	assert_int_equal(use.removed, 1);
	assert_true(has(&s, stay[0]) && has(&s, stay[1]));
	assert_int_equal(incident_store_trim(&s, NULL, 0, UINT64_MAX / 2, &use), 0);
	assert_int_equal(use.kept, 0);
}

static void room_of_users(void **state)
{
	const struct fixture *f = *state;
	struct incident_store s = { .size_bytes = 290 << 10 };
	struct incident_store_use use;

	strcpy(s.dir, f->hangs);
	put(&s, "20260131T100000Z-root-1", 0);
	put(&s, "20260131T110000Z-u-1", 1000);
	put(&s, "20260131T110001Z-u-2", 1000);
	put(&s, "20260131T110002Z-u-3", 1000);
	put(&s, "20260131T110003Z-u-4", 1000);
	assert_int_equal(trim_to(&s, "20260131T110003Z-u-4", 1769868192ULL * NSEC_PER_SEC, &use), 0);
	assert_int_equal(use.removed, 1);
	assert_true(has(&s, "20260131T100000Z-root-1"));
	assert_false(has(&s, "20260131T110000Z-u-1"));
}

static void pending_behind_many(void **state)
{
	struct fixture *f = *state;
	struct incident_store store = { .size_bytes = 1 << 30 };
	struct incident in = { .n_hangs = 1, .hangs = { loop_hang } };
	_cleanup_free_ char *doc = NULL;
	json_t *list;
	size_t left_out;

	strcpy(store.dir, f->hangs);
	put(&store, "20990101T000000Z-a-1", 0);
	put(&store, "20990101T000000Z-a-2", 0);
	incident_store_name(in.name, HANG_S(1000000), "loop", HANG_LOOPER, 1);
	doc = incident_doc(&in, true);
	assert_int_equal(incident_store_sidecar(&store, in.name, doc), 0);
	assert_int_equal(incidents_read(f->hangs, 1, &list, &left_out), 0);
	assert_int_equal(json_array_size(list), 2);
	assert_string_equal(text(json_array_get(list, 0), "name"), in.name);
	assert_int_equal(left_out, 1);
	json_decref(list);
}

/* The note keeps its content when it is written again with the diagnosis. */
static void told_again(void **state)
{
	struct incident in = { .n_hangs = 1, .hangs = { loop_hang }, .uid = 1000 }, again;
	_cleanup_free_ char *first = NULL, *second = NULL;
	json_t *a, *b, *hang;

	in.hangs[0].obj = 0x1234;
	in.hangs[0].nr = 202;
	incident_store_name(in.name, HANG_S(1000000), "loop", HANG_LOOPER, 1);
	first = incident_doc(&in, true);
	a = json_loads(first, 0, NULL);
	assert_int_equal(incident_doc_read(a, &again), 0);
	second = incident_doc(&again, false);
	b = json_loads(second, 0, NULL);
	hang = json_array_get(json_object_get(b, "hangs"), 0);
	assert_string_equal(text(hang, "object"), "0x1234");
	assert_string_equal(text(hang, "wait"), "futex");
	assert_true(json_equal(json_object_get(a, "hangs"), json_object_get(b, "hangs")));
	assert_int_equal(again.uid, 1000);
	json_decref(again.told);
	json_decref(a);
	json_decref(b);
}

static void fits(void **state)
{
	json_t *list = json_array();
	size_t bytes;

	assert_int_equal(incidents_fit(list, 2), 0);
	for (int i = 100; i < 200; i++)
		json_array_append_new(list, json_pack("{s:i}", "n", i));
	bytes = json_dumpb(list, NULL, 0, JSON_COMPACT);
	assert_int_equal(incidents_fit(list, bytes), 0);
	assert_int_equal(incidents_fit(list, bytes - 1), 1);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "n")), 101);
	assert_int_equal(incidents_fit(list, bytes / 2), 50);
	assert_true(json_dumpb(list, NULL, 0, JSON_COMPACT) <= bytes / 2);
	assert_int_equal(incidents_fit(list, 0), 49);
	json_decref(list);
}

/* The daemon does not wait for a journal that does not read its socket. */
static void stuck_journal(void **state)
{
	const struct fixture *f = *state;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	static const char entry[] = "MESSAGE=a=b\nCTRACE_X\n\3\0\0\0\0\0\0\0c\nd\n";
	_cleanup_free_ char *made = NULL;
	char got[sizeof(entry)];
	size_t n;
	FILE *m = open_memstream(&made, &n);
	int r = 0;

	incident_say_field(m, "MESSAGE", "%s", "a=b");
	incident_say_field(m, "CTRACE_X", "%s", "c\nd");
	fclose(m);
	assert_int_equal(n, sizeof(entry) - 1);
	assert_memory_equal(made, entry, n);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/journal", f->dir);
	assert_int_equal(incident_say_send(at.sun_path, made, n), -ENOENT);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	alarm(30);
	for (unsigned i = 0; i < 100000 && !r; i++)
		r = incident_say_send(at.sun_path, made, n);
	alarm(0);
	assert_int_equal(r, -EAGAIN);
	assert_int_equal(recv(fd, got, sizeof(got), 0), n);
	assert_memory_equal(got, entry, n);
	assert_int_equal(incident_say_send(at.sun_path, made, n), 0);
}

#define WITH(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(one_hang),
		WITH(with_page),
		WITH(page_fails),
		WITH(ended_before_page),
		WITH(keeps_diagnosis),
		WITH(keeps_diagnosis_without_pages),
		WITH(note_fails),
		WITH(pages_come_last),
		WITH(page_spares_the_open),
		WITH(several_at_once),
		WITH(limited),
		WITH(crashes_apart),
		WITH(no_space),
		WITH(too_many),
		WITH(ended_meanwhile),
		WITH(killed_meanwhile),
		cmocka_unit_test(hostile_answers),
		cmocka_unit_test(rates),
		cmocka_unit_test(names),
		WITH(same_second),
		WITH(same_second_open),
		cmocka_unit_test(rates_of_users),
		WITH(whose),
		WITH(others_may_write),
		WITH(pipes_among_the_files),
		WITH(clock_back),
		WITH(some_stay),
		WITH(room_of_users),
		WITH(pending_behind_many),
		cmocka_unit_test(told_again),
		cmocka_unit_test(exception_lines),
		WITH(crash_beside_hang),
		cmocka_unit_test(fits),
		WITH(stuck_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
