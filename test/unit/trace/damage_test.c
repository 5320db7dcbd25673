// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctrace/format.h"
#include "lib/cleanup.h"
#include "trace/format/crc32c.h"
#include "trace/format/decode.h"
#include "trace/format/encode.h"
#include "trace/format/file_index.h"
#include "trace/format/rank.h"
#include "test/unit/trace/trace_fixture.h"

#define SEGMENTS 5
#define PER      200

static uint8_t *small_trace(struct fixture *f, size_t *ret_n)
{
	fixture_open(f, FIXTURE_BYTES);
	fixture_task(f, 1000, "worker");
	for (int i = 0; i < SEGMENTS; i++) {
		fixture_busy(f, PER);
		fixture_seal(f);
	}
	writer_free(f->w);
	f->w = NULL;
	return fixture_slurp(f->path, ret_n);
}

static int try_load(const char *path, struct window **ret_w, char err[READER_ERR_MAX])
{
	struct reader *r = NULL;
	int ret = reader_open(path, &r, err);

	if (!ret)
		ret = window_load(r, 0, UINT64_MAX, 0, ret_w, err);
	reader_free(r);
	return ret;
}

/* Checks that w lacks only the records of segment `bad`, and has a gap for them. If the header of segment
 * `bad` is damaged (header_known is false), and the segment is the first or the last one, w may have no
 * gap. */
static void check_without(struct fixture *f, const struct window *w, uint32_t bad, bool header_known)
{
	size_t at = 0;
	bool gap = false;

	for (size_t i = 0; i < w->n_events; i++) {
		struct window_record e = window_record(w, &w->events[i]);

		if (e.r.kind == CT_GAP) {
			assert_int_equal(e.r.state, CT_LOSS_SLOT);
			assert_false(gap);
			gap = true;
			continue;
		}
		while (f->all.v[at].segment == bad)
			at++;
		assert_memory_equal(&e, &f->all.v[at].e, sizeof(e));
		at++;
	}
	assert_int_equal(w->n_events - gap, (SEGMENTS - 1) * PER);
	if (header_known || (bad && bad < SEGMENTS - 1)) {
		assert_true(gap);
		assert_int_equal(w->skipped_slots, 1);
		assert_int_equal(w->lost_records, header_known ? PER : 0);
		assert_int_equal(w->n_resyncs, bad && bad < SEGMENTS - 1);
	}
}

static void a_byte_of_a_segment_header(void **state)
{
	struct fixture *f = *state;
	char err[READER_ERR_MAX] = "";
	size_t n;
	_cleanup_free_ uint8_t *bytes = small_trace(f, &n);
	int fd = open(f->path, O_RDWR);

	for (uint32_t bad = 0; bad < SEGMENTS; bad += 2)
		for (size_t i = 0; i < sizeof(struct format_segment); i++) {
			off_t at = (off_t)((bad + 1) * FORMAT_SLOT_BYTES + i);
			uint8_t wrong = bytes[at] ^ (uint8_t)(1 + fixture_random(f) % 255);
			struct window *w;

			assert_int_equal(pwrite(fd, &wrong, 1, at), 1);
			assert_int_equal(try_load(f->path, &w, err), 0);
			check_without(f, w, bad, false);
			window_free(w);
			assert_int_equal(pwrite(fd, &bytes[at], 1, at), 1);
		}
	close(fd);
}

static void a_byte_of_a_body(void **state)
{
	struct fixture *f = *state;
	char err[READER_ERR_MAX] = "";
	size_t n;
	_cleanup_free_ uint8_t *bytes = small_trace(f, &n);
	int fd = open(f->path, O_RDWR);

	for (int round = 0; round < 400; round++) {
		uint32_t bad = (uint32_t)(fixture_random(f) % SEGMENTS);
		struct format_segment h;
		struct window *w;
		uint8_t wrong;
		off_t at;

		memcpy(&h, bytes + (bad + 1) * FORMAT_SLOT_BYTES, sizeof(h));
		at = (off_t)((bad + 1) * FORMAT_SLOT_BYTES + sizeof(h) + fixture_random(f) % h.body_bytes);
		wrong = bytes[at] ^ (uint8_t)(1 << fixture_random(f) % 8);
		assert_int_equal(pwrite(fd, &wrong, 1, at), 1);
		assert_int_equal(try_load(f->path, &w, err), 0);
		check_without(f, w, bad, true);
		window_free(w);
		assert_int_equal(pwrite(fd, &bytes[at], 1, at), 1);
	}
	close(fd);
}

