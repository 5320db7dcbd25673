// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies of the open segment survive a kill and a power cut (doc/format.md). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctrace/format.h"
#include "lib/cleanup.h"
#include "test/unit/trace/faults_disk.h"
#include "test/unit/trace/trace_fixture.h"
#include "trace/format/file_index.h"
#include "trace/snapshot/cut.h"
#include "trace/thresholds.h"

#define SEEDS      20
#define SAVES      16u
#define FILE_BYTES ((uint64_t)(SAVES * RINGFILE_SAVES_SHARE + 1) * FORMAT_SLOT_BYTES)
#define STEP       1000u

struct life {
	struct fixture *f;
	uint64_t begin_ns;
	uint64_t n;
	uint64_t in_file; /* records with lower numbers were sealed or saved */
	uint64_t synced;  /* records with lower numbers were in the file at the last sync */
};

static uint64_t time_of(uint64_t n)
{
	return 5000000000ULL + n * STEP;
}

static struct ct_rec numbered(uint64_t n)
{
	return (struct ct_rec){
		.ts = time_of(n), .kind = CT_READY, .obj = n, .tid = (uint32_t)n * 2654435761u
	};
}

static void life_open(struct life *l, uint8_t boot)
{
	const uint8_t boot_id[16] = { boot };
	struct writer_options opt = {
		.size_bytes = FILE_BYTES, .hooks = "x=y", .n_cpus = 2, .boot_id = boot_id
	};
	char err[256] = "";

	if (writer_open(l->f->path, &opt, &l->f->w, err))
		fail_msg("%s", err);
	l->n++; /* leaves out one number: its time lies between two writers */
	l->begin_ns = time_of(l->n);
	assert_int_equal(writer_begin(l->f->w, l->begin_ns, NULL, 0), 0);
}

static void life_close(struct life *l)
{
	writer_free(l->f->w);
	l->f->w = NULL;
}

static struct life life_new(struct fixture *f, uint64_t seed)
{
	struct life l = { .f = f };

	f->rng = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	faults = (struct faults){ .rng = (seed + 1) * 0xbf58476d1ce4e5b9ULL, .error = EIO };
	unlink(f->path);
	life_open(&l, 1);
	return l;
}

static void add(struct life *l, unsigned records)
{
	for (unsigned i = 0; i < records; i++, l->n++) {
		struct ct_rec r = numbered(l->n);

		assert_int_equal(writer_add(l->f->w, (uint16_t)(l->n % 2), &r, NULL), 0);
	}
}

static int save(struct life *l)
{
	int ret = writer_save(l->f->w, time_of(l->n));

	if (!ret)
		l->in_file = l->n;
	return ret;
}

static int seal(struct life *l)
{
	int ret;

	l->begin_ns = time_of(l->n);
	ret = writer_seal(l->f->w, l->begin_ns, NULL, 0);
	if (!ret)
		l->in_file = l->n;
	return ret;
}

/* One second of the daemon. The machine is busy in one of `every` seconds, on average. */
static int tick(struct life *l, unsigned every)
{
	int ret;

	add(l, fixture_random(l->f) % every ? (unsigned)(fixture_random(l->f) % 300) : 9000);
	ret = save(l);
	return ret == -EFBIG ? seal(l) : ret;
}

static void sync_now(struct life *l)
{
	assert_int_equal(writer_sync(l->f->w), 0);
	l->synced = l->in_file;
}

/* Checks that the file has each record of [from, upto) once, and right. Returns the number of
 * segments. */
static size_t look(const struct life *l, const char *path, unsigned boot, uint64_t from, uint64_t upto)
{
	_cleanup_free_ uint8_t *have = calloc(l->n + 1, 1);
	char err[READER_ERR_MAX] = "";
	struct reader *r;
	struct window *w;
	size_t segments;
	int ret = reader_open(path, &r, err);

	assert_non_null(have);
	if (ret == -EBADMSG && from >= upto)
		return 0;
	assert_int_equal(ret, 0);
	assert_int_equal(reader_use_boot(r, boot), 0);
	segments = reader_info(r)->n_segments;
	if (!segments || window_load(r, 0, UINT64_MAX, 0, &w, err)) {
		reader_free(r);
		assert_true(from >= upto);
		return segments;
	}
	for (size_t i = 0; i < w->n_events; i++) {
		const struct window_event *e = &w->events[i];
		struct ct_rec want = numbered(e->r.obj);

		if (e->r.kind == CT_GAP)
			continue;
		assert_true(e->r.obj < l->n);
		assert_memory_equal(&e->r, &want, sizeof(want));
		assert_false(have[e->r.obj]);
		have[e->r.obj] = 1;
	}
	for (uint64_t n = from; n < upto; n++)
		if (!have[n])
			fail_msg("record %lu of %lu to %lu is missing", n, from, upto);
	window_free(w);
	reader_free(r);
	return segments;
}

