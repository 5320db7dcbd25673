// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/check/runner.h"
#include "cli/check/take.h"
#include "cli/cli.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

enum which { OLD, NEW };

struct session {
	const struct check_plan *plan;
	struct check_outcome *out;
	struct baseline *sides[2];
	struct runner runner;
	bool tracing; /* new runs can be traced, or the new side has traced runs from a file */
	bool shown;
	bool told_left;
	bool told_lost;
	bool timing_set;
	size_t n_done, n_planned; /* with warm-ups */
	size_t n_of[2];           /* runs of each side, for the names of kept files */
};

static char *const *argv_of(const struct session *s, enum which side)
{
	return side == OLD ? s->plan->old_argv : s->plan->new_argv;
}

static void show_end(int fd)
{
	char buf[CHECK_SHOWN_BYTES + 1], line[CHECK_SHOWN_BYTES * 4];
	off_t size = lseek(fd, 0, SEEK_END), from = MAX(size - CHECK_SHOWN_BYTES, (off_t)0);
	ssize_t n = size < 0 ? -1 : pread(fd, buf, CHECK_SHOWN_BYTES, from);
	char *at = buf, *end;

	if (n <= 0) {
		cli_say("  (it wrote nothing)");
		return;
	}
	buf[n] = '\0';
	if (from && (end = memchr(buf, '\n', (size_t)n - 1)))
		at = end + 1;
	for (; at < buf + n; at = end + 1) {
		end = memchr(at, '\n', (size_t)(buf + n - at));
		end = end ? end : buf + n;
		*end = '\0';
		describe_clean(at, line, sizeof(line));
		cli_say("  %s", line);
	}
}

/* errors_fd: a file with the standard error of the command; -1: none. Returns the exit code of the
 * check. */
static int say_failed(const struct session *s, enum which side, const struct run *run, int errors_fd)
{
	const char *name = argv_of(s, side)[0], *where = "";
	char limit[TEXT_NUMBER_MAX], how[64];

	if (errors_fd >= 0)
		where = "; the end of its standard error:";
	else if (s->shown && s->n_done > 1)
		where = s->plan->keep ? "; its output is in the directory of --keep"
				      : "; its output was thrown away: --keep DIR keeps it";
	switch (run->end) {
	case RUN_NOT_STARTED:
		cli_error("%s: cannot be started: %s; nothing is judged%s", name, strerror(run->error),
			  runner_sets_variable(name) ? "; to set a variable, write env NAME=VALUE CMD" : "");
		return CHECK_NO_RESULT;
	case RUN_TIMED_OUT:
		cli_error("%s: run %zu did not end within %s and was killed; nothing is judged%s", name,
			  s->n_done, text_duration(s->plan->timeout_ns, limit), where);
		if (errors_fd >= 0)
			show_end(errors_fd);
		return CHECK_NO_RESULT;
	case RUN_INTERRUPTED:
		cli_error("interrupted in run %zu; nothing is judged", s->n_done);
		return 128 + run->signal;
	case RUN_EXITED:
	case RUN_NOT_TRACED:
		break;
	}
	if (WIFSIGNALED(run->status))
		snprintf(how, sizeof(how), "was ended by signal %d (%s)", WTERMSIG(run->status),
			 strsignal(WTERMSIG(run->status)));
	else
		snprintf(how, sizeof(how), "exited with status %d", WEXITSTATUS(run->status));
	cli_error("%s: run %zu %s; a check needs a command that succeeds; nothing is judged%s", name,
		  s->n_done, how, where);
	if (errors_fd >= 0)
		show_end(errors_fd);
	return CHECK_NO_RESULT;
}

static void say_left(struct session *s, enum which side, const struct run *run)
{
	if (!run->n_left || s->told_left)
		return;
	s->told_left = true;
	cli_warn("%s leaves %zu process%s behind, which may disturb later runs; they go on running",
		 argv_of(s, side)[0], run->n_left, run->n_left == 1 ? "" : "es");
}

static int no_memory(void)
{
	cli_error("out of memory");
	return CHECK_NO_RESULT;
}

static int note_longest(struct check_outcome *out, const struct run *run, const char *path)
{
	char *copy;

	if (run->clock_ns <= out->longest_ns)
		return 0;
	copy = strdup(path);
	if (!copy)
		return no_memory();
	free(out->longest_trace);
	out->longest_trace = copy;
	out->longest_ns = run->clock_ns;
	return 0;
}

