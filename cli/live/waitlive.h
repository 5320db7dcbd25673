/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waitlive.h - the wait-for graph of the machine at this moment, from /proc. One thread. */
#ifndef CTRACE_CLI_LIVE_WAITLIVE_H
#define CTRACE_CLI_LIVE_WAITLIVE_H

#include "analysis/hangs/waitgraph.h"
#include "procfs/procwait.h"

struct selector;

/* If a task waits for a process, the next link is the thread that will most likely end the wait. */
struct waitlive_link {
	const struct proctask_thread *th;
	const struct procwait *wait;
	bool sure; /* the wait is for one known thing, such as a lock that the next task owns */
	bool owes; /* the next task has to act; for example, it owns the lock */
	uint32_t one_of;
};

struct waitlive_chain {
	/* the last link is the root; in a cycle, it waits for the first link */
	VEC(struct waitlive_link) links;
	bool cycle;
	bool closed; /* in a cycle: only tasks of the cycle can end its waits */
	bool strong;
	bool told;   /* false: shown only with --all */
	bool moving; /* a waiting task has run after it was read: the chain existed only for a moment */
	uint32_t root_waiters_cnt;
};

struct waitlive {
	struct procwait_tables tables;
	struct procwait *waits; /* one for each thread, in the order of tables.tasks.threads */
	struct waitgraph *graph;
	VEC(struct waitlive_chain)
	chains; /* first the cycles, then the chains with `told` set, then the others */
};

/* before, keep_ns: as for procwait_tables_read(). who: keeps only the chains that begin with such a task, and
 * the cycles that have such a task; NULL, or not set: keeps all. Of a container, only the id and the names
 * that the path of a control group has are known. Returns 0 or -errno; -ESRCH: no task fits. On success the
 * caller calls waitlive_done(). */
int waitlive_read(struct waitlive *before, uint64_t keep_ns, const struct selector *who,
		  struct waitlive *ret);
void waitlive_done(struct waitlive *w);
const struct proctask_proc *waitlive_proc(const struct waitlive *w, const struct proctask_thread *th);

#endif
