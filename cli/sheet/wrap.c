// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sheet/wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/utf8.h"

#define ESC     '\033'
#define CUT     "..."
#define CUT_LEN (sizeof(CUT) - 1)

/* Returns how many bytes the character or escape sequence at s has. s is not empty. *ret_columns:
 * how many columns the character takes; 0 for an escape sequence. */
static size_t step(const char *s, size_t *ret_columns)
{
	size_t n = utf8_len(s);
	int columns = 1;

	if (*s == ESC) {
		*ret_columns = 0;
		n = strcspn(s, "m");
		return n + (s[n] == 'm');
	}
	if (n > 1)
		columns = wcwidth((wchar_t)utf8_code(s, n));
	*ret_columns = columns < 0 ? 1 : (size_t)columns;
	return n ? n : 1;
}

size_t wrap_columns(const char *s, size_t n)
{
	size_t all = 0, columns;

	for (size_t i = 0; i < n; all += columns)
		i += step(s + i, &columns);
	return all;
}

/* s: the text after a number and a space. Returns true if s begins with a unit or with more digits.
 * Then no row may end between the number and s. */
static bool belongs_to_number(const char *s)
{
	static const char *const units[] = { "%",   "ns",  "us",  "ms",  "s",     "min", "h",
					     "KiB", "MiB", "GiB", "TiB", "bytes", "CPU", "CPUs" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t n = strlen(units[i]);

		if (!strncmp(s, units[i], n) && !isalnum((unsigned char)s[n]))
			return true;
	}
	return isdigit((unsigned char)*s);
}

static bool may_break(const char *s, size_t i)
{
	if (s[i] != ' ')
		return false;
	if (i && isdigit((unsigned char)s[i - 1]))
		return !belongs_to_number(s + i + 1);
	return i < 2 || memcmp(s + i - 2, "->", 2) != 0;
}

size_t wrap_row(const char *s, size_t n, size_t width)
{
	size_t i = strspn(s, " "), used = i, columns, last = 0;

	while (i < n) {
		if (may_break(s, i) && s[i - 1] != ' ') {
			if (used > width)
				return last ? last : i;
			last = i;
		}
		i += step(s + i, &columns);
		used += columns;
	}
	return used > width && last ? last : n;
}

size_t wrap_indent(const char *s, size_t width)
{
	size_t lead = strspn(s, " ");

	return lead ? MIN(lead + SHEET_INDENT, width / 2) : 0;
}

struct word {
	const char *s;
	size_t len;
	size_t columns, keep;
};

static size_t find_words(const char *s, struct word *v)
{
	size_t n = 0;

	while (*(s += strspn(s, " "))) {
		size_t len = strcspn(s, " "), columns = wrap_columns(s, len);

		/* a word with an escape sequence stays whole */
		v[n++] = (struct word){ s, len, memchr(s, ESC, len) ? 0 : columns, columns };
		s += len;
	}
	return n;
}

static struct word *widest(struct word *v, size_t n)
{
	struct word *w = NULL;

	for (size_t i = 0; i < n; i++)
		if (v[i].columns && (!w || v[i].keep > w->keep))
			w = &v[i];
	return w;
}

/* Makes the widest word one column narrower, again and again, until `excess` columns are saved, or
 * no word is wider than `least` columns. Returns how many columns are still too many. */
static size_t choose(struct word *v, size_t n, size_t excess, size_t least)
{
	struct word *w;

	while (excess && (w = widest(v, n)) && w->keep > least) {
		w->keep--;
		excess--;
	}
	return excess;
}

/* Returns how many bytes at the start of a word take at most `columns` columns. */
static size_t bytes_of(const char *s, size_t len, size_t columns)
{
	size_t i = 0, used = 0, next;

	while (i < len) {
		size_t n = step(s + i, &next);

		if (used + next > columns)
			break;
		used += next;
		i += n;
	}
	return i;
}

static char *put_word(char *out, const struct word *w)
{
	size_t left = w->keep - CUT_LEN, head, tail;

	if (w->keep >= w->columns || w->keep < CUT_LEN || !w->columns) {
		memcpy(out, w->s, w->len);
		return out + w->len;
	}
	head = bytes_of(w->s, w->len, left / 2);
	tail = bytes_of(w->s, w->len, w->columns - (left - left / 2));
	/* a wide character that is partly in the cut is left out as a whole */
	if (wrap_columns(w->s + tail, w->len - tail) > left - left / 2) {
		size_t columns;

		tail += step(w->s + tail, &columns);
	}
	memcpy(out, w->s, head);
	memcpy(out + head, CUT, CUT_LEN);
	memcpy(out + head + CUT_LEN, w->s + tail, w->len - tail);
	return out + head + CUT_LEN + w->len - tail;
}

static void put_words(char *out, const char *s, const struct word *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t gap = (size_t)(v[i].s - s);

		memcpy(out, s, gap);
		out = put_word(out + gap, &v[i]);
		s = v[i].s + v[i].len;
	}
	strcpy(out, s);
}

char *wrap_shorten(const char *s, size_t width)
{
	size_t len = strlen(s), columns = wrap_columns(s, len), n;
	_cleanup_free_ struct word *v = malloc((len / 2 + 1) * sizeof(*v));
	char *out = malloc(len + 1);

	if (!v || !out) {
		free(out);
		return NULL;
	}
	n = find_words(s, v);
	if (columns > width && choose(v, n, columns - width, SHEET_WORD)) {
		n = find_words(s, v);
		(void)choose(v, n, columns - width, width / 2);
	}
	put_words(out, s, v, n);
	return out;
}