static void a_byte_of_the_file_header(void **state)
{
	static const off_t places[] = { 0, FORMAT_COPY_AT };
	struct fixture *f = *state;
	char err[READER_ERR_MAX];
	size_t n;
	_cleanup_free_ uint8_t *bytes = small_trace(f, &n);
	struct format_file h;
	int fd = open(f->path, O_RDWR);

	memcpy(&h, bytes, sizeof(h));
	for (size_t i = 0; i < h.header_bytes + h.meta_bytes; i++) {
		uint8_t wrong = bytes[i] ^ (uint8_t)(1 + fixture_random(f) % 255);
		struct window *w = NULL;

		*err = 0;
		assert_int_equal(pwrite(fd, &wrong, 1, (off_t)i), 1);
		assert_int_equal(try_load(f->path, &w, err), 0);
		fixture_check(f, w, 0, UINT64_MAX);
		window_free(w);
		assert_int_equal(pwrite(fd, &wrong, 1, FORMAT_COPY_AT + (off_t)i), 1);
		assert_int_equal(try_load(f->path, &w, err), -EBADMSG);
		assert_true(strlen(err) > 20);
		for (size_t k = 0; k < ARRAY_SIZE(places); k++)
			assert_int_equal(pwrite(fd, &bytes[i], 1, places[k] + (off_t)i), 1);
	}
	close(fd);
}

static void a_damaged_file_header_is_repaired(void **state)
{
	struct fixture *f = *state;
	static const uint8_t zero[4096];
	struct window *w;
	size_t n, n_after;
	_cleanup_free_ uint8_t *bytes = small_trace(f, &n), *after = NULL;
	int fd = open(f->path, O_RDWR);

	assert_int_equal(pwrite(fd, zero, sizeof(zero), 0), sizeof(zero));
	close(fd);
	fixture_open(f, FIXTURE_BYTES);
	after = fixture_slurp(f->path, &n_after);
	assert_memory_equal(after, bytes, FORMAT_SLOT_BYTES);
	fixture_busy(f, 10);
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->n_events, SEGMENTS * PER + 10 + 1); /* 1: the gap between the two writers */
	window_free(w);
}

static void a_segment_that_was_overwritten_in_part(void **state)
{
	struct fixture *f = *state;
	char err[READER_ERR_MAX] = "";
	static uint8_t zero[4096];
	struct window *w;
	size_t n;
	_cleanup_free_ uint8_t *bytes = NULL;
	int fd;

	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 60000);
	fixture_seal(f);
	fixture_busy(f, 10);
	fixture_seal(f);
	bytes = fixture_slurp(f->path, &n);
	assert_true(((struct format_segment *)(bytes + FORMAT_SLOT_BYTES))->n_slots > 2);
	fd = open(f->path, O_RDWR);
	/* A power cut may leave zeros in a part of a segment, here in its third slot. */
	assert_int_equal(pwrite(fd, zero, sizeof(zero), 3 * FORMAT_SLOT_BYTES), sizeof(zero));
	close(fd);
	assert_int_equal(try_load(f->path, &w, err), 0);
	assert_int_equal(w->n_events, 11);
	assert_int_equal(w->events[0].r.kind, CT_GAP);
	assert_int_equal(w->lost_records, 60000);
	assert_int_equal(w->n_resyncs, 0);
	window_free(w);
}

static void a_file_cut_off_anywhere(void **state)
{
	struct fixture *f = *state;
	char err[READER_ERR_MAX];
	size_t n;
	_cleanup_free_ uint8_t *bytes = small_trace(f, &n);

	for (size_t len = 0; len < (SEGMENTS + 2) * FORMAT_SLOT_BYTES; len += len < 1000 ? 37 : 9973) {
		struct window *w = NULL;
		struct stat st;
		int ret;

		fixture_spew(f->path, bytes, len);
		assert_int_equal(stat(f->path, &st), 0);
		*err = 0;
		ret = try_load(f->path, &w, err);
		if (ret) {
			assert_int_equal(ret, -EBADMSG);
			assert_true(strlen(err) > 20);
			assert_true(len < 2 * FORMAT_SLOT_BYTES);
			continue;
		}
		for (size_t i = 0, at = 0; i < w->n_events; i++) {
			struct window_record got = window_record(w, &w->events[i]);

			if (got.r.kind != CT_GAP)
				assert_memory_equal(&got, &f->all.v[at++].e, sizeof(got));
		}
		assert_true(w->n_events >= (len / FORMAT_SLOT_BYTES - 1) * PER ||
			    len > SEGMENTS * FORMAT_SLOT_BYTES);
		window_free(w);
	}
}

