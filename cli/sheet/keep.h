/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keep.h - chooses the lines of an answer that fit on a screen. Pure. */
#ifndef CTRACE_CLI_SHEET_KEEP_H
#define CTRACE_CLI_SHEET_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of the first kind are dropped first. */
enum line_kind {
	LINE_FOLD, /* stands for folded frames of a stack */
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

/* Drops one line after the other, until the lines that are left take at most `rows` rows, or only
 * lines of LINE_KEEP are left. Returns the number of dropped lines. Finds the line to drop in three
 * steps:
 * - the first kind of enum line_kind that still has lines;
 * - the group with the most lines of this kind, or the first of several such groups;
 * - the last line of this kind in this group.
 *
 * The first LINE_DETAIL line of a group is a heading. If only the heading is left of these lines,
 * the heading is dropped too. */
size_t keep_lines(struct keep_line *v, size_t n, size_t rows);

#endif