/* Returns 0, or an exit code. */
static int add_run(struct session *s, enum which side, struct run *run, bool traced, const char *keep)
{
	struct baseline *b = s->sides[side];

	if (!traced)
		return baseline_clock(&b->untraced, run->clock_ns) ? no_memory() : 0;
	if (keep && take_keep(run->trace, keep, s->plan->redact))
		return CHECK_NO_RESULT;
	if (keep && side == NEW && note_longest(s->out, run, keep))
		return CHECK_NO_RESULT;
	if (take_profile(b, run, &s->plan->pick, &s->told_lost))
		return CHECK_NO_RESULT;
	return baseline_clock(&b->traced, run->clock_ns) ? no_memory() : 0;
}

/* Returns the path at which to keep a file of this run. NULL: no --keep, or out of memory. */
static char *kept(const struct session *s, enum which side, const char *ending)
{
	char *path = NULL;

	if (s->plan->keep && asprintf(&path, "%s/%s-%03zu.%s", s->plan->keep, side == OLD ? "old" : "new",
				      s->n_of[side], ending) < 0)
		return NULL;
	return path;
}

static void stop_tracing(struct session *s)
{
	s->tracing = false;
	cli_warn(
		"cannot record, so from now on only the time of each run is measured, and a difference gets no cause");
}

/* counted: the run is no warm-up. Returns 0, or an exit code. */
static int run_once(struct session *s, enum which side, bool traced, bool counted)
{
	_cleanup_free_ char *trace = NULL, *log = NULL;
	_cleanup_(run_done) struct run run = { .trace_fd = -1 };
	_cleanup_close_ int errors_fd = -1;
	struct runner_job job = { .argv = argv_of(s, side),
				  .traced = traced,
				  .show = !s->shown,
				  .show_as_errors = s->plan->show_as_errors,
				  .timeout_ns = s->plan->timeout_ns };

	cli_progress_count("Run", s->n_done, MAX(s->n_planned, s->n_done + 1));
	s->n_done++;
	s->n_of[side]++;
	job.log = log = kept(s, side, "log");
	trace = kept(s, side, "ctr");
	if (side == NEW && s->n_of[NEW] == 1 && !job.show && !job.log)
		errors_fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	job.errors_fd = MAX(errors_fd, 0);
	runner_run(&s->runner, &job, &run);
	s->shown |= run.pid != 0;
	if (run.end == RUN_NOT_TRACED) {
		stop_tracing(s);
		run_done(&run);
		s->n_done--;
		s->n_of[side]--;
		return run_once(s, side, false, counted);
	}
	if (run.end != RUN_EXITED || run.status) {
		cli_progress_count("Run", 1, 1);
		return say_failed(s, side, &run, errors_fd);
	}
	say_left(s, side, &run);
	return counted ? add_run(s, side, &run, traced, trace) : 0;
}

static int run_pair(struct session *s, bool traced, bool counted)
{
	int r = argv_of(s, OLD) ? run_once(s, OLD, traced, counted) : 0;

	return r ? r : run_once(s, NEW, traced && s->tracing, counted);
}

/* Returns how many runs of the kind `kind` the new side needs before look() judges n runs of the new side.
 * If look() judges untraced runs, no traced runs are needed. If look() judges traced runs, or the choice is
 * still open, some untraced runs are needed too: the cost of tracing is not known without untraced runs. */
static size_t wanted(const struct session *s, enum check_timing kind, size_t n)
{
	if (!s->tracing || (s->timing_set && s->out->timing == CHECK_UNTRACED))
		return kind == CHECK_UNTRACED ? n : 0;
	if (kind == CHECK_TRACED)
		return n;
	if (s->plan->daemon) /* it records all runs */
		return 0;
	return MAX(n / CHECK_TRACED_PER_UNTRACED, (size_t)CHECK_UNTRACED_MIN);
}

/* Each change from untraced to traced runs starts a recorder, which takes longer than a short command. So the
 * untraced runs are made in one block. The block lies between the traced runs, so that a machine that becomes
 * slower or faster does not look like a cost of tracing. */
static bool is_next_traced(size_t n, size_t with, bool more_with, bool more_without)
{
	return more_with && !(more_without && 2 * with >= n);
}

