// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/unwind_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define VDSO_MAX 65536

struct unwind_files {
	struct unwind_elf *v[UNWIND_FILES_MAX];
	size_t n;
	uint64_t clock;
	struct unwind_elf *vdso;
};

/* All 64-bit processes of one kernel have the same vdso, and the daemon can trust its own. */
static struct unwind_elf *vdso_open(void)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct unwind_elf *e = NULL;
	unsigned long start, end;
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (f && image && getline(&line, &cap, f) > 0)
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == (unsigned long)image &&
		    end - start <= VDSO_MAX) {
			unwind_elf_new_image(image, end - start, &e);
			break;
		}
	return e;
}

int unwind_files_new(struct unwind_files **ret)
{
	struct unwind_files *fs = calloc(1, sizeof(*fs));

	if (!fs)
		return -ENOMEM;
	fs->vdso = vdso_open();
	*ret = fs;
	return 0;
}

void unwind_files_free(struct unwind_files *fs)
{
	if (!fs)
		return;
	unwind_files_release(fs);
	for (size_t i = 0; i < fs->n; i++)
		unwind_elf_free(fs->v[i]);
	unwind_elf_free(fs->vdso);
	free(fs);
}

static int open_in_root_of(uint32_t pid, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = { .flags = (uint64_t)flags | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve };
	_cleanup_close_ int root = -1;
	char buf[64];

	snprintf(buf, sizeof(buf), "/proc/%u/root", pid);
	root = open(buf, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -1 : (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* The path may lead to a file system that never answers, if a user mounted one there meanwhile. So only
 * the cache of the kernel is asked for the path. The file is opened after its device is known. */
static int open_cached(uint32_t root_of, const struct unwind_map *map, const char *path, struct stat *ret_st)
{
	_cleanup_close_ int at = open_in_root_of(root_of, path, O_PATH, RESOLVE_CACHED);
	struct unwind_mounts mounts = { 0 };
	char buf[64];
	int fd;

	if (at < 0 || fstatat(at, "", ret_st, AT_EMPTY_PATH | AT_STATX_DONT_SYNC) ||
	    !S_ISREG(ret_st->st_mode) || ret_st->st_ino != map->ino ||
	    unwind_mounts_avoid(&mounts, root_of, major(ret_st->st_dev), minor(ret_st->st_dev)))
		return -ENOENT;
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", at);
	fd = open(buf, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && !fstat(fd, ret_st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

/* Call this for a mapping of a process that may be gone. Tries the root of its parent (tid), which may have
 * the same mounts as the process, and then the daemon's own root. */
static int open_saved(uint32_t tid, const struct unwind_map *map, const char *path, struct stat *ret_st)
{
	int fd = path[0] == '/' ? open_cached(tid, map, path, ret_st) : -ENOENT;

	return fd >= 0 || path[0] != '/' ? fd : open_cached((uint32_t)getpid(), map, path, ret_st);
}

int unwind_files_open(uint32_t tid, const struct unwind_map *map, const char *path, struct stat *ret_st)
{
	_cleanup_close_ int fd = -1;
	bool by_path = false;
	char buf[128];

	if (map->saved)
		return open_saved(tid, map, path, ret_st);

	snprintf(buf, sizeof(buf), "/proc/%u/map_files/%lx-%lx", tid, (unsigned long)map->start,
		 (unsigned long)map->end);
	fd = open(buf, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && (errno == EPERM || errno == EACCES) && path[0] == '/') {
		by_path = true;
		fd = open_in_root_of(tid, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	}
	if (fd < 0 || fstat(fd, ret_st) || !S_ISREG(ret_st->st_mode))
		return -ENOENT;
	if (by_path && ret_st->st_ino != map->ino)
		return -ESTALE;
	return TAKE_FD(fd);
}

static size_t oldest(const struct unwind_files *fs)
{
	size_t at = SIZE_MAX;

	for (size_t i = 0; i < fs->n; i++)
		if (fs->v[i]->file.fd < 0 && (at == SIZE_MAX || fs->v[i]->used < fs->v[at]->used))
			at = i;
	return at;
}

static bool evict(struct unwind_files *fs)
{
	size_t i = oldest(fs);

	if (i == SIZE_MAX)
		return false;
	unwind_elf_free(fs->v[i]);
	fs->v[i] = fs->v[--fs->n];
	return true;
}

static struct unwind_elf *lookup(struct unwind_files *fs, const struct unwind_elf_id *id)
{
	for (size_t i = 0; i < fs->n; i++)
		if (!memcmp(&fs->v[i]->id, id, sizeof(*id)))
			return fs->v[i];
	return NULL;
}

static struct unwind_elf *file_get(struct unwind_files *fs, uint32_t tid, const struct unwind_map *map,
				   const char *path)
{
	struct unwind_elf_id id;
	struct unwind_elf *e;
	struct stat st;
	_cleanup_close_ int fd = unwind_files_open(tid, map, path, &st);

	if (fd < 0)
		return NULL;
	id = unwind_elf_id(&st);
	e = lookup(fs, &id);
	if (!e) {
		if (fs->n == UNWIND_FILES_MAX && !evict(fs))
			return NULL;
		if (unwind_elf_new(fd, &st, &e))
			return NULL;
		fs->v[fs->n++] = e;
		TAKE_FD(fd);
	} else if (e->file.fd < 0) {
		e->file.fd = TAKE_FD(fd);
	}
	e->used = ++fs->clock;
	return e;
}

struct unwind_elf *unwind_files_get(struct unwind_files *fs, uint32_t tid, struct unwind_map *map,
				    const char *path)
{
	if (map->looked)
		return map->elf;
	map->looked = true;
	if (map->vdso)
		map->elf = fs->vdso;
	else if (map->ino && !map->avoid)
		map->elf = file_get(fs, tid, map, path);
	return map->elf;
}

void unwind_files_release(struct unwind_files *fs)
{
	size_t bytes = 0;

	if (fs->vdso)
		unwind_elf_detach(fs->vdso);

	for (size_t i = 0; i < fs->n; i++) {
		unwind_elf_detach(fs->v[i]);
		bytes += unwind_elf_bytes(fs->v[i]);
	}
	while (bytes > UNWIND_BYTES_MAX) {
		bytes -= unwind_elf_bytes(fs->v[oldest(fs)]);
		evict(fs);
	}
}
