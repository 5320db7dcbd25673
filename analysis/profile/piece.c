// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/profile/piece.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/words/resource.h"

__attribute__((format(printf, 3, 4))) static void put(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf, size, fmt, ap);
	va_end(ap);
}

static enum part_class class_of(enum time_kind time, const struct blame *b)
{
	if (b && path_waits_for_lock(b))
		return PART_CLASS_LOCK;
	switch (time) {
	case TIME_RUNNING:
		return PART_CLASS_RUNNING;
	case TIME_RUNNABLE:
		return PART_CLASS_CPU;
	case TIME_LOCK:
		return PART_CLASS_LOCK;
	case TIME_IPC:
		return PART_CLASS_IPC;
	case TIME_DISK:
		return PART_CLASS_DISK;
	case TIME_NETWORK:
		return PART_CLASS_NETWORK;
	case TIME_TIMER:
		return PART_CLASS_TIMER;
	case TIME_QUEUE:
		return PART_CLASS_QUEUE;
	case TIME_FAULT:
		return PART_CLASS_FAULT;
	case TIME_SHORT:
		return PART_CLASS_SHORT;
	case TIME_UNKNOWN:
	case TIME_KINDS:
		break;
	}
	return PART_CLASS_UNKNOWN;
}

static const char *lock_words(enum resource_kind kind)
{
	switch ((unsigned)kind) {
	case RESOURCE_FILE_LOCK:
		return "a file lock";
	case RESOURCE_KERNEL_LOCK:
		return "a lock in the kernel";
	case RESOURCE_DATABASE_LOCK:
		return "a lock of the database";
	default:
		return "a lock";
	}
}

static const char *ipc_words(enum resource_kind kind)
{
	switch ((unsigned)kind) {
	case RESOURCE_CHILD:
		return "waiting for a child process";
	case RESOURCE_PIPE:
		return "waiting at a pipe";
	case RESOURCE_FUTEX:
	case RESOURCE_EVENTFD:
		return "waiting to be woken";
	case RESOURCE_SIGNAL:
		return "waiting for a signal";
	case RESOURCE_TCP:
	case RESOURCE_UDP:
	case RESOURCE_UNIX:
		return "waiting for a message";
	case RESOURCE_FUSE:
		return "waiting for a file system in user space";
	case RESOURCE_INPUT:
		return "waiting for input";
	default:
		return "waiting for another task";
	}
}

static const char *state_words(enum time_kind time, const struct blame *b, char buf[ROLE_MAX])
{
	if (b && path_waits_for_lock(b)) {
		snprintf(buf, ROLE_MAX, "waiting for %s", lock_words(b->kind));
		return buf;
	}
	if (b && b->edge == EDGE_STOP)
		return "stopped";
	switch (time) {
	case TIME_RUNNING:
		return "running";
	case TIME_RUNNABLE:
		return "waiting for a CPU; who had it is not known";
	case TIME_IPC:
		return ipc_words(b ? b->kind : RESOURCE_UNKNOWN);
	case TIME_DISK:
		return "waiting for the disk";
	case TIME_NETWORK:
		return "waiting for the network";
	case TIME_TIMER:
		return "sleeping";
	case TIME_QUEUE:
		return "waiting in a queue of jobs";
	case TIME_FAULT:
		return "waiting for memory";
	case TIME_SHORT:
		return "in waits shorter than 8 ms";
	case TIME_LOCK:
	case TIME_UNKNOWN:
	case TIME_KINDS:
		break;
	}
	return b && b->kind == RESOURCE_INPUT ? "waiting for input" : "in a state that is not known";
}

static const struct blame *leaf_of(const struct path *p, const struct path_piece *x)
{
	return x->blame == GRAPH_NONE ? NULL : &p->leaf_blames[x->blame];
}

struct doing {
	char key[ROLE_MAX * 2];
	const char *words;
	char buf[ROLE_MAX], with[ROLE_MAX];
};

static void put_doing(const struct graph *g, const struct path_piece *x, enum time_kind time,
		      const struct blame *b, struct doing *d)
{
	d->words = state_words(time, b, d->buf);
	d->with[0] = '\0';
	if (b && b->task != GRAPH_NONE)
		role_task(g, b->task, x->from_ns, d->with);
	put(d->key, sizeof(d->key), "%s:%s:%s", time_kind_name(time), b ? resource_kind_word(b->kind) : "",
	    d->with);
}