static int run_to(struct session *s, size_t n)
{
	for (;;) {
		size_t with = s->sides[NEW]->n_runs, without = s->sides[NEW]->untraced.n;
		bool more_with = with < wanted(s, CHECK_TRACED, n),
		     more_without = without < wanted(s, CHECK_UNTRACED, n);
		int r;

		if (!more_with && !more_without)
			return 0;
		s->n_planned =
			s->n_done + (s->plan->old_argv ? 2 : 1) *
					    ((more_with ? wanted(s, CHECK_TRACED, n) - with : 0) +
					     (more_without ? wanted(s, CHECK_UNTRACED, n) - without : 0));
		r = run_pair(s, is_next_traced(n, with, more_with, more_without), true);
		if (r)
			return r;
	}
}

/* Untraced runs of transactions have only the times of whole commands. */
static bool of_transactions(const struct session *s)
{
	return s->plan->pick.type || s->sides[OLD]->unit[0] || s->sides[NEW]->unit[0];
}

/* Returns true if the check can compare times of this kind. For this, all of the following must hold:
 * - Traced times need s->tracing. Untraced times are not compared with --own or --transaction.
 * - The new side has a command to run, or times of this kind.
 * - The old side has a command to run, or enough times of this kind, or no runs at all. */
static bool comparable(const struct session *s, enum check_timing timing)
{
	const struct baseline *old = s->sides[OLD];
	bool has_old = old->n_runs || old->untraced.n;
	size_t least;

	if (timing == CHECK_TRACED && !s->tracing)
		return false;
	if (!s->plan->new_argv && !check_count(s->sides[NEW], timing))
		return false;
	if (timing == CHECK_UNTRACED && (s->plan->own || of_transactions(s)))
		return false;
	/* an old side with traced runs may have too few untraced runs for a decision */
	least = timing == CHECK_UNTRACED && old->n_runs ? DECIDE_RUNS_MIN : 1;
	return s->plan->old_argv || !has_old || check_count(old, timing) >= least;
}

static int no_common_times(const struct session *s)
{
	if (s->plan->own || of_transactions(s)) {
		cli_error(
			"--%s needs recorded runs of both sides; run the check as root, and make the baseline as root",
			s->plan->own ? "own" : "transaction");
		return CHECK_USAGE;
	}
	cli_error(
		"only one side has times of traced runs, and the other side's times of untraced runs do not match them; run the check as root, or make the baseline anew");
	return CHECK_USAGE;
}

/* Returns 0, or an exit code. */
static int choose_timing(struct session *s)
{
	struct check_outcome *out = s->out;
	bool with = comparable(s, CHECK_TRACED), without = comparable(s, CHECK_UNTRACED);

	if (tracer_cost_of(s->sides[NEW], s->plan->max_regress, &out->cost))
		return no_memory();
	if (!with && !without)
		return no_common_times(s);
	out->timing = !with || (out->cost.high && without) ? CHECK_UNTRACED : CHECK_TRACED;
	out->timing_forced = out->cost.high && out->timing == CHECK_TRACED;
	s->timing_set = true;
	return 0;
}

static size_t step_of(const struct check_plan *p)
{
	return MAX((p->runs + 1) / 2, (size_t)2);
}

static struct decide_rule rule_of(const struct session *s)
{
	const struct check_plan *p = s->plan;

	return (struct decide_rule){
		.metric = p->metric,
		.max_regress = p->max_regress,
		.looks = p->new_argv && p->max_runs > p->runs
				 ? 1 + (unsigned)((p->max_runs - p->runs + step_of(p) - 1) / step_of(p))
				 : 1,
		.old_fixed = !p->old_argv
	};
}

static void say_look(const struct session *s)
{
	const struct decision *d = &s->out->decision;

	if (isatty(STDERR_FILENO) || !d->old_ns)
		return;
	cli_say("%zu and %zu runs: %+.1f %% (95 %% interval %+.1f to %+.1f %%), not decided yet",
		s->out->n_old, s->out->n_new, 100 * (d->new_ns / d->old_ns - 1), 100 * d->low_ns / d->old_ns,
		100 * d->high_ns / d->old_ns);
}

static int cannot_judge(const struct check_outcome *out, int r)
{
	cli_error("cannot judge %zu and %zu runs: %s", out->n_old, out->n_new, strerror(-r));
	return CHECK_NO_RESULT;
}

