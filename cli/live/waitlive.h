/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitlive.h - the wait-for graph of the machine at this moment, and the chains in it that are worth
 * telling. Reads /proc. One thread.
 */
#ifndef CTRACE_CLI_LIVE_WAITLIVE_H
#define CTRACE_CLI_LIVE_WAITLIVE_H

#include "analysis/hangs/waitgraph.h"
#include "procfs/procwait.h"

/* One task of a chain, which waits for the next task of the chain. If the task waits for a process, the chain
 * goes on with the thread of this process that will most likely end the wait. */
struct waitlive_link {
	const struct proctask_thread *th;
	const struct procwait *wait;
	bool sure;       /* the task waits for the next task and for nothing else */
	bool owes;       /* the next task owns the lock for which the task waits, or has not read
			    the task's message */
	uint32_t one_of; /* the number of tasks and processes that could end the wait */
};

struct waitlive_chain {
	/* the last link is the root; in a cycle, its task waits for the task of the first link */
	VEC(struct waitlive_link) links;
	bool cycle;
	bool closed; /* for a cycle: no task outside of the cycle can end one of its waits */
	bool strong; /* for a cycle: every wait in it is sure */
	bool told;   /* the chain is worth telling: its tasks do not merely idle */
	bool moving; /* a waiting task of the chain has run since its wait was read */
	uint32_t root_waiters_cnt;
};

struct waitlive {
	struct procwait_tables tables;
	struct procwait *waits; /* one for each thread, in the order of tables.tasks.threads */
	struct waitgraph *graph;
	VEC(struct waitlive_chain)
	chains; /* first the cycles, then the chains that are worth telling, then the other chains */
};

/* Reads the waits of all tasks. pid: keeps only the chains that begin in this process, and the cycles
 * that have a task of this process; 0: keeps all. Returns 0, -ENOMEM, or -errno of reading /proc. On
 * success the caller calls waitlive_done(). */
int waitlive_read(uint32_t pid, struct waitlive *ret);
void waitlive_done(struct waitlive *w);

#endif
