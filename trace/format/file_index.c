// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/file_index.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "trace/format/crc32c.h"
#include "trace/format/limits.h"
#include "trace/format/pio.h"
#include "trace/thresholds.h"

#define SCAN_TRIES 4

static uint32_t crc_without(const uint8_t *p, size_t n, size_t at)
{
	static const uint8_t zero[4];
	uint32_t crc = crc32c(0, p, at);

	crc = crc32c(crc, zero, 4);
	return crc32c(crc, p + at + 4, n - at - 4);
}

uint32_t file_index_segment_crc(const void *h, size_t n)
{
	return crc_without(h, n, offsetof(struct format_segment, crc));
}

void file_index_segment_finish(struct format_segment *h, const uint8_t *bytes, size_t n, uint32_t slot_bytes)
{
	memcpy(h->magic, FORMAT_SEGMENT_MAGIC, FORMAT_MAGIC_BYTES);
	h->major = FORMAT_MAJOR;
	h->minor = FORMAT_MINOR;
	h->header_bytes = sizeof(*h);
	h->n_slots = (uint32_t)((n + slot_bytes - 1) / slot_bytes);
	h->body_bytes = (uint32_t)(n - sizeof(*h));
	h->body_crc = crc32c(0, bytes + sizeof(*h), n - sizeof(*h));
	h->crc = 0;
	h->crc = file_index_segment_crc(h, sizeof(*h));
}

const char *file_index_meta(const char *meta, size_t n, const char *name)
{
	const char *p = meta, *end = meta + n;

	while (p < end) {
		const char *value = memchr(p, 0, (size_t)(end - p));
		const char *stop;

		if (!value || ++value == end)
			return NULL;
		stop = memchr(value, 0, (size_t)(end - value));
		if (!stop)
			return NULL;
		if (!strcmp(p, name))
			return value;
		p = stop + 1;
	}
	return NULL;
}

static int file_index_check_file(const struct format_file *f, const char *name, char *err)
{
	if (memcmp(f->magic, FORMAT_FILE_MAGIC, FORMAT_MAGIC_BYTES)) {
		snprintf(
			err, FILE_INDEX_ERR_MAX,
			"%.120s is not a ctrace trace (it does not begin like one); give a file that ctraced, ctrace record or ctrace snapshot has written",
			name);
		return -EBADMSG;
	}
	if (f->major > FORMAT_MAJOR) {
		snprintf(
			err, FILE_INDEX_ERR_MAX,
			"%.120s has format %u.%u, and this ctrace reads up to %u: read it with a newer ctrace",
			name, f->major, f->minor, FORMAT_MAJOR);
		return -EBADMSG;
	}
	if (!limits_file_ok(f)) {
		snprintf(
			err, FILE_INDEX_ERR_MAX,
			"the file header of %.120s is damaged (sizes or counts that cannot be): the trace is lost",
			name);
		return -EBADMSG;
	}
	return 0;
}

size_t file_index_header(const struct format_file *f, const char *meta, uint8_t *buf)
{
	struct format_file h = *f;
	size_t n = sizeof(h) + f->meta_bytes;

	memcpy(h.magic, FORMAT_FILE_MAGIC, FORMAT_MAGIC_BYTES);
	h.major = FORMAT_MAJOR;
	h.minor = FORMAT_MINOR;
	h.header_bytes = sizeof(h);
	h.crc = 0;
	memcpy(buf, &h, sizeof(h));
	memcpy(buf + sizeof(h), meta, f->meta_bytes);
	h.crc = crc32c(0, buf, n);
	memcpy(buf, &h, sizeof(h));
	return n;
}

