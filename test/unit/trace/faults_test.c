// SPDX-License-Identifier: GPL-2.0-or-later
/* Disks that fail, power cuts, and damaged files, with random seeds. Each record that was synced to the disk
 * must be read, no record may be wrong, and gaps must cover missing records. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctrace/format.h"
#include "test/unit/trace/faults_disk.h"
#include "lib/cleanup.h"
#include "trace/format/file_index.h"
#include "test/unit/trace/trace_fixture.h"

#define SEEDS   50 /* of each kind of test; CTRACE_SEEDS sets another number */
#define FOREVER 120000000000ULL
#define STEP    1000

struct life {
	struct fixture *f;
	const char *path;
	uint64_t base_ns, n; /* base_ns: the time of record 0; n: the number of the next record */
	VEC(struct sealed) sealed;
};
struct sealed {
	uint64_t first, end;
	bool written;
	uint64_t safe_seq; /* not 0: safe on the disk, in the segment with this seq */
};

static unsigned seeds(void)
{
	const char *s = getenv("CTRACE_SEEDS");

	return s ? (unsigned)atoi(s) : SEEDS;
}

static struct ct_rec numbered(const struct life *l, uint64_t n)
{
	return (struct ct_rec){
		.ts = l->base_ns + n * STEP, .kind = CT_READY, .obj = n, .tid = (uint32_t)n * 2654435761u
	};
}

static int begin_with(struct life *l, uint8_t boot, uint64_t size, bool background)
{
	const uint8_t boot_id[16] = { boot };
	struct writer_options opt = { .size_bytes = size,
				      .hooks = "sched/switch=tp_btf",
				      .n_cpus = 4,
				      .boot_id = boot_id,
				      .background = background };
	char err[256] = "";
	int ret = writer_open(l->path, &opt, &l->f->w, err);

	if (ret) {
		assert_true(strlen(err) > 10);
		return ret;
	}
	/* Record n has the time base_ns + n * STEP. The next number gets no record: its time lies between the
	 * end of the previous writer and the begin of this one. */
	l->n++;
	assert_int_equal(writer_begin(l->f->w, l->base_ns + l->n * STEP, NULL, 0), 0);
	return 0;
}

static int begin(struct life *l, uint8_t boot)
{
	return begin_with(l, boot, FIXTURE_BYTES, false);
}

static void end(struct life *l)
{
	writer_free(l->f->w);
	l->f->w = NULL;
}

static bool seal(struct life *l, unsigned records)
{
	struct sealed s = { .first = l->n, .end = l->n + records };
	int ret;

	for (; l->n < s.end; l->n++) {
		struct ct_rec r = numbered(l, l->n);

		assert_int_equal(writer_add(l->f->w, (uint16_t)(l->n % 4), &r, NULL), 0);
	}
	ret = writer_seal(l->f->w, l->base_ns + l->n * STEP, NULL, 0);
	assert_true(!ret || ret == -faults.error);
	s.written = !ret;
	assert_int_equal(VEC_PUSH(&l->sealed, s), 0);
	return s.written;
}

static unsigned some_records(struct life *l)
{
	return 1 + (unsigned)(fixture_random(l->f) % (fixture_random(l->f) % 6 ? 50 : 16000));
}

struct found {
	struct window *w;
	VEC(struct window_record) gaps;
	uint64_t first, last;
	uint64_t n;
};

static bool in_gap(const struct found *fd, uint64_t ns)
{
	for (size_t i = 0; i < fd->gaps.n; i++)
		if (fd->gaps.v[i].x[0] <= ns && ns <= fd->gaps.v[i].x[1])
			return true;
	return false;
}

/* Checks that every record is right and comes once. Checks that no record of a safe segment (note_safe()) is
 * missing. A gap must cover each missing record between the first and the last record. */
static struct found look(struct life *l, unsigned boot)
{
	struct found fd = { .first = UINT64_MAX };
	char err[READER_ERR_MAX] = "";
	uint8_t *have = calloc(l->n + 1, 1);
	struct reader *r = NULL;
	int ret = reader_open(l->path, &r, err);