static void check_places(const struct life *l)
{
	_cleanup_(file_index_done) struct file_index ix = { 0 };
	_cleanup_close_ int fd = open(l->f->path, O_RDONLY);
	char err[FILE_INDEX_ERR_MAX];

	assert_int_equal(file_index_open(&ix, fd, l->f->path, err), 0);
	assert_int_equal(file_index_scan(&ix, fd), 0);
	for (size_t i = 0; i < ix.segments.n; i++)
		assert_int_equal(ix.segments.v[i].slot <= SAVES,
				 (ix.segments.v[i].h.flags & FORMAT_SEGMENT_SAVED) != 0);
}

static void a_quiet_machine_needs_few_segments(void **state)
{
	struct life l = life_new(*state, 0);
	struct writer_stats st;

	for (int i = 0; i < 60; i++) {
		l.n += 1000000000 / STEP - 50;
		add(&l, 50);
		if (save(&l))
			assert_int_equal(seal(&l), 0);
		st = writer_stats(l.f->w);
		assert_int_equal(st.records, 50 * (i + 1));
		assert_int_equal(st.newest_ns, time_of(l.n));
		assert_int_equal(st.oldest_ns, time_of(1));
	}
	assert_int_equal(st.segments, 60 / (WRITER_OPEN_NS / 1000000000));
	assert_int_equal(st.file_bytes, st.segments * FORMAT_SLOT_BYTES);
	assert_int_equal(look(&l, l.f->path, 0, 0, 0), st.segments + 1);
	life_close(&l);
}

static struct window *load(const char *path)
{
	char err[READER_ERR_MAX] = "";
	struct window *w = NULL;
	struct reader *r;

	assert_int_equal(reader_open(path, &r, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), 0);
	reader_free(r);
	return w;
}

static void check_name(const struct life *l, uint32_t tid, const char *comm)
{
	struct window *w = load(l->f->path);
	const struct window_task *t = window_task_at(w, tid, time_of(l->n));

	assert_non_null(t);
	assert_string_equal(t->comm, comm);
	window_free(w);
}

static void name(struct life *l, uint32_t tid, uint32_t tgid, uint32_t ppid, const char *comm)
{
	struct ct_task_blob b = {
		.h = { .ts = time_of(l->n++), .kind = CT_TASK, .size = sizeof(b), .tid = tid },
		.tgid = tgid,
		.ppid = ppid
	};

	strcpy(b.comm, comm);
	assert_int_equal(writer_blob(l->f->w, &b.h), 0);
}

/* Task 6 waits since before the segment, for the end of task 7. */
static void a_copy_has_the_newest_names(void **state)
{
	struct life l = life_new(*state, 0);
	const struct window_state waits = { .last = { .ts = time_of(1),
						      .kind = CT_SWITCH,
						      .wait = CT_W_CHILD,
						      .tid = 6,
						      .obj = CT_OBJ_ID(CT_OBJ_TASK, 7) },
					    .run = WINDOW_RUN_BLOCKED };
	struct ct_rec r;

	name(&l, 6, 5, 1, "waiter");
	assert_int_equal(writer_seal(l.f->w, time_of(++l.n), &waits, 1), 0);
	assert_int_equal(save(&l), 0);
	check_name(&l, 6, "waiter");
	name(&l, 7, 7, 1, "awaited"); /* a name that comes late */
	assert_int_equal(save(&l), 0);
	check_name(&l, 7, "awaited");
	name(&l, 5, 5, 1, "leader"); /* a neighbour of a task in the states */
	assert_int_equal(save(&l), 0);
	check_name(&l, 5, "leader");
	name(&l, 6, 5, 1, "renamed");
	assert_int_equal(save(&l), 0);
	check_name(&l, 6, "renamed");
	assert_int_equal(save(&l), 0); /* nothing has changed */
	check_name(&l, 6, "renamed");
	r = numbered(l.n++);
	r.tid = 8;
	name(&l, 8, 8, 1, "new");
	assert_int_equal(writer_add(l.f->w, 0, &r, NULL), 0);
	assert_int_equal(save(&l), 0);
	check_name(&l, 8, "new");
	check_name(&l, 7, "awaited");
	assert_int_equal(save(&l), 0);
	check_name(&l, 8, "new");
	assert_int_equal(seal(&l), 0);
	check_name(&l, 6, "renamed");
	life_close(&l);
}

