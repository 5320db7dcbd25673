// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/snapshot/cut.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "trace/format/pio.h"
#include "trace/snapshot/redact.h"
#include "trace/thresholds.h"
#include "trace/write/ringfile.h"

/* -EFBIG of redact.h: there is no room for a hash, because it is longer than the name. A write returns
 * -EFBIG too: the file is longer than the system allows. To tell the two apart, the first becomes
 * -EMSGSIZE. */
static int redact_error(int ret)
{
	return ret == -EFBIG ? -EMSGSIZE : ret;
}

static int cut_header(const struct reader *r, struct redact *redact, int fd, uint32_t n_slots)
{
	const struct reader_file src = reader_file(r);
	struct format_file f = *src.header;
	size_t meta_bytes = src.meta_bytes;
	_cleanup_free_ char *meta = malloc(MAX(meta_bytes, FORMAT_META_MAX));
	int ret = 0;

	if (!meta)
		return -ENOMEM;
	memcpy(meta, src.meta, meta_bytes);
	if (redact)
		ret = redact_error(redact_file(redact, &f, meta, &meta_bytes));
	if (ret)
		return ret;
	f.n_slots = n_slots;
	f.n_cpus = reader_info(r)->n_cpus;
	f.meta_bytes = (uint32_t)meta_bytes;
	return ringfile_put_header(fd, &f, meta);
}

static int cut_segment(struct reader *r, struct redact *redact, size_t i, const uint8_t **ret_bytes,
		       size_t *ret_n)
{
	const struct reader_file src = reader_file(r);
	struct reader_segment s;
	uint8_t *redacted = NULL;
	int ret = reader_segment(r, i, &s);

	if (ret)
		return ret;
	*ret_bytes = s.bytes;
	*ret_n = s.n;
	if (!redact)
		return 0;
	ret = redact_segment(redact, src.decoder, s.h, s.bytes + s.h->header_bytes, src.header->slot_bytes,
			     &redacted, ret_n);
	*ret_bytes = redacted;
	return redact_error(ret);
}

/* The bytes [0, done) of the new file are on the disk. The disk writes the bytes [done, begun) now. */
struct cut_disk {
	uint64_t done, begun;
};

static int cut_step(const struct cut_options *opt, int fd, uint64_t end, struct cut_disk *disk)
{
	if (!opt->step)
		return 0;
	if (end >= disk->begun + CUT_PIECE_BYTES) {
		/* Waits until the previous piece is on the disk. Mostly it is there already: the disk wrote
		 * it while this piece was copied. */
		if (disk->begun > disk->done)
			(void)sync_file_range(fd, (off_t)disk->done, (off_t)(disk->begun - disk->done),
					      SYNC_FILE_RANGE_WAIT_BEFORE);
		(void)sync_file_range(fd, (off_t)disk->begun, (off_t)(end - disk->begun),
				      SYNC_FILE_RANGE_WRITE);
		*disk = (struct cut_disk){ .done = disk->begun, .begun = end };
	}
	return opt->step(opt->arg) ? 0 : -ECANCELED;
}

static int cut(struct reader *r, const struct cut_options *opt, struct redact *redact, int out_fd,
	       uint64_t *ret_segments, char err[READER_ERR_MAX])
{
	const struct reader_file src = reader_file(r);
	uint32_t slot_bytes = src.header->slot_bytes, slot = 1;
	uint64_t n = 0, from_ns = opt->from_ns, to_ns = opt->to_ns;
	struct cut_disk disk = { 0 };
	size_t a, b;
	int ret = reader_select(r, &from_ns, &to_ns, &a, &b, err);

	if (ret)
		return ret;
	for (size_t i = a; !ret && i < b; i++) {
		const uint8_t *bytes;
		size_t size;

		ret = cut_segment(r, redact, i, &bytes, &size);
		if (ret == -ESTALE || ret == -EBADMSG) {
			ret = 0;
			continue;
		}
		if (!ret)
			ret = pio_write(out_fd, bytes, size, (uint64_t)slot * slot_bytes);
		slot += (uint32_t)((size + slot_bytes - 1) / slot_bytes);
		n++;
		if (!ret)
			ret = cut_step(opt, out_fd, (uint64_t)slot * slot_bytes, &disk);
	}
	if (!ret && !n) {
		snprintf(err, READER_ERR_MAX, "no segment of %.200s in the window can be read", src.name);
		return -EBADMSG;
	}
	if (!ret && ftruncate(out_fd, (off_t)slot * slot_bytes))
		ret = -errno;
	if (!ret)
		ret = cut_header(r, redact, out_fd, slot - 1);
	if (!ret && fdatasync(out_fd))
		ret = -errno;
	if (ret == -EMSGSIZE)
		snprintf(
			err, READER_ERR_MAX,
			"cannot redact the snapshot: a part of it is too long for the format, because hashes are longer than names; choose another window");
	else if (ret)
		snprintf(
			err, READER_ERR_MAX, "cannot write the snapshot: %s%s", strerror(-ret),
			ret == -EPERM ? "; the file is sealed: send another one"
			: ret == -EFBIG
				? "; raise the limit on the size of files (ulimit -f), or choose another file system"
			: ret == -ECANCELED ? ""
					    : "; see that there is room where it goes");
	else
		*ret_segments = n;
	return ret;
}

int cut_window(struct reader *r, const struct cut_options *opt, int out_fd, uint64_t *ret_segments,
	       char err[READER_ERR_MAX])
{
	struct redact *redact = NULL;
	int ret = opt->redact ? redact_new(&redact) : 0;

	if (ret) {
		snprintf(err, READER_ERR_MAX, "cannot redact: %s", strerror(-ret));
		return ret;
	}
	ret = cut(r, opt, redact, out_fd, ret_segments, err);
	redact_free(redact);
	return ret;
}
