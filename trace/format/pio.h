/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pio.h - pread and pwrite of all the bytes. */
#ifndef CTRACE_TRACE_FORMAT_PIO_H
#define CTRACE_TRACE_FORMAT_PIO_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* 0, -ENODATA at the end of the file, or -errno. */
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

/* 0 or -errno, then some of it may have been written. */
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
