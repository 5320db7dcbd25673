/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * ctrace-traceparent.h - for servers that get the header `traceparent` (W3C Trace Context) with their
 * requests. Copy this file and ctrace-marks.h into your program.
 *
 *	ctrace_mark_traceparent(fd, text, length);
 *
 * Then ctrace export --format otlp gives the spans of this request the trace id and the parent of the
 * header. It takes four marks.
 *
 * fd: the socket of the connection. -1: not known; then the thread has to be the one that read the request
 *     from the connection, and must have no other request under way
 * text: the value of the header, such as "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01". It may
 *     have any bytes
 *
 * Call the function after the request was read, and before its answer is sent. It returns 1. If the header is
 * not valid, it makes no mark, and returns 0. It does not change errno.
 *
 * Call it from one source file of the program: each source file with a call has four marks of its own, and at
 * most 64 marks of a file are recorded.
 *
 * If fd is known, each call makes one system call (fstat), also while ctrace records nothing.
 *
 * For C and C++ on Linux, gcc and clang, x86-64 and arm64. On other machines the function only checks the
 * header.
 */
#ifndef CTRACE_TRACEPARENT_H
#define CTRACE_TRACEPARENT_H

#include <errno.h>
#include <stddef.h>

#include "ctrace-marks.h"

#if defined(__linux__)
#include <sys/stat.h>
#endif

/* noinline and noclone: so that a file with many callers still has only four of these marks. */
#if defined(__clang__)
#define CTRACE_TRACEPARENT_FUNCTION static __attribute__((__noinline__, __unused__))
#elif defined(__GNUC__)
#define CTRACE_TRACEPARENT_FUNCTION static __attribute__((__noinline__, __noclone__, __unused__))
#else
#define CTRACE_TRACEPARENT_FUNCTION static
#endif

/* Reads n hexadecimal digits: 0 to 9 and a to f, as the standard wants. Returns 0 if there are others. */
CTRACE_TRACEPARENT_FUNCTION int ctrace_traceparent_hex(const char *text, unsigned n, uint64_t *value)
{
	unsigned i;

	*value = 0;
	for (i = 0; i < n; i++) {
		char c = text[i];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return 0;
		*value = *value << 4 | CTRACE_MARKS_U64(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return 1;
}

/* The inode number of a socket is also the number by which ctrace knows the socket. Returns 0 if fd is not
 * a socket. */
CTRACE_TRACEPARENT_FUNCTION uint64_t ctrace_traceparent_socket(int fd)
{
	uint64_t number = 0;
#if defined(__linux__)
	struct stat st;
	int error = errno;

	/* S_IFMT and S_IFSOCK, which are not defined in strict modes of C */
	if (fd >= 0 && !fstat(fd, &st) && (st.st_mode & 0170000) == 0140000)
		number = st.st_ino;
	errno = error;
#else
	(void)fd;
#endif
	return number;
}

CTRACE_TRACEPARENT_FUNCTION int ctrace_mark_traceparent(int fd, const char *text, size_t length)
{
	uint64_t version, high, low, parent, flags;

	if (length < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-' ||
	    !ctrace_traceparent_hex(text, 2, &version) || !ctrace_traceparent_hex(text + 3, 16, &high) ||
	    !ctrace_traceparent_hex(text + 19, 16, &low) || !ctrace_traceparent_hex(text + 36, 16, &parent) ||
	    !ctrace_traceparent_hex(text + 53, 2, &flags))
		return 0;
	/* Version 255 is not valid. Version 0 has 55 bytes; later versions may go on after a '-'. */
	if (version == 255 || (length > 55 && (!version || text[55] != '-')) || !(high | low) || !parent)
		return 0;
	ctrace_mark_point("traceparent.socket", ctrace_traceparent_socket(fd));
	ctrace_mark_point("traceparent.trace-high", high);
	ctrace_mark_point("traceparent.trace-low", low);
	ctrace_mark_point("traceparent.parent", parent);
	return 1;
}

#endif
