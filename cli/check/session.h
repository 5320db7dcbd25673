/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - runs the old and the new command in turn, until their runs decide whether the new one is
 * slower, or until max_runs. Prints errors itself. One thread. */
#ifndef CTRACE_CLI_CHECK_SESSION_H
#define CTRACE_CLI_CHECK_SESSION_H

#include "cli/check/judge.h"
#include "cli/check/own.h"
#include "cli/compare/transaction_runs.h"

/* Exit codes of `ctrace check`. If signal N ended the check, the code is 128 + N. */
enum { CHECK_OK = 0, CHECK_REGRESSION = 1, CHECK_USAGE = 2, CHECK_UNDECIDED = 3, CHECK_NO_RESULT = 4 };

struct check_plan {
	char *const *old_argv; /* NULL: the old runs are from a file, or there are none */
	char *const *new_argv; /* NULL: the new runs are from a file */
	size_t runs, max_runs, warmup;
	uint64_t timeout_ns; /* of each run; 0: none */
	enum delta_metric metric;
	double max_regress;
	bool patterns; /* also compare the counts of events */
	/* compare the times of traced runs, without the time that other programs took (own.h) */
	bool own;
	/* If type is not NULL, a run is the sum of these transactions in the recording of a run of the
	 * command. */
	struct transaction_pick pick;
	const char *frameworks; /* for the recording, as in ctraced.conf(5); NULL: none */
	/* The socket of a running ctraced that records the runs, because this user is not root. NULL: a
	 * recorder of its own, or no recording. */
	const char *daemon;
	const char *keep; /* a directory for traces and outputs; NULL: they are thrown away */
	bool redact;
	bool show_as_errors; /* the output of the first run goes to standard error */
};

struct check_outcome {
	enum check_timing timing;
	bool traced;
	/* traced times are compared although tracing costs too much, because untraced times cannot
	 * be compared */
	bool timing_forced;
	struct tracer_cost cost;
	bool decided; /* there are old runs, so `decision` is valid */
	struct decision decision;
	/* If `decision` is undecided, the check also tries to decide from the own times (own.h): the times
	 * of the traced runs without the time that other programs took. */
	bool own_known; /* `own` is valid */
	struct decision own;
	/* How long tasks queued for CPUs that other programs had. Valid with --own, or if own_known is
	 * set. */
	struct own_queue queue;
	size_t n_old, n_new; /* of compared runs */
	double new_ns;       /* the metric of the new runs */
	unsigned looks;      /* how often the check may try to decide */
	/* The longest recorded new run, and its file in the directory of --keep. NULL: none. */
	uint64_t longest_ns;
	char *longest_trace;
};
void check_outcome_done(struct check_outcome *out);

/* Returns true if the runs of the plan can be recorded. */
bool session_records(const struct check_plan *plan);
/* Makes the runs of the plan, adds them to the two sides, and decides. Without old runs, only measures.
 * Returns 0, or the exit code of a check without a result. */
int session_run(const struct check_plan *plan, struct baseline *old_side, struct baseline *new_side,
		struct check_outcome *ret);

#endif