static int judge_own(const struct session *s, double *ret_new_ns, struct decision *ret)
{
	_cleanup_(baseline_done) struct baseline old = { 0 };
	_cleanup_(baseline_done) struct baseline new = { 0 };
	const struct decide_rule rule = rule_of(s);
	int r = own_sides(s->sides[OLD], s->sides[NEW], s->plan->old_argv, rule.looks, &old, &new,
			  &s->out->queue);

	r = r ? r : judge_metric(rule.metric, &new, CHECK_TRACED, ret_new_ns);
	return r || !old.n_runs ? r : judge(&rule, &old, &new, CHECK_TRACED, ret);
}

static int judge_whole(const struct session *s, double *ret_new_ns, struct decision *ret)
{
	const struct decide_rule rule = rule_of(s);
	const struct check_outcome *out = s->out;
	int r = judge_metric(rule.metric, s->sides[NEW], out->timing, ret_new_ns);

	return r || !out->n_old ? r : judge(&rule, s->sides[OLD], s->sides[NEW], out->timing, ret);
}

static int look(struct session *s)
{
	struct check_outcome *out = s->out;
	double own_ns;
	int r;

	out->n_old = check_count(s->sides[OLD], out->timing);
	out->n_new = check_count(s->sides[NEW], out->timing);
	r = s->plan->own ? judge_own(s, &out->new_ns, &out->decision)
			 : judge_whole(s, &out->new_ns, &out->decision);
	if (r)
		return cannot_judge(out, r);
	if (!out->n_old)
		return 0;
	out->decided = true;
	out->own_known = !s->plan->own && out->decision.kind == DECIDE_UNDECIDED && s->sides[OLD]->n_runs &&
			 s->sides[NEW]->n_runs && !judge_own(s, &own_ns, &out->own);
	return 0;
}

static int run_all(struct session *s)
{
	const struct check_plan *p = s->plan;
	size_t n = p->runs;
	int r = 0;

	s->n_planned = p->warmup * (p->old_argv ? 2 : 1) + n;
	for (size_t i = 0; i < p->warmup && !r; i++)
		r = run_pair(s, s->tracing, false);
	r = r ? r : run_to(s, n);
	r = r ? r : choose_timing(s);
	while (!r) {
		r = run_to(s, n);
		if (!r && !s->tracing && s->out->timing == CHECK_TRACED)
			r = choose_timing(s); /* the recording has failed since the first choice */
		r = r ? r : look(s);
		if (r || !s->out->decided || s->out->decision.kind != DECIDE_UNDECIDED || n >= p->max_runs)
			break;
		say_look(s);
		n = MIN(n + step_of(p), p->max_runs);
	}
	cli_progress_count("Run", 1, 1);
	return r;
}

static int finish(struct session *s)
{
	struct check_outcome *out = s->out;

	out->traced = s->sides[NEW]->n_runs > 0;
	/* If choose_timing() decides to compare untraced runs, all later runs are untraced. Only traced and
	 * untraced runs that alternate show the cost of tracing. So out->cost stays as choose_timing() set
	 * it. */
	if (out->timing == CHECK_UNTRACED && s->plan->new_argv)
		return 0;
	return tracer_cost_of(s->sides[NEW], s->plan->max_regress, &out->cost) ? no_memory() : 0;
}

void check_outcome_done(struct check_outcome *out)
{
	free(out->longest_trace);
}

bool session_records(const struct check_plan *plan)
{
	return !geteuid() || plan->daemon;
}

int session_run(const struct check_plan *plan, struct baseline *old_side, struct baseline *new_side,
		struct check_outcome *ret)
{
	struct session s = { .plan = plan,
			     .out = ret,
			     .sides = { old_side, new_side },
			     .tracing = plan->new_argv ? session_records(plan) : new_side->n_runs > 0 };
	int r;

	*ret = (struct check_outcome){ .looks = rule_of(&s).looks };
	if (!plan->new_argv) {
		r = choose_timing(&s);
		r = r ? r : look(&s);
		return r ? r : finish(&s);
	}
	if (!s.tracing)
		cli_warn(
			"recording needs root, or a running ctraced that gives you snapshots, so only the time of each run is measured, and a difference gets no cause");
	if (!comparable(&s, CHECK_TRACED) && !comparable(&s, CHECK_UNTRACED))
		return no_common_times(&s);
	if (runner_init(&s.runner, plan->frameworks, plan->daemon))
		return CHECK_NO_RESULT;
	r = run_all(&s);
	runner_done(&s.runner);
	return r ? r : finish(&s);
}
