// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/procmount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define MOUNTS_MAX 65536 /* lines of a mountinfo file that are read */

static int add_names(char ret[PATH_MAX], const char *names)
{
	size_t len = strlen(ret);

	while (*names) {
		size_t n = strcspn(names, "/");

		if (n == 2 && !memcmp(names, "..", 2)) {
			char *slash = strrchr(ret, '/');

			if (slash)
				*slash = 0;
			len = strlen(ret);
		} else if (n && !(n == 1 && *names == '.')) {
			if (len + 1 + n >= PATH_MAX)
				return -ENAMETOOLONG;
			ret[len] = '/';
			memcpy(ret + len + 1, names, n);
			len += n + 1;
			ret[len] = 0;
		}
		names += n;
		names += strspn(names, "/");
	}
	return 0;
}

int procmount_absolute(uint32_t tid, int dirfd, const char *path, char ret[PATH_MAX])
{
	char link[64], dir[PATH_MAX];
	ssize_t n;
	int r = 0;

	ret[0] = 0;
	if (*path != '/') {
		if (dirfd == AT_FDCWD)
			snprintf(link, sizeof(link), "/proc/%u/cwd", tid);
		else
			snprintf(link, sizeof(link), "/proc/%u/fd/%d", tid, dirfd);
		n = readlink(link, dir, sizeof(dir) - 1);
		if (n <= 0 || dir[0] != '/')
			return -ENOENT;
		dir[n] = 0;
		r = add_names(ret, dir);
	}
	if (!r)
		r = add_names(ret, path);
	if (!r && !ret[0])
		memcpy(ret, "/", 2);
	return r;
}

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		unsigned v;

		if (*s == '\\' && sscanf(s + 1, "%3o", &v) == 1 && v < 256 &&
		    strspn(s + 1, "01234567") >= 3) {
			*to++ = (char)v;
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/* Cuts off the text up to the next space. *rest: the text after this space. */
static char *next_word(char **rest)
{
	return strsep(rest, " ") ?: "";
}

/* "36 35 0:31 / /mnt rw,noatime shared:1 - fuse.sshfs user@host: rw" */
static bool parse_line(struct procmount *m)
{
	unsigned major_no, minor_no;
	char *point, *type;
	int at = 0;

	m->line[strcspn(m->line, "\n")] = 0;
	if (sscanf(m->line, "%*u %*u %u:%u %*s %n", &major_no, &minor_no, &at) != 2 || !at)
		return false;
	point = m->line + at;
	type = strstr(point, " - ");
	if (!type)
		return false;
	type += 3;
	m->dev = major_no << 20 | minor_no;
	m->point = next_word(&point);
	unescape(m->point);
	m->type = next_word(&type);
	next_word(&type); /* the source, such as user@host: */
	m->options = next_word(&type);
	return true;
}

int procmounts_read(const char *mountinfo, struct procmounts *ret)
{
	_cleanup_fclose_ FILE *f = fopen(mountinfo, "re");
	struct procmounts ms = { 0 };
	int r = f ? 0 : -errno;

	for (unsigned n = 0; f && !r && n < MOUNTS_MAX; n++) {
		struct procmount m = { 0 };
		size_t cap = 0;
		bool more = getline(&m.line, &cap, f) > 0, valid = more && parse_line(&m);

		if (valid)
			r = VEC_PUSH(&ms.mounts, m);
		if (!valid || r)
			free(m.line);
		if (!more)
			break;
	}
	if (r)
		procmounts_done(&ms);
	else
		*ret = ms;
	return r;
}

void procmounts_done(struct procmounts *ms)
{
	for (size_t i = 0; i < ms->mounts.n; i++)
		free(ms->mounts.v[i].line);
	VEC_FREE(&ms->mounts);
}

static bool is_within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1 && *dir == '/')
		return true;
	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

const struct procmount *procmounts_at(const struct procmounts *ms, const char *path)
{
	const struct procmount *found = NULL;

	for (size_t i = 0; i < ms->mounts.n; i++) {
		const struct procmount *m = &ms->mounts.v[i];

		if (is_within(path, m->point) && (!found || strlen(m->point) >= strlen(found->point)))
			found = m;
	}
	return found;
}

const struct procmount *procmounts_on(const struct procmounts *ms, uint32_t dev)
{
	for (size_t i = 0; i < ms->mounts.n; i++)
		if (ms->mounts.v[i].dev == dev)
			return &ms->mounts.v[i];
	return NULL;
}

/* Copies a layer without the escapes of overlay (a backslash before any character). If `many` is
 * true, a colon separates layers. */
static char *put_layers(char *to, const char *value, bool many)
{
	for (; *value; value++) {
		if (*value == '\\' && value[1])
			value++;
		else if (many && *value == ':') {
			*to++ = 0;
			continue;
		}
		*to++ = *value;
	}
	*to++ = 0;
	return to;
}

size_t procmount_layers(char *options)
{
	char *to = options, *rest = options, *option;

	while ((option = strsep(&rest, ","))) {
		char *value = strchr(option, '=');

		if (!value)
			continue;
		*value++ = 0;
		unescape(value);
		if (!strcmp(option, "lowerdir")) {
			to = put_layers(to, value, true);
		} else if (!strcmp(option, "upperdir") || !strcmp(option, "workdir")) {
			to = put_layers(to, value, false);
		} else if (!strcmp(option, "lowerdir+") || !strcmp(option, "datadir+")) {
			size_t n = strlen(value) + 1;

			memmove(to, value, n);
			to += n;
		}
	}
	return (size_t)(to - options);
}
