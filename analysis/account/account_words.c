// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "analysis/account/account.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

#define WHO_MAX 96

static const char *who(const struct graph *g, uint32_t task, char buf[WHO_MAX])
{
	char comm[64];

	describe_clean(graph_comm(g, task, g->w->to_ns), comm, sizeof(comm));
	snprintf(buf, WHO_MAX, "%s[%u]", comm, g->tasks[task].tid);
	return buf;
}

static void say_outside(const struct account_row *r, const char *name, char *buf, size_t size)
{
	const char *what = "something";

	if (r->edge == EDGE_STOP)
		what = "stopped";
	else if (r->time == TIME_TIMER)
		what = "sleeping";
	else if (r->time == TIME_DISK)
		what = "waiting for the disk";
	else if (r->time == TIME_FAULT)
		what = "waiting for a page of memory";
	else if (r->kind == RESOURCE_NETWORK_FS)
		what = "waiting for the server of a file system";
	else if (r->time == TIME_NETWORK)
		what = "waiting for the network";
	else if (r->kind == RESOURCE_FILE_LOCK)
		what = "waiting for a file lock";
	else if (r->kind == RESOURCE_FUTEX || r->kind == RESOURCE_LOCK)
		what = r->time == TIME_LOCK ? "waiting for a lock" : "waiting to be woken";
	else if (r->kind == RESOURCE_INPUT)
		what = "waiting for input";
	else if (r->kind == RESOURCE_UNKNOWN)
		what = "waiting for something that is not known";
	else {
		const char *kind = resource_kind_word(r->kind);

		if (strncmp(name, kind, strlen(kind)) != 0)
			snprintf(buf, size, "waiting for %s %s", kind, name);
		else
			snprintf(buf, size, "waiting for %s", name);
		return;
	}
	snprintf(buf, size, name[0] ? "%s (%s)" : "%s", what, name);
}

static void wait_words(const struct account_row *r, const char **before, const char **after)
{
	*after = "";
	if (r->edge == EDGE_STOP)
		*before = "stopped by ";
	else if (r->edge == EDGE_FORK)
		*before = "waiting to be started by ";
	else if (r->edge == EDGE_POLLED)
		*before = "trying again and again for a file lock that ", *after = " held";
	else if (r->kind == RESOURCE_FILE_LOCK)
		*before = "waiting for a file lock that ", *after = " held";
	else if (r->kind == RESOURCE_DATABASE_LOCK)
		*before = "waiting for a lock of the database that ", *after = " held";
	else if (r->kind == RESOURCE_KERNEL_LOCK)
		*before = "waiting for a lock in the kernel that ", *after = " held";
	else if (r->time == TIME_LOCK)
		*before = "waiting for a lock that ", *after = " held";
	else if (r->kind == RESOURCE_FUTEX && r->edge == EDGE_EXIT)
		*before = "waiting for the end of ";
	else if (r->kind == RESOURCE_FUTEX)
		*before = "waiting to be woken by ";
	else if (r->kind == RESOURCE_CHILD)
		*before = "waiting for the end of ";
	else if (r->kind == RESOURCE_SIGNAL)
		*before = "waiting for a signal from ";
	else if (r->kind == RESOURCE_FUSE)
		*before = "waiting for the file system that ", *after = " serves";
	else
		*before = "waiting for ";
}

static void say_wait(const struct graph *g, const struct account_row *r, const char *name, char *buf,
		     size_t size)
{
	const char *before, *after;
	char other[WHO_MAX];

	if (!r->kind) {
		snprintf(buf, size, "%s",
			 r->time == TIME_RUNNING    ? "running"
			 : r->time == TIME_RUNNABLE ? "waiting for a CPU"
			 : r->time == TIME_SHORT    ? "in waits shorter than 8 ms"
						    : "not known");
		return;
	}
	if (r->task == GRAPH_NONE) {
		say_outside(r, name, buf, size);
		return;
	}
	wait_words(r, &before, &after);
	snprintf(buf, size, name[0] ? "%s%s%s (%s)" : "%s%s%s", before, who(g, r->task, other), after, name);
}

static void say_resource(const struct graph *g, const struct account_row *r, const char *name, char *buf,
			 size_t size)
{
	bool is_lock = r->kind == RESOURCE_NONE || r->kind == RESOURCE_FUTEX;
	const char *arrow = strstr(name, "->");
	char other[WHO_MAX];

	switch (r->time) {
	case TIME_RUNNING:
		snprintf(buf, size, "running");
		return;
	case TIME_RUNNABLE:
		if (r->task == GRAPH_NONE)
			snprintf(buf, size, "waiting for a CPU; who had it is not known");
		else
			snprintf(buf, size, "waiting for a CPU that %s had", who(g, r->task, other));
		return;
	case TIME_LOCK:
		snprintf(buf, size, "%s %s", is_lock ? "lock" : resource_kind_word(r->kind), name);
		return;
	case TIME_IPC:
		snprintf(buf, size, "local communication, %s", resource_kind_word(r->kind));
		return;
	case TIME_NETWORK:
		snprintf(buf, size, "network %s", arrow ? arrow + 2 : name);
		return;
	case TIME_DISK:
		snprintf(buf, size, "%s%s", strncmp(name, "disk", 4) ? "disk " : "", name);
		return;
	case TIME_TIMER:
		snprintf(buf, size, "timer");
		return;
	case TIME_FAULT:
		snprintf(buf, size, "page fault");
		return;
	case TIME_QUEUE:
		snprintf(buf, size, "queue %s", name);
		return;
	case TIME_SHORT:
		snprintf(buf, size, "waits shorter than 8 ms");
		return;
	case TIME_UNKNOWN:
	case TIME_KINDS:
		break;
	}
	snprintf(buf, size, "not known");
}

void account_words(const struct graph *g, enum account_group group, const struct account_row *row, char *buf,
		   size_t size)
{
	char name[DESCRIBE_MAX];

	describe_object(g->w, row->obj, name, sizeof(name));
	switch (group) {
	case ACCOUNT_WAIT:
		say_wait(g, row, name, buf, size);
		return;
	case ACCOUNT_RESOURCE:
		say_resource(g, row, name, buf, size);
		return;
	case ACCOUNT_OBJECT:
		snprintf(buf, size, "%s", row->obj ? name : "no object");
		return;
	case ACCOUNT_TASK:
	case ACCOUNT_PROCESS:
	case ACCOUNT_GROUPS:
		break;
	}
	who(g, row->task, name);
	if (group == ACCOUNT_TASK && g->tasks[row->task].tid != g->tasks[row->task].tgid)
		snprintf(buf, size, "%s, a thread of %u", name, g->tasks[row->task].tgid);
	else if (group == ACCOUNT_PROCESS && g->tasks[row->task].tid != g->tasks[row->task].tgid)
		snprintf(buf, size, "process %u of %s", g->tasks[row->task].tgid, name);
	else
		snprintf(buf, size, "%s", name);
}
