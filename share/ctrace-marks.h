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
 * A server that gets the header `traceparent` (W3C Trace Context) with its requests can mark it: see
 * ctrace-traceparent.h.
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

#include <stdint.h>

#ifdef __cplusplus
#define CTRACE_MARKS_U64(number) static_cast<uint64_t>(number)
#else
#define CTRACE_MARKS_U64(number) ((uint64_t)(number))
#endif

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
			: "r"(CTRACE_MARKS_U64(id))                                                          \
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

#endif
