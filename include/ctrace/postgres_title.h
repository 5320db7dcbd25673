/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * postgres_title.h - reads the title (command line) of a process of PostgreSQL. The title of a session ends
 * with the activity of the session: "idle", "idle in transaction", or a command such as "UPDATE". " waiting"
 * follows while the session waits for a lock of the database. (PostgreSQL, "Monitoring Database Activity",
 * "Standard Unix Tools".) Pure; any thread.
 */
#ifndef CTRACE_POSTGRES_TITLE_H
#define CTRACE_POSTGRES_TITLE_H

#include <stdbool.h>
#include <string.h>

#define POSTGRES_TITLE_START "postgres: "

/* Returns the title without its start, and without the name of the server (setting cluster_name: "15/main: ")
 * if it has one. Returns "" if the text is no title of PostgreSQL. */
static inline const char *postgres_title(const char *text)
{
	size_t n = strlen(POSTGRES_TITLE_START);

	if (strncmp(text, POSTGRES_TITLE_START, n) != 0)
		return "";
	text += n;
	n = strcspn(text, " ");
	return n && text[n - 1] == ':' && text[n] ? text + n + 1 : text;
}

/* Spaces at the end of the title do not count. */
static inline bool postgres_title_ends(const char *title, const char *end)
{
	size_t n = strlen(title), k = strlen(end);

	while (n && title[n - 1] == ' ')
		n--;
	return n >= k && !memcmp(title + n - k, end, k);
}

/* Returns true for sessions ("shop shop [local] ...", "shop shop 10.0.0.1(4711) ...") and for
 * workers that clean up tables. */
static inline bool postgres_title_may_lock(const char *title)
{
	return strstr(title, " [local] ") || strstr(title, ") ") || !strncmp(title, "autovacuum worker", 17);
}

/* A session that is idle, but not "idle in transaction", has no lock of a row or a table. */
static inline bool postgres_title_idles(const char *title)
{
	return postgres_title_ends(title, " idle");
}

static inline bool postgres_title_waits(const char *title)
{
	return postgres_title_may_lock(title) && postgres_title_ends(title, " waiting");
}

#endif
