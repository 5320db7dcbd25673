// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

static bool say_has_times;

void say_times_to_file(void)
{
	struct stat st;

	say_has_times = !fstat(STDERR_FILENO, &st) && S_ISREG(st.st_mode);
}

void say(const char *fmt, ...)
{
	char at[CLOCK_UTC_MAX] = "";
	_cleanup_free_ char *text = NULL, *raw = NULL, *shown = NULL, *line = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (say_has_times)
		clock_utc(clock_ns(CLOCK_REALTIME), at);
	if (text && asprintf(&raw, "%s%s%s: %s", at, *at ? " " : "", program_invocation_short_name, text) < 0)
		raw = NULL;
	shown = raw ? clean_dup(raw) : NULL;
	n = shown ? asprintf(&line, "%s\n", shown) : -1;
	if (n < 0)
		line = NULL;
	else
		(void)!write(STDERR_FILENO, line, (size_t)n);
}
