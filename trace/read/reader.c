// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/read/reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/format/crc32c.h"
#include "trace/format/pio.h"
#include "trace/read/reader_private.h"

/* at most this many segments are read for their meta data, the newest first */
#define META_TRIES 4

int reader_segment_into(const struct reader *r, size_t i, struct reader_buf *buf, struct reader_segment *ret)
{
	const struct file_index_segment *s = &r->index.segments.v[i];
	uint64_t at = (uint64_t)s->slot * r->index.file.slot_bytes;
	size_t n = (size_t)s->h.header_bytes + s->h.body_bytes;
	struct format_segment now;
	int err;

	/* A truncated file lacks these bytes: allocate no room for them. */
	if (at + n > r->index.file_bytes)
		return -EBADMSG;
	if (VEC_RESERVE(buf, n + DECODER_SLACK))
		return -ENOMEM;
	err = pio_read(r->fd, buf->v, n, at);
	buf->n = n;
	if (!err && memcmp(buf->v, &s->h, sizeof(s->h)))
		return -ESTALE;
	if (!err && crc32c_matches(crc32c(0, buf->v + s->h.header_bytes, s->h.body_bytes), s->h.body_crc)) {
		*ret = (struct reader_segment){ .h = &s->h, .bytes = buf->v, .n = n };
		return 0;
	}
	/* If the header has changed by now, the daemon is overwriting the segment: it is not damaged. */
	if (!pio_read(r->fd, &now, sizeof(now), at) && memcmp(&now, &s->h, sizeof(now)))
		return -ESTALE;
	return -EBADMSG;
}

int reader_segment(struct reader *r, size_t i, struct reader_segment *ret)
{
	return reader_segment_into(r, i, &r->buf, ret);
}

static void reader_find_boot(struct reader *r, unsigned back)
{
	const struct file_index_segment *s = r->index.segments.v;
	size_t end = r->index.segments.n;

	r->info.n_boots = 0;
	while (end) {
		size_t first = end - 1;

		while (first && !memcmp(s[first - 1].h.boot_id, s[end - 1].h.boot_id, sizeof(s->h.boot_id)))
			first--;
		if (r->info.n_boots++ == back) {
			r->first = first;
			r->end = end;
		}
		end = first;
	}
}

/* Adds the pair `name` of the file header to r->meta, unless r->meta has it or would be too long. r->meta is
 * usually from a segment, but label_add() adds pairs to the file header only. */
static void reader_add_meta(struct reader *r, const char *name)
{
	const char *value = file_index_meta(r->index.meta, r->index.file.meta_bytes, name);
	size_t n = strlen(name) + 1, more = value ? n + strlen(value) + 1 : 0;

	if (!value || file_index_meta(r->meta, r->meta_bytes, name) || r->meta_bytes + more > FORMAT_META_MAX)
		return;
	memcpy(r->meta + r->meta_bytes, name, n);
	memcpy(r->meta + r->meta_bytes + n, value, more - n);
	r->meta_bytes += more;
	r->meta[r->meta_bytes] = 0;
}

static int reader_read_meta(struct reader *r)
{
	const uint8_t *p = (const uint8_t *)r->index.meta;
	size_t n = r->index.file.meta_bytes;

	for (size_t i = r->end, tries = META_TRIES; i-- > r->first && tries; tries--) {
		struct reader_segment s;
		const uint8_t *block;
		size_t bytes;

		if (reader_segment(r, i, &s) ||
		    decoder_begin(r->decoder, s.h, s.bytes + s.h->header_bytes, s.h->body_bytes) ||
		    decoder_block(r->decoder, FORMAT_META, &block, &bytes) || !bytes)
			continue;
		p = block;
		n = bytes;
		break;
	}
	free(r->meta);
	r->meta = malloc(MAX(n, FORMAT_META_MAX) + 1);
	if (!r->meta)
		return -ENOMEM;
	if (n)
		memcpy(r->meta, p, n);
	r->meta[n] = 0;
	r->meta_bytes = n;
	reader_add_meta(r, "command_cpus");
	reader_add_meta(r, "command_limits");
	return 0;
}

static const char *reader_meta(const struct reader *r, const char *name)
{
	const char *value = file_index_meta(r->meta, r->meta_bytes, name);

	return value ? value : "";
}

