// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/write/ringfile.h"

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
#include "lib/owned.h"
#include "lib/syncdir.h"
#include "trace/format/crc32c.h"
#include "trace/format/pio.h"
#include "trace/thresholds.h"

#define RINGFILE_BYTES_MIN (4u << 20)
#define RINGFILE_SEQ_MAX   (UINT64_MAX / 2)

static uint64_t real_ns(void)
{
	return clock_boot_ns() + (uint64_t)clock_offsets_now().boot_to_real_ns;
}

int ringfile_put_header(int fd, const struct format_file *f, const char *meta)
{
	_cleanup_free_ uint8_t *buf = malloc(FILE_INDEX_HEADER_MAX);
	size_t n;
	int ret;

	if (!buf)
		return -ENOMEM;
	n = file_index_header(f, meta, buf);
	ret = pio_write(fd, buf, n, 0);
	if (ret || FORMAT_COPY_AT + n > f->slot_bytes)
		return ret;
	return pio_write(fd, buf, n, FORMAT_COPY_AT);
}

static struct format_file ringfile_header(const struct ringfile_options *opt, uint32_t n_slots,
					  uint64_t file_id)
{
	return (struct format_file){ .slot_bytes = FORMAT_SLOT_BYTES,
				     .n_slots = n_slots,
				     .file_id = file_id,
				     .created_real_ns = real_ns(),
				     .n_cpus = opt->n_cpus,
				     .meta_bytes = (uint32_t)opt->meta_bytes };
}

static int ringfile_reserve(int fd, uint64_t bytes)
{
	int ret = -posix_fallocate(fd, 0, (off_t)bytes);

	if (ret == -EOPNOTSUPP || ret == -EINVAL)
		ret = ftruncate(fd, (off_t)bytes) ? -errno : 0;
	return ret;
}

static int ringfile_create(int fd, const struct ringfile_options *opt, uint32_t n_slots, char *err)
{
	uint64_t bytes = (uint64_t)(n_slots + 1) * FORMAT_SLOT_BYTES, file_id = 0;
	struct format_file f;
	int ret = ringfile_reserve(fd, bytes);

	if (!ret && getrandom(&file_id, sizeof(file_id), 0) != sizeof(file_id))
		ret = -errno;
	f = ringfile_header(opt, n_slots, file_id);
	if (!ret)
		ret = ringfile_put_header(fd, &f, opt->meta);
	if (!ret && fsync(fd))
		ret = -errno;
	if (!ret)
		ret = syncdir_of(opt->path);
	if (ret)
		snprintf(err, FILE_INDEX_ERR_MAX,
			 "cannot create %.120s with %" PRIu64 " MiB: %s; make room or choose a smaller size",
			 opt->path, bytes >> 20, strerror(-ret));
	return ret;
}

/* A daemon that is killed while it creates a file may leave a file without headers. */
static bool ringfile_is_blank(int fd)
{
	static const uint64_t at[] = { 0, FORMAT_COPY_AT, FORMAT_SLOT_BYTES };
	uint8_t buf[ARRAY_SIZE(at)][sizeof(struct format_file)];

	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		if (pio_read(fd, buf[i], sizeof(buf[i]), at[i]))
			return false;
	for (size_t i = 0; i < sizeof(buf); i++)
		if (((uint8_t *)buf)[i])
			return false;
	return true;
}

static bool is_save(const struct ringfile *r, const struct file_index_segment *s)
{
	return s->h.flags & FORMAT_SEGMENT_SAVED && s->slot <= r->n_saves;
}

static void ringfile_take_slot(struct ringfile *r, const struct format_segment *h, uint32_t slot,
			       const uint8_t boot_id[16])
{
	r->slots[slot] = (struct ringfile_slot){ h->seq, h->begin_ns,
						 !memcmp(h->boot_id, boot_id, sizeof(h->boot_id)) };
}

