/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * ctrace-marks.h - for programs that mark the begin and end of their transactions, such as the
 * handling of an order. Copy this file into your program.
 *
 *	ctrace_mark_begin("checkout", order);
 *	...
 *	ctrace_mark_end("checkout", order);
 *	ctrace_mark_point("cache-miss", 0);	a moment, not a transaction
 *
 * The first argument is the name: a string literal of 1 to 48 letters, digits, '-', '_' and '.'. The
 * second argument is the id of the transaction, a number.
 *
 * 0 means that the transaction has no id. Then one thread has to mark both begin and end. It has to
 * end this transaction before it begins another one of the same name. With an id, different threads
 * and processes may mark begin and end. Two transactions of one name that are under way at the same
 * time need different ids.
 *
 * Each mark compiles to a nop instruction, and to a note with its address in the ELF file. The note
 * has the format of <sys/sdt.h>, so other tools find it too, for example as
 * ctrace_marks:begin:checkout.
 *
 * A server that gets the header `traceparent` (W3C Trace Context) with its requests can report it:
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
 * The function has to be called after the request was read, and before its answer is sent. It returns 1. If
 * the header is not valid, it makes no mark, and returns 0.
 *
 * ctraced records the marks only with the setting "frameworks = /path/to/program", and ctrace record
 * only with the option --frameworks /path/to/program. Each mark then takes about a microsecond. At
 * most 64 marks of a file are recorded. If the compiler inlines a function with a mark, each copy
 * counts as a mark.
 *
 * For C and C++, gcc and clang, x86-64 and arm64. On other machines the marks do nothing.
 */
#ifndef CTRACE_MARKS_H
#define CTRACE_MARKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define CTRACE_MARKS_CHECK(name) ((void)sizeof(char[sizeof("" name) > 1 && sizeof("" name) <= 49 ? 1 : -1]))

#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
#define CTRACE_MARKS_NOTE(what, name, id)                                                                    \
	do {                                                                                                 \
		CTRACE_MARKS_CHECK(name);                                                                    \
		__asm__ __volatile__(                                                                        \
			"990:	nop\n"                                                                         \
			"	.pushsection .note.stapsdt,\"?\",\"note\"\n"                                       \
			"	.balign 4\n"                                                                       \
			"	.4byte 992f-991f, 994f-993f, 3\n"                                                  \
			"991:	.asciz \"stapsdt\"\n"                                                          \
			"992:	.balign 4\n"                                                                   \
			"993:	.8byte 990b\n"                                                                 \
			"	.8byte _.stapsdt.base\n"                                                           \
			"	.8byte 0\n"                                                                        \
			"	.asciz \"ctrace_marks\"\n"                                                         \
			"	.asciz \"" what ":" name "\"\n"                                              \
			"	.asciz \"8@%0\"\n"                                                                 \
			"994:	.balign 4\n"                                                                   \
			"	.popsection\n"                                                                     \
			"	.ifndef _.stapsdt.base\n"                                                          \
			"	.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"             \
			"	.weak _.stapsdt.base\n"                                                            \
			"	.hidden _.stapsdt.base\n"                                                          \
			"_.stapsdt.base: .space 1\n"                                                         \
			"	.size _.stapsdt.base, 1\n"                                                         \
			"	.popsection\n"                                                                     \
			"	.endif\n"                                                                          \
			:                                                                                    \
			: "r"((uint64_t)(id))                                                                \
			: "memory");                                                                         \
	} while (0)
#else
#define CTRACE_MARKS_NOTE(what, name, id)                                                                    \
	do {                                                                                                 \
		CTRACE_MARKS_CHECK(name);                                                                    \
		(void)(id);                                                                                  \
	} while (0)
#endif

#define ctrace_mark_begin(name, id) CTRACE_MARKS_NOTE("begin", name, id)
#define ctrace_mark_end(name, id)   CTRACE_MARKS_NOTE("end", name, id)
#define ctrace_mark_point(name, id) CTRACE_MARKS_NOTE("point", name, id)

/* Reads n hexadecimal digits: 0 to 9 and a to f, as the standard wants. Returns 0 if there are others. */
static inline int ctrace_marks_hex(const char *text, unsigned n, uint64_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < n; i++) {
		char c = text[i];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return 0;
		*value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return 1;
}

/* A function of its own, so that a file with many callers still has only four of these marks. */
#if defined(__GNUC__)
__attribute__((noinline, unused))
#endif
static int
ctrace_mark_traceparent(int fd, const char *text, size_t length)
{
	struct stat st;
	uint64_t version, high, low, parent, flags;

	if (length < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-' ||
	    !ctrace_marks_hex(text, 2, &version) || !ctrace_marks_hex(text + 3, 16, &high) ||
	    !ctrace_marks_hex(text + 19, 16, &low) || !ctrace_marks_hex(text + 36, 16, &parent) ||
	    !ctrace_marks_hex(text + 53, 2, &flags))
		return 0;
	/* Version 255 is not valid. Version 0 has 55 bytes; later versions may go on after a '-'. */
	if (version == 255 || (length > 55 && (!version || text[55] != '-')) || !(high | low) || !parent)
		return 0;
	/* The inode number of a socket is also the number by which ctrace knows the socket. */
	ctrace_mark_point("traceparent.socket",
			  fd >= 0 && !fstat(fd, &st) && S_ISSOCK(st.st_mode) ? st.st_ino : 0);
	ctrace_mark_point("traceparent.trace-high", high);
	ctrace_mark_point("traceparent.trace-low", low);
	ctrace_mark_point("traceparent.parent", parent);
	return 1;
}

#endif
