/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnosis.h - the result of a diagnosis, and the structures that the files of analysis/diagnose/
 * share. To call diagnose(), include diagnose.h. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSIS_H
#define CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSIS_H

#include "analysis/compare/against.h"
#include "analysis/slice/ask.h"
#include "analysis/slice/rules.h"
#include "graph/path/path.h"

enum link_state {
	LINK_UNKNOWN,
	LINK_RUNNING,
	LINK_RUNNABLE,
	LINK_WAITING,
	LINK_SLEEPING,
	LINK_STOPPED,
	LINK_UNBORN,
	LINK_EXITED,
	LINK_FOLDED,
};
/* Returns the word of the JSON output (doc/json.md), such as "running". */
const char *link_state_word(enum link_state state);

/* One task on the way from the victim to the root cause. The time of the task is divided into groups
 * (breakdown.h). For example, all its waits for one other task are one group. The chain goes on with one
 * of the groups, the *branch* (branch.h). Most members describe the branch. */
struct link {
	uint32_t task;
	uint32_t pid, tid;
	char comm[CT_COMM_LEN];
	enum link_state state;
	enum resource_kind kind;
	char *resource;
	uint64_t from_ns, to_ns;
	uint64_t total_ns;
	uint32_t waits;
	uint32_t timeouts;   /* how many of the waits a time limit ended */
	uint32_t sure_waits; /* for how many of the waits the edge is certain */
	uint64_t longest_ns;
	/* The first of the waits began this long before from_ns, and from_ns is the begin of the time that
	 * the chain examines at this task. 0: it began at from_ns, or shortly before (BEFORE_SHARE). */
	uint64_t before_ns;
	uint8_t wait;        /* CT_W_* of the longest wait */
	enum edge_kind edge; /* how the task depends on the next link or thing; 0: on nothing */
	enum edge_strength strength;
	uint64_t obj;
	uint64_t stack;
	/* If the branch is a group of waits, total_ns is the time of these waits. Then running_ns,
	 * runnable_ns and other_ns are times of the task outside of these waits. */
	uint64_t running_ns, runnable_ns;
	uint32_t switches;
	uint64_t other_ns;
	bool owed;       /* the task sent a request on `obj` and has no answer yet */
	bool server;     /* `obj` is a socket that the task has accepted */
	bool killed;     /* a signal, or the end of the process, ended the wait */
	bool room;       /* the longest wait is a poll, which also asks for room to write to obj */
	bool unfinished; /* neither the awaited event nor a time limit ended the wait */
	bool unaccepted; /* `obj` is a connection that no task accepted: see pool_is_unaccepted() */
	/* Not 0: the task of the next link is one of this many workers of a pool, and all of them were busy
	 * (pool_workers()). pool_pid: see pool_process() */
	uint32_t pool, pool_pid;
};

enum verdict {
	VERDICT_NORMAL,
	VERDICT_LONG_WAIT,
	VERDICT_LONG_RUNNING,
	VERDICT_STARVED,
	VERDICT_REPEATED_YIELD
};
const char *verdict_name(enum verdict v);

enum cause_kind {
	CAUSE_NONE,
	CAUSE_BUSY,
	CAUSE_CHATTY, /* many short waits add up to half of the window or more */
	CAUSE_CIRCULAR_WAIT,
	CAUSE_DISK,
	CAUSE_EXTERNAL, /* a person, a device, or a peer that says nothing */
	CAUSE_LOCK_HOLDER,
	CAUSE_MEMORY,
	CAUSE_MISSING_WAKEUP,
	CAUSE_NETWORK, /* a message does not arrive, or the chain ends at another host */
	CAUSE_POLLING,
	CAUSE_QUEUEING,
	CAUSE_SLOW_PEER,
	CAUSE_STARVED,
	CAUSE_STOPPED,
	CAUSE_TIMER,
};
/* Returns the word of the JSON output (doc/json.md), such as "lock-holder". */
const char *cause_word(enum cause_kind cause);