/* Names piece x of a wait for a lock. lock: the frame of the owner of the lock. */
static void put_locked(const struct graph *g, const struct path *p, const struct path_piece *x,
		       const struct path_frame *lock, const struct doing *d, struct piece_name *ret)
{
	uint32_t leaf = p->frames[x->frame].task, up = p->frames[lock->parent].task;
	char waiter[ROLE_MAX], holder[ROLE_MAX], who[ROLE_MAX] = "";

	role_task(g, up, x->from_ns, waiter);
	role_task(g, lock->task, x->from_ns, holder);
	if (leaf != lock->task)
		role_task(g, leaf, x->from_ns, who);
	ret->class = PART_CLASS_LOCK;
	role_object(g, lock->blame.obj, ret->object, sizeof(ret->object), &ret->late);
	put(ret->key, sizeof(ret->key), "%s|lock:%s:%s|%s|%s|%s", waiter,
	    resource_kind_word(lock->blame.kind), ret->late ? "" : ret->object, holder, who, d->key);
	put(ret->head, sizeof(ret->head), "%s waiting for %s that %s held, %s%s%s%s%s", waiter,
	    lock_words(lock->blame.kind), holder, who, who[0] ? " " : "", d->words, d->with[0] ? " of " : "",
	    d->with);
}

void piece_name_as(const struct graph *g, const struct path *p, const struct path_piece *x,
		   enum time_kind time, struct piece_name *ret)
{
	const struct blame *b = time == (enum time_kind)x->time ? leaf_of(p, x) : NULL;
	const struct path_frame *lock = path_lock(p, x);
	char who[ROLE_MAX];
	struct doing d;

	*ret = (struct piece_name){ .class = class_of(time, b) };
	put_doing(g, x, time, b, &d);
	if (lock) {
		put_locked(g, p, x, lock, &d, ret);
		return;
	}
	role_task(g, p->frames[x->frame].task, x->from_ns, who);
	if (b)
		role_object(g, b->obj, ret->object, sizeof(ret->object), &ret->late);
	put(ret->key, sizeof(ret->key), "%s|%s|%s", who, d.key, ret->late ? "" : ret->object);
	put(ret->head, sizeof(ret->head), "%s %s%s%s", who, d.words, d.with[0] ? " of " : "", d.with);
}

void piece_name(const struct graph *g, const struct path *p, const struct path_piece *x,
		struct piece_name *ret)
{
	piece_name_as(g, p, x, (enum time_kind)x->time, ret);
	if (x->interval != GRAPH_NONE && g->intervals[x->interval].state == INTERVAL_BLOCKED)
		role_function(g, graph_visit_stack(g, &g->intervals[x->interval]), ret->function);
}

void piece_name_cpu(const struct graph *g, const struct path *p, const struct path_piece *x, uint32_t user,
		    struct piece_name *ret)
{
	char who[ROLE_MAX], other[ROLE_MAX];

	*ret = (struct piece_name){ .class = PART_CLASS_CPU };
	role_task(g, p->frames[x->frame].task, x->from_ns, who);
	role_task(g, user, x->from_ns, other);
	put(ret->key, sizeof(ret->key), "%s|runnable::%s|", who, other);
	put(ret->head, sizeof(ret->head), "%s waiting for a CPU that %s had", who, other);
}

void piece_name_quota(const struct graph *g, const struct path *p, const struct path_piece *x,
		      struct piece_name *ret)
{
	char who[ROLE_MAX];

	*ret = (struct piece_name){ .class = PART_CLASS_CPU };
	role_task(g, p->frames[x->frame].task, x->from_ns, who);
	put(ret->key, sizeof(ret->key), "%s|runnable:quota:|", who);
	put(ret->head, sizeof(ret->head), "%s waiting for a CPU while its CPU quota was used up", who);
}

void piece_name_passive(const struct graph *g, uint32_t task, uint64_t ts_ns, bool queued,
			struct piece_name *ret)
{
	char who[ROLE_MAX] = "a task";

	*ret = (struct piece_name){ .class = queued ? PART_CLASS_QUEUE : PART_CLASS_NETWORK };
	if (!queued) {
		put(ret->key, sizeof(ret->key), "|outside");
		put(ret->head, sizeof(ret->head), "on the way, or on another host");
		return;
	}
	if (task != GRAPH_NONE)
		role_task(g, task, ts_ns, who);
	put(ret->key, sizeof(ret->key), "%s|queued", who);
	put(ret->head, sizeof(ret->head), "in the queue of %s", who);
}

void piece_name_environment(enum piece_environment what, struct piece_name *ret)
{
	static const struct {
		const char *key, *head;
	} names[] = {
		[PIECE_ENVIRONMENT_CPU] = { "cpu", "waiting for a CPU that other programs had" },
		[PIECE_ENVIRONMENT_IDLE] = { "idle", "waiting for a CPU that was idle, or that ctrace had" },
		[PIECE_ENVIRONMENT_DISK] = { "disk", "waiting for a disk that other programs used too" },
	};

	*ret = (struct piece_name){ .class = PART_CLASS_ENVIRONMENT };
	put(ret->key, sizeof(ret->key), "environment|%s", names[what].key);
	put(ret->head, sizeof(ret->head), "%s", names[what].head);
}