static void ringfile_take(struct ringfile *r, const struct file_index *ix, const struct ringfile_options *opt)
{
	uint64_t ring_seq = 0;

	r->slot_bytes = ix->file.slot_bytes;
	r->file_id = ix->file.file_id;
	r->next_seq = 1;
	r->n_saves = MIN(r->n_slots / RINGFILE_SAVES_SHARE, RINGFILE_SAVES_MAX);
	if (r->n_saves < RINGFILE_SAVES_MIN)
		r->n_saves = 0;
	r->has_saves = r->n_saves;
	r->next_save = 1;
	r->next_slot = r->n_saves + 1;
	for (size_t i = 0; i < ix->segments.n; i++) {
		const struct file_index_segment *newest = &ix->segments.v[i];
		bool this_boot = !memcmp(newest->h.boot_id, opt->boot_id, sizeof(newest->h.boot_id));

		r->next_seq = newest->h.seq + 1;
		r->newest_ns = this_boot ? newest->h.end_ns : 0;
		r->continued = true;
		if (is_save(r, newest)) {
			r->next_save = newest->slot % r->n_saves + 1;
			continue;
		}
		ringfile_take_slot(r, &newest->h, newest->slot, opt->boot_id);
		r->has_saves &= newest->slot > r->n_saves;
		r->next_slot = newest->slot + newest->h.n_slots;
		ring_seq = newest->h.seq;
	}
	/* Now ring_seq is the seq of the newest segment in the ring. Usually, the oldest segment
	 * stands after the newest one, and is overwritten next. But ringfile_unsave() of an
	 * earlier writer may have put segments from the slots for copies after the newest one. If
	 * the seq of such a segment is greater than ring_seq - n_saves, the segment is too recent
	 * to be overwritten next: the loop skips it. */
	while (r->next_slot <= r->n_slots && r->slots[r->next_slot].seq &&
	       r->slots[r->next_slot].seq + r->n_saves > ring_seq)
		r->next_slot++;
}

static void ringfile_clear(struct ringfile *r, uint32_t from, uint32_t to)
{
	static const uint8_t zero[RINGFILE_ALIGN];

	for (uint32_t s = from; s < to; s++) {
		/* After a failure, readers see a hole in the sequence numbers. */
		(void)pio_write(r->fd, zero, sizeof(zero), (uint64_t)s * r->slot_bytes);
		r->slots[s] = (struct ringfile_slot){ 0 };
	}
}

/* Returns the slot for a segment of n slots: next_slot, if the segment fits before the end of the file.
 * Otherwise clears the rest of the file, and returns the first slot of the ring, n_saves + 1. If
 * the file is from an older ctrace, which made no copies, slots 1 to n_saves have sealed segments
 * too. Then also clears these slots: from now on, they are for copies. */
static uint32_t ringfile_place(struct ringfile *r, size_t n)
{
	if (r->next_slot + n <= (size_t)r->n_slots + 1)
		return r->next_slot;
	ringfile_clear(r, r->next_slot, r->n_slots + 1);
	if (r->n_saves && !r->has_saves)
		ringfile_clear(r, 1, r->n_saves + 1);
	r->has_saves = r->n_saves;
	return r->n_saves + 1;
}

static int ringfile_put(struct ringfile *r, const struct format_segment *h, uint8_t *bytes, size_t n,
			uint64_t at)
{
	size_t padded = (n + RINGFILE_ALIGN - 1) & ~(size_t)(RINGFILE_ALIGN - 1);
	int ret;

	memset(bytes, 0, sizeof(*h));
	memset(bytes + n, 0, padded - n);
	ret = pio_write(r->fd, bytes, padded, at);
	return ret ? ret : pio_write(r->fd, h, sizeof(*h), at);
}

/* Turns a copy of an earlier writer's open segment into a sealed segment. buf has the size of a
 * slot. */
