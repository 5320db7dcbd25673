/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procfs/proclocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"

/* "12: -> POSIX ADVISORY WRITE 3568 fd:00:2531452 0 EOF" */
bool proclocks_parse(const char *line, struct proclocks_entry *ret)
{
	static const char *const kinds[] = { "POSIX", "FLOCK", "OFDLCK" };
	struct proclocks_entry e = { .kind = PROCLOCKS_OTHER };
	char kind[16], mode[16];
	int n = 0;

	if (sscanf(line, " %" SCNu64 ": %n", &e.id, &n) != 1 || !n)
		return false;
	line += n;
	if (!strncmp(line, "->", 2)) {
		e.waiting = true;
		line += 2;
	}
	if (sscanf(line, " %15s %*s %15s %" SCNd32 " %" SCNx32 ":%" SCNx32 ":%" SCNu64, kind, mode, &e.pid,
		   &e.major, &e.minor, &e.ino) != 6)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kind, kinds[i]))
			e.kind = i;
	e.write = !strcmp(mode, "WRITE");
	*ret = e;
	return true;
}

int proclocks_read(struct proclocks *ret)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/locks", "re");
	struct proclocks l = { 0 };
	struct proclocks_entry e;
	char line[256];

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (proclocks_parse(line, &e) && VEC_PUSH(&l.v, e) < 0) {
			proclocks_done(&l);
			return -ENOMEM;
		}
	}
	*ret = l;
	return 0;
}

void proclocks_done(struct proclocks *l)
{
	VEC_FREE(&l->v);
}
