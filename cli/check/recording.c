// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/recording.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/check/runner.h"
#include "cli/cli.h"
#include "lib/cleanup.h"

/* Returns an exit code. */
static int say_end(const struct run *run, const char *name)
{
	switch (run->end) {
	case RUN_NOT_STARTED:
		return cli_error("%s: cannot be started: %s", name, strerror(run->error));
	case RUN_INTERRUPTED:
		cli_error(
			"interrupted; for a command that does not end by itself, use 'ctrace record', and give 'ctrace patterns' the file");
		return 128 + run->signal;
	case RUN_EXITED:
		return CLI_OK;
	case RUN_TIMED_OUT:
	case RUN_NOT_TRACED:
		break;
	}
	return CLI_FAILED; /* the reason has been printed */
}

static int load(struct analysis_input *in, struct run *run)
{
	int r;

	analysis_take_now(in, TAKE_PTR(run->trace), TAKE_FD(run->trace_fd));
	in->path = "the recording";
	r = tracefile_window(in->reader, in->path, &(struct windowarg){ 0 }, &in->from_ns, &in->to_ns);
	return r ? r : analysis_load(in);
}

int recording_begin(struct analysis_input *in, char *const *argv, const char *frameworks, bool as_errors,
		    struct recording *ret)
{
	const struct runner_job job = {
		.argv = argv, .traced = true, .show = true, .show_as_errors = as_errors
	};
	_cleanup_(run_done) struct run run = { .trace_fd = -1 };
	struct runner runner;
	int r;

	if (geteuid())
		return cli_error("recording needs root; run it as root, or give a trace");
	if (runner_init(&runner, frameworks, NULL))
		return CLI_FAILED;
	runner_run(&runner, &job, &run);
	runner_done(&runner);
	r = say_end(&run, argv[0]);
	r = r ? r : load(in, &run);
	if (!r)
		*ret = (struct recording){ (uint32_t)run.pid, run.status };
	return r;
}

int recording_end(const struct recording *r, const char *name)
{
	if (WIFSIGNALED(r->status))
		return cli_error("%s: it was ended by signal %d (%s), so it may have left out work", name,
				 WTERMSIG(r->status), strsignal(WTERMSIG(r->status)));
	if (WEXITSTATUS(r->status))
		return cli_error("%s: it exited with status %d, so it may have left out work", name,
				 WEXITSTATUS(r->status));
	return CLI_OK;
}