static void ringfile_move(struct ringfile *r, const struct file_index_segment *s, const uint8_t boot_id[16],
			  uint8_t *buf)
{
	size_t n = (size_t)s->h.header_bytes + s->h.body_bytes;
	struct format_segment h;
	uint32_t slot;

	if (pio_read(r->fd, buf, n, (uint64_t)s->slot * r->slot_bytes) ||
	    !crc32c_matches(crc32c(0, buf + s->h.header_bytes, s->h.body_bytes), s->h.body_crc))
		return;
	h = s->h;
	h.flags &= ~FORMAT_SEGMENT_SAVED;
	memcpy(buf, &h, sizeof(h));
	h.crc = file_index_segment_crc(buf, h.header_bytes);
	slot = ringfile_place(r, 1);
	if (ringfile_put(r, &h, buf, n, (uint64_t)slot * r->slot_bytes))
		return;
	ringfile_take_slot(r, &h, slot, boot_id);
	r->next_slot = slot + 1;
}

/* After a kill, the newest records are only in the slots for copies. Puts them into the ring before
 * these slots are overwritten. */
static int ringfile_unsave(struct ringfile *r, const struct file_index *ix,
			   const struct ringfile_options *opt)
{
	_cleanup_free_ uint8_t *buf = malloc(r->slot_bytes);

	if (!buf)
		return -ENOMEM;
	for (size_t i = 0; i < ix->segments.n; i++)
		if (is_save(r, &ix->segments.v[i]) && ix->segments.v[i].h.n_slots == 1)
			ringfile_move(r, &ix->segments.v[i], opt->boot_id, buf);
	return 0;
}

static int ringfile_recover(struct ringfile *r, const struct ringfile_options *opt, char *err)
{
	uint64_t bytes = (uint64_t)(r->n_slots + 1) * FORMAT_SLOT_BYTES;
	_cleanup_(file_index_done) struct file_index ix = { 0 };
	int ret = file_index_open(&ix, r->fd, opt->path, err);

	if (ret)
		return ret;
	if (ix.file.major != FORMAT_MAJOR) {
		snprintf(err, FILE_INDEX_ERR_MAX,
			 "%.120s has format %u.%u, and this ctrace goes on with %u only", opt->path,
			 ix.file.major, ix.file.minor, FORMAT_MAJOR);
		return -EBADMSG;
	}
	if (ix.file.n_slots != r->n_slots || ix.file.slot_bytes != FORMAT_SLOT_BYTES) {
		snprintf(err, FILE_INDEX_ERR_MAX,
			 "%.120s has another size (%" PRIu64 " MiB) than was asked for", opt->path,
			 (uint64_t)(ix.file.n_slots + 1) * ix.file.slot_bytes >> 20);
		return -EXDEV;
	}
	ret = file_index_scan(&ix, r->fd);
	if (!ret && ix.file_bytes < bytes)
		ret = ringfile_reserve(r->fd, bytes);
	if (!ret && ix.copy_used)
		ret = ringfile_put_header(r->fd, &ix.file, ix.meta);
	if (ret) {
		snprintf(err, FILE_INDEX_ERR_MAX, "cannot recover %.120s: %s", opt->path, strerror(-ret));
		return ret;
	}
	/* Above RINGFILE_SEQ_MAX, the sequence numbers could run out. Only a hostile file has such
	 * numbers: a real file gets about one segment a second. */
	if (ix.segments.n && ix.segments.v[ix.segments.n - 1].h.seq > RINGFILE_SEQ_MAX) {
		snprintf(err, FILE_INDEX_ERR_MAX, "%.120s has sequence numbers that cannot be", opt->path);
		return -EBADMSG;
	}
	ringfile_take(r, &ix, opt);
	ret = ringfile_unsave(r, &ix, opt);
	if (ret)
		snprintf(err, FILE_INDEX_ERR_MAX, "cannot recover %.120s: %s", opt->path, strerror(-ret));
	return ret;
}

struct ringfile_home {
	int dir_fd;
	const char *name;
};

static void ringfile_home_done(struct ringfile_home *p)
{
	cleanup_close_p(&p->dir_fd);
}

static int ringfile_home_open(const struct ringfile_options *opt, struct ringfile_home *ret, char *err)
{
	const char *slash = strrchr(opt->path, '/');
	enum owned_trouble trouble;
	int fd;

	*ret = (struct ringfile_home){ AT_FDCWD, opt->path };
	if (!opt->own_dir)
		return 0;
	fd = owned_dir_of(opt->path, &trouble);
	if (fd < 0) {
		snprintf(err, FILE_INDEX_ERR_MAX, "cannot use the directory of %.120s: %s%s", opt->path,
			 trouble ? "it " : "", trouble ? owned_text(trouble) : strerror(-fd));
		return fd;
	}
	*ret = (struct ringfile_home){ fd, slash ? slash + 1 : opt->path };
	return 0;
}

