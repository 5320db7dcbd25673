/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - sums up the pieces of a critical path: where the time went.
 *
 * There are five groups of rows. Each group divides the same pieces in another way. In each group,
 * the field ns of all rows adds up to the length of the range:
 *
 *   wait      what the victim itself did: it ran, or it waited (a row for each pair of a task and
 *             a thing for which it waited)
 *   resource  what the task of the piece (the task that held the victim up) did. It ran, or it
 *             waited: for a CPU (a row for each task that had this CPU), for a lock, for local
 *             communication (a row for each kind), for the network (a row for each remote address),
 *             for a disk (a row for each device), for a timer, for a page or for a queue. Two more
 *             rows: short waits of which there are only sums, and time of which nothing is known
 *   task      the task of the piece
 *   process   the process of the task of the piece
 *   object    the object for which the task of the piece waited. If it waited for no object: the
 *             object for which the nearest task on the way back to the victim waited
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

/* The group of a row says which fields of the row are set; the others are 0 or GRAPH_NONE. */
struct account_row {
	uint64_t ns;
	/* OBJECT: the time of all pieces at which any task, from the victim to the task of the
	 * piece, waited for the object `obj` of this row. So a piece may count in several rows. ns
	 * counts each piece in one row only: see the group `object` above. So ns may be 0. Other
	 * groups: equal to ns. */
	uint64_t within_ns;
	/* WAIT: the number of waits or runs. Other groups: the number of pieces. If a piece is
	 * divided among several rows, it counts once for each part. */
	uint32_t count;
	/* WAIT: the task that the victim waited for; RESOURCE: the task that had the CPU; TASK: the
	 * task itself; PROCESS: the first thread of the process, or another thread if the trace
	 * does not have the first one */
	uint32_t task;
	/* WAIT: the interval of the longest wait or run. A FOLDED interval never replaces another
	 * interval here, even if it is longer. */
	uint32_t interval;
	/* set in WAIT, RESOURCE, OBJECT. In RESOURCE, a device stands for all its files, and one
	 * socket stands for all sockets with the same remote address. */
	uint64_t obj;
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