/* Why the confidence of a diagnosis is weak. */
enum doubt {
	DOUBT_LINK,       /* a link of the chain is inferred */
	DOUBT_OBJECT,     /* the object of the last wait was left out, to keep the budget */
	DOUBT_IDLE,       /* a rule of thumb says that the last task idles */
	DOUBT_LEAF,       /* the thing for which the last task waits is not known for sure */
	DOUBT_CPU,        /* no single task had the CPU, or no record tells which one had it */
	DOUBT_CYCLE,      /* the last wait of a cycle is for a socket, and perhaps for other things too */
	DOUBT_CHOICE,     /* the chain could go on in more than one way */
	DOUBT_END,        /* the trace does not show what the last task did */
	DOUBT_COMPARISON, /* only a good trace shows the cause; or it names no task, or several */
	DOUBT_POLLING,    /* the last task sleeps again and again; the thing that it polls is not known */
	DOUBT_UNKNOWN,    /* for more than half of the window, the state of a task is not known */
	DOUBT_ABSENCE,    /* the cause rests on the absence of records that may be lost */
	DOUBT_WORK,       /* a task waited for a CPU for longer than it ran; its work may be long by itself */
	DOUBTS,
};

/* If a link waits for a CPU, and the next link is the task that had the wanted CPU longest (EDGE_CPU): who
 * had the CPU in the time of the wait. The parts add up to wait_ns. */
struct cpu_use {
	uint64_t wait_ns;   /* how long the link waited for a CPU */
	uint64_t ns;        /* how long the task of the next link had the CPU meanwhile */
	uint64_t others_ns; /* how long other tasks had it */
	uint64_t idle_ns;   /* how long no task had it */
	uint64_t lost_ns;   /* for how long this is not known */
	bool sampled;       /* `ns` is an estimate by samples */
};

/* If the last link waits for input that another task of this host writes: this task. The chain ends before
 * it, but the critical path goes on to it. See find_driver() in root_cause.c. */
struct writer {
	uint32_t reader; /* the task of the last link */
	uint32_t tid;    /* 0: there is no such task, or it is not known */
	char comm[CT_COMM_LEN];
	uint32_t task;
	enum edge_kind edge; /* from the wait of the reader to this task */
	enum edge_strength strength;
};

struct choice {
	char *text;
	uint32_t task; /* where the chain could go on in another way */
	bool settled;  /* a rule or a person decided it */
};

struct diagnosis {
	uint64_t from_ns, to_ns;
	enum verdict verdict;
	enum cause_kind cause;
	bool strong;
	uint32_t doubts;    /* a set of 1 << enum doubt; 0: strong */
	struct link *chain; /* [0] is the victim, [n-1] the root cause */
	size_t n_chain;
	struct cpu_use cpu;
	struct writer writer;
	size_t cycle; /* the links from this index on wait for each other; n_chain: no links do */
	char *root_text;
	char *sentence;
	uint64_t time_ns[TIME_KINDS];
	struct choice *choices;
	size_t n_choices;
	uint64_t stall_ns;
	char *watch;
	uint64_t coarse_ns; /* for how long only waits of CT_COARSE_NS or more were recorded */
	size_t asked;
	bool no_waker;
	/* The record of a signal by which a task of the chain told the last task to end. The last task waits
	 * instead. GRAPH_NONE: there is none */
	uint32_t told_to_end;
	struct missing_wake *comparison;
	struct against *against; /* NULL: no other trace was given */
};

#define DIAGNOSE_MAX_CHAIN   32
#define DIAGNOSE_MAX_CHOICES 16

struct diagnose_options {
	/* May be NULL. If the person (ask) wants to keep an answer, diagnose() adds rules for it. */
	struct rules *rules;
	const struct ask *ask;
	/* A person or a script gave the window. Then a stall of half of the window is long
	 * enough to matter, and many short waits may be the cause. */
	bool window_given;
	/* The graph of another trace, and the name of that trace in the answer; or NULL. They are
	 * used for waits whose owner the examined trace does not show. The graph and the name
	 * outlive the diagnosis. */
	const struct graph *good;
	const char *good_name;
};

/* Accepts NULL. */
void diagnosis_free(struct diagnosis *d);

#endif
