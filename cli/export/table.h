/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - private to cli/export: a table as CSV (RFC 4180, but lines end with a newline only) or as JSON
 * Lines. A row has a value for each column, in order.
 *
 * CSV: a missing value is empty. Names are in their shown form (lib/clean.h). A name that a spreadsheet
 * would take for a formula begins with an apostrophe.
 */
#ifndef CTRACE_CLI_EXPORT_TABLE_H
#define CTRACE_CLI_EXPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct table {
	FILE *f;
	bool csv;
	const char *const *columns; /* ends with NULL */
	size_t at;
};

/* Writes the names of the columns, if the format has them in a line of their own. */
void table_begin(struct table *t);
void table_number(struct table *t, int64_t v);
void table_bool(struct table *t, bool v);
void table_none(struct table *t);
/* For words of ctrace itself. NULL or "": no value. */
void table_word(struct table *t, const char *word);
/* For names, which may have any bytes. "": no value. */
void table_text(struct table *t, const char *text);

#endif
