// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/cmdline.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ctrace/abi.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

static size_t word_len(const char *p)
{
	return strcspn(p, " ");
}

static const char *word_next(const char *p)
{
	p += word_len(p);
	return p + strspn(p, " ");
}

static const char *base_name(const char *p)
{
	const char *base = p;

	for (size_t i = 0, n = word_len(p); i < n; i++)
		if (p[i] == '/' && i + 1 < n)
			base = p + i + 1;
	return base;
}

static bool is_interpreter(const char *p)
{
	static const char *const names[] = { "python", "perl", "ruby", "node", "java",
					     "php",    "lua",  "sh",   "bash", "dash" };
	size_t n = word_len(p);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);

		if (n >= len && !memcmp(p, names[i], len) && strspn(p + len, "0123456789.") == n - len)
			return true;
	}
	return false;
}

static bool takes_value(const char *p)
{
	static const char *const options[] = { "-cp", "-classpath", "--class-path", "-X", "-W", "-r" };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (word_len(p) == strlen(options[i]) && !memcmp(p, options[i], word_len(p)))
			return true;
	return false;
}

/* Returns the text that begins with the script's name, "-c" or "-e". p: the interpreter's first argument. */
static const char *script(const char *p)
{
	while (*p == '-' && p[1] && p[1] != ' ') {
		if (word_len(p) == 2 && (p[1] == 'c' || p[1] == 'e'))
			return p;
		p = takes_value(p) ? word_next(word_next(p)) : word_next(p);
	}
	return base_name(p);
}

/* The kernel cuts comm to 15 bytes. A title such as "nginx: worker process" has a colon after the
 * name. */
static bool is_named_after(const char *p, const char *comm)
{
	size_t n = word_len(p);

	if (n && p[n - 1] == ':')
		n--;
	n = MIN(n, (size_t)CT_COMM_LEN - 1);
	return strlen(comm) == n && !memcmp(comm, p, n);
}

/* Returns true if the arguments need no name before them. "(7)" after the name of sleep(1) looks like a
 * count. */
static bool says_something(const char *args)
{
	return !*args || strspn(args, "0123456789. ") < strlen(args);
}

static void shorten_paths(const char *text, char *buf)
{
	size_t n = 0;

	for (const char *p = text; *p; p = word_next(p)) {
		const char *word = *p == '/' ? base_name(p) : p;
		size_t len = word_len(word);

		if (n)
			buf[n++] = ' ';
		memcpy(buf + n, word, len);
		n += len;
	}
	buf[n] = 0;
}

const char *cmdline_short(const char *text, const char *comm, size_t width, char buf[CMDLINE_SHORT_MAX])
{
	const char *program = base_name(text + (*text == '-'));
	char clean[CT_CMDLINE_MAX * CLEAN_GROWTH + 1], brief[sizeof(clean)];
	size_t n;

	buf[0] = 0;
	if (!word_len(text))
		return buf;
	if (is_interpreter(program))
		program = script(word_next(text));
	if (is_named_after(program, comm) && says_something(word_next(program)))
		program = word_next(program);
	if (!*program)
		return buf;
	describe_clean(program, clean, sizeof(clean));
	if (strlen(clean) > width) {
		shorten_paths(clean, brief);
		memcpy(clean, brief, strlen(brief) + 1);
	}
	n = strlen(clean);
	if (n > width) {
		n = width - 3;
		while (n && (clean[n] & 0xc0) == 0x80)
			n--;
	}
	snprintf(buf, CMDLINE_SHORT_MAX, " (%.*s%s)", (int)n, clean, clean[n] ? "..." : "");
	return buf;
}
