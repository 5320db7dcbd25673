// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads files with right checksums and wrong numbers. Nothing overflows, takes all memory or runs
 * for ever. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/diagnose/diagnose.h"
#include "graph/causal/causal.h"
#include "graph/path/path.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/format/crc32c.h"
#include "trace/format/file_index.h"
#include "trace/format/limits.h"
#include "test/unit/trace/trace_fixture.h"
#include "test/unit/trace/window_make.h"

#define PER      200
#define FUTEX    CT_OBJ_ID(CT_OBJ_FUTEX, 0x2000)
#define FIELD(f) offsetof(struct format_segment, f), sizeof(((struct format_segment *)0)->f)

static void use(const struct window *w)
{
	struct diagnosis *d;
	struct causal *c;
	struct graph *g;
	struct path *p;
	uint32_t task;

	assert_int_equal(graph_build(w, &g), 0);
	assert_int_equal(causal_build(g, NULL, &c), 0);
	task = graph_task_at(g, 1001, w->file_to_ns);
	if (task != GRAPH_NONE) {
		assert_int_equal(diagnose(g, task, w->file_from_ns, w->file_to_ns, NULL, &d), 0);
		diagnosis_free(d);
		assert_int_equal(path_walk(g, task, w->file_from_ns, w->file_to_ns, &p), 0);
		path_free(p);
	}
	causal_free(c);
	graph_free(g);
}

static void three_segments(struct fixture *f, void (*damage)(struct fixture *f))
{
	fixture_open(f, FIXTURE_BYTES);
	fixture_task(f, 1000, "worker");
	for (int i = 0; i < 3; i++) {
		fixture_busy(f, PER);
		if (damage && i == 1)
			damage(f);
		fixture_seal(f);
	}
	writer_free(f->w);
	f->w = NULL;
}

static uint32_t damaged(struct fixture *f)
{
	struct window *w = fixture_load(f, 0, UINT64_MAX);
	uint32_t n = w->skipped_slots;

	assert_in_range(w->n_cpus, 1, FORMAT_CPUS_MAX);
	for (size_t i = 0; i < w->n_events; i++)
		assert_true(w->events[i].r.ts < FORMAT_TIME_MAX);
	use(w);
	window_free(w);
	return n;
}

static void set_field(uint8_t *bytes, uint32_t i, size_t at, size_t size, uint64_t value)
{
	uint8_t *slot = bytes + (i + 1) * FORMAT_SLOT_BYTES;
	struct format_segment *h = (struct format_segment *)slot;

	memcpy(slot + at, &value, size);
	h->crc = file_index_segment_crc(slot, sizeof(*h));
}

static void a_field_of_a_segment_header(void **state)
{
	static const struct {
		size_t at, size;
		uint64_t value;
		bool ok;
	} fields[] = {
		{ FIELD(n_cpus), FORMAT_CPUS_MAX, true },
		{ FIELD(n_cpus), FORMAT_CPUS_MAX + 1, false },
		{ FIELD(n_cpus), 0x10000000, false },
		{ FIELD(n_cpus), UINT32_MAX - 1, false },
		{ FIELD(n_cpus), UINT32_MAX, false },
		{ FIELD(n_slots), 2, false },
		{ FIELD(n_records), FORMAT_RECORDS_MAX, false },
		{ FIELD(n_tasks), UINT32_MAX, false },
		{ FIELD(n_objects), UINT32_MAX, false },
		{ FIELD(n_stacks), UINT32_MAX, false },
		{ FIELD(n_states), UINT32_MAX, false },
		{ FIELD(end_ns), FORMAT_TIME_MAX, false },
		{ FIELD(end_ns), UINT64_MAX, false },
		{ FIELD(begin_ns), UINT64_MAX, false },
		{ FIELD(max_ns), FORMAT_TIME_MAX - 1, true },
		{ FIELD(max_ns), FORMAT_TIME_MAX, false },
		{ FIELD(min_ns), 0, true },
		{ FIELD(min_ns), 1ULL << 61, false },
		{ FIELD(boot_to_mono_ns), FORMAT_TIME_MAX, true },
		{ FIELD(boot_to_mono_ns), -FORMAT_TIME_MAX, true },
		{ FIELD(boot_to_mono_ns), FORMAT_TIME_MAX + 1, false },
		{ FIELD(boot_to_mono_ns), INT64_MAX, false },
		{ FIELD(boot_to_mono_ns), (uint64_t)INT64_MIN, false },
		{ FIELD(boot_to_real_ns), INT64_MAX, false },
		{ FIELD(boot_to_real_ns), (uint64_t)INT64_MIN, false },
		{ FIELD(gap_from_ns), UINT64_MAX, false },
	};
	struct fixture *f = *state;
	_cleanup_free_ uint8_t *bytes = NULL, *copy = NULL;
	size_t n;

	three_segments(f, NULL);
	bytes = fixture_slurp(f->path, &n);
	copy = malloc(n);
	assert_non_null(copy);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		memcpy(copy, bytes, n);
		set_field(copy, 1, fields[i].at, fields[i].size, fields[i].value);
		fixture_spew(f->path, copy, n);
		if (damaged(f) != !fields[i].ok)
			fail_msg("field %zu of the table, at %zu", i, fields[i].at);
	}
}