	if (!ret)
		ret = reader_use_boot(r, boot);
	if (!ret && reader_info(r)->n_segments)
		ret = window_load(r, 0, UINT64_MAX, 0, &fd.w, err);
	if (ret == -EBADMSG && (strstr(err, "can be read") || strstr(err, "are damaged")))
		ret = 0;
	if (ret)
		fail_msg("%d %s", ret, err);
	for (size_t i = 0; fd.w && i < fd.w->n_events; i++) {
		const struct window_event *e = &fd.w->events[i];
		struct ct_rec want = numbered(l, e->r.obj);

		if (e->r.kind == CT_GAP) {
			assert_int_equal(VEC_PUSH(&fd.gaps, window_record(fd.w, e)), 0);
			continue;
		}
		assert_true(e->r.obj < l->n);
		assert_memory_equal(&e->r, &want, sizeof(want));
		assert_false(have[e->r.obj]);
		have[e->r.obj] = 1;
		fd.first = MIN(fd.first, e->r.obj);
		fd.last = e->r.obj;
		fd.n++;
	}
	for (uint64_t n = fd.first; fd.n && n < fd.last; n++)
		if (!have[n] && !in_gap(&fd, numbered(l, n).ts))
			fail_msg("record %lu of %lu to %lu is missing, and no gap says so", n, fd.first,
				 fd.last);
	for (size_t i = 0; i < l->sealed.n; i++)
		if (l->sealed.v[i].safe_seq)
			for (uint64_t n = l->sealed.v[i].first; n < l->sealed.v[i].end; n++)
				if (!have[n])
					fail_msg("record %lu was safe", n);
	free(have);
	reader_free(r);
	return fd;
}

static void found_done(struct found *fd)
{
	window_free(fd->w);
	VEC_FREE(&fd->gaps);
}

/* A segment is safe if it is in the file, and its slots were synced after their last write. */
static void note_safe(struct life *l)
{
	_cleanup_(file_index_done) struct file_index ix = { 0 };
	int fd = open(l->path, O_RDONLY);
	char err[FILE_INDEX_ERR_MAX];

	assert_int_equal(file_index_open(&ix, fd, l->path, err), 0);
	assert_int_equal(file_index_scan(&ix, fd), 0);
	close(fd);
	for (size_t k = 0; k < l->sealed.n; k++) {
		struct sealed *s = &l->sealed.v[k];

		s->safe_seq = 0;
		for (size_t i = 0; i < ix.segments.n; i++) {
			const struct file_index_segment *g = &ix.segments.v[i];

			if (g->h.begin_ns <= l->base_ns + s->first * STEP &&
			    g->h.end_ns == l->base_ns + s->end * STEP &&
			    !faults_dirty((uint64_t)g->slot * FORMAT_SLOT_BYTES,
					  (uint64_t)g->h.n_slots * FORMAT_SLOT_BYTES))
				s->safe_seq = g->h.seq;
		}
	}
}

static void forget_safe(struct life *l)
{
	for (size_t k = 0; k < l->sealed.n; k++)
		l->sealed.v[k].safe_seq = 0;
}

static struct life life_new(struct fixture *f, uint64_t seed)
{
	f->rng = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	faults = (struct faults){ .rng = (seed + 1) * 0xbf58476d1ce4e5b9ULL };
	unlink(f->path);
	return (struct life){ .f = f, .path = f->path, .base_ns = 5000000000 };
}

static void life_done(struct life *l)
{
	end(l);
	faults_unwatch();
	VEC_FREE(&l->sealed);
}

