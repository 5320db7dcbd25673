// SPDX-License-Identifier: GPL-2.0-or-later
/* ctrace delay - holds the calls of a function, and says how much longer the command takes. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "analysis/stats/decide.h"
#include "analysis/stats/interval.h"
#include "analysis/stats/ranks.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/delay/delayed.h"
#include "cli/input/timearg.h"
#include "cli/text.h"
#include "lib/clock.h"
#include "trace/words/describe.h"

#define RUNS_MAX     100
#define DELAY_NS_MAX NSEC_PER_SEC
#define CALLS_MAX    1000000

enum { OPT_TIME = 256, OPT_RUNS, OPT_MAX_CALLS };

struct delay_options {
	const char *probe;
	uint64_t time_ns, runs, max_calls;
	char *const *argv;
};

static const struct cli_option delay_table[] = {
	{ CLI_TEXT(struct delay_options, probe), "probe", "FUNC",
	  "hold each thread that calls this function" },
	{ OPT_TIME, "time", "T", "hold it for T, at most 1s (default: 5ms)" },
	{ OPT_RUNS, "runs", "N", "run CMD N times with the delay, and N times without (default: 7)" },
	{ OPT_MAX_CALLS, "max-calls", "N", "in each run, hold only the first N calls (default: 1000)" },
	{ 0 },
};

static const struct cli_usage delay_usage = {
	.name = "delay",
	.args = "--probe FUNC [--time T] [--runs N] [--max-calls N] [--] CMD [ARG...]",
	.about =
		"Runs CMD several times. In every other run, each thread that calls FUNC waits for a while. Says how much of\n"
		"these waits makes the run longer: nothing if no other work waits for FUNC. FUNC is a function of CMD itself,\n"
		"or of a program that CMD starts, and not of a library. Needs no root. Works only on x86-64.",
	.options = delay_table,
	.stop_early = true,
};

/* The runs without the delay, or with it. */
struct side {
	double ns[RUNS_MAX];
	size_t n;
	uint64_t calls, held_ns; /* of all runs */
	bool removed;
};

static int read_number(const char *option, const char *arg, uint64_t least, uint64_t most, uint64_t *ret)
{
	if (!cli_number(arg, most, ret) && *ret >= least)
		return CLI_OK;
	return cli_usage_error(&delay_usage, "--%s %s: write a number from %d to %d", option, arg, (int)least,
			       (int)most);
}

static int delay_option(struct delay_options *o, int c, const char *arg)
{
	char err[TIMEARG_ERR_MAX];

	if (c == OPT_RUNS)
		return read_number("runs", arg, DECIDE_RUNS_MIN, RUNS_MAX, &o->runs);
	if (c == OPT_MAX_CALLS)
		return read_number("max-calls", arg, 1, CALLS_MAX, &o->max_calls);
	if (timearg_duration(arg, &o->time_ns, err))
		return cli_usage_error(&delay_usage, "--time %s: %s", arg, err);
	if (!o->time_ns || o->time_ns > DELAY_NS_MAX)
		return cli_usage_error(&delay_usage, "--time %s: write a time above 0, and at most 1s", arg);
	return CLI_OK;
}

static int say_failed(const struct delay_options *o, const struct delayed_run *run)
{
	const char *name = o->argv[0];

	if (run->end == DELAYED_NO_START)
		return cli_error("%s: cannot be started: %s", name, strerror(run->error));
	if (run->end == DELAYED_NO_TRACE)
		return cli_error(
			"%s: cannot follow its threads: %s; another tracer, a container or a limit may forbid ptrace",
			name, strerror(run->error));
	if (WIFSIGNALED(run->status))
		return cli_error("%s: a run was ended by signal %d (%s); nothing is judged", name,
				 WTERMSIG(run->status), strsignal(WTERMSIG(run->status)));
	if (WEXITSTATUS(run->status))
		return cli_error(
			"%s: a run exited with status %d; nothing is judged, because a failed run says nothing",
			name, WEXITSTATUS(run->status));
	if (!run->programs)
		return cli_error(
			"no program of the run has a function '%s'; 'nm -C PROGRAM' lists the functions of a program that is not stripped",
			o->probe);
	if (!run->calls)
		return cli_error("no call of '%s' was seen; it may be inlined, or this run does not need it",
				 o->probe);
	return CLI_OK;
}