static void reader_sum(struct reader *r)
{
	const struct file_index_segment *s = r->index.segments.v;
	struct reader_info *info = &r->info;
	uint64_t missing = 0;

	info->from_ns = UINT64_MAX;
	for (size_t i = r->first; i < r->end; i++) {
		const struct format_segment *h = &s[i].h;

		info->from_ns = MIN(info->from_ns, reader_segment_from(h));
		info->to_ns = MAX(info->to_ns, h->end_ns);
		if (h->n_records)
			info->to_ns = MAX(info->to_ns, h->max_ns + 1);
		info->used_slots += h->n_slots;
		info->records += h->n_records;
		info->n_cpus = MAX(info->n_cpus, h->n_cpus);
		for (size_t k = 0; k < FORMAT_KINDS; k++)
			info->records_by_kind[k] += h->kinds[k];
		for (size_t k = 0; k < CT_LOSS_CAUSES; k++)
			info->lost_by_cause[k] = checked_add(info->lost_by_cause[k], h->lost[k]);
		if (i > r->first)
			missing += s[i].h.seq - s[i - 1].h.seq - 1;
	}
	if (r->first == r->end) {
		info->from_ns = 0;
		info->n_cpus = r->index.file.n_cpus;
	} else {
		info->first_seq = s[r->first].h.seq;
		info->offsets.boot_to_mono_ns = s[r->end - 1].h.boot_to_mono_ns;
		info->offsets.boot_to_real_ns = s[r->end - 1].h.boot_to_real_ns;
		memcpy(info->boot_id, s[r->end - 1].h.boot_id, sizeof(info->boot_id));
	}
	missing = MAX(missing, (uint64_t)r->index.n_broken);
	info->n_bad_slots = (uint32_t)MIN(missing, (uint64_t)UINT32_MAX);
}

static int reader_update(struct reader *r)
{
	const struct format_file *f = &r->index.file;

	r->info = (struct reader_info){ .version = (uint16_t)(f->major << 8 | (f->minor & 0xff)),
					.file_bytes = r->index.file_bytes,
					.slot_bytes = f->slot_bytes,
					.n_slots = f->n_slots };
	if ((r->index.file_bytes + f->slot_bytes - 1) / f->slot_bytes < (uint64_t)f->n_slots + 1)
		r->info.n_cut_slots = (uint32_t)(f->n_slots + 1ULL -
						 (r->index.file_bytes + f->slot_bytes - 1) / f->slot_bytes);
	r->first = r->end = 0;
	reader_find_boot(r, r->boot);
	r->info.boot = r->boot;
	r->info.n_segments = (uint32_t)(r->end - r->first);
	reader_sum(r);
	if (reader_read_meta(r))
		return -ENOMEM;
	r->info.hooks = reader_meta(r, "hooks");
	r->info.host = reader_meta(r, "host");
	r->info.kernel = reader_meta(r, "kernel");
	r->info.machine = reader_meta(r, "machine");
	r->info.cpu = reader_meta(r, "cpu");
	r->info.governor = reader_meta(r, "governor");
	r->info.limits = reader_meta(r, "limits");
	r->info.command_cpus = reader_meta(r, "command_cpus");
	r->info.command_limits = reader_meta(r, "command_limits");
	return 0;
}

int reader_refresh(struct reader *r, char err[READER_ERR_MAX])
{
	int ret = file_index_scan(&r->index, r->fd);

	if (!ret)
		ret = reader_update(r);
	if (ret)
		snprintf(err, READER_ERR_MAX, "cannot read %.200s: %s", r->name, strerror(-ret));
	return ret;
}

int reader_use_boot(struct reader *r, unsigned back)
{
	if (back && back >= r->info.n_boots)
		return -ERANGE;
	r->boot = back;
	return reader_update(r);
}

static int reader_check_whole(const struct reader *r, char *err)
{
	const struct file_index *ix = &r->index;

	if (ix->segments.n)
		return 0;
	if (ix->n_newer)
		snprintf(err, READER_ERR_MAX, "%.200s was written by a newer ctrace: read it with that",
			 r->name);
	else if (ix->n_broken)
		snprintf(err, READER_ERR_MAX, "nothing in %.200s is whole: all its %u segments are damaged",
			 r->name, ix->n_broken);
	else if (ix->file_bytes < (uint64_t)(ix->file.n_slots + 1ULL) * ix->file.slot_bytes)
		snprintf(err, READER_ERR_MAX,
			 "%.200s was cut off after %" PRIu64 " bytes; there is no segment left in it",
			 r->name, ix->file_bytes);
	else
		return 0;
	return -EBADMSG;
}

