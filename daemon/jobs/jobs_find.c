// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_find.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "daemon/thresholds.h"
#include "elf/elf_go.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "procfs/proctask.h"

#if defined(__x86_64__)
#define FIND_TRIPLET "x86_64-linux-gnu"
#else
#define FIND_TRIPLET "aarch64-linux-gnu"
#endif

void jobs_find_paths(const char *name, void (*fn)(void *arg, const char *path), void *arg)
{
	static const char *const dirs[] = {
		"/usr/lib/" FIND_TRIPLET,
		"/usr/lib64",
		"/usr/lib",
		"/lib/" FIND_TRIPLET,
		"/lib64",
		"/lib",
		"/usr/bin",
		"/usr/local/lib/" FIND_TRIPLET,
		"/usr/local/lib",
		"/usr/local/bin",
	};

	if (strchr(name, '/')) {
		fn(arg, name);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", dirs[i], name) < (int)sizeof(path))
			fn(arg, path);
	}
}

int jobs_find_mappings(uint32_t pid, jobs_mapping_fn fn, void *arg)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	char path[64];
	size_t cap = 0;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!r && getline(&line, &cap, f) > 0) {
		struct unwind_map map;
		const char *file;

		if (unwind_maps_parse(line, &map, &file) && map.exec && map.ino && *file == '/')
			r = fn(arg, &(struct jobs_mapping){ .pid = pid,
							    .start = map.start,
							    .end = map.end,
							    .off = map.off,
							    .ino = map.ino,
							    .major = map.major,
							    .minor = map.minor,
							    .path = file });
	}
	return r;
}

void jobs_find_all_mappings(jobs_mapping_fn fn, void *arg)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			jobs_find_mappings((uint32_t)strtoul(e->d_name, NULL, 10), fn, arg);
	if (d)
		closedir(d);
}

void jobs_seen_done(struct jobs_seen *s)
{
	map_done(&s->v);
}

/* Returns a number of the program that the process executes; 0: none, because it is a thread of the kernel or
 * has ended. The inode number of its directory tells apart two processes that have had the same id. The
 * program's file is not touched: it may be on a server that does not answer. */
static uint32_t find_program(DIR *d, const struct dirent *e)
{
	char link[64], program[PATH_MAX];
	uint64_t hash;
	ssize_t n;

	snprintf(link, sizeof(link), "%.32s/exe", e->d_name);
	n = readlinkat(dirfd(d), link, program, sizeof(program) - 1);
	if (n < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : 1;
	program[n] = 0;
	hash = hash_text(HASH_START, program) ^ e->d_ino * 0x9e3779b97f4a7c15ULL;
	return (uint32_t)(hash >> 32) | 1;
}

/* seen: how many scans have seen the process before */
static bool find_is_due(uint32_t seen)
{
	return seen && (!(seen & (seen - 1)) || !(seen % JOBS_SEEN_SCANS));
}

void jobs_find_due_mappings(struct jobs_seen *s, jobs_mapping_fn fn, void *arg)
{
	DIR *d = opendir("/proc");
	struct map now = { 0 };
	const struct dirent *e;

	s->scans++;
	while (d && (e = readdir(d))) {
		uint32_t program = isdigit((unsigned char)e->d_name[0]) ? find_program(d, e) : 0,
			 since = s->scans;
		uint32_t pid = program ? (uint32_t)strtoul(e->d_name, NULL, 10) : 0;
		uint64_t before;

		if (!program)
			continue;
		if (map_get(&s->v, pid, &before) && (uint32_t)(before >> 32) == program)
			since = (uint32_t)before;
		(void)map_set(&now, pid, (uint64_t)program << 32 | since);
		if (s->scans == 1 || find_is_due(s->scans - since))
			jobs_find_mappings(pid, fn, arg);
	}
	if (d)
		closedir(d);
	map_done(&s->v);
	s->v = now;
}

int jobs_find_mapped(struct unwind_mounts *mounts, const struct jobs_mapping *m, struct stat *ret_st)
{
	char path[96];

	if (unwind_mounts_avoid(mounts, m->pid, m->major, m->minor))
		return -EREMOTE;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", m->pid, (unsigned long long)m->start,
		 (unsigned long long)m->end);
	return jobs_find_open(path, ret_st);
}