static int ringfile_lock(const struct ringfile_home *home, const char *path, char *err)
{
	for (;;) {
		enum owned_trouble trouble;
		_cleanup_close_ int fd = owned_file(home->dir_fd, home->name, O_RDWR | O_CREAT, &trouble);
		struct stat st;

		if (fd < 0) {
			if (trouble)
				snprintf(err, FILE_INDEX_ERR_MAX, "%.120s %s", path, owned_text(trouble));
			else
				snprintf(err, FILE_INDEX_ERR_MAX, "cannot open %.120s for writing: %s", path,
					 strerror(-fd));
			return trouble ? -EBADMSG : fd;
		}
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			int ret = errno == EWOULDBLOCK ? -EBUSY : -errno;

			snprintf(err, FILE_INDEX_ERR_MAX,
				 "%.120s is in use by another writer (is ctraced running?)", path);
			return ret;
		}
		if (!fstat(fd, &st) && st.st_nlink)
			return TAKE_FD(fd);
	}
}

int ringfile_open(struct ringfile *r, const struct ringfile_options *opt, char err[FILE_INDEX_ERR_MAX])
{
	uint64_t n = opt->size_bytes / FORMAT_SLOT_BYTES;
	_cleanup_(ringfile_home_done) struct ringfile_home home = { .dir_fd = -1 };
	struct stat st = { 0 };
	int ret;

	*r = (struct ringfile){ .fd = -1 };
	if (opt->size_bytes < RINGFILE_BYTES_MIN || n > UINT32_MAX) {
		snprintf(err, FILE_INDEX_ERR_MAX,
			 "a trace file of %" PRIu64 " bytes is too %s (at least 4 MiB)", opt->size_bytes,
			 n > UINT32_MAX ? "large" : "small");
		return -EINVAL;
	}
	ret = ringfile_home_open(opt, &home, err);
	r->fd = ret ? ret : ringfile_lock(&home, opt->path, err);
	if (r->fd < 0)
		return r->fd;
	r->n_slots = (uint32_t)(n - 1);
	r->slots = calloc(n, sizeof(*r->slots));
	if (!r->slots) {
		snprintf(err, FILE_INDEX_ERR_MAX, "cannot open %.120s: out of memory", opt->path);
		ret = -ENOMEM;
	} else {
		ret = fstat(r->fd, &st) ? -errno : 0;
		if (!ret && (!st.st_size ||
			     ((uint64_t)st.st_size == n * FORMAT_SLOT_BYTES && ringfile_is_blank(r->fd))))
			ret = ringfile_create(r->fd, opt, r->n_slots, err);
	}
	if (ret && !st.st_size)
		unlinkat(home.dir_fd, home.name, 0);
	if (!ret)
		ret = ringfile_recover(r, opt, err);
	if (ret)
		ringfile_done(r);
	return ret;
}

void ringfile_done(struct ringfile *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->slots);
	*r = (struct ringfile){ .fd = -1 };
}

void ringfile_unwritten(struct ringfile *r, uint64_t from_ns, uint64_t n)
{
	r->unwritten.from_ns = r->unwritten.any ? MIN(r->unwritten.from_ns, from_ns) : from_ns;
	r->unwritten.n_records += n;
	r->unwritten.any = true;
}

static void ringfile_mark(const struct ringfile *r, struct format_segment *h)
{
	h->file_id = r->file_id;
	h->seq = r->next_seq;
	if (r->continued)
		h->flags |= FORMAT_SEGMENT_RESTART;
	if (!r->unwritten.any)
		return;
	h->flags |= FORMAT_SEGMENT_UNWRITTEN;
	h->gap_from_ns = MIN(r->unwritten.from_ns, h->begin_ns);
	h->gap_records = r->unwritten.n_records;
	h->lost[CT_LOSS_DISK] += r->unwritten.n_records;
}

