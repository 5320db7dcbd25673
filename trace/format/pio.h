/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pio.h - pread(2) and pwrite(2) that go on until all bytes are done. Any thread. */
#ifndef CTRACE_TRACE_FORMAT_PIO_H
#define CTRACE_TRACE_FORMAT_PIO_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* Returns 0, -errno of pread(2), or -ENODATA if the file ends too early. */
static inline int pio_read(int fd, void *to, size_t n, uint64_t offset)
{
	uint8_t *p = to;

	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		p += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

/* Returns 0 or -errno of pwrite(2). After a failure, some bytes may be in the file. */
static inline int pio_write(int fd, const void *from, size_t n, uint64_t offset)
{
	const uint8_t *p = from;

	while (n) {
		ssize_t put = pwrite(fd, p, n, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		p += put;
		n -= (size_t)put;
		offset += (uint64_t)put;
	}
	return 0;
}

#endif
