/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tablearg.h - the options --sort COLUMN and --limit N of a command that prints a table. One thread. */
#ifndef CTRACE_CLI_TABLEARG_H
#define CTRACE_CLI_TABLEARG_H

#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

struct tablearg {
	const char *sort; /* NULL: the default order */
	uint32_t limit;   /* 0: the default of the command */
};

/* Rows for an array of options. member: a struct tablearg in `type`. columns: their names, for the help.
 * limit_help: what the option --limit limits, and its default. */
#define TABLEARG_OPTIONS(type, member, columns, limit_help)                                                  \
	{ CLI_TEXT(type, member.sort), "sort", "COLUMN", "sort by " columns },                               \
	{                                                                                                    \
		CLI_NUMBER(type, member.limit), "limit", "N", limit_help                                     \
	}
#define TABLEARG_USAGE "[--sort COLUMN] [--limit N]"
/* For the member `instead` of a command without a table. */
#define TABLEARG_NONE                                                                                                               \
	{                                                                                                                           \
		"sort limit",                                                                                                       \
			"this command prints no table; hangs, path, requests, jobs, transactions, patterns, crashes and compare do" \
	}

/* Finds the column of --sort. columns: ends with NULL; the first one is the default order. json: the command
 * prints JSON, which is not sorted. Prints its errors, and returns an exit code. */
int tablearg_column(const struct cli_usage *usage, const struct tablearg *t, const char *const *columns,
		    bool json, unsigned *ret);

/* The value of a row in the column. A name is used only if it is not NULL. */
struct tablearg_key {
	uint64_t number;
	const char *name;
};
typedef struct tablearg_key (*tablearg_key_fn)(const void *arg, size_t row, unsigned column);

/* Sets *ret to the indices of the n rows in the order of the column: the largest number first, or the names
 * in the order of the alphabet. Rows with the same value keep their order. Column 0: sets *ret to NULL. The
 * caller frees *ret. Prints its error, and returns an exit code. */
int tablearg_order(unsigned column, size_t n, tablearg_key_fn key, const void *arg, uint32_t **ret);
/* Returns the index of the i-th row to show. */
static inline size_t tablearg_row(const uint32_t *order, size_t i)
{
	return order ? order[i] : i;
}

#endif
