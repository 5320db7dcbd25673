/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitlive.h - the wait-for graph of the machine at this moment, and the chains
 * in it that are worth telling.  Reads /proc; one thread.
 */
#ifndef CTRACE_CLI_LIVE_WAITLIVE_H
#define CTRACE_CLI_LIVE_WAITLIVE_H

#include "analysis/hangs/waitgraph.h"
#include "procfs/procwait.h"

/* One task of a chain.  A chain goes from task to task; that a wait may be for a whole process, of which the
 * likeliest thread is shown, is in one_of. */
struct waitlive_link {
	const struct proctask_thread *th;
	const struct procwait *wait;
	bool sure;       /* it waits for the next task and nothing else */
	bool owes;       /* the next task holds what it waits for, or has left its message unread */
	uint32_t one_of; /* the next task is one of so many that could help */
};

struct waitlive_chain {
	VEC(struct waitlive_link) links; /* the last one is the root; in a cycle it waits for the first */
	bool cycle;
	bool closed; /* cycle: nobody outside can break it */
	bool strong; /* cycle: every wait in it is sure */
	bool told;   /* worth telling: not merely idle */
	bool moving; /* somebody in it went on while we looked */
	uint32_t root_waiters_cnt;
};

struct waitlive {
	struct procwait_tables tables;
	struct procwait *waits; /* by index of the thread */
	struct waitgraph *graph;
	VEC(struct waitlive_chain) chains; /* cycles first, then what is told, longest first */
};

/* pid: only chains that begin in this process; 0: all.  0, -ENOMEM, or -errno of reading /proc. */
int waitlive_read(uint32_t pid, struct waitlive *ret);
void waitlive_done(struct waitlive *w);

#endif