static void equal_times(struct fixture *f, unsigned n)
{
	uint64_t ts;

	unlink(f->path);
	fixture_open(f, FIXTURE_BYTES);
	ts = f->now;
	for (unsigned i = 0; i < n + 8; i++) {
		struct window_record e = fixture_usual(f, 0);

		e.r.ts = ts += i < n;
		fixture_add(f, &e);
	}
	f->now = ts;
	fixture_seal(f);
	writer_free(f->w);
	f->w = NULL;
}

/* Gives the columns T0 to T7 the width 2, which no writer does. The decoder may read one byte after
 * any of these columns, so its buffers are longer than the data (DECODER_SLACK). */
static void a_width_that_no_column_has(void **state)
{
	struct fixture *f = *state;

	for (unsigned times = 12; times < 70; times++) {
		_cleanup_free_ uint8_t *bytes = NULL;
		struct format_segment *h;
		struct format_block *b;
		struct reader *reader = NULL;
		char err[READER_ERR_MAX];
		struct window *w = NULL;
		uint8_t *slot, *body;
		size_t n;
		int r;

		equal_times(f, times);
		bytes = fixture_slurp(f->path, &n);
		slot = bytes + FORMAT_SLOT_BYTES;
		h = (struct format_segment *)slot;
		body = slot + h->header_bytes;
		for (uint32_t at = 0; at < h->body_bytes;
		     at += (uint32_t)sizeof(*b) + ((b->stored_bytes + 7) & ~7u)) {
			b = (struct format_block *)(body + at);
			if (b->type >= FORMAT_COL_T0 && b->type < FORMAT_COL_T0 + 8)
				b->width = 2;
		}
		h->body_crc = crc32c(0, body, h->body_bytes);
		h->crc = file_index_segment_crc(slot, sizeof(*h));
		fixture_spew(f->path, bytes, n);
		r = reader_open(f->path, &reader, err);
		if (!r)
			r = window_load(reader, 0, UINT64_MAX, 0, &w, err);
		if (r)
			assert_int_equal(r, -EBADMSG);
		window_free(w);
		reader_free(reader);
	}
}

static void a_record_outside_of_its_segment(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct format_segment h;
	size_t n;

	three_segments(f, NULL);
	bytes = fixture_slurp(f->path, &n);
	memcpy(&h, bytes + 2 * FORMAT_SLOT_BYTES, sizeof(h));
	set_field(bytes, 1, FIELD(min_ns), h.min_ns + 1);
	fixture_spew(f->path, bytes, n);
	assert_int_equal(damaged(f), 1);
}