static int run_once(const struct delay_options *o, bool delayed, bool show, struct side *into)
{
	const struct delayed_plan plan = { .argv = o->argv,
					   .function = o->probe,
					   .delay_ns = delayed ? o->time_ns : 0,
					   .max_calls = o->max_calls,
					   .show = show };
	struct delayed_run run;
	int r;

	delayed_run(&plan, &run);
	r = say_failed(o, &run);
	if (r)
		return r;
	if (show && run.n_left)
		cli_warn("%s left %u process%s behind; they were killed", o->argv[0], run.n_left,
			 run.n_left == 1 ? "" : "es");
	if (!show) {
		into->ns[into->n++] = (double)run.ns;
		into->calls += run.calls;
		into->held_ns += run.held_ns;
		into->removed |= run.removed;
	}
	return CLI_OK;
}

static void say_share(double share, double low, double high, double p)
{
	const char *what =
		"It is not sure that anything waits for these calls: use a longer --time, or more --runs";

	if (p <= decide_alpha(1) && low > 0)
		what = low > 0.5 ? "The run waits for these calls"
				 : "The run waits for a part of these calls";
	else if (high < 0.1)
		what = "Nothing waits for these calls";
	printf("%s: %.0f %% of the delay made the run longer (95 %% interval %.0f to %.0f %%, p = %.2g).\n",
	       what, 100 * share, 100 * low, 100 * high, p);
}

static int tell(const struct delay_options *o, const struct side *plain, const struct side *held)
{
	char function[DESCRIBE_MAX], a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], all[TEXT_NUMBER_MAX];
	double each = (double)held->held_ns / (double)held->n, calls = (double)held->calls / (double)held->n;
	struct stats_interval v;
	struct ranks_p p;
	int r = stats_interval(DELTA_P50, plain->ns, plain->n, held->ns, held->n, 1, &v);

	r = r ? r : ranks_mann_whitney(plain->ns, plain->n, held->ns, held->n, &p);
	if (r)
		return cli_error("cannot compare the runs: %s", strerror(-r));
	describe_clean(o->probe, function, sizeof(function));
	say_share((v.b - v.a) / each, v.low / each, v.high / each, p.p);
	printf("\n  %s(): %.4g call%s in a run, held for %s in all\n", function, calls, calls == 1 ? "" : "s",
	       text_duration((uint64_t)each, all));
	printf("  p50 of %zu runs each: %s without the delay, %s with it\n", plain->n,
	       text_duration((uint64_t)v.a, a), text_duration((uint64_t)v.b, b));
	if (held->removed)
		printf("  Only the first %llu calls of a run were held: see --max-calls.\n",
		       (unsigned long long)o->max_calls);
	return CLI_OK;
}

int cmd_delay(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&delay_usage, argc, argv);
	struct delay_options o = { .time_ns = 5 * NSEC_PER_MSEC, .runs = 7, .max_calls = 1000 };
	struct side plain = { 0 }, held = { 0 };
	int c, r;

	p.into = &o;
	while ((c = cli_next(&p)) > 0) {
		r = delay_option(&o, c, p.arg);
		if (r)
			return r;
	}
	if (c < 0)
		return p.exit_code;
	if (!o.probe || !*o.probe)
		return cli_usage_error(&delay_usage, "name the function: ctrace delay --probe FUNC -- CMD");
	if (p.first >= argc)
		return cli_usage_error(&delay_usage,
				       "the command is missing: ctrace delay --probe FUNC -- CMD");
	if (!delayed_supported())
		return cli_error("ctrace delay knows only the breakpoints of x86-64");
	o.argv = argv + p.first;
	r = run_once(&o, false, true, &plain);
	for (uint64_t i = 0; i < o.runs && !r; i++) {
		cli_progress_count("Run", 2 * i, 2 * o.runs);
		r = run_once(&o, false, false, &plain);
		r = r ? r : run_once(&o, true, false, &held);
	}
	cli_progress_count("Run", 1, 1);
	return r ? r : tell(&o, &plain, &held);
}
