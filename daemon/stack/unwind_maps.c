// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/unwind_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctrace/fields.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "procfs/procmap.h"

#define NAMES_MAX         (1u << 20)
#define ASKED_MAX         256
#define ASKED_NAMES_BYTES 65536

bool unwind_maps_parse(char *line, struct unwind_map *m, const char **ret_path)
{
	char *p;

	line[strcspn(line, "\n")] = 0;
	*m = (struct unwind_map){ .start = strtoul(line, &p, 16) };
	if (*p != '-')
		return false;
	m->end = strtoul(p + 1, &p, 16);
	if (strnlen(p, 6) < 6)
		return false;
	m->write = p[2] == 'w';
	m->exec = p[3] == 'x';
	m->off = strtoul(p + 6, &p, 16);
	m->major = (uint32_t)strtoul(p, &p, 16);
	if (*p != ':')
		return false;
	m->minor = (uint32_t)strtoul(p + 1, &p, 16);
	m->ino = strtoul(p, &p, 10);
	*ret_path = p + strspn(p, " ");
	m->vdso = !m->ino && !strcmp(*ret_path, "[vdso]");
	return m->start < m->end;
}

static int names_add(struct unwind_maps *m, const char *path, uint32_t *ret_off)
{
	size_t n = strlen(path) + 1;

	*ret_off = 0;
	if (n == 1 || m->names.n + n > NAMES_MAX)
		return 0;
	if (VEC_RESERVE(&m->names, m->names.n + n))
		return -ENOMEM;
	memcpy(m->names.v + m->names.n, path, n);
	*ret_off = (uint32_t)m->names.n;
	m->names.n += n;
	return 0;
}

static int maps_line(struct unwind_maps *m, uint32_t tid, struct unwind_mounts *mounts, char *line)
{
	struct unwind_map map;
	const char *path;

	if (!unwind_maps_parse(line, &map, &path))
		return 0;
	map.avoid = map.ino && unwind_mounts_avoid(mounts, tid, map.major, map.minor);
	if (!map.exec && !map.avoid)
		return 0;
	if (names_add(m, path, &map.path_off))
		return -ENOMEM;
	return VEC_PUSH(&m->maps, map);
}

/* Asks the kernel for the mapping at addr; with next, for the first mapping that ends after addr. Returns 0
 * with the mapping in *ret, -ENOENT if there is no such mapping, -ESRCH if the task has ended or is a kernel
 * thread, or another -errno. */
static int maps_query(int fd, uint64_t addr, bool next, char *name, uint32_t name_bytes,
		      struct procmap_ask *ret)
{
	*ret = (struct procmap_ask){ .size = sizeof(*ret),
				     .flags = next ? PROCMAP_ASK_NEXT : 0,
				     .addr = addr,
				     .name_bytes = name_bytes,
				     .name = (uintptr_t)name };
	return ioctl(fd, PROCMAP_ASK, ret) < 0 ? -errno : 0;
}

static struct unwind_map *maps_known(struct unwind_maps *m, uint64_t addr)
{
	for (size_t i = 0; i < m->maps.n; i++)
		if (addr - m->maps.v[i].start < m->maps.v[i].end - m->maps.v[i].start)
			return &m->maps.v[i];
	return NULL;
}

/* Returns NULL if nothing is mapped at addr, and &m->unknown if this is not known. Callers keep
 * pointers into the vectors, so a full vector does not grow. */
static struct unwind_map *maps_ask(struct unwind_maps *m, uint64_t addr)
{
	struct procmap_ask q;
	struct unwind_map map;
	char name[PATH_MAX] = "";
	int r;

