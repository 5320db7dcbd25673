// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/usage.h"

#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_MIN  60 /* a narrower terminal breaks the lines itself */
#define OPTION_WIDTH 26

/* Returns the width of the terminal. SIZE_MAX: f is no terminal, or its width is not known. */
static size_t columns_of(FILE *f)
{
	/* output_begin() makes stdout a FILE without a descriptor. */
	int fd = f == stdout ? STDOUT_FILENO : fileno(f);
	struct winsize size = { 0 };

	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) || size.ws_col < COLUMNS_MIN)
		return SIZE_MAX;
	return size.ws_col;
}

/* Returns the length of the first piece of s, which has to stay on one line. A piece is a word, or a group in
 * brackets that takes at most `most` columns. */
static size_t piece(const char *s, size_t most)
{
	int depth = 0;
	size_t n = 0;

	for (; s[n] && ((s[n] != ' ' && s[n] != '\n') || depth > 0); n++)
		depth += (s[n] == '[' || s[n] == '{') - (s[n] == ']' || s[n] == '}');
	return n <= most ? n : strcspn(s, " \n");
}

/* Prints the text, and a newline. The cursor is in column `at`. All rows but the first are indented. Without
 * a width, the lines of the text are kept. */
static void put_text(FILE *f, const char *text, size_t at, size_t indent, size_t columns)
{
	if (columns == SIZE_MAX) {
		fprintf(f, "%s\n", text);
		return;
	}
	for (bool first = true; *text; first = false) {
		size_t n = piece(text, columns - indent);

		if (!first && at + 1 + n > columns) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', f);
			at++;
		}
		fprintf(f, "%.*s", (int)n, text);
		at += n;
		text += n;
		text += strspn(text, " \n");
	}
	fputc('\n', f);
}

void usage_print_line(FILE *f, const struct cli_usage *u)
{
	size_t at = (size_t)fprintf(f, "Usage: ctrace %s ", u->name);

	put_text(f, u->args, at, strlen("Usage: "), columns_of(f));
}

static void print_option(const struct cli_option *o, size_t columns)
{
	char left[64];
	int n = 0;

	if (o->key < 128)
		n = snprintf(left, sizeof(left), "  -%c, --%s", o->key, o->name);
	else
		n = snprintf(left, sizeof(left), "      --%s", o->name);
	if (o->arg && n > 0 && n < (int)sizeof(left))
		snprintf(left + n, sizeof(left) - n, " %s", o->arg);
	put_text(stdout, o->help, (size_t)printf("%-*s ", OPTION_WIDTH, left), OPTION_WIDTH + 1, columns);
}

/* Returns true if the list of words has the first n bytes of `word`. */
static bool lists(const char *list, const char *word, size_t n)
{
	for (size_t len; *list; list += len + (list[len] == ' ')) {
		len = strcspn(list, " ");
		if (len == n && !memcmp(list, word, n))
			return true;
	}
	return false;
}

const char *usage_instead(const struct cli_usage *u, const char *option)
{
	for (const struct cli_instead *i = u->instead; i && i->options; i++)
		if (lists(i->options, option, strcspn(option, "=")))
			return i->say;
	return NULL;
}

static void show(void (*print)(const void *arg), const void *arg)
{
	print(arg);
}

void (*usage_show)(void (*print)(const void *arg), const void *arg) = show;

static void print_help(const void *arg)
{
	const struct cli_usage *u = arg;
	size_t columns = columns_of(stdout);

	usage_print_line(stdout, u);
	put_text(stdout, u->about, 0, 0, columns);
	printf("\nOptions:\n");
	for (const struct cli_option *o = u->options; o->name; o++)
		print_option(o, columns);
	print_option(&(struct cli_option){ 'h', "help", NULL, "Show this help" }, columns);
	printf("\nMore: man ctrace-%s\n", u->name);
}

void usage_print_help(const struct cli_usage *u)
{
	usage_show(print_help, u);
}
