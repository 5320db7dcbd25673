/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnosis.h - the result of a diagnosis, and the structures that the files of analysis/diagnose/ share: a
 * link of the chain, a choice, the options. These files include this header; callers include diagnose.h.
 *
 * Pure: no I/O, no globals that change; any thread.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSIS_H
#define CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSIS_H

#include "analysis/compare/missing_wake.h"
#include "analysis/slice/ask.h"
#include "analysis/slice/rules.h"
#include "graph/path/path.h"

/* The state of a task of the chain for most of the time of its link. */
enum link_state {
	LINK_UNKNOWN,
	LINK_RUNNING,
	LINK_RUNNABLE, /* the task waited for a CPU */
	LINK_WAITING,
	LINK_SLEEPING,
	LINK_STOPPED,
	LINK_UNBORN, /* the task was not born yet: its creator had not started it */
	LINK_EXITED,
	LINK_FOLDED, /* the task ran and waited briefly; only the sums are known */
};
/* Returns the word for the JSON output (doc/json.md): "running", ... */
const char *link_state_word(enum link_state state);

/* One task on the way from the victim to the root cause. A breakdown divides the time of the task
 * into branches. The link is about the branch that the chain follows: the waits for one task or
 * thing; the runs of the task and its waits for a CPU; folded time; or unknown time. */
struct link {
	uint32_t task;
	uint32_t pid, tid;
	char comm[CT_COMM_LEN];
	enum link_state state;
	enum resource_kind kind; /* the resource for which the task waits; RESOURCE_CPU if the task
				    runs or is runnable */
	char *resource;          /* the resource in words; may be "" */
	/* from the begin of the first wait or run of the link to the end of the last one */
	uint64_t from_ns, to_ns;
	uint64_t total_ns;   /* the time of the branch */
	uint32_t waits;      /* the number of waits that make up total_ns */
	uint64_t longest_ns; /* the longest of the waits that make up total_ns */
	uint8_t wait;        /* CT_W_* of the longest wait */
	enum edge_kind edge; /* how the task depends on the next link; in the last link: on the
				thing for which the task waits, 0 if there is none */
	enum edge_strength strength;
	uint64_t obj;
	uint64_t stack; /* id of the stack of the task; 0: none */
	/* How long the task ran, and how long it waited for a CPU. If the link is a wait, total_ns
	 * does not include these times. */
	uint64_t running_ns, runnable_ns;
	uint32_t switches; /* LINK_FOLDED: how often the task left the CPU */
	uint64_t other_ns; /* if the link is a wait: the sum of the task's other waits and unknown
			      time */
	bool owed;         /* the task sent a request on `obj` and has no answer yet */
	bool server;       /* `obj` is a socket that the task has accepted */
	bool killed;       /* a signal, or the end of the whole process, ended the wait
			      (blame.killed) */
	bool unfinished;   /* neither the awaited event nor a time limit ended the wait */
};

enum verdict {
	VERDICT_NORMAL,
	VERDICT_LONG_WAIT,
	VERDICT_LONG_RUNNING,
	VERDICT_STARVED,
	VERDICT_REPEATED_YIELD
};
const char *verdict_name(enum verdict v);

/* Why the victim was slow or stuck. */
enum cause_kind {
	CAUSE_NONE,           /* nothing is wrong, or nothing is known */
	CAUSE_BUSY,           /* the last task of the chain computes */
	CAUSE_CHATTY,         /* many short waits of the victim add up to most of the window */
	CAUSE_CIRCULAR_WAIT,  /* tasks wait for each other */
	CAUSE_DISK,           /* the chain ends at a disk */
	CAUSE_EXTERNAL,       /* the chain ends at a person, a device, or a peer that says nothing */
	CAUSE_LOCK_HOLDER,    /* the owner of a lock does not unlock it */
	CAUSE_MEMORY,         /* the kernel holds a task up until there is memory */
	CAUSE_MISSING_WAKEUP, /* a wake-up does not come */
	CAUSE_NETWORK,        /* a message does not arrive, or the chain ends at another host */
	CAUSE_POLLING,        /* a task polls */
	CAUSE_QUEUEING,       /* all workers of a pool are busy */
	CAUSE_SLOW_PEER,      /* the last task of the chain was slow */
	CAUSE_STARVED,        /* a runnable task gets no CPU */
	CAUSE_STOPPED,        /* a signal or a debugger stopped a task */
	CAUSE_TIMER,          /* the victim waits for its own timer */
};
/* Returns the word for the JSON output (doc/json.md): "lock-holder", ... */
const char *cause_word(enum cause_kind cause);

/* A choice between explanations, in words: mostly the branch that was taken, the other branches,
 * and the reason. */
struct choice {
	char *text;
};

struct diagnosis {
	uint64_t from_ns, to_ns;
	enum verdict verdict;
	enum cause_kind cause;
	bool strong;
	struct link *chain; /* [0] is the victim, [n-1] the root cause */
	size_t n_chain;
	char *root_text; /* what the root cause did */
	char *sentence;
	uint64_t time_ns[TIME_KINDS]; /* where the victim's time went; the sum is to_ns - from_ns */
	struct choice *choices;
	size_t n_choices;
	uint64_t stall_ns;  /* how long the victim was stuck or slow; the verdict is about this time */
	char *watch;        /* a command that watches the polled variable; NULL: none is known */
	uint64_t coarse_ns; /* for how long only waits of CT_COARSE_NS or more were recorded */
	size_t asked;       /* the number of questions put to a person */
	bool no_waker;      /* no task can end the wait of the last link */
	struct missing_wake *comparison; /* the comparison with an earlier wait; NULL: there was none */
};

#define DIAGNOSE_MAX_CHAIN   32
#define DIAGNOSE_MAX_CHOICES 16

struct diagnose_options {
	struct rules *rules;   /* NULL: no rules. Answers that a person wants to keep are added to
				  the rules */
	const struct ask *ask; /* NULL: ask nobody, and take the best option */
	/* True: a person or a script gave the window. Then the diagnosis says where most of the
	 * window went, even if the window is short, and even if many short waits add up to it. */
	bool window_given;
};

/* Accepts NULL. */
void diagnosis_free(struct diagnosis *d);

#endif