static void a_power_cut(void **state)
{
	for (unsigned seed = 0; seed < seeds(); seed++) {
		struct life l = life_new(*state, seed);
		unsigned rounds = (unsigned)(fixture_random(l.f) % 120);
		char cut[128];
		struct found fd;

		snprintf(cut, sizeof(cut), "%s/cut.ctr", l.f->dir);
		assert_int_equal(begin(&l, 1), 0);
		faults_watch(l.path);
		for (unsigned i = 0; i < rounds; i++) {
			assert_true(seal(&l, some_records(&l)));
			if (fixture_random(l.f) % 8 == 0)
				assert_int_equal(writer_sync(l.f->w), 0);
		}
		note_safe(&l);
		faults_power_cut(cut);
		end(&l);
		faults_unwatch();
		assert_int_equal(rename(cut, l.path), 0);
		fd = look(&l, 0);
		found_done(&fd);
		assert_int_equal(begin(&l, 2), 0);
		assert_true(seal(&l, 10));
		forget_safe(&l);
		fd = look(&l, 0);
		assert_int_equal(fd.n, 10);
		assert_int_equal(fd.gaps.n, 0);
		found_done(&fd);
		if (rounds > 60) {
			fd = look(&l, 1);
			found_done(&fd);
		}
		life_done(&l);
	}
}

static void writes_that_fail(void **state)
{
	static const int errors[] = { EIO, ENOSPC, EDQUOT, EROFS };
	uint64_t failed = 0;

	for (unsigned seed = 0; seed < seeds(); seed++) {
		struct life l = life_new(*state, seed);
		unsigned rounds = 5 + (unsigned)(fixture_random(l.f) % 50);
		uint64_t lost = 0, sum = 0;
		struct found fd;

		assert_int_equal(begin(&l, 1), 0);
		faults.error = errors[seed % ARRAY_SIZE(errors)];
		for (unsigned i = 0; i < rounds; i++) {
			unsigned n = 1 + (unsigned)(fixture_random(l.f) % 50);

			if (fixture_random(l.f) % 5 == 0)
				faults.rate = fixture_random(l.f) & 1 ? 1000000 : 200000;
			if (fixture_random(l.f) % 5 == 0)
				faults.rate = 0;
			lost += seal(&l, n) ? 0 : n;
			sum += n;
			(void)writer_sync(l.f->w);
		}
		faults.rate = 0;
		if (seed % 3 == 0) {
			end(&l);
			assert_int_equal(begin(&l, 1), 0);
		}
		assert_true(seal(&l, 7));
		if (seed % 3)
			assert_int_equal(writer_stats(l.f->w).lost_disk, lost);
		/* After -EIO, the writer goes on after the bad slots (ringfile_write()). Then the
		 * test does not check which segments are safe. */
		if (faults.error != EIO || !lost)
			note_safe(&l);
		fd = look(&l, 0);
		assert_int_equal(fd.n, sum - lost + 7);
		if (seed % 3)
			assert_int_equal(fd.w->lost_records, lost);
		failed += faults.failed;
		found_done(&fd);
		life_done(&l);
	}
	assert_true(failed > seeds());
}

static void a_creation_that_fails(void **state)
{
	for (uint64_t nth = 1;; nth++) {
		struct life l = life_new(*state, nth);
		int ret;

		faults.nth = nth;
		faults.error = ENOSPC;
		ret = begin(&l, 1);
		if (!ret) {
			assert_true(nth > 4); /* 1 call reserves, 2 calls write headers, 2 sync */
			life_done(&l);
			return;
		}
		assert_int_equal(ret, -ENOSPC);
		assert_int_equal(access(l.path, F_OK), -1);
		assert_int_equal(begin(&l, 1), 0);
		assert_true(seal(&l, 5));
		life_done(&l);
	}
}

