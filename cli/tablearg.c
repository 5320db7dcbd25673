// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/tablearg.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "trace/words/words.h"

static int say_unknown(const struct cli_usage *usage, const char *word, const char *const *columns)
{
	_cleanup_free_ char *names = NULL;
	struct words t = { 0 };

	for (size_t i = 0; columns[i]; i++)
		words_add(&t, "%s%s", !i ? "" : columns[i + 1] ? ", " : " or ", columns[i]);
	names = words_take(&t);
	return cli_usage_error(usage, "--sort %s: there is no such column; give %s", word,
			       names ? names : columns[0]);
}

int tablearg_column(const struct cli_usage *usage, const struct tablearg *t, const char *const *columns,
		    bool json, unsigned *ret)
{
	unsigned i = 0;

	while (t->sort && columns[i] && strcmp(columns[i], t->sort) != 0)
		i++;
	if (!columns[i])
		return say_unknown(usage, t->sort, columns);
	if (t->sort && json)
		return cli_usage_error(usage,
				       "give --sort without JSON: the reader of the JSON can sort its rows");
	*ret = i;
	return CLI_OK;
}

struct row {
	struct tablearg_key key;
	uint32_t index;
};

static int row_cmp(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int r = x->key.name && y->key.name ? strcmp(x->key.name, y->key.name) : 0;

	if (r)
		return r;
	if (x->key.number != y->key.number)
		return x->key.number > y->key.number ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int tablearg_order(unsigned column, size_t n, tablearg_key_fn key, const void *arg, uint32_t **ret)
{
	_cleanup_free_ struct row *rows = NULL;
	uint32_t *order;

	*ret = NULL;
	if (!column)
		return CLI_OK;
	rows = calloc(n + 1, sizeof(*rows));
	order = calloc(n + 1, sizeof(*order));
	if (!rows || !order) {
		free(order);
		return cli_error("out of memory");
	}
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct row){ key(arg, i, column), (uint32_t)i };
	qsort(rows, n, sizeof(*rows), row_cmp);
	for (size_t i = 0; i < n; i++)
		order[i] = rows[i].index;
	*ret = order;
	return CLI_OK;
}