int ringfile_write(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n)
{
	size_t n_slots = (n + FORMAT_SLOT_BYTES - 1) / FORMAT_SLOT_BYTES;
	uint64_t n_records = h->n_records;
	int ret = r->fd < 0 ? -ENOENT : n_slots + r->n_saves > r->n_slots ? -EFBIG : 0;
	uint32_t slot = 0;

	if (!ret) {
		slot = ringfile_place(r, n_slots);
		ringfile_mark(r, h);
		file_index_segment_finish(h, bytes, n, r->slot_bytes);
		memset(&r->slots[slot], 0, n_slots * sizeof(*r->slots));
		ret = ringfile_put(r, h, bytes, n, (uint64_t)slot * r->slot_bytes);
		/* after -EIO, the disk may be bad at this place */
		if (!ret || ret == -EIO)
			r->next_slot = slot + (uint32_t)n_slots;
	}
	if (ret) {
		ringfile_unwritten(r, h->begin_ns, n_records);
		return ret;
	}
	r->slots[slot] = (struct ringfile_slot){ h->seq, h->begin_ns, true };
	r->next_seq++;
	r->newest_ns = h->end_ns;
	r->saved_begin_ns = 0;
	r->continued = false;
	memset(&r->unwritten, 0, sizeof(r->unwritten));
	return 0;
}

int ringfile_save(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n)
{
	uint32_t slot = r->next_save;
	int ret;

	if (r->fd < 0)
		return -ENOENT;
	if (!r->has_saves || n > r->slot_bytes)
		return -EFBIG;
	ringfile_mark(r, h);
	h->flags |= FORMAT_SEGMENT_SAVED;
	file_index_segment_finish(h, bytes, n, r->slot_bytes);
	ret = ringfile_put(r, h, bytes, n, (uint64_t)slot * r->slot_bytes);
	if (!ret || ret == -EIO)
		r->next_save = slot % r->n_saves + 1;
	if (ret)
		return ret;
	r->newest_ns = h->end_ns;
	r->saved_begin_ns = h->begin_ns;
	return 0;
}

uint64_t ringfile_oldest_ns(struct ringfile *r)
{
	if (r->oldest_seq && r->slots[r->oldest_slot].seq == r->oldest_seq)
		return r->slots[r->oldest_slot].begin_ns;
	r->oldest_seq = 0;
	/* In the ring, the oldest segment follows the newest one. */
	for (uint32_t i = 0; i < r->n_slots; i++) {
		uint32_t slot = (r->next_slot - 1 + i) % r->n_slots + 1;
		const struct ringfile_slot *s = &r->slots[slot];

		if (!s->seq || !s->this_boot)
			continue;
		r->oldest_slot = slot;
		r->oldest_seq = s->seq;
		return s->begin_ns;
	}
	return r->saved_begin_ns;
}

int ringfile_look(struct ringfile *r, const struct ringfile_options *opt)
{
	uint64_t bytes = (uint64_t)(r->n_slots + 1) * r->slot_bytes;
	struct stat st, named;
	struct format_file f;
	int ret;

	if (r->fd < 0)
		return RINGFILE_GONE;
	if (fstat(r->fd, &st))
		return -errno;
	if (!st.st_nlink || lstat(opt->path, &named))
		return st.st_nlink && errno != ENOENT ? -errno : RINGFILE_GONE;
	if (named.st_dev != st.st_dev || named.st_ino != st.st_ino)
		return RINGFILE_GONE;
	if ((uint64_t)st.st_size >= bytes)
		return RINGFILE_THERE;
	ret = ringfile_reserve(r->fd, bytes);
	f = ringfile_header(opt, r->n_slots, r->file_id);
	if (!ret)
		ret = ringfile_put_header(r->fd, &f, opt->meta);
	if (ret)
		return ret;
	for (uint64_t s = (uint64_t)st.st_size / r->slot_bytes; s <= r->n_slots; s++)
		r->slots[s] = (struct ringfile_slot){ 0 };
	return RINGFILE_REPAIRED;
}
