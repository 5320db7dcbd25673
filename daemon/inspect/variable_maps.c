// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/inspect/variable.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

#define NAMES_MAX (4u << 20)

static int maps_line(struct variable_maps *m, struct unwind_mounts *mounts, char *line)
{
	struct unwind_map v = { 0 };
	const char *path;

	if (!unwind_maps_parse(line, &v, &path))
		return 0;
	v.avoid = v.ino && unwind_mounts_avoid(mounts, m->pid, v.major, v.minor);
	v.path_off = (uint32_t)m->names.n;
	if (m->names.n + strlen(path) + 1 > NAMES_MAX)
		return 0;
	if (VEC_RESERVE(&m->names, m->names.n + strlen(path) + 1))
		return -ENOMEM;
	memcpy(m->names.v + m->names.n, path, strlen(path) + 1);
	m->names.n += strlen(path) + 1;
	return VEC_PUSH(&m->v, v);
}

int variable_maps_read(struct variable_maps *m, uint32_t pid)
{
	_cleanup_free_ struct unwind_mounts *mounts = calloc(1, sizeof(*mounts));
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	char path[64];
	int r = 0;

	*m = (struct variable_maps){ .pid = pid };
	if (!mounts)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	for (unsigned n = 0; !r && n < UNWIND_MAPS_LINES_MAX && getline(&line, &cap, f) > 0; n++)
		r = maps_line(m, mounts, line);
	/* /proc/PID/maps is empty for a kernel thread, and for a task that has ended. */
	if (!r && !m->v.n)
		r = -ESRCH;
	if (r)
		variable_maps_done(m);
	return r;
}

void variable_maps_done(struct variable_maps *m)
{
	VEC_FREE(&m->v);
	VEC_FREE(&m->names);
}

const struct unwind_map *variable_maps_find(const struct variable_maps *m, uint64_t addr)
{
	size_t at = BISECT(i, 0, m->v.n, m->v.v[i].end > addr);

	return at < m->v.n && m->v.v[at].start <= addr ? &m->v.v[at] : NULL;
}
