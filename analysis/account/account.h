/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - sums up the pieces of a critical path: where the time went.
 *
 * There are five groups of rows. Each group divides the whole path: the `ns` of its rows add up to
 * account.total_ns. The task of a piece is the victim, or the task that held it up.
 *
 *   wait      what the victim did: it ran, or waited for a task or a thing
 *   resource  what the task of the piece did: it ran, or waited for a CPU, a lock, ...
 *   task      the task of the piece
 *   process   the process of the task of the piece
 *   object    the object for which the task of the piece waited. If the task waited for none: the
 *             object of the nearest wait on the way to the victim
 *
 * The method: Panappticon (Zhang et al., CODES+ISSS 2013, section 4.4). Pure; any thread. The
 * result needs the graph and its window, but not the path.
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
const char *account_group_name(enum account_group group);

/* A field that a group does not set is 0 or GRAPH_NONE. */
struct account_row {
	uint64_t ns;
	/* OBJECT: how long `obj` held the victim up, directly or through other tasks. A piece of
	 * the path may count in several rows. Other groups: equal to ns. */
	uint64_t within_ns;
	/* WAIT: the number of waits or runs. Other groups: the number of pieces of the path. In
	 * RESOURCE, a piece may be divided into parts. Then each part counts. */
	uint32_t count;
	/* WAIT: the task that the victim waited for. RESOURCE: the task that had the CPU. TASK: the
	 * task itself. PROCESS: the main thread, or else another thread. */
	uint32_t task;
	/* WAIT: the longest interval of the row. An interval of the state INTERVAL_FOLDED is taken only
	 * if it is the first one of the row. */
	uint32_t interval;
	/* WAIT, RESOURCE, OBJECT: the object of the waits. In RESOURCE, a device stands for all its
	 * files, and one socket for all sockets with its remote address. */
	uint64_t obj;
	enum resource_kind kind;
	enum time_kind time;
	enum edge_kind edge;
};

struct account {
	uint64_t total_ns;
	struct account_row *rows[ACCOUNT_GROUPS]; /* sorted by ns, the largest first */
	size_t n_rows[ACCOUNT_GROUPS];
};

/* The caller frees *ret with account_free(). Returns 0 or -ENOMEM. */
int account_new(const struct graph *g, const struct path *p, struct account **ret);
void account_free(struct account *a);

#define ACCOUNT_WORDS_MAX 512
/* Writes a row in words, such as "network 10.0.0.1:443". The text is safe to print. */
void account_words(const struct graph *g, enum account_group group, const struct account_row *row, char *buf,
		   size_t size);

#endif