static int file_index_read_header(struct file_index *ix, int fd, uint64_t at, const char *name, char *err)
{
	_cleanup_free_ uint8_t *head = NULL;
	struct format_file f = { 0 };
	size_t n;
	int ret = pio_read(fd, &f, sizeof(f), at);

	if (ret == -ENODATA) {
		snprintf(err, FILE_INDEX_ERR_MAX,
			 "%.120s is not a ctrace trace: it ends within the file header", name);
		return -EBADMSG;
	}
	if (ret) {
		snprintf(err, FILE_INDEX_ERR_MAX, "cannot read %.120s: %s", name, strerror(-ret));
		return ret;
	}
	ret = file_index_check_file(&f, name, err);
	if (ret)
		return ret;
	n = f.header_bytes + f.meta_bytes;
	head = malloc(n);
	free(ix->meta);
	ix->meta = malloc(f.meta_bytes + 1);
	if (!head || !ix->meta) {
		snprintf(err, FILE_INDEX_ERR_MAX, "cannot read %.120s: out of memory", name);
		return -ENOMEM;
	}
	if (pio_read(fd, head, n, at) ||
	    !crc32c_matches(crc_without(head, n, offsetof(struct format_file, crc)), f.crc)) {
		snprintf(err, FILE_INDEX_ERR_MAX,
			 "the file header of %.120s is damaged (checksum): the trace is lost", name);
		return -EBADMSG;
	}
	memcpy(ix->meta, head + f.header_bytes, f.meta_bytes);
	ix->meta[f.meta_bytes] = 0;
	ix->file = f;
	return 0;
}

int file_index_open(struct file_index *ix, int fd, const char *name, char err[FILE_INDEX_ERR_MAX])
{
	char unused[FILE_INDEX_ERR_MAX];
	int ret;

	*ix = (struct file_index){ 0 };
	ret = file_index_read_header(ix, fd, 0, name, err);
	if (ret != -EBADMSG || file_index_read_header(ix, fd, FORMAT_COPY_AT, name, unused))
		return ret;
	ix->copy_used = true;
	return 0;
}

enum slot_is { SLOT_OTHER, SLOT_BROKEN, SLOT_NEWER, SLOT_SEGMENT };

/* buf has the first n bytes of a slot. *h is fully checked only if the result is SLOT_SEGMENT. */
static enum slot_is slot_check(const struct file_index *ix, const uint8_t *buf, size_t n, uint32_t slot,
			       struct format_segment *h)
{
	if (n < sizeof(*h) || memcmp(buf, FORMAT_SEGMENT_MAGIC, FORMAT_MAGIC_BYTES))
		return SLOT_OTHER;
	memcpy(h, buf, sizeof(*h));
	if (h->file_id != ix->file.file_id)
		return SLOT_OTHER;
	if (h->header_bytes < sizeof(*h) || h->header_bytes > MIN(n, (size_t)LIMITS_SEGMENT_HEADER_MAX) ||
	    !crc32c_matches(file_index_segment_crc(buf, h->header_bytes), h->crc))
		return SLOT_BROKEN;
	if (h->major > FORMAT_MAJOR)
		return SLOT_NEWER;
	return limits_segment_ok(&ix->file, h, slot) ? SLOT_SEGMENT : SLOT_BROKEN;
}

static enum slot_is slot_read(const struct file_index *ix, int fd, uint32_t slot, struct format_segment *h)
{
	uint8_t buf[LIMITS_SEGMENT_HEADER_MAX];
	uint64_t at = (uint64_t)slot * ix->file.slot_bytes;
	uint32_t want;

	if (pio_read(fd, buf, sizeof(*h), at))
		return SLOT_OTHER;
	memcpy(&want, buf + offsetof(struct format_segment, header_bytes), sizeof(want));
	if (want <= sizeof(*h) || want > sizeof(buf) || memcmp(buf, FORMAT_SEGMENT_MAGIC, FORMAT_MAGIC_BYTES))
		return slot_check(ix, buf, sizeof(*h), slot, h);
	if (pio_read(fd, buf, want, at))
		return SLOT_BROKEN;
	return slot_check(ix, buf, want, slot, h);
}

