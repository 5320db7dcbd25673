// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/ring.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/crc32c.h"
#include "trace/pio.h"

#define RING_BYTES_MIN (4u << 20)

static uint64_t real_ns(void)
{
	return clock_boot_ns() + (uint64_t)clock_offsets_now().boot_to_real_ns;
}

static int ring_write_file_header(int fd, const struct ring_options *opt, uint32_t n_slots)
{
	struct format_file f = { .major = FORMAT_MAJOR,
				 .minor = FORMAT_MINOR,
				 .header_bytes = sizeof(f),
				 .slot_bytes = FORMAT_SLOT_BYTES,
				 .n_slots = n_slots,
				 .created_real_ns = real_ns(),
				 .n_cpus = opt->n_cpus,
				 .meta_bytes = (uint32_t)opt->meta_bytes };
	_cleanup_free_ uint8_t *buf = malloc(sizeof(f) + opt->meta_bytes);

	if (!buf)
		return -ENOMEM;
	if (getrandom(&f.file_id, sizeof(f.file_id), 0) != sizeof(f.file_id))
		return -errno;
	memcpy(f.magic, FORMAT_FILE_MAGIC, FORMAT_MAGIC_BYTES);
	memcpy(buf, &f, sizeof(f));
	memcpy(buf + sizeof(f), opt->meta, opt->meta_bytes);
	f.crc = crc32c(0, buf, sizeof(f) + opt->meta_bytes);
	memcpy(buf, &f, sizeof(f));
	return pio_write(fd, buf, sizeof(f) + opt->meta_bytes, 0);
}

static int ring_create(int fd, const char *path, const struct ring_options *opt, uint32_t n_slots, char *err)
{
	uint64_t bytes = (uint64_t)(n_slots + 1) * FORMAT_SLOT_BYTES;
	int ret = -posix_fallocate(fd, 0, (off_t)bytes);

	if (ret == -EOPNOTSUPP || ret == -EINVAL)
		ret = ftruncate(fd, (off_t)bytes) ? -errno : 0;
	if (!ret)
		ret = ring_write_file_header(fd, opt, n_slots);
	if (!ret && fsync(fd))
		ret = -errno;
	if (ret)
		snprintf(err, INDEX_ERR_MAX,
			 "cannot create %.120s with %" PRIu64 " MiB: %s; make room or choose a smaller size",
			 path, bytes >> 20, strerror(-ret));
	return ret;
}

/* A daemon that was killed while it created the file left zeroes: nothing is lost by starting again. */
static bool ring_is_blank(int fd)
{
	uint8_t buf[sizeof(struct format_file)] = { 1 };

	if (pio_read(fd, buf, sizeof(buf), 0))
		return false;
	for (size_t i = 0; i < sizeof(buf); i++)
		if (buf[i])
			return false;
	return true;
}

static int ring_recover(struct ring *r, const char *path, uint32_t n_slots, char *err)
{
	_cleanup_(index_done) struct index ix = { 0 };
	int ret = index_open(&ix, r->fd, path, err);

	if (ret)
		return ret;
	if (ix.file.n_slots != n_slots || ix.file.slot_bytes != FORMAT_SLOT_BYTES) {
		snprintf(err, INDEX_ERR_MAX, "%.120s has another size (%" PRIu64 " MiB) than was asked for",
			 path, (uint64_t)(ix.file.n_slots + 1) * ix.file.slot_bytes >> 20);
		return -EXDEV;
	}
	ret = index_scan(&ix, r->fd);
	if (!ret && ix.file_bytes < (uint64_t)(n_slots + 1) * FORMAT_SLOT_BYTES)
		ret = -posix_fallocate(r->fd, 0, (off_t)(n_slots + 1) * FORMAT_SLOT_BYTES);
	if (ret) {
		snprintf(err, INDEX_ERR_MAX, "cannot recover %.120s: %s", path, strerror(-ret));
		return ret;
	}
	r->slot_bytes = ix.file.slot_bytes;
	r->file_id = ix.file.file_id;
	r->next_seq = 1;
	r->next_slot = 1;
	for (size_t i = 0; i < ix.segments.n; i++) {
		const struct index_segment *newest = &ix.segments.v[i];

		r->slots[newest->slot] = (struct ring_slot){ newest->h.seq, newest->h.begin_ns };
		r->next_seq = newest->h.seq + 1;
		r->next_slot = newest->slot + newest->h.n_slots;
		r->newest_ns = newest->h.end_ns;
		r->continued = true;
	}
	return 0;
}

