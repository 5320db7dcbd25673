/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitlive.h - the wait-for graph of the machine at this moment, and the chains in it that are worth
 * telling. Reads /proc. One thread.
 */
#ifndef CTRACE_CLI_LIVE_WAITLIVE_H
#define CTRACE_CLI_LIVE_WAITLIVE_H

#include "analysis/hangs/waitgraph.h"
#include "procfs/procwait.h"

/* One task of a chain, which waits for the next task of the chain. A task may wait for a whole process: then
 * the chain goes on with the thread that is likeliest to end the wait, and one_of says how many threads
 * could. */
struct waitlive_link {
	const struct proctask_thread *th;
	const struct procwait *wait;
	bool sure;       /* the task waits for the next task and for nothing else */
	bool owes;       /* the next task holds what the task waits for, or has left its message unread */
	uint32_t one_of; /* how many tasks, the next one among them, could end the wait */
};

struct waitlive_chain {
	/* the last link is the root; in a cycle its task waits for the first */
	VEC(struct waitlive_link) links;
	bool cycle;
	bool closed; /* for a cycle: no task outside of it can break it */
	bool strong; /* for a cycle: every wait in it is sure */
	bool told;   /* worth telling: the tasks do not merely idle */
	bool moving; /* a waiting task of the chain has run since the first look */
	uint32_t root_waiters_cnt;
};

struct waitlive {
	struct procwait_tables tables;
	struct procwait *waits; /* one for each thread, in the order of tables.tasks.threads */
	struct waitgraph *graph;
	VEC(struct waitlive_chain) chains; /* cycles first, then chains worth telling, the longest first */
};

/* Reads the waits of all tasks. pid: keep only the chains that begin in this process, and the cycles with a
 * task of it; 0: all. Returns 0, -ENOMEM, or -errno of reading /proc. On success the caller calls
 * waitlive_done(). */
int waitlive_read(uint32_t pid, struct waitlive *ret);
void waitlive_done(struct waitlive *w);

#endif
