// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/incident/incident_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/incidents.h"
#include "lib/owned.h"

#define STORE_PATH_MAX (INCIDENT_NAME_MAX + 16)
#define STORE_TIME_LEN 16 /* "20260131T140312Z" */

void incident_store_name(char name[INCIDENT_NAME_MAX], uint64_t real_ns, const char *comm, uint32_t tid,
			 unsigned nth)
{
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	char safe[32], *p = safe;
	struct tm tm;
	size_t n;

	for (; *comm && p < safe + sizeof(safe) - 1; comm++)
		*p++ = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._", *comm)
			       ? *comm
			       : '_';
	*p = 0;
	gmtime_r(&seconds, &tm);
	n = strftime(name, INCIDENT_NAME_MAX, "%Y%m%dT%H%M%SZ", &tm);
	n += (size_t)snprintf(name + n, INCIDENT_NAME_MAX - n, "-%s-%u", *safe ? safe : "_", tid);
	if (nth > 1)
		snprintf(name + n, INCIDENT_NAME_MAX - n, "-%u", nth);
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

uint32_t incident_store_doc_uid(const json_t *doc)
{
	const json_t *uid = json_object_get(doc, "uid");
	json_int_t n = json_integer_value(uid);

	return json_is_integer(uid) && n >= 0 && n < INCIDENT_UID_UNKNOWN ? (uint32_t)n
									  : INCIDENT_UID_UNKNOWN;
}

static int store_open(const struct incident_store *s, bool make)
{
	enum owned_trouble trouble;
	_cleanup_close_ int parent = owned_dir_of(s->dir, &trouble);
	const char *name = strrchr(s->dir, '/');
	int fd;

	if (parent < 0)
		return parent;
	name = name ? name + 1 : s->dir;
	if (make && !mkdirat(parent, name, 0700))
		(void)fsync(parent);
	fd = owned_dir(parent, name, O_NOFOLLOW, &trouble);
	return fd == -ENOTDIR || fd == -ELOOP ? -EPERM : fd;
}

int incident_store_open(const struct incident_store *s)
{
	return store_open(s, true);
}

int incident_store_check(const struct incident_store *s)
{
	_cleanup_close_ int fd = store_open(s, false);

	return fd == -ENOENT ? 0 : MIN(fd, 0);
}

bool incident_store_has(const struct incident_store *s, const char *name)
{
	_cleanup_close_ int dir = store_open(s, false);
	char path[STORE_PATH_MAX];

	snprintf(path, sizeof(path), "%s.json", name);
	return dir >= 0 && !faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int store_put_name(int dir, const char *from, const char *to)
{
	return renameat(dir, from, dir, to) || fsync(dir) ? -errno : 0;
}

/* Mode 0600, because the file describes programs of all users. */
static int store_create(int dir, const char *tmp)
{
	int fd;

	unlinkat(dir, tmp, 0);
	fd = openat(dir, tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

static int store_write(const struct incident_store *s, const char *name, const char *suffix, const char *data,
		       size_t n)
{
	_cleanup_close_ int dir = incident_store_open(s), fd = -1;
	char tmp[STORE_PATH_MAX], path[STORE_PATH_MAX];
	int r = 0;

	snprintf(tmp, sizeof(tmp), "%s.%s.tmp", name, suffix);
	snprintf(path, sizeof(path), "%s.%s", name, suffix);
	fd = dir < 0 ? dir : store_create(dir, tmp);
	if (fd < 0)
		return fd;
	for (size_t done = 0; done < n && !r;) {
		ssize_t k = write(fd, data + done, n - done);

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

int incident_store_sidecar(const struct incident_store *s, const char *name, const char *text)
{
	return store_write(s, name, "json", text, strlen(text));
}

int incident_store_page(const struct incident_store *s, const char *name, const char *page, size_t n)
{
	return store_write(s, name, "html", page, n);
}

void incident_store_drop_page(const struct incident_store *s, const char *name)
{
	_cleanup_close_ int dir = store_open(s, false);
	char path[STORE_PATH_MAX];

	snprintf(path, sizeof(path), "%s.html", name);
	if (dir >= 0 && !unlinkat(dir, path, 0))
		(void)fsync(dir);
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
	enum owned_trouble trouble;
	char path[STORE_PATH_MAX];

	snprintf(path, sizeof(path), "%s.ctr", name);
	return dir < 0 ? dir : owned_file(dir, path, O_RDONLY, &trouble);
}

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

struct store_hang {
	struct dirent **files;
	int n;
	uint32_t uid;
	/* uid_bytes: bytes of all hangs of this user. Only the user's first hang has it. */
	uint64_t bytes, uid_bytes;
	int uid_at; /* index of the first hang of the same user */
	bool ahead, stays, gone;
};

static uint32_t store_uid(int dir, const struct store_hang *h)
{
	for (int i = 0; i < h->n; i++) {
		const char *name = h->files[i]->d_name;
		enum owned_trouble trouble;
		_cleanup_close_ int fd = -1;
		uint32_t uid;
		json_t *o;

		if (!has_suffix(name, ".json"))
			continue;
		fd = owned_file(dir, name, O_RDONLY, &trouble);
		o = fd < 0 ? NULL : incidents_load(fd);
		uid = incident_store_doc_uid(o);
		json_decref(o);
		return uid;
	}
	return INCIDENT_UID_UNKNOWN;
}

struct store_stay {
	const char *const *names;
	size_t n;
};

static bool store_stays(const struct store_stay *stay, const char *file)
{
	for (size_t i = 0; i < stay->n; i++)
		if (!strncmp(file, stay->names[i], strlen(stay->names[i])) &&
		    file[strlen(stay->names[i])] == '.')
			return true;
	return false;
}

static int store_group(int dir, struct dirent **files, int n, const struct store_stay *stay, uint64_t now_ns,
		       struct store_hang *v)
{
	int n_hangs = 0;

	for (int i = 0; i < n;) {
		struct store_hang *h = &v[n_hangs];
		const char *first = files[i]->d_name;

		*h = (struct store_hang){ .files = &files[i] };
		for (; i < n && is_same_hang(first, files[i]->d_name); i++, h->n++)
			h->bytes += store_bytes(dir, files[i]->d_name);
		h->ahead = incident_store_time(first) > now_ns + INCIDENTS_AHEAD_NS;
		h->stays = store_stays(stay, first);
		h->uid = store_uid(dir, h);
		while (v[h->uid_at].uid != h->uid)
			h->uid_at++;
		v[h->uid_at].uid_bytes += h->bytes;
		n_hangs++;
	}
	return n_hangs;
}

static struct store_hang *store_next(struct store_hang *v, int n)
{
	struct store_hang *next = NULL;

	for (int i = 0; i < n; i++) {
		uint64_t most = next ? v[next->uid_at].uid_bytes : 0, bytes = v[v[i].uid_at].uid_bytes;

		if (v[i].gone || v[i].stays)
			continue;
		if (!next || bytes > most || (bytes == most && v[i].ahead && !next->ahead))
			next = &v[i];
	}
	return next;
}

static void store_remove(int dir, struct store_hang *v, struct store_hang *h)
{
	for (int i = 0; i < h->n; i++)
		unlinkat(dir, h->files[i]->d_name, 0);
	v[h->uid_at].uid_bytes -= h->bytes;
	h->gone = true;
}

static int store_trim(const struct incident_store *s, int dir, struct dirent **files, int n,
		      const struct store_stay *stay, uint64_t now_ns, struct incident_store_use *use)
{
	_cleanup_free_ struct store_hang *v = calloc((size_t)n + 1, sizeof(*v));
	struct store_hang *h;
	int n_hangs;

	if (!v)
		return -ENOMEM;
	n_hangs = store_group(dir, files, n, stay, now_ns, v);
	for (int i = 0; i < n_hangs; i++)
		use->bytes += v[i].bytes;
	use->kept = (unsigned)n_hangs;
	while (use->bytes > s->size_bytes && (h = store_next(v, n_hangs))) {
		store_remove(dir, v, h);
		use->bytes -= h->bytes;
		use->kept--;
		use->removed++;
	}
	return 0;
}

int incident_store_trim(const struct incident_store *s, const char *const *names, size_t n_names,
			uint64_t now_ns, struct incident_store_use *ret)
{
	_cleanup_close_ int dir = incident_store_open(s);
	const struct store_stay stay = { .names = names, .n = n_names };
	struct incident_store_use use = { 0 };
	struct dirent **v = NULL;
	int n, r, kept = 0;

	if (dir < 0)
		return dir;
	n = scandirat(dir, ".", &v, store_is_ours, store_by_name);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (has_suffix(v[i]->d_name, ".tmp")) {
			unlinkat(dir, v[i]->d_name, 0);
			free(v[i]);
		} else {
			v[kept++] = v[i];
		}
	}
	r = store_trim(s, dir, v, kept, &stay, now_ns, &use);
	for (int i = 0; i < kept; i++)
		free(v[i]);
	free(v);
	if (use.removed)
		fsync(dir);
	if (!r)
		*ret = use;
	return r;
}
