/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sentence.h - private to analysis/: says the result of a diagnosis in words. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_SENTENCE_H
#define CTRACE_ANALYSIS_DIAGNOSE_SENTENCE_H

#include "analysis/diagnose/diagnosis.h"
#include "analysis/contention/contention.h"
#include "analysis/contention/disk_use.h"

struct sentence_facts {
	const struct graph *g;
	const struct link *chain;
	size_t n_chain;
	enum verdict verdict;
	enum cause_kind cause;
	const struct blame *leaf;
	const struct enders *rivals; /* the tasks that could end the wait of the last task, if several */
	const struct writer *writer;
	uint32_t pool;
	bool work_or_cpu;                /* see struct findings */
	const struct contention *cpu;    /* NULL: not starved */
	const struct contention *shared; /* the last task computes: who had the CPU meanwhile; or NULL */
	const struct disk_use *disk;     /* the last task waits for a disk: who had it; or NULL */
	bool strong;
	bool own_lock;
	unsigned parent_threads;
	bool silent;
	bool left_out;
	uint32_t told_to_end; /* see struct findings */
	const char *watch;
	const char *against; /* a sentence about another trace, or NULL */
	uint64_t coarse_ns;  /* 0: too short to mention */
	uint64_t stall_ns;
};

/* Tells only the root cause: "redis-server[99] was computing". The caller frees the text. NULL: out
 * of memory. */
char *sentence_root(const struct sentence_facts *f);
/* Tells the whole chain. The caller frees the text. NULL: out of memory. */
char *sentence_whole(const struct sentence_facts *f);

#endif
