// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "trace/crc32c.h"
#include "trace/pio.h"
#include "trace/reader_file.h"

/* The segments are copied as they are: so the file keeps the id of its source. */
static int cut_header(const struct reader *r, int fd, uint32_t n_slots)
{
	struct format_file f = r->index.file;
	_cleanup_free_ uint8_t *buf = malloc(sizeof(f) + r->meta_bytes);

	if (!buf)
		return -ENOMEM;
	f.major = FORMAT_MAJOR;
	f.minor = FORMAT_MINOR;
	f.header_bytes = sizeof(f);
	f.n_slots = n_slots;
	f.n_cpus = r->info.n_cpus;
	f.meta_bytes = (uint32_t)r->meta_bytes;
	f.crc = 0;
	memcpy(buf, &f, sizeof(f));
	memcpy(buf + sizeof(f), r->meta, r->meta_bytes);
	f.crc = crc32c(0, buf, sizeof(f) + r->meta_bytes);
	memcpy(buf, &f, sizeof(f));
	return pio_write(fd, buf, sizeof(f) + r->meta_bytes, 0);
}

int snapshot_cut(struct reader *r, uint64_t from_ns, uint64_t to_ns, int out_fd, uint64_t *ret_segments,
		 char err[READER_ERR_MAX])
{
	uint32_t slot_bytes = r->index.file.slot_bytes, slot = 1;
	uint64_t n = 0;
	size_t a, b;
	int ret = reader_select(r, &from_ns, &to_ns, &a, &b, err);

	if (ret)
		return ret;
	for (size_t i = a; !ret && i < b; i++) {
		ret = reader_segment(r, i);
		if (ret == -ESTALE || ret == -EBADMSG) {
			/* It stays out; the hole in the sequence tells readers of the cut. */
			ret = 0;
			continue;
		}
		if (!ret)
			ret = pio_write(out_fd, r->buf.v, r->buf.n, (uint64_t)slot * slot_bytes);
		slot += r->index.segments.v[i].h.n_slots;
		n++;
	}
	if (!ret && !n) {
		snprintf(err, READER_ERR_MAX, "no segment of %.200s in the window can be read", r->name);
		return -EBADMSG;
	}
	if (!ret && ftruncate(out_fd, (off_t)slot * slot_bytes))
		ret = -errno;
	if (!ret)
		ret = cut_header(r, out_fd, slot - 1);
	if (!ret && fdatasync(out_fd))
		ret = -errno;
	if (ret)
		snprintf(err, READER_ERR_MAX, "cannot write the snapshot: %s; see that there is room where it goes", strerror(-ret));
	else
		*ret_segments = n;
	return ret;
}
