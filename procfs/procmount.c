// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/procmount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
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

static bool is_within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1 && *dir == '/')
		return true;
	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

int procmount_find(const char *mountinfo, const char *path, struct procmount *ret)
{
	_cleanup_fclose_ FILE *f = fopen(mountinfo, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	bool found = false;

	for (unsigned n = 0; f && n < MOUNTS_MAX && getline(&line, &cap, f) > 0; n++) {
		unsigned major_no, minor_no;
		int at = 0;
		char *point, *type;

		/* "36 35 0:31 / /mnt rw,noatime shared:1 - fuse.sshfs user@host: rw" */
		if (sscanf(line, "%*u %*u %u:%u %*s %n", &major_no, &minor_no, &at) != 2 || !at)
			continue;
		type = strstr(line + at, " - ");
		point = line + at;
		point[strcspn(point, " \n")] = 0;
		unescape(point);
		if (!type || !is_within(path, point) || strlen(point) >= sizeof(ret->point) ||
		    (found && strlen(point) < strlen(ret->point)))
			continue;
		type += 3;
		found = true;
		ret->dev = major_no << 20 | minor_no;
		snprintf(ret->type, sizeof(ret->type), "%.*s", (int)strcspn(type, " \n"), type);
		memcpy(ret->point, point, strlen(point) + 1);
	}
	return found ? 0 : -ENOENT;
}
