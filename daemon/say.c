// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/clean.h"
#include "lib/cleanup.h"

void say(const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL, *raw = NULL, *shown = NULL, *line = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text && asprintf(&raw, "%s: %s", program_invocation_short_name, text) < 0)
		raw = NULL;
	shown = raw ? clean_dup(raw) : NULL;
	n = shown ? asprintf(&line, "%s\n", shown) : -1;
	if (n < 0)
		line = NULL;
	else
		(void)!write(STDERR_FILENO, line, (size_t)n);
}