	if (m->maps.n == ASKED_MAX || m->names.n + sizeof(name) > m->names.cap)
		return &m->unknown;
	r = maps_query(m->fd, addr, false, name, sizeof(name), &q);
	if (r)
		return r == -ENOENT ? NULL : &m->unknown;
	map = (struct unwind_map){ .start = q.start,
				   .end = q.end,
				   .off = q.offset,
				   .ino = q.ino,
				   .major = q.major,
				   .minor = q.minor,
				   .write = q.vma_flags & PROCMAP_ASK_WRITE,
				   .exec = q.vma_flags & PROCMAP_ASK_EXEC };
	map.vdso = !map.ino && !strcmp(name, "[vdso]");
	map.avoid = map.ino && unwind_mounts_avoid(m->mounts, m->tid, map.major, map.minor);
	if (map.exec && names_add(m, name, &map.path_off))
		return &m->unknown;
	return VEC_PUSH(&m->maps, map) ? &m->unknown : &m->maps.v[m->maps.n - 1];
}

static int maps_ask_begin(struct unwind_maps *m, uint32_t tid, struct unwind_mounts *mounts, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct procmap_ask q;
	int r = fd < 0 ? -errno : maps_query(fd, 0, true, NULL, 0, &q);

	if (r)
		return r == -ENOENT ? -ESRCH : r;
	if (VEC_RESERVE(&m->maps, ASKED_MAX) || VEC_RESERVE(&m->names, ASKED_NAMES_BYTES))
		return -ENOMEM;
	m->asks = true;
	m->fd = TAKE_FD(fd);
	m->tid = tid;
	m->mounts = mounts;
	m->unknown = (struct unwind_map){ .avoid = true };
	return 0;
}

int unwind_maps_read(struct unwind_maps *m, uint32_t tid, struct unwind_mounts *mounts)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	char path[64];
	unsigned n;
	int asked;

	unwind_maps_forget(m);
	if (VEC_PUSH(&m->names, 0))
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%u/maps", tid);
	asked = maps_ask_begin(m, tid, mounts, path);
	if (!asked || asked == -ESRCH || asked == -ENOMEM)
		return asked;
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	for (n = 0; n < UNWIND_MAPS_LINES_MAX && getline(&line, &cap, f) > 0; n++) {
		int r = maps_line(m, tid, mounts, line);

		if (r)
			return r;
	}
	m->truncated = n == UNWIND_MAPS_LINES_MAX;
	/* no line: the task has ended, or is a kernel thread */
	return n ? 0 : -ESRCH;
}

int unwind_maps_saved(struct unwind_maps *m, uint32_t tid, struct unwind_mounts *mounts,
		      const struct ct_crash_map *saved, size_t n)
{
	unwind_maps_forget(m);
	if (VEC_PUSH(&m->names, 0))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct ct_crash_map *s = &saved[i];
		struct unwind_map map = { .start = s->start,
					  .end = s->end,
					  .off = s->off,
					  .ino = s->ino,
					  .major = ct_dev_major(s->dev),
					  .minor = ct_dev_minor(s->dev),
					  .exec = true,
					  .saved = true };
		char path[sizeof(s->path) + 1];

		if (s->start >= s->end || (m->maps.n && m->maps.v[m->maps.n - 1].end > s->start))
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)sizeof(s->path), s->path);
		map.avoid = map.ino && unwind_mounts_avoid(mounts, tid, map.major, map.minor);
		if (names_add(m, path, &map.path_off) || VEC_PUSH(&m->maps, map))
			return -ENOMEM;
	}
	return 0;
}

void unwind_maps_forget(struct unwind_maps *m)
{
	if (m->asks)
		close(m->fd);
	m->asks = false;
	m->maps.n = 0;
	m->names.n = 0;
	m->truncated = false;
}

void unwind_maps_done(struct unwind_maps *m)
{
	unwind_maps_forget(m);
	VEC_FREE(&m->maps);
	VEC_FREE(&m->names);
}

struct unwind_map *unwind_maps_find(struct unwind_maps *m, uint64_t addr)
{
	struct unwind_map *known = m->asks ? maps_known(m, addr) : NULL;
	size_t at;

	if (m->asks)
		return known ?: maps_ask(m, addr);
	at = BISECT(i, 0, m->maps.n, m->maps.v[i].end > addr);
	return at < m->maps.n && m->maps.v[at].start <= addr ? &m->maps.v[at] : NULL;
}
