/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keep.h - chooses the lines of an answer that fit on a screen. Pure. */
#ifndef CTRACE_CLI_SHEET_KEEP_H
#define CTRACE_CLI_SHEET_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of the first kind are dropped first. */
enum line_kind {
	LINE_KERNEL, /* stands for the folded kernel frames of a stack */
	LINE_LIBC,
	LINE_FRAME,
	LINE_MIDDLE, /* a task between the victim and the root cause */
	LINE_CHOICE, /* a decision after the first one */
	LINE_DETAIL,
	LINE_KEEP, /* never dropped */
};

struct keep_line {
	enum line_kind kind;
	uint32_t group;
	size_t rows;
	bool dropped;
};

/* Drops single lines until the others take at most `rows` rows, or only lines of LINE_KEEP are left. Of the
 * first kind that still has lines, drops the last line of the group with the most lines of this kind. If
 * several groups have the most lines, takes the first of them. With the second line of a group of
 * LINE_DETAIL, drops the first one too: it is the heading. Returns the number of dropped lines. */
size_t keep_lines(struct keep_line *v, size_t n, size_t rows);

#endif
