/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transaction.h - the structures for transactions, which transactions.h finds. */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTION_H
#define CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTION_H

#include "analysis/requests/services.h"
#include "trace/words/texts.h"
#include "graph/wake/blame.h"

enum transaction_source {
	TRANSACTION_MARK,    /* from one mark to another one */
	TRANSACTION_PROCESS, /* the life of a process */
	TRANSACTION_REQUEST,
	TRANSACTION_JOB,   /* a job of a queue, from its enqueue (or else its start) to its end */
	TRANSACTION_INPUT, /* from a key press or the like to the last update of the display */
	TRANSACTION_TIMER, /* a round of a loop: from a timer until the thread idles again */
	TRANSACTION_SOURCES,
};
/* Returns "mark", "process", "request", "job", "input" or "timer". */
const char *transaction_source_name(enum transaction_source source);

/* Times are ns since boot. */
struct transaction {
	uint64_t from_ns;
	uint64_t to_ns;                /* 0: interrupted (by a second begin), not over yet, or `silent` */
	uint64_t start_ns;             /* JOB: when a worker began the job; INPUT: when a program took it */
	uint64_t id;                   /* MARK: its id, 0: none; PROCESS: the pid */
	uint32_t begin_task, end_task; /* GRAPH_NONE: not known */
	uint32_t request;              /* REQUEST: index of the request; else GRAPH_NONE */
	uint32_t type;                 /* in transactions.types */
	uint32_t first_part, n_parts;  /* in transactions.parts */
	uint32_t shape;                /* in transactions.shapes; GRAPH_NONE: not divided */
	uint8_t source;                /* enum transaction_source */
	bool truncated;                /* a limit cut its path off (path.h) */
	bool hashed;                   /* id is a hash */
	bool silent;                   /* INPUT: it caused no update of the display */
	bool shared;                   /* INPUT: the update may be that of another event */
};

/* The time that tasks of one role (transactions.roles) spend in one state on the critical path. */
struct transaction_part {
	uint64_t ns;
	uint32_t role; /* in transactions.roles */
	uint8_t time;  /* enum time_kind */
};

/* A part, summed up over the divided transactions of a group. */
struct group_part {
	uint32_t role;
	uint8_t time;
	double mean_ns;
	double share; /* of the time of the group, 0..1 */
	/* The covariance of the part's time and the length of the transaction, divided by the
	 * variance of the length. The sum over all parts is 1, or 0 if all lengths are equal.
	 * Negative: longer transactions have less of this part. */
	double variance;
};

/* What is known of a transaction besides its parts. The task that ends it counts. */
enum transaction_attribute_kind {
	ATTRIBUTE_CPU,    /* the CPU on which the task ran last in the transaction */
	ATTRIBUTE_CGROUP, /* the control group of the task: an index in transactions.cgroups */
	ATTRIBUTE_DISK,   /* 1: a part of the transaction is a wait for a disk or a page; 0: none is */
	ATTRIBUTE_FIRST,  /* 1: the first one of a process that was born in the trace; 0: any other one */
	/* how many others of the same type were under way at the begin: a power of two stands for itself and
	 * for the numbers up to the next power */
	ATTRIBUTE_OTHERS,
	ATTRIBUTES,
};
#define ATTRIBUTE_UNKNOWN UINT64_MAX

/* The transactions for which an attribute has the same value. */
struct attribute_level {
	uint64_t value; /* ATTRIBUTE_UNKNOWN: not known */
	size_t count;
	double mean_ns;
};

/* Which share of the variance of a type an attribute explains (analysis/stats/levels.h). */
struct transaction_attribute {
	uint8_t what; /* enum transaction_attribute_kind */
	bool by_chance;
	double variance;                /* 0..1 */
	struct attribute_level *levels; /* at least two; the largest mean first */
	size_t n_levels;
};

#define GROUP_SLOWEST 3

/* Transactions of one type, or of one type and one shape. */
struct transaction_group {
	size_t count;             /* transactions that have ended */
	struct quantiles latency; /* ns */
	double mean_ns, sd_ns;
	uint64_t mad_ns; /* median of the absolute distances from the median */
	/* A transaction that is longer than a limit is an outlier. 0: too few transactions. */
	uint64_t sd_limit_ns;     /* mean + TRANSACTION_SD * sd */
	uint64_t mad_limit_ns;    /* median + TRANSACTION_MAD * mad */
	size_t n_sd, n_mad;       /* transactions above each limit */
	struct group_part *parts; /* the largest share of the variance first */
	size_t n_parts;
	struct service_reason *reasons; /* the largest share_p99 first */
	size_t n_reasons;
	uint32_t slowest[GROUP_SLOWEST]; /* in transactions.v, the slowest first */
	size_t n_slowest;
	uint32_t shape; /* in transactions.shapes; GRAPH_NONE: all shapes */
};

struct transaction_type {
	char *name;
	uint8_t source;     /* enum transaction_source */
	size_t n_divided;   /* transactions that were divided into parts */
	size_t n_truncated; /* divided ones whose path was cut off */
	size_t n_open;      /* transactions without an end, but not the silent ones */
	size_t n_silent, n_shared;
	size_t n_cut; /* ends without a begin: the transaction began before the window */
	struct transaction_group all;
	/* of the divided transactions; those that are not by_chance first, then by share */
	struct transaction_attribute *attributes;
	size_t n_attributes;
	struct transaction_group *shapes; /* of the divided transactions; the most frequent first */
	size_t n_shapes;
	size_t n_more_shapes; /* shapes beyond TRANSACTION_SHAPES */
};

/* Which transactions count. Zeroes: all that ended in the window, or began there and have no end. */
struct transactions_filter {
	const bool *tasks; /* if not NULL: only transactions whose begin_task or end_task is marked */
	bool touching;     /* any part of a transaction in the window is enough */
};

struct transactions {
	const struct graph *g;
	uint64_t from_ns, to_ns;
	struct transaction *v; /* sorted by (type, from_ns) */
	size_t n;
	struct transaction_type *types; /* the one with the most time in transactions comes first */
	size_t n_types;
	struct transaction_part *parts;
	size_t n_parts;
	struct texts roles;        /* names of tasks; see role_of() in divide.c */
	struct texts shapes;       /* such as "shop ipc > db lock" */
	struct texts cgroups;      /* paths of control groups */
	struct services *services; /* NULL: no rule is about requests */
};

#endif