static void a_field_of_the_file_header(void **state)
{
	static const struct {
		uint32_t n_cpus, n_slots;
		int ret;
	} headers[] = {
		{ FORMAT_CPUS_MAX, 63, 0 },
		{ FORMAT_CPUS_MAX + 1, 63, -EBADMSG },
		{ UINT32_MAX, 63, -EBADMSG },
		{ 4, FORMAT_SLOTS_MAX, 0 },
		{ 4, FORMAT_SLOTS_MAX + 1, -EBADMSG },
		{ 4, UINT32_MAX, -EBADMSG },
	};
	struct fixture *f = *state;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct format_file *h;
	size_t n;

	three_segments(f, NULL);
	bytes = fixture_slurp(f->path, &n);
	h = (struct format_file *)bytes;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		char err[READER_ERR_MAX] = "";
		struct reader *r = NULL;

		h->n_cpus = headers[i].n_cpus;
		h->n_slots = headers[i].n_slots;
		h->crc = 0;
		h->crc = crc32c(0, bytes, h->header_bytes + h->meta_bytes);
		memset(bytes + FORMAT_COPY_AT, 0, FORMAT_SLOT_BYTES - FORMAT_COPY_AT);
		fixture_spew(f->path, bytes, n);
		assert_int_equal(reader_open(f->path, &r, err), headers[i].ret);
		assert_true(!headers[i].ret || strstr(err, "sizes or counts that cannot be"));
		reader_free(r);
	}
}

static void a_hole_in_the_file(void **state)
{
	enum { FAR = 1 << 27 };
	struct fixture *f = *state;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct format_file *h;
	struct window *w;
	size_t n;
	int fd;

	three_segments(f, NULL);
	bytes = fixture_slurp(f->path, &n);
	h = (struct format_file *)bytes;
	h->n_slots = FAR;
	h->crc = 0;
	h->crc = crc32c(0, bytes, h->header_bytes + h->meta_bytes);
	fd = open(f->path, O_RDWR | O_TRUNC);
	assert_int_equal(pwrite(fd, bytes, 3 * FORMAT_SLOT_BYTES, 0), 3 * FORMAT_SLOT_BYTES);
	n = (size_t)pwrite(fd, bytes + 3 * FORMAT_SLOT_BYTES, FORMAT_SLOT_BYTES,
			   (off_t)FAR * FORMAT_SLOT_BYTES);
	close(fd);
	if (n != FORMAT_SLOT_BYTES)
		skip(); /* this file system has no files of 8 TiB */
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->n_events, 3 * PER);
	assert_int_equal(w->skipped_slots, 0);
	window_free(w);
}

static void gap_that_begins_too_late(struct fixture *f)
{
	struct ct_rec r = { .ts = f->now, .kind = CT_GAP, .tid = CT_GAP_ALL_CPUS, .state = CT_LOSS_DAEMON };
	uint64_t x[2] = { UINT64_MAX, f->now };

	assert_int_equal(writer_add(f->w, 0, &r, x), 0);
}

static void gap_that_ends_too_late(struct fixture *f)
{
	struct ct_rec r = { .ts = f->now, .kind = CT_GAP, .tid = CT_GAP_ALL_CPUS, .state = CT_LOSS_DAEMON };
	uint64_t x[2] = { f->now, FORMAT_TIME_MAX };

	assert_int_equal(writer_add(f->w, 0, &r, x), 0);
}

static void shed_since_too_late(struct fixture *f)
{
	struct ct_rec r = { .ts = f->now, .kind = CT_SHED };
	uint64_t x[2] = { UINT64_MAX, 0 };

	assert_int_equal(writer_add(f->w, 0, &r, x), 0);
}

/* The next segment has the record TASK too, so it is damaged as well. */
static void task_that_starts_too_late(struct fixture *f)
{
	struct ct_task_blob t = { .h = { .ts = f->now, .kind = CT_TASK, .size = sizeof(t), .tid = 1000 },
				  .start_ns = UINT64_MAX };

	assert_int_equal(writer_blob(f->w, &t.h), 0);
}

