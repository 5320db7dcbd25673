/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - sums up the pieces of a critical path: where the time went.
 *
 * There are five groups of rows. Each group divides the same pieces in another way. In each group,
 * the field ns of all rows adds up to the length of the range:
 *
 *   wait      the victim's own activity: the victim ran, or waited for one task and one thing
 *   resource  the resource at the end of the waits that were followed: running, waiting for a CPU
 *             (with the task that had it), a lock, local communication by kind, the network by
 *             remote address, a disk by device, a timer, a page fault, a queue, short waits of which
 *             there are only sums, or not known
 *   task      the task that held the victim up
 *   process   the process that held the victim up
 *   object    the innermost object that a task between the victim and the piece waited for
 *
 * Example: the victim wants a lock, and the owner of the lock sleeps. The victim's time is a wait
 * for a lock in the group wait, a timer in the group resource, and the lock in the group object.
 *
 * The method is the resource accounting of Panappticon (Zhang et al., CODES+ISSS 2013, section
 * 4.4). Pure; any thread. The result has indices into the graph, and needs the graph and its
 * window. It does not need the path.
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
/* Returns the word for a group: "wait", "resource", ... */
const char *account_group_name(enum account_group group);

/* The group of a row says which of its fields are set; the others are 0 or GRAPH_NONE. */
struct account_row {
	uint64_t ns;
	/* OBJECT: the time in which any task on the path waited for the object. A piece may count
	 * in several rows. If the object is never the innermost one, ns is 0. Other groups: equal
	 * to ns. */
	uint64_t within_ns;
	uint32_t count; /* WAIT: the number of waits or runs; other groups: the number of pieces, or of parts
			   of pieces */
	/* WAIT: the task that the victim waited for; RESOURCE: the task that had the CPU; TASK: the
	 * task itself; PROCESS: the first thread of the process, or another thread if the trace
	 * does not have the first one */
	uint32_t task;
	uint32_t interval;       /* WAIT: the longest wait or run */
	uint64_t obj;            /* set in WAIT, RESOURCE, OBJECT; in RESOURCE, a device stands for
				    its files, and one socket for all with its remote address */
	enum resource_kind kind; /* set in WAIT, RESOURCE, OBJECT */
	enum time_kind time;     /* set in WAIT, RESOURCE */
	enum edge_kind edge;     /* WAIT: how the victim depends on `task`; other groups: 0 */
};

struct account {
	uint64_t total_ns;
	struct account_row *rows[ACCOUNT_GROUPS]; /* the row with the largest ns first */
	size_t n_rows[ACCOUNT_GROUPS];
};

/* Sums up the path. The caller frees *ret with account_free(). Returns 0 or -ENOMEM. */
int account_new(const struct graph *g, const struct path *p, struct account **ret);
void account_free(struct account *a);

#define ACCOUNT_WORDS_MAX 512
/* Writes a row in words. Examples: "waiting for a file lock that db[7] held (/var/x.db)", "network
 * 10.0.0.1:443", "db[7]". The text is cut to size, and safe to print. */
void account_words(const struct graph *g, enum account_group group, const struct account_row *row, char *buf,
		   size_t size);

#endif