static int by_seq(const void *a, const void *b)
{
	const struct file_index_segment *x = a, *y = b;

	if (x->h.seq != y->h.seq)
		return x->h.seq < y->h.seq ? -1 : 1;
	if (x->h.end_ns != y->h.end_ns)
		return x->h.end_ns < y->h.end_ns ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Returns true if the checksum of the body is right. Also returns true if the body cannot be
 * checked, because it is larger than *budget, or because memory runs out. */
static bool body_is_right(const struct file_index *ix, int fd, const struct file_index_segment *s,
			  uint64_t *budget)
{
	uint64_t at = (uint64_t)s->slot * ix->file.slot_bytes + s->h.header_bytes;
	_cleanup_free_ uint8_t *body = NULL;

	if (s->h.body_bytes > *budget)
		return true;
	*budget -= s->h.body_bytes;
	body = malloc(s->h.body_bytes + 1U);
	return !body || (!pio_read(fd, body, s->h.body_bytes, at) &&
			 crc32c_matches(crc32c(0, body, s->h.body_bytes), s->h.body_crc));
}

/* Drops each segment that a newer segment has overwritten in part. Of several copies of one
 * segment, keeps the newest copy with a right body, or else the oldest copy. */
static int file_index_drop_overlapped(struct file_index *ix, int fd, uint32_t n_slots)
{
	_cleanup_free_ uint8_t *taken = calloc((size_t)n_slots + 1, 1);
	uint64_t budget = FILE_INDEX_COMPARE_BYTES;
	size_t to = ix->segments.n;

	if (!taken)
		return -ENOMEM;
	for (size_t i = ix->segments.n; i-- > 0;) {
		const struct file_index_segment *s = &ix->segments.v[i];
		/* In a truncated file, the segment may end after the last slot. */
		size_t n = MIN(s->h.n_slots, n_slots + 1 - s->slot);

		if (memchr(taken + s->slot, 1, n) ||
		    (to < ix->segments.n && ix->segments.v[to].h.seq == s->h.seq))
			continue;
		memset(taken + s->slot, 1, n);
		if (i && s[-1].h.seq == s->h.seq && !body_is_right(ix, fd, s, &budget))
			continue;
		ix->segments.v[--to] = *s;
	}
	ix->segments.n -= to;
	memmove(ix->segments.v, ix->segments.v + to, ix->segments.n * sizeof(*ix->segments.v));
	return 0;
}

/* Returns the next slot with data, or UINT64_MAX. Even a huge hole of the file costs no time. */
static uint64_t next_data(int fd, uint32_t slot, uint32_t slot_bytes)
{
	off_t at = lseek(fd, (off_t)(((uint64_t)slot + 1) * slot_bytes), SEEK_DATA);

	if (at < 0)
		return errno == ENXIO ? UINT64_MAX : slot + 1ULL;
	return MAX((uint64_t)at / slot_bytes, slot + 1ULL);
}

static int file_index_scan_once(struct file_index *ix, int fd)
{
	uint64_t present, next;
	uint32_t n_slots;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	ix->file_bytes = (uint64_t)st.st_size;
	ix->segments.n = 0;
	ix->n_broken = ix->n_newer = 0;
	present = ix->file_bytes / ix->file.slot_bytes + (ix->file_bytes % ix->file.slot_bytes != 0);
	n_slots = (uint32_t)MIN((uint64_t)ix->file.n_slots, present ? present - 1 : 0);
	for (uint64_t slot = 1; slot <= n_slots; slot = next) {
		struct file_index_segment s = { .slot = (uint32_t)slot };
		enum slot_is is = slot_read(ix, fd, s.slot, &s.h);

		next = is == SLOT_OTHER ? next_data(fd, s.slot, ix->file.slot_bytes) : slot + 1;
		ix->n_broken += is == SLOT_BROKEN;
		ix->n_newer += is == SLOT_NEWER;
		if (is == SLOT_SEGMENT && VEC_PUSH(&ix->segments, s))
			return -ENOMEM;
	}
	if (!ix->segments.n)
		return 0;
	qsort(ix->segments.v, ix->segments.n, sizeof(*ix->segments.v), by_seq);
	return file_index_drop_overlapped(ix, fd, n_slots);
}

static bool file_index_has_holes(const struct file_index *ix)
{
	size_t n = ix->segments.n;

	return n && ix->segments.v[n - 1].h.seq - ix->segments.v[0].h.seq != n - 1;
}

int file_index_scan(struct file_index *ix, int fd)
{
	uint64_t newest = 0;

	/* A writer may overtake the scan. Then the scan misses segments. If a repeated scan finds
	 * no newer segment, the file really lacks the missing segments. */
	for (int tries = 0; tries < SCAN_TRIES; tries++) {
		int err = file_index_scan_once(ix, fd);

		if (err || !file_index_has_holes(ix) || ix->segments.v[ix->segments.n - 1].h.seq == newest)
			return err;
		newest = ix->segments.v[ix->segments.n - 1].h.seq;
	}
	return 0;
}

void file_index_done(struct file_index *ix)
{
	free(ix->meta);
	VEC_FREE(&ix->segments);
	*ix = (struct file_index){ 0 };
}