static void seal_with(struct fixture *f, const struct window_state *states, size_t n)
{
	f->now += 1000000;
	assert_int_equal(writer_seal(f->w, f->now, states, n), 0);
	f->segment++;
	fixture_busy(f, PER);
}

static void state_as_it_should_be(struct fixture *f)
{
	const struct window_state s = { .last = { .ts = 1, .tid = 1001 }, .cpu = FORMAT_CPU_NONE };

	seal_with(f, &s, 1);
}

static void state_of_a_cpu_that_cannot_be(struct fixture *f)
{
	const struct window_state s = { .last = { .ts = 1, .tid = 1001 }, .cpu = FORMAT_CPUS_MAX };

	seal_with(f, &s, 1);
}

static void state_since_too_late(struct fixture *f)
{
	const struct window_state s = { .last = { .ts = FORMAT_TIME_MAX, .tid = 1001 },
					.cpu = FORMAT_CPU_NONE };

	seal_with(f, &s, 1);
}

/* A small block in the file stands for 50 MB in memory. */
static void states_that_are_all_alike(struct fixture *f)
{
	enum { MANY = 1 << 20 };
	_cleanup_free_ struct window_state *s = calloc(MANY, sizeof(*s));

	assert_non_null(s);
	for (int i = 0; i < MANY; i++)
		s[i].last.tid = 1001;
	seal_with(f, s, MANY);
}

/* Damages the header of segment i, so that the reader uses the checkpoint of the next segment. */
static void lose_segment(struct fixture *f, uint32_t i)
{
	_cleanup_close_ int fd = open(f->path, O_WRONLY);
	const uint32_t wrong = 0;

	assert_int_equal(pwrite(fd, &wrong, sizeof(wrong), (i + 1) * FORMAT_SLOT_BYTES), sizeof(wrong));
}

static void what_a_body_holds(void **state)
{
	static const struct {
		void (*make)(struct fixture *f);
		uint32_t n;
		bool lose;
	} damages[] = {
		{ gap_that_begins_too_late, 1, false },     { gap_that_ends_too_late, 1, false },
		{ shed_since_too_late, 1, false },          { task_that_starts_too_late, 2, false },
		{ state_as_it_should_be, 1, true },         { state_since_too_late, 2, true },
		{ state_of_a_cpu_that_cannot_be, 2, true }, { states_that_are_all_alike, 1, false },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		unlink(f->path);
		f->segment = 0;
		three_segments(f, damages[i].make);
		if (damages[i].lose)
			lose_segment(f, 1);
		if (damaged(f) != damages[i].n)
			fail_msg("damage %zu of the table", i);
	}
}

/* Makes n segments. The records of each segment are older than those of the segments written before
 * it. Returns how many segments the reader leaves out. */
static uint32_t overlapping(struct fixture *f, int n)
{
	enum { EACH = 600 };
	struct window *w;
	uint32_t skipped;

	unlink(f->path);
	fixture_open(f, 16u << 20);
	for (int i = 0; i < n; i++) {
		f->now = 1000000000 + (uint64_t)(n - i) * EACH * 2000;
		fixture_busy(f, EACH);
		f->now = 5000000000 + (uint64_t)i;
		fixture_seal(f);
	}
	writer_free(f->w);
	f->w = NULL;
	w = fixture_load(f, 0, UINT64_MAX);
	for (size_t i = 1; i < w->n_events; i++)
		assert_true(w->events[i - 1].r.ts <= w->events[i].r.ts);
	skipped = w->skipped_slots;
	window_free(w);
	return skipped;
}

/* To merge n segments that overlap takes n * n steps, so the reader leaves some out. */
static void segments_that_overlap(void **state)
{
	assert_int_equal(overlapping(*state, 40), 0);
	assert_in_range(overlapping(*state, 150), 1, 149);
}