/* Opens and locks path; a file that was removed before the lock was had is not ours. */
static int ring_lock(const char *path, char *err)
{
	for (;;) {
		_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
		struct stat st;
		int ret;

		if (fd < 0 || fstat(fd, &st)) {
			ret = -errno;
			snprintf(err, INDEX_ERR_MAX, "cannot open %.120s for writing: %s", path,
				 strerror(-ret));
			return ret;
		}
		if (!S_ISREG(st.st_mode)) {
			snprintf(err, INDEX_ERR_MAX, "%.120s is not a regular file", path);
			return -EBADMSG;
		}
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			ret = errno == EWOULDBLOCK ? -EBUSY : -errno;
			snprintf(err, INDEX_ERR_MAX,
				 "%.120s is in use by another writer (is ctraced running?)", path);
			return ret;
		}
		if (!fstat(fd, &st) && st.st_nlink)
			return TAKE_FD(fd);
	}
}

int ring_open(struct ring *r, const char *path, const struct ring_options *opt, char err[INDEX_ERR_MAX])
{
	uint64_t n = opt->size_bytes / FORMAT_SLOT_BYTES;
	struct stat st = { 0 };
	int ret;

	*r = (struct ring){ .fd = -1 };
	if (opt->size_bytes < RING_BYTES_MIN || n > UINT32_MAX) {
		snprintf(err, INDEX_ERR_MAX, "a trace file of %" PRIu64 " bytes is too %s (at least 4 MiB)",
			 opt->size_bytes, n > UINT32_MAX ? "large" : "small");
		return -EINVAL;
	}
	r->fd = ring_lock(path, err);
	if (r->fd < 0)
		return r->fd;
	r->n_slots = (uint32_t)(n - 1);
	r->slots = calloc(n, sizeof(*r->slots));
	if (!r->slots) {
		snprintf(err, INDEX_ERR_MAX, "cannot open %.120s: out of memory", path);
		ret = -ENOMEM;
	} else {
		ret = fstat(r->fd, &st) ? -errno : 0;
		if (!ret &&
		    (!st.st_size || ((uint64_t)st.st_size == n * FORMAT_SLOT_BYTES && ring_is_blank(r->fd))))
			ret = ring_create(r->fd, path, opt, r->n_slots, err);
	}
	if (ret && !st.st_size)
		unlink(path);
	if (!ret)
		ret = ring_recover(r, path, r->n_slots, err);
	if (ret)
		ring_done(r);
	return ret;
}

void ring_done(struct ring *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->slots);
	*r = (struct ring){ .fd = -1 };
}

/* Makes slots [from, to) invalid, so that no reader takes what is left in them for a segment. */
static int ring_clear(struct ring *r, uint32_t from, uint32_t to)
{
	static const uint8_t zero[sizeof(struct format_segment)];

	for (uint32_t s = from; s < to; s++) {
		int ret = pio_write(r->fd, zero, sizeof(zero), (uint64_t)s * r->slot_bytes);

		if (ret)
			return ret;
		r->slots[s] = (struct ring_slot){ 0 };
	}
	return 0;
}

int ring_write(struct ring *r, struct format_segment *h, uint8_t *bytes, size_t n)
{
	size_t n_slots = (n + r->slot_bytes - 1) / r->slot_bytes;
	uint32_t slot = r->next_slot;
	uint64_t at;
	int ret;

	if (n_slots > r->n_slots)
		return -EFBIG;
	if (slot + n_slots > (size_t)r->n_slots + 1) {
		/* What is beyond here is from the last round; it would stay behind as a hole in the sequence.
		 */
		ret = ring_clear(r, slot, r->n_slots + 1);
		if (ret)
			return ret;
		slot = 1;
	}
	memcpy(h->magic, FORMAT_SEGMENT_MAGIC, FORMAT_MAGIC_BYTES);
	h->major = FORMAT_MAJOR;
	h->minor = FORMAT_MINOR;
	h->header_bytes = sizeof(*h);
	h->file_id = r->file_id;
	h->seq = r->next_seq;
	h->n_slots = (uint32_t)n_slots;
	h->body_bytes = (uint32_t)(n - sizeof(*h));
	h->body_crc = crc32c(0, bytes + sizeof(*h), n - sizeof(*h));
	h->crc = 0;
	h->crc = index_segment_crc(h, sizeof(*h));

	/* The old segments go, the body comes, and only then the header that makes it valid. */
	at = (uint64_t)slot * r->slot_bytes;
	ret = ring_clear(r, slot, slot + (uint32_t)n_slots);
	if (!ret)
		ret = pio_write(r->fd, bytes + sizeof(*h), n - sizeof(*h), at + sizeof(*h));
	if (!ret)
		ret = pio_write(r->fd, h, sizeof(*h), at);
	if (ret)
		return ret;
	r->slots[slot] = (struct ring_slot){ h->seq, h->begin_ns };
	r->next_slot = slot + (uint32_t)n_slots;
	r->next_seq++;
	r->newest_ns = h->end_ns;
	return 0;
}

uint64_t ring_oldest_ns(const struct ring *r)
{
	const struct ring_slot *oldest = NULL;

	for (uint32_t s = 1; s <= r->n_slots; s++)
		if (r->slots[s].seq && (!oldest || r->slots[s].seq < oldest->seq))
			oldest = &r->slots[s];
	return oldest ? oldest->begin_ns : 0;
}
