// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/heldlocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctrace/fields.h"
#include "daemon/stream.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/map.h"
#include "lib/vec.h"

static int heldlocks_kind(const char *name)
{
	if (!strcmp(name, "POSIX"))
		return 0;
	if (!strcmp(name, "FLOCK"))
		return 1;
	return !strcmp(name, "OFDLCK") ? 2 : -1;
}

/* A line of lock_get_status() (fs/locks.c): "3: -> POSIX ADVISORY WRITE 1234 fe:01:5678 0 EOF".
 * "->" marks a request that waits. */
bool heldlocks_parse(const char *line, struct heldlock *ret)
{
	char name[16], mode[16], end[24];
	unsigned major, minor;
	uint64_t ino, first;
	int pid, at = 0, kind;
	bool waits;

	if (sscanf(line, "%*d: %n", &at) < 0 || !at)
		return false;
	line += at;
	waits = !strncmp(line, "-> ", 3);
	line += waits ? 3 : 0;
	if (sscanf(line, "%15s %*s %15s %d %x:%x:%" SCNu64 " %" SCNu64 " %23s", name, mode, &pid, &major,
		   &minor, &ino, &first, end) != 8)
		return false;
	kind = heldlocks_kind(name);
	if (kind < 0)
		return false;
	*ret = (struct heldlock){
		.rec = { .kind = CT_HELD,
			 .state = !strcmp(mode, "WRITE"),
			 .wait = (uint8_t)kind,
			 .flags = waits,
			 .tid = pid > 0 ? (uint32_t)pid : 0,
			 .nr = CT_NR_NONE,
			 .obj = CT_OBJ_ID(CT_OBJ_FILE, CT_OBJ_HASH((uint64_t)major << 20 | minor, ino)) },
		.words = { first, strcmp(end, "EOF") ? strtoull(end, NULL, 10) : INT64_MAX },
	};
	return true;
}

int heldlocks_read(FILE *f, uint64_t ts_ns, struct heldlocks *ret)
{
	_cleanup_fclose_ FILE *own = f ? NULL : fopen("/proc/locks", "re");
	struct heldlocks h = { 0 };
	char line[256];

	if (!f && !own)
		return -errno;
	while (fgets(line, sizeof(line), f ?: own)) {
		struct heldlock lock;

		if (!heldlocks_parse(line, &lock))
			continue;
		if (h.n >= HELDLOCKS_MAX) {
			h.refused++;
			continue;
		}
		lock.rec.ts = ts_ns;
		if (VEC_PUSH(&h, lock)) {
			heldlocks_done(&h);
			return -ENOMEM;
		}
	}
	*ret = h;
	return 0;
}

void heldlocks_done(struct heldlocks *h)
{
	VEC_FREE(h);
}

/* The lines "lock:" in /proc/PID/fdinfo/FD are about the locks of this open file: show_fd_locks() in
 * fs/locks.c. Since the table was read, the descriptor may have got another file. */
static bool has_lock(uint32_t tgid, uint32_t fd, uint64_t obj)
{
	_cleanup_fclose_ FILE *f = NULL;
	char line[256];

	snprintf(line, sizeof(line), "/proc/%u/fdinfo/%u", tgid, fd);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f)) {
		struct heldlock lock;

		if (!strncmp(line, "lock:", 5) && heldlocks_parse(line + 5, &lock) &&
		    lock.rec.wait != CT_LOCK_POSIX && lock.rec.obj == obj)
			return true;
	}
	return false;
}

void heldlocks_mark(const struct heldlocks *h, void *stream, size_t size, unsigned max, uint64_t deadline_ns)
{
	struct map locked = { 0 };
	uint8_t *p = stream;

	for (size_t i = 0; i < h->n; i++)
		if (ct_lock_type(&h->v[i].rec) != CT_LOCK_POSIX && !ct_held_is_waiter(&h->v[i].rec) &&
		    map_set(&locked, h->v[i].rec.obj, 1))
			break;
	for (size_t n; max && (n = stream_first(p, size)); p += n, size -= n) {
		struct ct_rec *rec = (void *)p;

		if (rec->kind != CT_FD || !map_get(&locked, rec->obj, NULL))
			continue;
		/* the kernel takes long for an open file with very many locks */
		if (clock_boot_ns() >= deadline_ns)
			break;
		max--;
		if (has_lock(rec->tid, ct_fd_number(rec), rec->obj))
			rec->flags |= CT_FF_LOCK;
	}
	map_done(&locked);
}