static void a_busy_machine_saves_nothing(void **state)
{
	struct life l = life_new(*state, 0);

	for (int i = 0; i < 5; i++) {
		add(&l, WRITER_SAVE_BYTES / sizeof(struct ct_rec) + 1);
		assert_int_equal(save(&l), -EFBIG);
		assert_int_equal(seal(&l), 0);
	}
	add(&l, 10);
	assert_int_equal(save(&l), 0);
	assert_int_equal(look(&l, l.f->path, 0, 1, l.n), 6);
	life_close(&l);
}

/* A copy of a segment includes the states of all tasks at its begin. Here these are too many for a slot, so
 * the writer makes no copies. Exception: the first segment begins without states. */
static void too_many_tasks_for_a_copy(void **state)
{
	struct life l = life_new(*state, 0);
	size_t n = 5000;
	struct window_state *states = calloc(n, sizeof(*states));

	assert_non_null(states);
	for (size_t i = 0; i < n; i++)
		states[i] = (struct window_state){ .last = { .ts = fixture_random(l.f) >> 4,
							     .tid = (uint32_t)i + 1,
							     .obj = fixture_random(l.f) } };
	for (int i = 0; i < 5; i++) {
		add(&l, 10);
		assert_int_equal(save(&l), i ? -EFBIG : 0);
		l.begin_ns = time_of(l.n);
		assert_int_equal(writer_seal(l.f->w, l.begin_ns, states, n), 0);
		l.in_file = l.n;
	}
	assert_int_equal(look(&l, l.f->path, 0, 1, l.n), 5);
	free(states);
	life_close(&l);
}

static void a_small_file_has_no_copies(void **state)
{
	struct fixture *f = *state;

	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 10);
	assert_int_equal(writer_save(f->w, f->now), -EFBIG);
	fixture_seal(f);
	assert_int_equal(writer_stats(f->w).segments, 1);
}

static void around_the_ring(void **state)
{
	struct life l = life_new(*state, 3);
	uint64_t first = 1;

	for (int i = 0; i < 12000; i++) {
		assert_int_equal(tick(&l, 8), 0);
		if (i == 11900)
			first = l.n;
		if (i % 3000 == 2999) {
			char err[READER_ERR_MAX];
			struct reader *r;

			assert_int_equal(reader_open(l.f->path, &r, err), 0);
			assert_int_equal(reader_info(r)->n_bad_slots, 0);
			assert_int_equal(reader_info(r)->from_ns, writer_stats(l.f->w).oldest_ns);
			reader_free(r);
		}
	}
	assert_true(writer_stats(l.f->w).file_bytes > 2 * FILE_BYTES);
	look(&l, l.f->path, 0, first, l.n);
	life_close(&l);
}

/* After a failed write, the newest records may be only in a copy. The next writer turns this copy into a
 * sealed segment before it makes copies of its own. So all records that were saved or sealed before stay. */
static void killed_within_a_write(void **state)
{
	for (unsigned seed = 0; seed < 4 * SEEDS; seed++) {
		struct life l = life_new(*state, seed);
		uint64_t safe;

		faults.nth = faults.calls + 1 + fixture_random(l.f) % 120;
		while (!tick(&l, 8))
			;
		assert_int_equal(faults.failed, 1);
		safe = l.in_file;
		life_close(&l);
		look(&l, l.f->path, 0, 1, safe);
		for (int lives = 0; lives < 3; lives++) {
			life_open(&l, 1);
			look(&l, l.f->path, 0, 1, safe);
			check_places(&l);
			for (unsigned i = 0; i < SAVES + 2; i++)
				assert_int_equal(tick(&l, 8), 0);
			look(&l, l.f->path, 0, 1, safe);
			life_close(&l);
		}
	}
}

static void a_power_cut(void **state)
{
	for (unsigned seed = 0; seed < 4 * SEEDS; seed++) {
		struct life l = life_new(*state, seed);
		unsigned ticks = 1 + (unsigned)(fixture_random(l.f) % 60);
		char cut[128];

		snprintf(cut, sizeof(cut), "%s/cut.ctr", l.f->dir);
		faults_watch(l.f->path);
		for (unsigned i = 0; i < ticks; i++) {
			assert_int_equal(tick(&l, 3), 0);
			if (i % 5 == 4)
				sync_now(&l);
		}
		faults_power_cut(cut);
		faults_unwatch();
		life_close(&l);
		assert_int_equal(rename(cut, l.f->path), 0);
		look(&l, l.f->path, 0, 1, l.synced);
		life_open(&l, 2);
		life_close(&l);
		life_open(&l, 2);
		for (unsigned i = 0; i < SAVES + 2; i++)
			assert_int_equal(tick(&l, 8), 0);
		look(&l, l.f->path, l.synced ? 1 : 0, 1, l.synced);
		life_close(&l);
	}
}

