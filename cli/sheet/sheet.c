// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sheet/sheet.h"

#include <locale.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/sheet/pager.h"
#include "cli/sheet/wrap.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

void sheet_begin(struct sheet *s, enum sheet_how how)
{
	struct winsize size = { 0 };
	FILE *f;

	*s = (struct sheet){ .how = how };
	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	f = open_memstream(&s->text, &s->size);
	if (!f)
		return;
	s->rows = size.ws_row;
	s->columns = MAX((size_t)size.ws_col, (size_t)SHEET_COLUMNS_MIN);
	s->folds = how == SHEET_SHORT;
	s->terminal = stdout;
	stdout = f;
}

void sheet_next(struct sheet *s, enum line_kind kind, uint32_t group)
{
	if (!s->rows)
		return;
	fflush(stdout);
	/* if there is no memory for the mark, the next lines get the kind of the lines before them */
	(void)VEC_PUSH(&s->marks, (struct sheet_mark){ s->size, kind, group });
}

/* Prints a line in rows. f NULL: only counts them. Returns the number of rows. */
static size_t print_line(FILE *f, const struct sheet *sheet, const char *s)
{
	size_t columns = sheet->columns, width = columns, left = strlen(s), rows = 0;
	size_t indent = wrap_indent(s, columns);

	if (!indent && sheet->how == SHEET_TABLE)
		indent = SHEET_ROW_INDENT;

	do {
		size_t n = wrap_row(s, left, width), used = wrap_columns(s, n);

		if (f)
			fprintf(f, "%*s%.*s\n", rows ? (int)indent : 0, "", (int)n, s);
		/* the terminal itself breaks a word that is wider than a row */
		rows += MAX((used + (rows ? indent : 0) + columns - 1) / columns, (size_t)1);
		s += n;
		left -= n;
		n = strspn(s, " ");
		s += n;
		left -= n;
		width = columns - indent;
	} while (left);
	return rows;
}

typedef VEC(struct keep_line) keep_list;

/* Ends each line of s->text with a 0 in place of the newline. Adds the lines to *ret. Returns 0 or -ENOMEM.
 */
static int find_lines(struct sheet *s, keep_list *ret)
{
	struct sheet_mark mark = { .kind = LINE_KEEP };
	size_t m = 0;
	int r = 0;

	for (size_t at = 0; at < s->size && !r; at += strlen(s->text + at) + 1) {
		while (m < s->marks.n && s->marks.v[m].at <= at)
			mark = s->marks.v[m++];
		s->text[at + strcspn(s->text + at, "\n")] = 0;
		r = VEC_PUSH(ret, (struct keep_line){ .kind = mark.kind,
						      .group = mark.group,
						      .rows = print_line(NULL, s, s->text + at) });
	}
	return r;
}

static void print_row(const struct sheet *s, const char *line)
{
	_cleanup_free_ char *fit =
		s->how == SHEET_TABLE && *line == ' ' ? wrap_shorten(line, s->columns) : NULL;

	print_line(stdout, s, fit ? fit : line);
}

static void print_lines(const struct sheet *s, const keep_list *lines)
{
	const char *line = s->text;

	for (size_t i = 0; i < lines->n && !cli_output_broken(); i++, line += strlen(line) + 1)
		if (!lines->v[i].dropped)
			print_row(s, line);
}

static size_t rows_of(const keep_list *lines)
{
	size_t rows = 0;

	for (size_t i = 0; i < lines->n; i++)
		rows += lines->v[i].rows;
	return rows;
}

static size_t count_folds(const keep_list *lines)
{
	size_t n = 0;

	for (size_t i = 0; i < lines->n; i++)
		n += lines->v[i].dropped && lines->v[i].kind == LINE_FOLD;
	return n;
}

static void print_short(const struct sheet *s, keep_list *lines)
{
	size_t taken = SHEET_PROMPT + cli_said_rows(), room = s->rows - MIN(s->rows, taken);
	size_t left_out = s->hidden;

	if (left_out || rows_of(lines) > room)
		left_out += keep_lines(lines->v, lines->n, room ? room - 1 : 0) - count_folds(lines);
	print_lines(s, lines);
	if (left_out)
		printf("%zu more line%s: --full shows %s\n", left_out, text_s(left_out),
		       left_out == 1 ? "it" : "them");
}

static void print_paged(const struct sheet *s, const keep_list *lines)
{
	struct pager p;
	bool paged = rows_of(lines) + SHEET_PROMPT > s->rows && pager_begin(&p);

	print_lines(s, lines);
	if (paged)
		pager_end(&p);
}

static void show(struct sheet *s)
{
	keep_list lines = { 0 };

	if (find_lines(s, &lines))
		cli_error("the answer is cut off: out of memory; write it to a file");
	if (s->folds)
		print_short(s, &lines);
	else
		print_paged(s, &lines);
	VEC_FREE(&lines);
}

void sheet_end(struct sheet *s)
{
	if (!s->rows)
		return;
	fclose(stdout);
	stdout = s->terminal;
	/* for the width of characters; a shown text is UTF-8 */
	setlocale(LC_CTYPE, "C.UTF-8");
	show(s);
	free(s->text);
	VEC_FREE(&s->marks);
}
