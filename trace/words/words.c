// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clean.h"
#include "lib/cleanup.h"

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:+@%/-"

void words_add(struct words *t, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (t->failed || n < 0)
		return;
	s = realloc(t->s, t->n + (size_t)n + 1);
	if (!s) {
		t->failed = true;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(s + t->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	t->s = s;
	t->n += (size_t)n;
}

void words_duration(struct words *t, uint64_t ns)
{
	double s = (double)ns / 1e9;

	if (s >= 100)
		words_add(t, "%.0f s", s);
	else if (s >= 0.9995)
		words_add(t, "%.1f s", s);
	else if (ns >= 1000000)
		words_add(t, "%.0f ms", s * 1e3);
	else
		words_add(t, "%.0f us", s * 1e6);
}

void words_bytes(struct words *t, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes;
	size_t u = 0;

	for (; v >= 1024 && u + 1 < ARRAY_SIZE(units); u++)
		v /= 1024;
	words_add(t, u && v < 100 ? "%.1f %s" : "%.0f %s", v, units[u]);
}

static bool has_control(const char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			return true;
	return false;
}

void words_add_quoted(struct words *t, const char *s, const char *unknown)
{
	if (has_control(s) || !*s) {
		words_add(t, "%s", unknown);
		return;
	}
	if (!s[strspn(s, PLAIN)]) {
		words_add(t, "%s", s);
		return;
	}
	words_add(t, "'");
	for (; *s; s++)
		words_add(t, *s == '\'' ? "'\\''" : "%c", *s);
	words_add(t, "'");
}

void words_add_path(struct words *t, const char *path, const char *unknown)
{
	words_add(t, "%s", *path == '-' ? "./" : "");
	words_add_quoted(t, path, unknown);
}

char *words_take(struct words *t)
{
	char *s = t->failed ? NULL : clean_dup(t->s ? t->s : "");

	free(t->s);
	*t = (struct words){ 0 };
	return s;
}