static void files_that_are_something_else(void **state)
{
	struct fixture *f = *state;
	char err[READER_ERR_MAX] = "";
	uint8_t junk[100000];
	struct reader *r;

	assert_int_equal(reader_open(f->path, &r, err), -ENOENT);
	assert_non_null(strstr(err, "No such file"));
	fixture_spew(f->path, "", 0);
	assert_int_equal(reader_open(f->path, &r, err), -EBADMSG);
	fixture_spew(f->path,
		     "\x7f"
		     "ELF",
		     4);
	assert_int_equal(reader_open(f->path, &r, err), -EBADMSG);
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = (uint8_t)fixture_random(f);
	fixture_spew(f->path, junk, sizeof(junk));
	assert_int_equal(reader_open(f->path, &r, err), -EBADMSG);
	assert_non_null(strstr(err, "is not a ctrace trace"));
	assert_int_equal(reader_open(f->dir, &r, err), -EBADMSG);
	assert_non_null(strstr(err, "not a regular file"));
	unlink(f->path);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_int_equal(reader_open(f->path, &r, err), -EBADMSG);
}

static void put_file_crc(uint8_t *bytes)
{
	struct format_file *h = (struct format_file *)bytes;

	h->crc = 0;
	h->crc = crc32c(0, bytes, h->header_bytes + h->meta_bytes);
	memcpy(bytes + FORMAT_COPY_AT, bytes, h->header_bytes + h->meta_bytes);
}

static void a_newer_version(void **state)
{
	struct fixture *f = *state;
	char err[READER_ERR_MAX] = "";
	struct window *w = NULL;
	size_t n;
	_cleanup_free_ uint8_t *bytes = small_trace(f, &n);
	struct format_file *h = (struct format_file *)bytes;

	h->minor = 7;
	put_file_crc(bytes);
	fixture_spew(f->path, bytes, n);
	assert_int_equal(try_load(f->path, &w, err), 0);
	window_free(w);
	h->major = FORMAT_MAJOR + 1;
	put_file_crc(bytes);
	fixture_spew(f->path, bytes, n);
	assert_int_equal(try_load(f->path, &w, err), -EBADMSG);
	assert_non_null(strstr(err, "newer ctrace"));
	assert_non_null(strstr(err, "2.7"));
}

static void additions_of_a_later_minor_version(void **state)
{
	static const struct format_block block = {
		.type = 200, .codec = 77, .raw_bytes = 999, .stored_bytes = 3
	};
	struct fixture *f = *state;
	char err[READER_ERR_MAX] = "";
	struct format_segment h;
	uint8_t *slot, *old;
	struct window *w;
	size_t n;
	_cleanup_free_ uint8_t *bytes = small_trace(f, &n);

	slot = bytes + 2 * FORMAT_SLOT_BYTES;
	old = malloc(FORMAT_SLOT_BYTES);
	memcpy(old, slot, FORMAT_SLOT_BYTES);
	memcpy(&h, slot, sizeof(h));
	memcpy(slot + sizeof(h) + 64, old + sizeof(h), h.body_bytes);
	memset(slot + sizeof(h), 0xaa, 64);
	memcpy(slot + sizeof(h) + 64 + h.body_bytes, &block, sizeof(block));
	memset(slot + sizeof(h) + 64 + h.body_bytes + sizeof(block), 0x55, 8);
	h.minor = 9;
	h.header_bytes += 64;
	h.body_bytes += sizeof(block) + 8;
	h.body_crc = crc32c(0, slot + h.header_bytes, h.body_bytes);
	h.crc = 0;
	memcpy(slot, &h, sizeof(h));
	h.crc = file_index_segment_crc(slot, h.header_bytes);
	memcpy(slot, &h, sizeof(h));
	fixture_spew(f->path, bytes, n);
	assert_int_equal(try_load(f->path, &w, err), 0);
	fixture_check(f, w, 0, UINT64_MAX);
	window_free(w);
	free(old);
}