bool jobs_find_maps(struct unwind_mounts *mounts, const struct jobs_mapping *m, const struct stat *st)
{
	_cleanup_close_ int fd = -1;
	struct stat mapped;

	if (m->ino != st->st_ino)
		return false;
	if (makedev(m->major, m->minor) == st->st_dev)
		return true;
	fd = jobs_find_mapped(mounts, m, &mapped);
	if (fd < 0)
		return fd != -ENOENT;
	return mapped.st_dev == st->st_dev && mapped.st_ino == st->st_ino;
}

bool jobs_find_is_go(struct unwind_mounts *mounts, const struct jobs_mapping *m)
{
	_cleanup_close_ int fd = -1;
	struct elf_file e;
	struct stat st;

	if (!proctask_executes(m->pid, m->path))
		return false;
	fd = jobs_find_mapped(mounts, m, &st);
	return fd >= 0 && !elf_file_open(fd, (uint64_t)st.st_size, &e) && elf_go_is(&e);
}

static void find_read(const char *path, char *buf, size_t cap)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, cap - 1);

	buf[n > 0 ? n : 0] = 0;
}

/* Returns true if the task is in a page fault or changes its mappings. A task that waits for a FUSE server
 * sleeps like others, so its state does not tell it. Without the right to read the stack, returns false. */
static bool find_task_maps(uint32_t pid, uint32_t tid)
{
	static const char *const words[] = { "page_fault", "mm_fault", "user_pages", "populate",
					     "mmap",       "munmap",   "mprotect",   "mremap",
					     "madvise",    "mlock",    "brk" };
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stack", pid, tid);
	find_read(path, text, sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

static int find_has_inode(void *arg, const struct jobs_mapping *m)
{
	const uint64_t *ino = arg;

	return m->ino == *ino;
}

static void find_none(struct jobs_hangs *h)
{
	h->n = 0;
	h->full = false;
}

static void find_task_suspect(struct jobs_hangs *h, uint32_t pid, uint32_t tid)
{
	h->full |= h->n == JOBS_HANGS_MAX;
	if (!h->full && find_task_maps(pid, tid))
		h->v[h->n++] = (struct jobs_hang){ pid, tid };
}

static void find_process_suspects(struct jobs_hangs *h, uint32_t pid)
{
	const struct dirent *e;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			find_task_suspect(h, pid, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (d)
		closedir(d);
}

/* Keeps the tasks that still hang after a while. */
static void find_still(struct jobs_hangs *h)
{
	const struct timespec pause = { .tv_nsec = JOBS_HANGS_NS };
	struct jobs_hangs before = *h;

	if (!h->n)
		return;
	nanosleep(&pause, NULL);
	find_none(h);
	for (size_t i = 0; i < before.n; i++)
		find_task_suspect(h, before.v[i].pid, before.v[i].tid);
	h->full = before.full;
}

void jobs_find_hangs(struct jobs_hangs *h)
{
	const struct dirent *e;
	DIR *d = opendir("/proc");

	find_none(h);
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			find_process_suspects(h, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (d)
		closedir(d);
	find_still(h);
}

void jobs_find_hangs_of(struct jobs_hangs *h, uint32_t pid)
{
	find_none(h);
	find_process_suspects(h, pid);
	find_still(h);
}

bool jobs_find_is_held(const struct jobs_hangs *h, uint64_t ino)
{
	for (size_t i = 0; i < h->n; i++)
		/* The list of mappings may wait for the lock, too; but it holds up no fork. */
		if (jobs_find_mappings(h->v[i].pid, find_has_inode, &ino) > 0)
			return true;
	return h->full;
}

int jobs_find_open(const char *path, struct stat *ret_st)
{
	/* The path may lead to a named pipe or a device: the open() must not wait or change anything. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*ret_st = st;
	return TAKE_FD(fd);
}