static void a_damaged_copy(void **state)
{
	struct life l = life_new(*state, 1);
	uint64_t first;

	add(&l, 100);
	assert_int_equal(save(&l), 0);
	first = l.n;
	for (unsigned i = 1; i < 4; i++) {
		add(&l, 100);
		assert_int_equal(save(&l), 0);
	}
	life_close(&l);
	for (unsigned slot = 4; slot > 1; slot--) {
		int fd = open(l.f->path, O_RDWR);

		assert_int_equal(pwrite(fd, "damage", 6, slot * FORMAT_SLOT_BYTES + 700), 6);
		close(fd);
		assert_int_equal(look(&l, l.f->path, 0, 1, first + (slot - 2) * 100), 1);
	}
}

/* In the file of an older ctrace, no slots are kept free for copies: the first slots have sealed segments
 * too. These segments stay, and no copies are made, until the writer reaches the end of the file. */
static void a_file_without_slots_for_copies(void **state)
{
	struct life l = life_new(*state, 1);
	struct format_segment h;
	size_t n;
	uint8_t *bytes;

	add(&l, 100);
	assert_int_equal(seal(&l), 0);
	life_close(&l);
	bytes = fixture_slurp(l.f->path, &n);
	memmove(bytes + FORMAT_SLOT_BYTES, bytes + (SAVES + 1) * FORMAT_SLOT_BYTES, FORMAT_SLOT_BYTES);
	memset(bytes + (SAVES + 1) * FORMAT_SLOT_BYTES, 0, FORMAT_SLOT_BYTES);
	fixture_spew(l.f->path, bytes, n);
	free(bytes);
	life_open(&l, 1);
	for (unsigned i = 0; i < SAVES * RINGFILE_SAVES_SHARE - 1; i++) {
		add(&l, 10);
		assert_int_equal(save(&l), -EFBIG);
		assert_int_equal(seal(&l), 0);
	}
	look(&l, l.f->path, 0, 1, 101);
	add(&l, 10);
	assert_int_equal(save(&l), -EFBIG);
	assert_int_equal(seal(&l), 0);
	bytes = fixture_slurp(l.f->path, &n);
	memcpy(&h, bytes + (SAVES + 1) * FORMAT_SLOT_BYTES, sizeof(h));
	assert_int_equal(h.seq, SAVES * RINGFILE_SAVES_SHARE + 1);
	free(bytes);
	add(&l, 10);
	assert_int_equal(save(&l), 0);
	assert_int_equal(look(&l, l.f->path, 0, l.n - 100, l.n), (RINGFILE_SAVES_SHARE - 1) * SAVES + 1);
	life_close(&l);
}

static void a_seal_that_fails(void **state)
{
	struct life l = life_new(*state, 1);
	char err[READER_ERR_MAX];
	struct reader *r;
	struct window *w;

	add(&l, 100);
	assert_int_equal(save(&l), 0);
	add(&l, 100);
	faults.nth = faults.calls + 1;
	assert_int_equal(seal(&l), -EIO);
	add(&l, 7);
	assert_int_equal(save(&l), 0);
	assert_int_equal(reader_open(l.f->path, &r, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), 0);
	assert_int_equal(w->n_events, 8);
	assert_int_equal(w->events[0].r.kind, CT_GAP);
	assert_int_equal(w->events[0].r.state, CT_LOSS_DISK);
	assert_int_equal(w->lost_records, 200);
	window_free(w);
	reader_free(r);
	life_close(&l);
}

static void a_snapshot_of_a_copy(void **state)
{
	struct life l = life_new(*state, 1);
	char path[128], err[READER_ERR_MAX];
	struct reader *r;
	uint64_t n;
	int fd;

	add(&l, 100);
	assert_int_equal(seal(&l), 0);
	for (int i = 0; i < 3; i++) {
		add(&l, 100);
		assert_int_equal(save(&l), 0);
	}
	snprintf(path, sizeof(path), "%s/cut.ctr", l.f->dir);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_int_equal(reader_open(l.f->path, &r, err), 0);
	assert_int_equal(reader_info(r)->records, 400);
	assert_int_equal(cut_window(r, &(struct cut_options){ .to_ns = UINT64_MAX }, fd, &n, err), 0);
	assert_int_equal(n, 2);
	reader_free(r);
	close(fd);
	look(&l, path, 0, 1, l.n);
	life_close(&l);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_quiet_machine_needs_few_segments),
		TEST(a_copy_has_the_newest_names),
		TEST(a_busy_machine_saves_nothing),
		TEST(too_many_tasks_for_a_copy),
		TEST(a_small_file_has_no_copies),
		TEST(around_the_ring),
		TEST(killed_within_a_write),
		TEST(a_power_cut),
		TEST(a_damaged_copy),
		TEST(a_file_without_slots_for_copies),
		TEST(a_seal_that_fails),
		TEST(a_snapshot_of_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