static int reader_init(struct reader *r, int fd, const char *name, char *err)
{
	struct stat st;
	int ret;

	r->fd = fd;
	r->name = strdup(name);
	r->decoder = decoder_new();
	if (!r->name || !r->decoder) {
		snprintf(err, READER_ERR_MAX, "cannot read %.200s: out of memory", name);
		return -ENOMEM;
	}
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		snprintf(err, READER_ERR_MAX, "%.200s is not a ctrace trace: it is not a regular file", name);
		return -EBADMSG;
	}
	ret = file_index_open(&r->index, fd, name, err);
	if (!ret)
		ret = reader_refresh(r, err);
	if (!ret)
		ret = reader_check_whole(r, err);
	return ret;
}

int reader_open_fd(int fd, const char *name, struct reader **ret_r, char err[READER_ERR_MAX])
{
	struct reader *r = calloc(1, sizeof(*r));
	int ret;

	if (!r) {
		snprintf(err, READER_ERR_MAX, "cannot read %.200s: out of memory", name);
		return -ENOMEM;
	}
	ret = reader_init(r, fd, name, err);
	if (ret)
		reader_free(r);
	else
		*ret_r = r;
	return ret;
}

int reader_open(const char *path, struct reader **ret_r, char err[READER_ERR_MAX])
{
	/* With O_NONBLOCK, open() does not wait on a fifo. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int ret;

	if (fd < 0) {
		ret = -errno;
		snprintf(err, READER_ERR_MAX, "cannot open %.200s: %s; %s", path, strerror(-ret),
			 ret == -EACCES
				 ? "use sudo, or ask its owner for it"
				 : "give a file that ctraced, ctrace record or ctrace snapshot has written");
		return ret;
	}
	ret = reader_open_fd(fd, path, ret_r, err);
	if (!ret) {
		(*ret_r)->owns_fd = true;
		(void)TAKE_FD(fd);
	}
	return ret;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	if (r->owns_fd)
		close(r->fd);
	free(r->name);
	free(r->meta);
	file_index_done(&r->index);
	decoder_free(r->decoder);
	VEC_FREE(&r->buf);
	free(r);
}

const struct reader_info *reader_info(const struct reader *r)
{
	return &r->info;
}

void reader_on_progress(struct reader *r, void (*fn)(void *arg, unsigned percent), void *arg)
{
	r->progress = fn;
	r->progress_arg = arg;
}

void reader_use_threads(struct reader *r, unsigned n)
{
	r->n_threads = n;
}

void reader_want_kinds(struct reader *r, uint64_t kinds)
{
	r->kinds = kinds;
}

struct reader_file reader_file(const struct reader *r)
{
	return (struct reader_file){ .header = &r->index.file,
				     .name = r->name,
				     .meta = r->meta,
				     .meta_bytes = r->meta_bytes,
				     .decoder = r->decoder };
}

int reader_select(const struct reader *r, uint64_t *from_ns, uint64_t *to_ns, size_t *ret_a, size_t *ret_b,
		  char err[READER_ERR_MAX])
{
	const struct file_index_segment *s = r->index.segments.v;
	uint64_t from = MAX(*from_ns, r->info.from_ns);
	uint64_t to = *to_ns == UINT64_MAX ? *to_ns : MIN(*to_ns, r->info.to_ns);
	size_t a = r->first, b = r->end;

	if (r->first == r->end) {
		snprintf(err, READER_ERR_MAX, "there is nothing in %.200s yet", r->name);
		return -ERANGE;
	}
	if (*from_ns >= *to_ns) {
		snprintf(err, READER_ERR_MAX, "the window is empty: it ends before it begins");
		return -ERANGE;
	}
	if (from > r->info.to_ns || to <= r->info.from_ns) {
		snprintf(err, READER_ERR_MAX,
			 "the window lies outside of %.200s, which has boot times %.6f to %.6f s", r->name,
			 (double)r->info.from_ns / 1e9, (double)r->info.to_ns / 1e9);
		return -ERANGE;
	}
	while (a < b && reader_segment_to(&s[a].h) < from)
		a++;
	while (b > a && reader_segment_from(&s[b - 1].h) >= to)
		b--;
	*from_ns = from;
	*to_ns = to;
	*ret_a = a;
	*ret_b = b;
	return 0;
}