static void many_tasks(struct fixture *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct window_record e = { .r = { .ts = f->now += 1000,
						  .kind = i % 2 ? CT_WAKE : CT_SWITCH,
						  .state = i % 2 ? CT_CTX_TASK : CT_ST_SLEEP,
						  .wait = i % 2 ? 0 : CT_W_FUTEX,
						  .tid = 1000 + 2 * i,
						  .peer = 1001 + 2 * i,
						  .obj = FUTEX } };

		assert_int_equal(writer_add(f->w, 0, &e.r, NULL), 0);
		if (i % 10000 == 9999)
			assert_int_equal(writer_seal(f->w, f->now, NULL, 0), 0);
	}
	assert_int_equal(writer_seal(f->w, f->now, NULL, 0), 0);
}

static uint64_t mapped_bytes(void)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	assert_non_null(in);
	assert_int_equal(fscanf(in, "%lu", &pages), 1);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void memory_is_in_proportion_to_the_file(void **state)
{
	enum { RECORDS = 200000 };
	struct fixture *f = *state;
	struct reader *r = NULL;
	char err[READER_ERR_MAX];
	uint64_t used_bytes;
	int status;
	pid_t pid;

#ifdef __SANITIZE_ADDRESS__
	skip(); /* a sanitizer maps very much memory itself */
#endif
	fixture_open(f, 16u << 20);
	many_tasks(f, RECORDS);
	writer_free(f->w);
	f->w = NULL;
	assert_int_equal(reader_open(f->path, &r, err), 0);
	used_bytes = reader_info(r)->used_slots * reader_info(r)->slot_bytes;
	reader_free(r);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct rlimit most = { .rlim_cur = mapped_bytes() + LIMITS_MEMORY_BYTES +
						   LIMITS_MEMORY_FACTOR * used_bytes };
		struct window *w;

		most.rlim_max = most.rlim_cur;
		if (setrlimit(RLIMIT_AS, &most))
			_exit(2);
		w = fixture_load(f, 0, UINT64_MAX);
		use(w);
		_exit(w->n_events == RECORDS ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A stack of short names takes a few bytes in the file, but many in memory. */
static void many_stacks(struct fixture *f, uint32_t n)
{
	enum { FRAMES = 128, BYTES = 2 * FRAMES };
	uint64_t blob[(sizeof(struct ct_stack_blob) + BYTES) / 8] = { 0 };
	struct ct_stack_blob *stack = (struct ct_stack_blob *)blob;

	for (unsigned i = 0; i < BYTES; i += 2)
		stack->frames[i] = 'f';
	for (uint32_t i = 0; i < n; i++) {
		const struct ct_rec r = { .ts = f->now += 1000, .kind = CT_VISIT, .tid = 1000 };
		const uint64_t words[2] = { i + 1 };

		stack->h = (struct ct_blob){ .ts = 1, .kind = CT_STACK, .size = sizeof(blob) };
		stack->id = i + 1;
		stack->n_frames = FRAMES;
		assert_int_equal(writer_blob(f->w, &stack->h), 0);
		assert_int_equal(writer_add(f->w, 0, &r, words), 0);
		if (i % 1000 == 999)
			assert_int_equal(writer_seal(f->w, f->now, NULL, 0), 0);
	}
}

static void more_names_than_fit(void **state)
{
	struct fixture *f = *state;
	char err[READER_ERR_MAX] = "";
	struct window *w = NULL;
	struct reader *r = NULL;

	fixture_open(f, 16u << 20);
	many_stacks(f, 20000);
	writer_free(f->w);
	f->w = NULL;
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), -E2BIG);
	assert_non_null(strstr(err, "choose a shorter one"));
	assert_int_equal(window_load(r, reader_info(r)->to_ns - 5000000, UINT64_MAX, 0, &w, err), 0);
	assert_true(w->n_events > 1000);
	window_free(w);
	reader_free(r);
}

/* All WAKES wake-ups of a task come before its WAITS waits, so no wake-up explains a wait. If the search for
 * a cause of each wait read all wake-ups, it would read WAKES * WAITS records. The budget of scan.h prevents
 * this. */
