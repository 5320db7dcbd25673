// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect_path.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "procfs/procmount.h"

#define FUSE_ROOT_INO 1 /* FUSE_ROOT_ID of linux/fuse.h */

static bool has_dirfd(uint16_t nr)
{
	switch (nr) {
	case SYS_openat:
#ifdef SYS_openat2
	case SYS_openat2:
#endif
#ifdef SYS_newfstatat
	case SYS_newfstatat:
#endif
	case SYS_statx:
	case SYS_faccessat:
#ifdef SYS_faccessat2
	case SYS_faccessat2:
#endif
	case SYS_readlinkat:
	case SYS_mkdirat:
	case SYS_mknodat:
	case SYS_unlinkat:
	case SYS_linkat:
	case SYS_renameat2:
#ifdef SYS_renameat
	case SYS_renameat:
#endif
	case SYS_fchmodat:
	case SYS_fchownat:
	case SYS_utimensat:
	case SYS_execveat:
		return true;
	default:
		return false;
	}
}

static struct ct_object_blob *root_object(const struct procmount *m, uint32_t tid, uint64_t ts_ns)
{
	size_t n = strnlen(m->point, CT_OBJ_NAME_MAX), size = sizeof(struct ct_object_blob) + (n + 7) / 8 * 8;
	struct ct_object_blob *b = calloc(1, size);

	if (!b)
		return NULL;
	b->h = (struct ct_blob){ .ts = ts_ns, .kind = CT_OBJECT, .size = (uint16_t)size, .tid = tid };
	b->id = CT_OBJ_ID(CT_OBJ_DIR, CT_OBJ_HASH(m->dev, FUSE_ROOT_INO));
	b->ino = FUSE_ROOT_INO;
	b->dev = m->dev;
	b->fs_magic = FUSE_SUPER_MAGIC;
	b->name_len = (uint16_t)n;
	memcpy(b->name, m->point, n);
	return b;
}

void inspect_path(struct unwind *u, const struct ct_iter_task *t, struct inspect_result *r)
{
	bool at = has_dirfd(t->wait.nr);
	char path[PATH_MAX], whole[PATH_MAX], mountinfo[64];
	long n = unwind_memory(u, t->args[at ? 1 : 0], path, sizeof(path));
	struct procmounts mounts = { 0 };
	const struct procmount *m;

	if (n <= 0 || !memchr(path, 0, (size_t)n) || !path[0])
		return;
	snprintf(mountinfo, sizeof(mountinfo), "/proc/%u/mountinfo", t->task.tgid);
	if (procmount_absolute(t->task.h.tid, at ? (int)t->args[0] : AT_FDCWD, path, whole) ||
	    procmounts_read(mountinfo, &mounts))
		return;
	m = procmounts_at(&mounts, whole);
	if (m && !strncmp(m->type, "fuse", 4))
		r->object = root_object(m, t->task.h.tid, r->rec.ts);
	if (r->object)
		r->rec.obj = r->object->id;
	procmounts_done(&mounts);
}
