// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/incident_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/syncdir.h"

#define STORE_PATH_MAX (INCIDENT_NAME_MAX + 16)
#define STORE_TIME_LEN 16 /* "20260131T140312Z" */

void incident_store_name(char name[INCIDENT_NAME_MAX], uint64_t real_ns, const char *comm, uint32_t tid)
{
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	char safe[32], *p = safe;
	struct tm tm;
	size_t n;

	/* what a shell, a path or a terminal could take for something else */
	for (; *comm && p < safe + sizeof(safe) - 1; comm++)
		*p++ = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._", *comm)
			       ? *comm
			       : '_';
	*p = 0;
	gmtime_r(&seconds, &tm);
	n = strftime(name, INCIDENT_NAME_MAX, "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name + n, INCIDENT_NAME_MAX - n, "-%s-%u", *safe ? safe : "_", tid);
}

uint64_t incident_store_time(const char *name)
{
	struct tm tm = { 0 };
	char z = 0;

	if (sscanf(name, "%4d%2d%2dT%2d%2d%2d%c", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
		   &tm.tm_min, &tm.tm_sec, &z) != 7 ||
	    z != 'Z' || tm.tm_year < 1970)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return (uint64_t)timegm(&tm) * NSEC_PER_SEC;
}

int incident_store_open(const struct incident_store *s)
{
	int fd;

	if (!mkdir(s->dir, 0700))         /* else open() says what is wrong */
		(void)syncdir_of(s->dir); /* a disk that fails shows when the files are synced */
	fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int store_put_name(int dir, const char *from, const char *to)
{
	return renameat(dir, from, dir, to) || fsync(dir) ? -errno : 0;
}

/* A new file under a passing name, for its owner alone: it says what everybody's programs did. */
static int store_create(int dir, const char *tmp)
{
	int fd;

	unlinkat(dir, tmp, 0);
	fd = openat(dir, tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

int incident_store_sidecar(const struct incident_store *s, const char *name, const char *text)
{
	_cleanup_close_ int dir = incident_store_open(s), fd = -1;
	char tmp[STORE_PATH_MAX], path[STORE_PATH_MAX];
	size_t n = strlen(text);
	int r = 0;

	snprintf(tmp, sizeof(tmp), "%s.json.tmp", name);
	snprintf(path, sizeof(path), "%s.json", name);
	fd = dir < 0 ? dir : store_create(dir, tmp);
	if (fd < 0)
		return fd;
	for (size_t done = 0; done < n && !r;) {
		ssize_t k = write(fd, text + done, n - done);

		if (k > 0)
			done += (size_t)k;
		else if (k == 0 || errno != EINTR)
			r = k ? -errno : -EIO;
	}
	if (!r && fsync(fd))
		r = -errno;
	if (!r)
		r = store_put_name(dir, tmp, path);
	if (r)
		unlinkat(dir, tmp, 0);
	return r;
}

int incident_store_create(const struct incident_store *s, const char *name)
{
	_cleanup_close_ int dir = incident_store_open(s);
	char tmp[STORE_PATH_MAX];

	snprintf(tmp, sizeof(tmp), "%s.ctr.tmp", name);
	return dir < 0 ? dir : store_create(dir, tmp);
}

int incident_store_commit(const struct incident_store *s, const char *name, int fd, bool keep)
{
	_cleanup_close_ int dir = incident_store_open(s);
	char tmp[STORE_PATH_MAX], path[STORE_PATH_MAX];
	int r = 0;

	if (dir < 0)
		return dir;
	snprintf(tmp, sizeof(tmp), "%s.ctr.tmp", name);
	snprintf(path, sizeof(path), "%s.ctr", name);
	if (keep)
		r = fsync(fd) ? -errno : store_put_name(dir, tmp, path);
	if (!keep || r)
		unlinkat(dir, tmp, 0);
	return r;
}

int incident_store_snapshot(const struct incident_store *s, const char *name)
{
	_cleanup_close_ int dir = incident_store_open(s);
	char path[STORE_PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s.ctr", name);
	fd = dir < 0 ? dir : openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 && dir >= 0 ? -errno : fd;
}

/* Ours begin with a time; others in the directory are somebody else's. */
static int store_is_ours(const struct dirent *e)
{
	return strlen(e->d_name) > STORE_TIME_LEN && e->d_name[STORE_TIME_LEN] == '-' &&
	       incident_store_time(e->d_name);
}

static int store_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return n > k && !strcmp(name + n - k, suffix);
}

/* Of one hang: all but what is behind the last dot (".json", ".ctr"). */
static bool is_same_hang(const char *a, const char *b)
{
	const char *end = strrchr(a, '.');

	return end && !strncmp(a, b, (size_t)(end - a) + 1);
}

static uint64_t store_bytes(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ? 0 : (uint64_t)st.st_blocks * 512;
}

static void store_trim(const struct incident_store *s, int dir, struct dirent **v, int n,
		       struct incident_store_use *use)
{
	const char *newest = n ? v[n - 1]->d_name : "", *last = "";

	for (int i = 0; i < n; i++)
		use->bytes += store_bytes(dir, v[i]->d_name);
	for (int i = 0; i < n; i++) {
		bool another = !is_same_hang(last, v[i]->d_name);

		/* the files of one hang are side by side, and go together */
		if (another && (use->bytes <= s->size_bytes || is_same_hang(newest, v[i]->d_name))) {
			for (; i < n; last = v[i++]->d_name)
				use->kept += !is_same_hang(last, v[i]->d_name);
			return;
		}
		use->bytes -= MIN(use->bytes, store_bytes(dir, v[i]->d_name));
		unlinkat(dir, v[i]->d_name, 0);
		use->removed += another;
		last = v[i]->d_name;
	}
}

int incident_store_trim(const struct incident_store *s, struct incident_store_use *ret)
{
	_cleanup_close_ int dir = incident_store_open(s);
	struct incident_store_use use = { 0 };
	struct dirent **v = NULL;
	int n, kept = 0;

	if (dir < 0)
		return dir;
	n = scandirat(dir, ".", &v, store_is_ours, store_by_name);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		/* an end in the midst of writing left it */
		if (has_suffix(v[i]->d_name, ".tmp")) {
			unlinkat(dir, v[i]->d_name, 0);
			free(v[i]);
		} else {
			v[kept++] = v[i];
		}
	}
	store_trim(s, dir, v, kept, &use);
	for (int i = 0; i < kept; i++)
		free(v[i]);
	free(v);
	if (use.removed)
		fsync(dir);
	*ret = use;
	return 0;
}
