// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/unwind_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "procfs/procmount.h"

#define ANCESTORS_MAX 64
#define OVERLAYS_MAX  8 /* overlays in one look-up: the wanted one, and overlays in its layers */

/* Is a file system local or remote? The answers are in order, from the best to the worst. */
enum verdict {
	FS_LOCAL,
	FS_UNKNOWN,
	FS_REMOTE,
};

struct overlay {
	uint32_t dev;
	bool judged; /* false: its layers are being looked up */
	enum verdict verdict;
};

/* One look-up. Tables of mounts are read when they are needed. */
struct look {
	const struct unwind_namespaces *ns;
	struct procmounts tables[UNWIND_NAMESPACES_MAX];
	bool read[UNWIND_NAMESPACES_MAX];
	struct overlay overlays[OVERLAYS_MAX];
	size_t n_overlays;
};

static bool fs_is_remote(const char *type)
{
	static const char *const remote[] = { "nfs",    "cifs", "smb3",  "ceph",      "afs",   "coda",
					      "lustre", "gfs2", "ocfs2", "glusterfs", "beegfs" };

	if (!strncmp(type, "fuse", 4))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(remote); i++)
		if (!strncmp(type, remote[i], strlen(remote[i])))
			return true;
	return false;
}

/* A namespace that cannot be read, for example because its task has ended, counts as empty. */
static const struct procmounts *look_table(struct look *l, size_t i)
{
	if (!l->read[i]) {
		l->read[i] = true;
		(void)procmounts_read(l->ns->files[i], &l->tables[i]);
	}
	return &l->tables[i];
}

static bool overlay_is_open(const struct look *l, uint32_t dev)
{
	for (size_t i = 0; i < l->n_overlays; i++)
		if (l->overlays[i].dev == dev)
			return !l->overlays[i].judged;
	return false;
}

static enum verdict look_overlay(struct look *l, const struct procmount *m);

static enum verdict look_mount(struct look *l, const struct procmount *m)
{
	if (!strcmp(m->type, "overlay"))
		return look_overlay(l, m);
	return fs_is_remote(m->type) ? FS_REMOTE : FS_LOCAL;
}

static enum verdict look_layer(struct look *l, const char *layer)
{
	enum verdict worst = FS_LOCAL;
	bool found = false;
	char path[PATH_MAX];

	if (*layer != '/' || procmount_absolute(0, AT_FDCWD, layer, path))
		return FS_UNKNOWN;
	for (size_t i = 0; i < l->ns->n; i++) {
		const struct procmount *m = procmounts_at(look_table(l, i), path);

		if (!m || overlay_is_open(l, m->dev))
			continue;
		found = true;
		worst = MAX(worst, look_mount(l, m));
	}
	return found ? worst : FS_UNKNOWN;
}

static enum verdict look_layers(struct look *l, const struct procmount *overlay)
{
	_cleanup_free_ char *layers = strdup(overlay->options);
	enum verdict worst = FS_LOCAL;
	bool found = false;
	size_t n;

	if (!layers)
		return FS_UNKNOWN;
	n = procmount_layers(layers);
	for (size_t at = 0; at < n && worst < FS_REMOTE; at += strlen(layers + at) + 1) {
		if (!layers[at])
			continue;
		found = true;
		worst = MAX(worst, look_layer(l, layers + at));
	}
	return found ? worst : FS_UNKNOWN;
}

static bool is_daemon_root(struct look *l, uint32_t dev)
{
	const struct procmount *root = procmounts_at(look_table(l, l->ns->n - 1), "/");

	return root && root->dev == dev;
}

static enum verdict look_overlay(struct look *l, const struct procmount *m)
{
	struct overlay *o = l->overlays;

