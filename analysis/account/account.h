/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - where the time of a critical path went: its pieces, summed up.
 *
 * Each group divides the same pieces in another way.  The rows of each group add up to the range exactly:
 *
 *	wait      what the victim did itself: it ran, or waited for one thing from one task
 *	resource  what it came down to at the end of the waits that were followed: running, waiting for a CPU
 *	          (with who had it), a lock, local communication by kind, the network by remote address, a
 *	          disk by device, a timer, a page fault, a queue, or not known
 *	task, process   the task, or process, that held things up
 *	object    the innermost object that a task between the victim and the piece waited for
 *
 * Example: the owner of a lock sleeps, and the victim wants the lock.  That time is a wait for a lock, its
 * resource is a timer, and its object is the lock.
 *
 * (After the resource accounting of Panappticon, Zhang et al., CODES+ISSS 2013, section 4.4.)
 * Pure.  The result refers to the graph and its window, not to the path.
 */
#ifndef CTRACE_ANALYSIS_ACCOUNT_ACCOUNT_H
#define CTRACE_ANALYSIS_ACCOUNT_ACCOUNT_H

#include "graph/path/path.h"

enum account_group {
	ACCOUNT_WAIT,
	ACCOUNT_RESOURCE,
	ACCOUNT_TASK,
	ACCOUNT_PROCESS,
	ACCOUNT_OBJECT,
	ACCOUNT_GROUPS,
};
/* "wait", "resource", ... */
const char *account_group_name(enum account_group group);

/* Which of the fields a row has depends on its group; the others are 0 or GRAPH_NONE. */
struct account_row {
	uint64_t ns;
	/* OBJECT: the time of the path in which any task on the way waited for it.  Such rows overlap, and
	 * some have an ns of 0.  Else the same as ns. */
	uint64_t within_ns;
	uint32_t count; /* WAIT: how many waits or runs; else pieces of the path */
	/* WAIT: whom it waited for; RESOURCE: who had the CPU; TASK: it; PROCESS: its first thread, or
	 * another
	 */
	uint32_t task;
	uint32_t interval; /* WAIT: the longest one */
	uint64_t obj; /* WAIT, RESOURCE, OBJECT; a disk is its device, a remote address one of its sockets
		       */
	enum resource_kind kind; /* WAIT, RESOURCE, OBJECT */
	enum time_kind time;     /* WAIT, RESOURCE */
	enum edge_kind edge;     /* WAIT: how it depends on task; else 0 */
};

struct account {
	uint64_t total_ns;
	struct account_row *rows[ACCOUNT_GROUPS]; /* the largest first */
	size_t n_rows[ACCOUNT_GROUPS];
};

/* 0 or -ENOMEM. */
int account_new(const struct graph *g, const struct path *p, struct account **ret);
void account_free(struct account *a);

#define ACCOUNT_WORDS_MAX 512
/* A row in words: "waiting for a file lock that db[7] held (/var/x.db)", "network 10.0.0.1:443", "db[7]". Cut
 * to size; safe to print. */
void account_words(const struct graph *g, enum account_group group, const struct account_row *row, char *buf,
		   size_t size);

#endif
