// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/symbols_jit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/stack/unwind_maps.h"
#include "daemon/thresholds.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/vec.h"

#define ENTRIES_MAX (1u << 18)

struct jit_entry {
	uint64_t addr;
	uint32_t size;
	uint32_t name;
};

struct jit_map {
	uint32_t pid;
	uint64_t checked_ns, used;
	off_t size;
	struct timespec mtime;
	VEC(struct jit_entry) v;
	char *text;
};

struct symbols_jit {
	struct jit_map maps[SYMBOLS_JIT_KEPT];
	uint64_t clock;
	struct unwind_mounts mounts;
};

struct symbols_jit *symbols_jit_new(void)
{
	return calloc(1, sizeof(struct symbols_jit));
}

static void map_clear(struct jit_map *m)
{
	VEC_FREE(&m->v);
	free(m->text);
	m->text = NULL;
	m->size = 0;
	m->mtime = (struct timespec){ 0 };
}

void symbols_jit_free(struct symbols_jit *j)
{
	for (size_t i = 0; j && i < SYMBOLS_JIT_KEPT; i++)
		map_clear(&j->maps[i]);
	free(j);
}

/* inner: the pid in the process's own pid namespace, which is the PID in perf-PID.map */
static int process_read(uint32_t pid, uint32_t *ret_inner, uid_t *ret_uid)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	unsigned inner = 0, uid = 0;
	bool have_uid = false;
	size_t cap = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f && getline(&line, &cap, f) > 0) {
		have_uid |= sscanf(line, "Uid:\t%*u\t%u", &uid) == 1;
		if (!strncmp(line, "NStgid:", 7)) {
			char *last = strrchr(line, '\t');

			inner = last ? (unsigned)strtoul(last + 1, NULL, 10) : 0;
		}
	}
	if (!have_uid || !inner)
		return -ESRCH;
	*ret_inner = inner;
	*ret_uid = uid;
	return 0;
}

static int open_in(int dir, const char *name, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags | O_PATH | O_CLOEXEC | O_NOFOLLOW,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
}

/* NFS and FUSE are not local. The check itself asks no server. */
static bool is_local(struct symbols_jit *j, uint32_t pid, int fd, struct statx *ret)
{
	return fd >= 0 && !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, ret) &&
	       !unwind_mounts_avoid(&j->mounts, pid, ret->stx_dev_major, ret->stx_dev_minor);
}

/* Opens the map file in the /tmp that the process sees. Follows no link, and opens no file that
 * could block. Returns a descriptor or a negative number. */
static int map_open(struct symbols_jit *j, uint32_t pid, struct stat *ret_st)
{
	_cleanup_close_ int root = -1, tmp = -1, at = -1;
	char path[64];
	struct statx sx;
	uint32_t inner;
	uid_t uid;
	int fd;

	if (process_read(pid, &inner, &uid))
		return -ESRCH;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!is_local(j, pid, root, &sx))
		return -ENOENT;
	tmp = open_in(root, "tmp", O_DIRECTORY);
	if (!is_local(j, pid, tmp, &sx))
		return -ENOENT;
	snprintf(path, sizeof(path), "perf-%u.map", inner);
	at = open_in(tmp, path, 0);
	if (!is_local(j, pid, at, &sx) || !S_ISREG(sx.stx_mode) || (sx.stx_uid != uid && sx.stx_uid != 0))
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && fstat(fd, ret_st)) {
		close(fd);
		return -EIO;
	}
	return fd;
}

static int entry_cmp(const void *a, const void *b)
{
	const struct jit_entry *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* if an address is listed twice, only the later entry is valid */
	return (x->name > y->name) - (x->name < y->name);
}

static void map_parse(struct jit_map *m)
{
	for (char *line = m->text, *next; line && *line && m->v.n < ENTRIES_MAX; line = next) {
		char *end, *nl = strchr(line, '\n');
		struct jit_entry e = { 0 };

		next = nl ? nl + 1 : NULL;
		if (!nl)
			break; /* the compiler is still writing this line */
		*nl = 0;
		e.addr = strtoull(line, &end, 16);
		e.size = (uint32_t)strtoull(end, &end, 16);
		if (*end != ' ' || !end[1] || !e.size)
			continue;
		e.name = (uint32_t)(end + 1 - m->text);
		if (VEC_PUSH(&m->v, e))
			break;
	}
	if (m->v.n)
		qsort(m->v.v, m->v.n, sizeof(*m->v.v), entry_cmp);
}

static void map_refresh(struct symbols_jit *j, struct jit_map *m)
{
	struct stat st;
	_cleanup_close_ int fd = map_open(j, m->pid, &st);
	ssize_t got;

	if (fd < 0) {
		map_clear(m);
		return;
	}
	if (m->text && st.st_size == m->size && !memcmp(&st.st_mtim, &m->mtime, sizeof(m->mtime)))
		return;
	map_clear(m);
	m->size = st.st_size;
	m->mtime = st.st_mtim;
	if (st.st_size > SYMBOLS_JIT_FILE_MAX)
		return;
	m->text = malloc((size_t)st.st_size + 1);
	if (!m->text)
		return;
	got = read(fd, m->text, (size_t)st.st_size);
	m->text[got > 0 ? got : 0] = 0;
	map_parse(m);
}

static struct jit_map *map_get(struct symbols_jit *j, uint32_t pid)
{
	struct jit_map *m = &j->maps[0];
	uint64_t now = clock_boot_ns();

	for (size_t i = 0; i < SYMBOLS_JIT_KEPT; i++) {
		if (j->maps[i].pid == pid) {
			m = &j->maps[i];
			break;
		}
		if (j->maps[i].used < m->used)
			m = &j->maps[i];
	}
	if (m->pid != pid) {
		map_clear(m);
		m->pid = pid;
		m->checked_ns = 0;
	}
	m->used = ++j->clock;
	if (now - m->checked_ns >= SYMBOLS_JIT_CHECK_NS || !m->checked_ns) {
		map_refresh(j, m);
		m->checked_ns = now;
	}
	return m;
}

const char *symbols_jit_find(struct symbols_jit *j, uint32_t pid, uint64_t addr, uint64_t *ret_start)
{
	struct jit_map *m = map_get(j, pid);
	size_t n = BISECT(i, 0, m->v.n, m->v.v[i].addr > addr);

	if (!n || addr - m->v.v[n - 1].addr >= m->v.v[n - 1].size)
		return NULL;
	*ret_start = m->v.v[n - 1].addr;
	return m->text + m->v.v[n - 1].name;
}
