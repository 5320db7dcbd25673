// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "test/unit/text/text_line.h"

void text_line_fail(struct text_line *l, const char *fmt, ...)
{
	va_list ap;

	if (l->error[0])
		return;
	va_start(ap, fmt);
	vsnprintf(l->error, sizeof(l->error), fmt, ap);
	va_end(ap);
}

static char unescape(const char **at)
{
	char hex[3] = { 0 };

	switch (*++*at) {
	case 'n':
		return '\n';
	case 'x':
		hex[0] = isxdigit((unsigned char)(*at)[1]) ? *++*at : '0';
		hex[1] = isxdigit((unsigned char)(*at)[1]) ? *++*at : '\0';
		return (char)strtoul(hex, NULL, 16);
	default:
		return **at;
	}
}

static const char *cut(struct text_line *l, const char *in, char **out)
{
	size_t i = l->n;

	if (i == TEXT_WORDS_MAX) {
		text_line_fail(l, "more than %d words", TEXT_WORDS_MAX);
		return in + strlen(in);
	}
	l->words[l->n++] = *out;
	for (bool quoted = false; *in && (quoted || !isspace((unsigned char)*in)); in++) {
		if (*in == '"') {
			quoted = !quoted;
			continue;
		}
		l->field[i] = l->field[i] || (*in == '=' && !quoted && *out > l->words[i] && in[1] != '>');
		if (quoted && *in == '\\' && in[1])
			*(*out)++ = unescape(&in);
		else
			*(*out)++ = *in;
	}
	*(*out)++ = '\0';
	return in;
}

void text_line_init(struct text_line *l, const char *line)
{
	char *out;

	*l = (struct text_line){ .buf = malloc(2 * strlen(line) + 2) };
	if (!l->buf)
		abort();
	out = l->buf;
	for (;;) {
		while (isspace((unsigned char)*line))
			line++;
		if (!*line || *line == '#')
			return;
		line = cut(l, line, &out);
	}
}

void text_line_free(struct text_line *l)
{
	free(l->buf);
	l->buf = NULL;
}

static size_t first_left(const struct text_line *l)
{
	size_t i = 0;

	while (i < l->n && (l->taken[i] || l->field[i]))
		i++;
	return i;
}

const char *text_line_more(struct text_line *l)
{
	size_t i = first_left(l);

	if (i == l->n)
		return NULL;
	l->taken[i] = true;
	return l->words[i];
}

const char *text_line_next(struct text_line *l, const char *what)
{
	const char *word = text_line_more(l);

	if (!word)
		text_line_fail(l, "expected %s, not the end of the line", what);
	return word ? word : "";
}

bool text_line_skip(struct text_line *l, const char *word)
{
	size_t i = first_left(l);

	if (i == l->n || strcmp(l->words[i], word) != 0)
		return false;
	return l->taken[i] = true;
}

const char *text_line_field(struct text_line *l, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i < l->n; i++)
		if (l->field[i] && !l->taken[i] && !strncmp(l->words[i], key, n) && l->words[i][n] == '=') {
			l->taken[i] = true;
			return l->words[i] + n + 1;
		}
	return NULL;
}

bool text_line_done(struct text_line *l, const char *usage)
{
	for (size_t i = 0; i < l->n; i++)
		if (!l->taken[i])
			text_line_fail(l, "unknown word \"%s\"; expected: %s", l->words[i], usage);
	return !l->error[0];
}

uint64_t text_number(struct text_line *l, const char *word)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = *word == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
	if (errno || end == word || *end)
		text_line_fail(l, "expected a number, not \"%s\"", word);
	return l->error[0] ? 0 : n;
}

uint64_t text_time(struct text_line *l, const char *word)
{
	static const struct text_word units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 }
	};
	uint64_t whole, part = 0, scale = 1;
	char *end = (char *)word;

	if (!strcmp(word, "0"))
		return 0;
	whole = isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
	if (end != word && *end == '.')
		for (end++; isdigit((unsigned char)*end) && scale < 1000000000; end++, scale *= 10)
			part = part * 10 + (uint64_t)(*end - '0');
	for (const struct text_word *u = units; end != word && u->word; u++)
		if (!strcmp(end, u->word))
			return whole * u->value + part * u->value / scale;
	text_line_fail(l, "expected a time as 12ns, 5us, 1.5ms or 2s, not \"%s\"", word);
	return 0;
}

void text_range(struct text_line *l, const char *word, uint64_t *ret_from, uint64_t *ret_to)
{
	_cleanup_free_ char *from = strdup(word);
	char *to = from ? strstr(from, "..") : NULL;

	*ret_from = *ret_to = 0;
	if (!to) {
		text_line_fail(l, "expected a range as 10ms..50ms, not \"%s\"", word);
		return;
	}
	*to = '\0';
	*ret_from = text_time(l, from);
	*ret_to = text_time(l, to + 2);
}

static void fail_word(struct text_line *l, const char *word, const struct text_word *words)
{
	char list[TEXT_ERROR_MAX] = "";
	size_t n = 0;

	for (; words->word && n < sizeof(list); words++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, " %s", words->word);
	text_line_fail(l, "expected one of%s, not \"%s\"", list, word);
}

uint64_t text_one_of(struct text_line *l, const char *word, const struct text_word *words)
{
	for (const struct text_word *w = words; w->word; w++)
		if (!strcmp(word, w->word))
			return w->value;
	fail_word(l, word, words);
	return 0;
}

uint64_t text_flags(struct text_line *l, const char *word, const struct text_word *words)
{
	_cleanup_free_ char *copy = strdup(word);
	uint64_t sum = 0;

	for (char *save, *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save))
		sum |= text_one_of(l, w, words);
	return sum;
}

const char *text_put_time(uint64_t ns, char *buf)
{
	int n = snprintf(buf, TEXT_TIME_MAX, "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);

	while (buf[n - 1] == '0')
		n--;
	if (buf[n - 1] == '.')
		n--;
	snprintf(buf + n, TEXT_TIME_MAX - (size_t)n, "ms");
	return buf;
}
