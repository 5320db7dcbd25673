/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnosis.h - the result of a diagnosis, and the shapes that its steps share: a
 * link of the chain, a choice, the options.  The steps include this header;
 * callers include diagnose.h.
 *
 * Pure: no I/O, no globals that change; any thread.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSIS_H
#define CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSIS_H

#include "analysis/compare/missing_wake.h"
#include "analysis/slice/ask.h"
#include "analysis/slice/rules.h"
#include "graph/path/path.h"

/* One task on the way from the victim to the root cause. */
struct link {
	uint32_t task;
	uint32_t pid, tid;
	char comm[CT_COMM_LEN];
	const char *state; /* "running", "runnable", "waiting", "sleeping", "stopped", "unborn", "unknown" */
	enum resource_kind kind; /* what it waits on; RESOURCE_CPU when it runs or wants to */
	char *resource;          /* in words; may be "" */
	uint64_t from_ns, to_ns; /* hull of the time spent so */
	uint64_t total_ns;
	uint32_t waits; /* how many waits that was */
	uint8_t wait;   /* CT_W_* of the longest */
	uint8_t edge;   /* enum edge_kind: how it depends on the next link; 0 for the last */
	uint8_t strength;
	uint64_t obj;
	uint64_t stack;                   /* id of its stack, 0 none */
	uint64_t running_ns, runnable_ns; /* of the time looked at */
	uint64_t other_ns;                /* of the time looked at: what it waited for besides */
	bool owed;                        /* it asked on that socket and has no answer yet */
	bool server;                      /* it waits on a socket whose other end connected to it */
	bool killed;                      /* its wait was ended by a signal */
	bool unfinished;                  /* its wait did not end */
};

enum verdict {
	VERDICT_NORMAL,
	VERDICT_LONG_WAIT,
	VERDICT_LONG_RUNNING,
	VERDICT_STARVED,
	VERDICT_REPEATED_YIELD
};
const char *verdict_name(enum verdict v);

/* Where there was more than one way to go on: what was taken, by whose decision, and what was not. */
struct choice {
	char *text;
};

struct diagnosis {
	uint64_t from_ns, to_ns;
	enum verdict verdict;
	const char *cause; /* a word of the JSON contract */
	bool strong;
	struct link *chain; /* [0] is the victim, [n-1] the root cause */
	size_t n_chain;
	char *root_text; /* what the root cause did */
	char *sentence;
	uint64_t time_ns[TIME_KINDS]; /* the victim's window; adds up to to_ns - from_ns */
	struct choice *choices;
	size_t n_choices;
	uint64_t stall_ns; /* the time that the verdict is about */
	char *watch;       /* command that watches the variable that is polled; NULL: none is known */
	size_t asked;      /* questions put to a person */
	struct missing_wake *comparison; /* with an earlier wait like the one in question; NULL: none */
};

#define DIAGNOSE_MAX_CHAIN   32
#define DIAGNOSE_MAX_CHOICES 16

/* Below this a stall is not worth a verdict other than normal; and for work that merely takes long in a
 * child. */
#define DIAGNOSE_STALL_NS 500000000ULL
/* Requests that are answered so fast on average are work, however many they are. */
#define DIAGNOSE_QUICK_NS      5000000ULL
#define DIAGNOSE_CHILD_BUSY_NS 2000000000ULL

struct diagnose_options {
	struct rules *rules;   /* may be NULL; answers to be kept are added */
	const struct ask *ask; /* NULL: decide */
};

/* Accepts NULL. */
void diagnosis_free(struct diagnosis *d);

#endif