static void flip(struct life *l, unsigned n)
{
	int fd = open(l->path, O_RDWR);

	for (unsigned i = 0; i < n; i++) {
		off_t slot = (off_t)(fixture_random(l->f) % (FIXTURE_BYTES / FORMAT_SLOT_BYTES)), at;
		/* A slot may have a header in its first 700 bytes. Most changes are there. */
		bool anywhere = slot && fixture_random(l->f) & 1;
		uint8_t byte;

		at = slot * FORMAT_SLOT_BYTES +
		     (off_t)(fixture_random(l->f) % (anywhere ? FORMAT_SLOT_BYTES : 700));
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= (uint8_t)(1 + fixture_random(l->f) % 255);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	close(fd);
}

static void a_file_that_rots(void **state)
{
	for (unsigned seed = 0; seed < seeds(); seed++) {
		struct life l = life_new(*state, seed);
		struct found fd;

		assert_int_equal(begin(&l, 1), 0);
		for (unsigned i = 0; i < 30; i++)
			assert_true(seal(&l, some_records(&l)));
		for (unsigned round = 0; round < 4; round++) {
			flip(&l, 1 + (unsigned)(fixture_random(l.f) % 30));
			if (round & 1) {
				end(&l);
				assert_int_equal(begin(&l, 1), 0);
			}
			for (unsigned i = 0; i < 6; i++)
				assert_true(seal(&l, some_records(&l)));
			fd = look(&l, 0);
			assert_true(fd.last == l.n - 1);
			found_done(&fd);
		}
		life_done(&l);
	}
}

static int seal_large(struct life *l)
{
	uint64_t n = l->n + 20000;

	for (; l->n < n; l->n++) {
		struct ct_rec r = numbered(l, l->n);
		uint64_t x[2] = { fixture_random(l->f), fixture_random(l->f) };

		r.kind = CT_HELD;
		assert_int_equal(writer_add(l->f->w, 0, &r, x), 0);
	}
	return writer_seal(l->f->w, l->base_ns + l->n * STEP, NULL, 0);
}

static void a_disk_that_stands_still(void **state)
{
	struct life l = life_new(*state, 1);
	uint64_t lost = 0, taken = 0, gone = 0;
	struct writer_stats st;
	struct window *w;

	assert_int_equal(begin_with(&l, 1, 128u << 20, true), 0);
	assert_int_equal(seal_large(&l), 0);
	assert_true(writer_flush(l.f->w, FOREVER));
	atomic_store(&faults.frozen, true);
	for (int i = 0; i < 60; i++) {
		int ret = seal_large(&l);

		assert_true(!ret || ret == -ENOBUFS);
		taken += !ret;
		lost += ret ? 20000 : 0;
	}
	st = writer_stats(l.f->w);
	assert_true(taken > 10 && lost > 100000);
	assert_true(st.storage.queued_bytes > 12u << 20 && st.storage.queued_bytes <= 17u << 20);
	assert_true(st.storage.busy_ns > 0);
	assert_int_equal(st.storage.lost_records, lost);
	assert_false(writer_flush(l.f->w, 1000000));
	atomic_store(&faults.frozen, false);
	assert_true(writer_flush(l.f->w, FOREVER));
	assert_int_equal(seal_large(&l), 0);
	assert_true(writer_flush(l.f->w, FOREVER));
	assert_int_equal(writer_sync(l.f->w), 0);
	st = writer_stats(l.f->w);
	assert_int_equal(st.storage.queued_bytes, 0);
	assert_int_equal(st.storage.synced_ns, st.newest_ns);
	assert_int_equal(st.segments, taken + 2);
	end(&l);
	w = fixture_load(l.f, 0, UINT64_MAX);
	for (size_t i = 0; i < w->n_events; i++)
		gone += w->events[i].r.kind == CT_GAP ? w->events[i].r.peer : 0;
	assert_int_equal(gone, lost);
	assert_int_equal(w->lost_records, lost);
	window_free(w);
	life_done(&l);
}

static void a_sync_that_fails(void **state)
{
	struct life l = life_new(*state, 4);
	struct writer_stats st;
	uint64_t synced_ns;

	assert_int_equal(begin(&l, 1), 0);
	assert_true(seal(&l, 10));
	assert_int_equal(writer_sync(l.f->w), 0);
	synced_ns = writer_stats(l.f->w).storage.synced_ns;
	assert_true(seal(&l, 10));
	faults.rate = 1000000;
	faults.error = EIO;
	assert_int_equal(writer_sync(l.f->w), -EIO);
	assert_int_equal(writer_sync(l.f->w), -EIO);
	st = writer_stats(l.f->w);
	assert_int_equal(st.storage.trouble, WRITER_SYNC);
	assert_int_equal(st.storage.synced_ns, synced_ns);
	faults.rate = 0;
	assert_int_equal(writer_sync(l.f->w), 0);
	st = writer_stats(l.f->w);
	assert_int_equal(st.storage.failed_syncs, 2);
	assert_int_equal(st.storage.unsure_from_ns, synced_ns);
	assert_int_equal(st.storage.unsure_to_ns, st.newest_ns);
	assert_int_equal(st.storage.synced_ns, st.newest_ns);
	assert_true(st.newest_ns > synced_ns);
	end(&l);
	life_done(&l);
}

static void taken_away(void **state, bool background)
{
	struct life l = life_new(*state, 2);
	struct writer_stats st;
	struct found fd;
	char moved[128];

	snprintf(moved, sizeof(moved), "%s/cut.ctr", l.f->dir);
	assert_int_equal(begin_with(&l, 1, FIXTURE_BYTES, background), 0);
	for (int i = 0; i < 5; i++) {
		assert_true(seal(&l, 100));
		assert_true(writer_flush(l.f->w, FOREVER));
		if (i == 0)
			assert_int_equal(unlink(l.path), 0);
		if (i == 1)
			assert_int_equal(rename(l.path, moved), 0);
		if (i == 3)
			assert_int_equal(truncate(l.path, FORMAT_SLOT_BYTES + 100), 0);
	}
	st = writer_stats(l.f->w);
	assert_int_equal(st.storage.begun_anew, 2);
	assert_int_equal(st.storage.repaired, 1);
	assert_int_equal(st.storage.trouble, WRITER_FINE);
	fd = look(&l, 0);
	assert_int_equal(fd.n, 100);
	assert_int_equal(fd.first, l.n - 100);
	found_done(&fd);
	faults.rate = 1000000;
	faults.error = ENOSPC;
	assert_int_equal(unlink(l.path), 0);
	(void)seal(&l, 100);
	assert_true(writer_flush(l.f->w, FOREVER));
	st = writer_stats(l.f->w);
	assert_int_equal(st.storage.trouble, WRITER_FILE);
	assert_int_equal(st.storage.error, -ENOSPC);
	assert_int_equal(st.storage.lost_records, 100);
	assert_int_equal(access(l.path, F_OK), -1);
	faults.rate = 0;
	life_done(&l);
}

static void a_file_that_is_taken_away(void **state)
{
	taken_away(state, false);
	taken_away(state, true);
}

static void large_numbers(void **state)
{
	struct life l = life_new(*state, 3);
	struct format_segment *h;
	struct found fd;
	uint8_t *bytes;
	size_t n;

	l.base_ns = 100ULL * 366 * 86400 * 1000000000;
	assert_int_equal(begin(&l, 1), 0);
	assert_true(seal(&l, 10));
	end(&l);
	bytes = fixture_slurp(l.path, &n);
	h = (struct format_segment *)(bytes + FORMAT_SLOT_BYTES);
	h->seq = (1ULL << 32) - 20;
	h->crc = 0;
	h->crc = file_index_segment_crc(h, sizeof(*h));
	fixture_spew(l.path, bytes, n);
	free(bytes);
	assert_int_equal(begin(&l, 1), 0);
	for (int i = 0; i < 200; i++) {
		assert_true(seal(&l, some_records(&l)));
		if (i % 40 == 20) {
			end(&l);
			assert_int_equal(begin(&l, 1), 0);
		}
	}
	assert_int_equal(writer_stats(l.f->w).newest_seq, (1ULL << 32) + 180);
	fd = look(&l, 0);
	assert_true(fd.last == l.n - 1);
	assert_int_equal(fd.w->skipped_slots, 0);
	found_done(&fd);
	life_done(&l);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_power_cut),      TEST(writes_that_fail),         TEST(a_creation_that_fails),
		TEST(a_file_that_rots), TEST(a_disk_that_stands_still), TEST(a_file_that_is_taken_away),
		TEST(large_numbers),    TEST(a_sync_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