static void a_kind_that_nobody_knows_yet(void **state)
{
	enum { N = 300, STRANGE = 40 };
	struct fixture *f = *state;
	struct format_segment h = { .begin_ns = f->now, .n_records = N };
	struct encode_stream s = { .cpu = 3, .n_records = N, .min_ns = f->now };
	struct encoder *e = encoder_new();
	struct decoder *d = decoder_new();
	struct window_event events[N];
	uint16_t cpus[N];
	struct window w = { .events = events, .cpus = cpus };
	struct decoder_room room = { .to = { events, cpus, NULL }, .n_events = N, .kinds = UINT64_MAX };
	struct decoder_got got;
	struct window_record want[N];
	uint64_t raw[N * 6], *p = raw;
	size_t n, n_want = 0;
	uint8_t *bytes;

	encode_kind_info(h.kind_info);
	h.kind_info[STRANGE] = 2 | FORMAT_KIND_PEER_TID;
	for (int i = 0; i < N; i++, f->now += 100) {
		struct window_record r = i % 3 ? fixture_usual(f, 3) : fixture_record(f, STRANGE);

		r.r.ts = f->now;
		memcpy(p, &r.r, sizeof(r.r));
		p += 4;
		if (r.r.kind != STRANGE) {
			want[n_want++] = r;
			continue;
		}
		*p++ = fixture_number(f);
		*p++ = fixture_number(f);
	}
	s.max_ns = f->now;
	s.raw = raw;
	assert_int_equal(encoder_begin(e, 0), 0);
	assert_int_equal(encoder_records(e, &s, 1, h.begin_ns, h.kind_info), 0);
	bytes = encoder_bytes(e, &n);
	h.min_ns = s.min_ns;
	h.max_ns = s.max_ns;
	assert_int_equal(decoder_begin(d, &h, bytes, n), 0);
	assert_int_equal(decoder_events(d, &room, &got), 0);
	assert_int_equal(got.n_events, n_want);
	w.n_events = got.n_events;
	assert_int_equal(window_index(&w), 0);
	for (size_t i = 0; i < n_want; i++) {
		struct window_record r = window_record(&w, &events[i]);

		assert_memory_equal(&r, &want[i], sizeof(r));
	}
	free(w.with_words);
	encoder_free(e);
	decoder_free(d);
}

static void checksums(void **state)
{
	uint8_t bytes[300];

	/* from RFC 3720, B.4 */
	memset(bytes, 0, 32);
	assert_int_equal(crc32c(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, 32);
	assert_int_equal(crc32c(0, bytes, 32), 0x62a8ab43);
	assert_int_equal(crc32c_portable(0, bytes, 32), 0x62a8ab43);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	for (size_t i = 0; i < 40; i++) {
		uint32_t whole = crc32c(0, bytes + i, sizeof(bytes) - i);

		assert_int_equal(whole, crc32c_portable(0, bytes + i, sizeof(bytes) - i));
		assert_int_equal(whole,
				 crc32c(crc32c(0, bytes + i, 13), bytes + i + 13, sizeof(bytes) - i - 13));
	}
}

static void members_of_a_set(void **state)
{
	static const size_t members[] = {
		0, 1, 63, 64, 190, 320
	}; /* no member in some blocks; 320 is above n */
	struct rank r[RANK_BLOCKS(320)] = { 0 };
	size_t n = 300, below = 0;

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		rank_add(r, members[i]);
	assert_int_equal(rank_count(r, ARRAY_SIZE(r)), ARRAY_SIZE(members));
	for (size_t i = 0; i <= n; i++) {
		size_t next = below < ARRAY_SIZE(members) - 1 ? members[below] : n;

		assert_int_equal(rank_below(r, i), below);
		assert_int_equal(rank_next(r, i, n), next);
		assert_int_equal(rank_has(r, i), i == members[below]);
		below += rank_has(r, i);
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_byte_of_a_segment_header),
		TEST(a_byte_of_a_body),
		TEST(a_byte_of_the_file_header),
		TEST(a_damaged_file_header_is_repaired),
		TEST(a_segment_that_was_overwritten_in_part),
		TEST(a_file_cut_off_anywhere),
		TEST(files_that_are_something_else),
		TEST(a_newer_version),
		TEST(additions_of_a_later_minor_version),
		TEST(a_kind_that_nobody_knows_yet),
		cmocka_unit_test(checksums),
		cmocka_unit_test(members_of_a_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