	for (size_t i = 0; i < l->n_overlays; i++, o++)
		if (o->dev == m->dev)
			return o->verdict;
	if (l->n_overlays == OVERLAYS_MAX)
		return FS_UNKNOWN;
	l->n_overlays++;
	*o = (struct overlay){ .dev = m->dev };
	o->verdict = look_layers(l, m);
	/* If the root file system of the daemon hangs, the daemon hangs anyway. */
	if (o->verdict == FS_UNKNOWN && is_daemon_root(l, m->dev))
		o->verdict = FS_LOCAL;
	o->judged = true;
	return o->verdict;
}

int unwind_mounts_look(const struct unwind_namespaces *ns, uint32_t minor_no)
{
	struct look l = { .ns = ns };
	const struct procmount *m = NULL;
	int r;

	for (size_t i = 0; i < ns->n && !m; i++)
		m = procmounts_on(look_table(&l, i), minor_no);
	r = m ? look_mount(&l, m) != FS_LOCAL : -ENOENT;
	for (size_t i = 0; i < ns->n; i++)
		procmounts_done(&l.tables[i]);
	return r;
}

/* Fills ret with names of the task's mount namespace and root directory. These two decide what the
 * mountinfo file of the task shows. */
static void identify(uint32_t tid, char ret[2 * NAME_MAX])
{
	static const char *const links[] = { "ns/mnt", "root" };
	size_t at = 0;
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%u/%s", tid, links[i]);
		n = readlink(path, ret + at, NAME_MAX - 1);
		at += n > 0 ? (size_t)n : 0;
	}
	ret[at] = 0;
}

/* Returns 0 if there is no parent, or if the task has ended. */
static uint32_t parent_of(uint32_t tid)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], line[256];
	uint32_t ppid = 0;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "PPid:\t%u", &ppid) == 1)
			break;
	return ppid;
}

static void namespaces_of(uint32_t tid, struct unwind_namespaces *ret)
{
	char last[2 * NAME_MAX] = "", id[2 * NAME_MAX];

	ret->n = 0;
	for (unsigned n = 0; tid && n < ANCESTORS_MAX && ret->n < UNWIND_NAMESPACES_MAX - 1; n++) {
		identify(tid, id);
		if (strcmp(id, last) != 0 || !ret->n)
			snprintf(ret->files[ret->n++], sizeof(ret->files[0]), "/proc/%u/mountinfo", tid);
		strcpy(last, id);
		tid = parent_of(tid);
	}
	snprintf(ret->files[ret->n++], sizeof(ret->files[0]), "/proc/self/mountinfo");
}

/* The device of memfds and shared anonymous memory is mounted nowhere. Returns its minor number, or
 * UINT32_MAX. */
static uint32_t shmem_minor(struct unwind_mounts *ms)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (ms->shmem_known)
		return ms->shmem_minor;
	fd = memfd_create("ctrace", MFD_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return UINT32_MAX;
	ms->shmem_known = true;
	return ms->shmem_minor = minor(st.st_dev);
}

bool unwind_mounts_avoid(struct unwind_mounts *ms, uint32_t tid, uint32_t major_no, uint32_t minor_no)
{
	uint64_t now = clock_boot_ns();
	struct unwind_mount *slot = NULL;
	struct unwind_namespaces ns;

	if (major_no || minor_no == shmem_minor(ms))
		return false;
	for (size_t i = 0; i < ms->n && !slot; i++)
		if (ms->v[i].minor == minor_no)
			slot = &ms->v[i];
	if (slot && now - slot->checked_ns < UNWIND_MOUNTS_KEPT_NS)
		return slot->avoid;
	namespaces_of(tid, &ns);
	if (!slot)
		slot = &ms->v[ms->n < UNWIND_MOUNTS_MAX ? ms->n++ : now / 64 % UNWIND_MOUNTS_MAX];
	*slot = (struct unwind_mount){ .checked_ns = now,
				       .minor = minor_no,
				       .avoid = unwind_mounts_look(&ns, minor_no) != 0 };
	return slot->avoid;
}
