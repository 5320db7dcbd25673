// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/watchpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

enum { STAT_STARTSTACK = 28 };

struct watchpoint {
	uint64_t client;
	uint32_t id, pid;
	int pidfd;
	uint64_t obj;
	/* where the stack of the process starts; an exec almost always changes this address */
	uint64_t stack_at;
	struct watchpoint_access recent[WATCHPOINT_RECENT_MAX];
	unsigned head, n;
	uint64_t unshown;
};

struct watchpoints {
	struct probe *probe;
	pthread_mutex_t lock; /* protects the members below */
	uint32_t last_id;
	struct watchpoint v[PROBE_WATCHES_MAX];
};

struct watchpoints *watchpoints_new(struct probe *p)
{
	struct watchpoints *ws = calloc(1, sizeof(*ws));

	if (!ws)
		return NULL;
	ws->probe = p;
	pthread_mutex_init(&ws->lock, NULL);
	return ws;
}

void watchpoints_free(struct watchpoints *ws)
{
	if (!ws)
		return;
	for (size_t i = 0; i < PROBE_WATCHES_MAX; i++)
		if (ws->v[i].client)
			watchpoints_drop(ws, ws->v[i].client);
	pthread_mutex_destroy(&ws->lock);
	free(ws);
}

void watchpoints_drop(struct watchpoints *ws, uint64_t client)
{
	/* Removing breakpoints takes long. So the lock, which the drain thread needs, is not held
	 * meanwhile. */
	for (size_t i = 0; ws && i < PROBE_WATCHES_MAX; i++) {
		struct watchpoint *w = &ws->v[i];
		bool mine;

		pthread_mutex_lock(&ws->lock);
		mine = w->client == client;
		if (mine) {
			close(w->pidfd);
			*w = (struct watchpoint){ 0 };
		}
		pthread_mutex_unlock(&ws->lock);
		if (mine)
			probe_watch_close(ws->probe, (unsigned)i);
	}
}

static uint32_t process_of(uint32_t tid, uint64_t *ret_stack)
{
	_cleanup_fclose_ FILE *status = NULL, *stat = NULL;
	char path[64], line[1024];
	const char *p;
	unsigned tgid = 0;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status) && sscanf(line, "Tgid: %u", &tgid) != 1)
		;
	snprintf(path, sizeof(path), "/proc/%u/stat", tgid);
	stat = tgid ? fopen(path, "re") : NULL;
	*ret_stack = 0;
	if (!stat || !fgets(line, sizeof(line), stat))
		return 0;
	/* "pid (comm) state ...": counts from the end of the name, which may have spaces */
	p = strrchr(line, ')');
	for (int field = 2; p && field < STAT_STARTSTACK; field++)
		p = strchr(p + 1, ' ');
	if (p)
		*ret_stack = strtoull(p, NULL, 10);
	return tgid;
}

static int read_value(uint32_t pid, uint64_t addr, uint32_t len, uint64_t *ret)
{
	struct iovec to = { .iov_base = ret, .iov_len = len };
	struct iovec from = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };

	*ret = 0;
	if (process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0) == (ssize_t)len)
		return 0;
	return errno == EPERM || errno == ESRCH ? -errno : -EFAULT;
}

/* Takes the length that the client wants. If it wants none, the size of the variable decides:
 * - 1, 2, 4 or 8: takes this size
 * - more than 8: returns -E2BIG
 * - 3, 5, 6, 7 or not known: takes the largest of 4, 2 and 1 that divides the address
 * For a part of a variable, the size counts as not known. */
static int choose_len(const struct watchpoint_want *want, const struct variable *v, uint32_t *ret,
		      char err[WATCHPOINT_ERR_MAX])
{
	bool whole = v->name[0] && !v->off;
	uint64_t size = whole ? v->size : 0;

	if (want->len)
		*ret = want->len;
	else if (size == 1 || size == 2 || size == 4 || size == 8)
		*ret = (uint32_t)size;
	else if (size > 8) {
		snprintf(
			err, WATCHPOINT_ERR_MAX,
			"\"%.100s\" has %" PRIu64
			" bytes, and at most 8 can be watched; name a part: %.100s+OFFSET, with --len 1, 2, 4 or 8.",
			v->name, size, v->name);
		return -E2BIG;
	} else {
		*ret = v->addr % 4 == 0 ? 4 : v->addr % 2 == 0 ? 2 : 1;
	}
	if (v->addr % *ret == 0)
		return 0;
	snprintf(
		err, WATCHPOINT_ERR_MAX,
		"0x%" PRIx64
		" is not a multiple of %u, which the hardware needs; use --len %u, or watch a part of the variable.",
		v->addr, *ret,
		v->addr % 4 == 0   ? 4
		: v->addr % 2 == 0 ? 2
				   : 1);
	return -EINVAL;
}

static int find_variable(const struct watchpoint_want *want, uint32_t pid, struct variable *ret,
			 char err[WATCHPOINT_ERR_MAX])
{
	struct variable_maps maps;
	int r = variable_maps_read(&maps, pid);

	if (r) {
		snprintf(err, WATCHPOINT_ERR_MAX, "The mappings of process %u cannot be read: %s.", pid,
			 r == -ESRCH ? "it has ended, or is a thread of the kernel" : strerror(-r));
		return r;
	}
	r = variable_find(&maps, want->var, ret, err);
	variable_maps_done(&maps);
	return r;
}

