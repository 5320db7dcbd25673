// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/export/table.h"

#include <inttypes.h>
#include <string.h>

#include "cli/text.h"
#include "trace/words/describe.h"

/* bytes: a longer name is cut in CSV */
#define CELL_MAX 4096

void table_begin(struct table *t)
{
	for (size_t i = 0; t->csv && t->columns[i]; i++)
		fprintf(t->f, "%s%s", i ? "," : "", t->columns[i]);
	if (t->csv)
		fputs("\n", t->f);
}

static void begin_value(struct table *t)
{
	if (t->csv)
		fputs(t->at ? "," : "", t->f);
	else
		fprintf(t->f, "%s\"%s\":", t->at ? "," : "{", t->columns[t->at]);
}

static void end_value(struct table *t)
{
	if (t->columns[++t->at])
		return;
	fputs(t->csv ? "\n" : "}\n", t->f);
	t->at = 0;
}

void table_number(struct table *t, int64_t v)
{
	begin_value(t);
	fprintf(t->f, "%" PRId64, v);
	end_value(t);
}

void table_bool(struct table *t, bool v)
{
	begin_value(t);
	fputs(v ? "true" : "false", t->f);
	end_value(t);
}

void table_none(struct table *t)
{
	begin_value(t);
	if (!t->csv)
		fputs("null", t->f);
	end_value(t);
}

void table_word(struct table *t, const char *word)
{
	if (!word || !*word) {
		table_none(t);
		return;
	}
	begin_value(t);
	fprintf(t->f, t->csv ? "%s" : "\"%s\"", word);
	end_value(t);
}

static void put_cell(FILE *f, const char *text)
{
	char shown[CELL_MAX];

	describe_clean(text, shown, sizeof(shown));
	putc('"', f);
	if (*shown && strchr("=+-@", *shown))
		putc('\'', f);
	for (const char *s = shown; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

void table_text(struct table *t, const char *text)
{
	if (!*text) {
		table_none(t);
		return;
	}
	begin_value(t);
	if (t->csv)
		put_cell(t->f, text);
	else
		text_put_json(t->f, text);
	end_value(t);
}
