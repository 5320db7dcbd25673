/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sentence.h - private to analysis/: says the result of a diagnosis in words. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_SENTENCE_H
#define CTRACE_ANALYSIS_DIAGNOSE_SENTENCE_H

#include "analysis/diagnose/diagnosis.h"
#include "analysis/contention/contention.h"

struct sentence_facts {
	const struct graph *g;
	const struct link *chain;
	size_t n_chain;
	enum verdict verdict;
	enum cause_kind cause;
	const struct blame *leaf;
	uint32_t pool;                /* number of workers of a pool in which all are busy; 0: no such pool */
	const struct contention *cpu; /* findings.cpu; NULL: findings.starved is false */
	bool strong;
	bool own_lock;           /* the last task waits for a lock that it owns itself */
	unsigned parent_threads; /* findings.parent_threads: if not 0, no task can wake the last
				    task */
	bool silent;             /* the last task goes on as usual, but does not send the missing wake-up */
	bool left_out;           /* ctraced left out the object for which the last task waits */
	const char *watch;  /* a command that watches the polled variable; NULL: the variable is not known, or
			       its writer is known already */
	uint64_t coarse_ns; /* for how long only waits of 8 ms or more were recorded; 0: too short
			       to mention */
	uint64_t stall_ns;
};

/* Makes a sentence about the root cause alone. Example: "redis-server[99] was computing". The
 * caller frees it. Returns NULL if out of memory. */
char *sentence_root(const struct sentence_facts *f);
/* Makes the whole sentence, from the victim to the root cause. The caller frees it. Returns NULL if
 * out of memory. */
char *sentence_whole(const struct sentence_facts *f);

#endif