static void walks_are_paid_for(void **state)
{
	enum { WAKES = 30000, WAITS = 30000 };
	struct make m = { 0 };
	struct graph *g;
	struct path *p;
	uint64_t ms = 1;

	make_task(&m, 10, 10, 1, "me");
	make_task(&m, 11, 11, 1, "gone");
	for (int i = 0; i < WAKES; i++)
		make_wake(&m, ms++, 1, 10, 11, FUTEX);
	make_event(&m, ms * MS, 1, CT_EXIT, 11, 0);
	for (int i = 0; i < WAITS; i++, ms += 4) {
		make_switch(&m, ms, 0, 10, 0, CT_W_FUTEX, FUTEX);
		make_switch(&m, ms + 2, 0, 0, 10, CT_W_NONE, 0);
	}
	assert_int_equal(graph_build(make_done(&m, ms), &g), 0);
	assert_int_equal(graph_scans_refused(g), 0);
	assert_int_equal(path_walk(g, graph_task_at(g, 10, ms * MS), 0, ms * MS, &p), 0);
	assert_true(graph_scans_refused(g) > 0);
	path_free(p);
	graph_free(g);
	make_free(&m);
}

static void lives_of_one_tid(void **state)
{
	enum { LIVES = 20000 };
	struct make m = { 0 };
	struct graph *g;

	for (uint64_t i = 0; i < LIVES; i++) {
		make_event(&m, (10 * i + 1) * MS, 0, CT_FORK, 5, 77)->r.obj = 77;
		make_event(&m, (10 * i + 5) * MS, 0, CT_EXIT, 77, 0);
		make_switch(&m, 10 * i + 5, 0, 77, 0, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	}
	assert_int_equal(graph_build(make_done(&m, 10 * LIVES), &g), 0);
	for (uint64_t i = 0; i < LIVES; i++) {
		uint32_t task = graph_task_at(g, 77, (10 * i + 3) * MS);

		assert_int_equal(g->tasks[task].born_ns, (10 * i + 1) * MS);
		assert_int_equal(graph_task_at(g, 77, (10 * i + 9) * MS), task);
	}
	assert_int_equal(graph_task_at(g, 77, 0), graph_task_at(g, 77, 1 * MS));
	assert_int_equal(graph_task_at(g, 78, 5 * MS), GRAPH_NONE);
	graph_free(g);
	make_free(&m);
}

static void arithmetic(void **state)
{
	size_t bytes = 7;

	assert_int_equal(checked_add(UINT64_MAX, 1), UINT64_MAX);
	assert_int_equal(checked_add(1, 2), 3);
	assert_int_equal(checked_sub(1, 2), 0);
	assert_int_equal(checked_sub(3, 2), 1);
	assert_true(checked_shift(5, -15) == -10);
	assert_true(checked_shift(UINT64_MAX, -1) == INT64_MAX);
	assert_true(checked_shift(UINT64_MAX, INT64_MIN) == INT64_MAX);
	assert_true(checked_shift(0, INT64_MIN) == INT64_MIN);
	assert_true(checked_shift(1, INT64_MAX) == INT64_MAX);
	assert_int_equal(checked_bytes(3, 1, 8, &bytes), 0);
	assert_int_equal(bytes, 32);
	assert_int_equal(checked_bytes(SIZE_MAX, 1, 8, &bytes), -E2BIG);
	assert_int_equal(checked_bytes(SIZE_MAX / 8, 1, 8, &bytes), -E2BIG);
	assert_int_equal(bytes, 32);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_field_of_a_segment_header),  TEST(a_record_outside_of_its_segment),
		TEST(a_width_that_no_column_has),   TEST(a_field_of_the_file_header),
		TEST(a_hole_in_the_file),           TEST(what_a_body_holds),
		TEST(segments_that_overlap),        TEST(memory_is_in_proportion_to_the_file),
		TEST(more_names_than_fit),          cmocka_unit_test(walks_are_paid_for),
		cmocka_unit_test(lives_of_one_tid), cmocka_unit_test(arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
