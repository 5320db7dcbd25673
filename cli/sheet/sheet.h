/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sheet.h - an answer on a terminal: lines that fit its width, on one screen or in a pager. If stdout is no
 * terminal, or its size is not known, the answer is printed as it is. One thread.
 */
#ifndef CTRACE_CLI_SHEET_SHEET_H
#define CTRACE_CLI_SHEET_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/sheet/keep.h"
#include "lib/vec.h"

enum sheet_how {
	SHEET_SHORT, /* lines are wrapped; if the answer is longer than the screen, some are left out */
	SHEET_FULL,  /* lines are wrapped; if the answer is longer than the screen, a pager shows it */
	SHEET_TABLE, /* as SHEET_FULL, but first the long words of indented lines are shortened */
};

struct sheet {
	enum sheet_how how;
	bool folds;    /* the answer is shortened for a terminal, so the caller may fold lines */
	size_t hidden; /* lines of the full answer that the caller has not printed */

	/* The members below are private. */
	size_t rows, columns; /* of the terminal; 0: not known, or no terminal */
	FILE *terminal;
	char *text;
	size_t size;
	VEC(struct sheet_mark {
		size_t at;
		enum line_kind kind;
		uint32_t group;
	})
	marks;
};

/* Up to sheet_end(), the sheet collects what the caller prints to stdout. */
void sheet_begin(struct sheet *s, enum sheet_how how);
/* For SHEET_SHORT: sets the kind and the group (keep.h) of the lines that follow. Before the first
 * call, the kind is LINE_KEEP. */
void sheet_next(struct sheet *s, enum line_kind kind, uint32_t group);
void sheet_end(struct sheet *s);

#endif