static int watchpoint_arm(struct watchpoints *ws, const struct watchpoint_want *want,
			  struct watchpoint_info *info, struct watchpoint w, char err[WATCHPOINT_ERR_MAX])
{
	const struct probe_watch_options o = { .tgid = w.pid,
					       .addr = info->addr,
					       .len = info->len,
					       .reads = want->reads,
					       .value = info->value };
	unsigned at;
	int r;

	_Static_assert(WATCHPOINT_ERR_MAX >= PROBE_ERR_MAX, "its sentences fit");
	r = probe_watch_open(ws->probe, &o, &at, err);
	if (r)
		return r;
	pthread_mutex_lock(&ws->lock);
	info->id = w.id = ++ws->last_id;
	ws->v[at] = w;
	pthread_mutex_unlock(&ws->lock);
	return 0;
}

int watchpoints_add(struct watchpoints *ws, struct drain *d, const struct watchpoint_want *want,
		    struct watchpoint_info *ret, char err[WATCHPOINT_ERR_MAX])
{
	struct watchpoint w = { .client = want->client, .pidfd = -1 };
	_cleanup_close_ int pidfd = -1;
	struct ct_object_blob *blob;
	struct variable v;
	int r;

	w.pid = process_of(want->pid, &w.stack_at);
	pidfd = w.pid ? (int)syscall(SYS_pidfd_open, w.pid, 0) : -1;
	if (pidfd < 0) {
		snprintf(err, WATCHPOINT_ERR_MAX, "There is no process %u; `ps -e` lists the processes.",
			 want->pid);
		return -ESRCH;
	}
	*ret = (struct watchpoint_info){ .pid = w.pid };
	r = find_variable(want, w.pid, &v, err);
	if (!r)
		r = choose_len(want, &v, &ret->len, err);
	if (r)
		return r;
	ret->addr = v.addr;
	variable_text(&v, ret->name, sizeof(ret->name));
	w.obj = CT_OBJ_USER_ID(CT_OBJ_DATA, w.pid, v.addr);
	r = read_value(w.pid, v.addr, ret->len, &ret->value);
	if (r) {
		snprintf(err, WATCHPOINT_ERR_MAX, "%s (0x%" PRIx64 ") of process %u cannot be read: %s.",
			 ret->name, v.addr, w.pid,
			 r == -EFAULT ? "nothing is mapped there; see /proc/PID/maps" : strerror(-r));
		return r;
	}
	w.pidfd = pidfd;
	r = watchpoint_arm(ws, want, ret, w, err);
	if (r)
		return r;
	TAKE_FD(pidfd);
	blob = variable_object(w.obj, w.pid, ret->name, clock_boot_ns());
	if (blob)
		drain_post(d, blob, blob->h.size);
	return 0;
}

static enum watchpoint_end watchpoint_ended(const struct watchpoint *w)
{
	struct pollfd p = { .fd = w->pidfd, .events = POLLIN };
	uint64_t stack_at;

	if (poll(&p, 1, 0) > 0 || !process_of(w->pid, &stack_at))
		return WATCHPOINT_EXITED;
	return stack_at == w->stack_at ? WATCHPOINT_GOES_ON : WATCHPOINT_EXECED;
}

int watchpoints_news(struct watchpoints *ws, uint64_t client, uint32_t id, struct watchpoint_news *ret)
{
	int r = -ENOENT;

	pthread_mutex_lock(&ws->lock);
	for (size_t i = 0; i < PROBE_WATCHES_MAX; i++) {
		struct watchpoint *w = &ws->v[i];

		if (w->client != client || w->id != id)
			continue;
		/* Checks for the end of the process before it reads the accesses. In the other
		 * order, the process could make further accesses and end in between, and these
		 * accesses would not be reported. */
		ret->end = watchpoint_ended(w);
		for (ret->n = 0; ret->n < w->n; ret->n++)
			ret->v[ret->n] = w->recent[(w->head + ret->n) % WATCHPOINT_RECENT_MAX];
		ret->unshown = w->unshown;
		ret->refused = probe_watch_refused(ws->probe, (unsigned)i);
		w->head = w->n = 0;
		w->unshown = 0;
		r = 0;
	}
	pthread_mutex_unlock(&ws->lock);
	return r;
}

void watchpoints_note(void *arg, const struct ct_rec *rec, const uint64_t words[2],
		      const struct ct_stack_blob *stack)
{
	struct watchpoints *ws = arg;

	pthread_mutex_lock(&ws->lock);
	for (size_t i = 0; i < PROBE_WATCHES_MAX; i++) {
		struct watchpoint *w = &ws->v[i];
		struct watchpoint_access *a;

		if (!w->client || w->obj != rec->obj)
			continue;
		if (w->n == WATCHPOINT_RECENT_MAX) {
			w->unshown++;
			continue;
		}
		a = &w->recent[(w->head + w->n++) % WATCHPOINT_RECENT_MAX];
		*a = (struct watchpoint_access){
			.ts_ns = rec->ts, .value = words[0], .tid = rec->tid, .read = !ct_access_is_write(rec)
		};
		if (stack && stack->n_frames)
			snprintf(a->where, sizeof(a->where), "%s", stack->frames);
	}
	pthread_mutex_unlock(&ws->lock);
}
