// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/runner.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/check/orphans.h"
#include "cli/cli.h"
#include "cli/client/client.h"
#include "cli/client/now.h"
#include "cli/client/oneshot.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

int runner_init(struct runner *r, const char *frameworks, const char *daemon)
{
	sigset_t set = oneshot_signals();

	*r = (struct runner){ .signal_fd = -1,
			      .frameworks = frameworks ? frameworks : "no",
			      .daemon = daemon };
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	signal(SIGCHLD, SIG_DFL); /* if SIGCHLD were ignored, waiting for a child would fail */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signal_fd >= 0)
		return CLI_OK;
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	return cli_error("cannot receive signals: %s", strerror(errno));
}

void runner_done(struct runner *r)
{
	if (r->signal_fd < 0)
		return;
	oneshot_free(TAKE_PTR(r->recorder));
	close(TAKE_FD(r->signal_fd));
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
}

int runner_signal(struct runner *r)
{
	struct signalfd_siginfo si;

	while (read(r->signal_fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo != SIGCHLD)
			return (int)si.ssi_signo;
	return 0;
}

static const char *socket_of(const struct runner *r)
{
	return r->daemon ? r->daemon : oneshot_socket(r->recorder);
}

/* In the child. Returns 0 or a positive errno. */
static int connect_output(const struct runner_job *job)
{
	int in = open("/dev/null", O_RDONLY), out = STDOUT_FILENO, err = STDERR_FILENO;

	if (!job->show)
		out = err = open(job->log ? job->log : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
				 0600);
	else if (job->show_as_errors)
		out = STDERR_FILENO;
	if (!job->show && job->errors_fd > 0)
		err = job->errors_fd;
	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0)
		return errno;
	if (in > STDERR_FILENO)
		close(in);
	if (out > STDERR_FILENO)
		close(out);
	return 0;
}

static void exec_command(const struct runner *r, const struct runner_job *job, int err_fd)
{
	int e = connect_output(job);

	setsid();
	cli_restore_signals();
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	if (job->traced) /* for `ctrace mark` */
		setenv(CLIENT_SOCKET_VARIABLE, socket_of(r), 1);
	if (!e) {
		execvp(job->argv[0], job->argv);
		e = errno;
	}
	(void)!write(err_fd, &e, sizeof(e));
	_exit(127);
}

/* Returns 0 or a positive errno. */
static int start(const struct runner *r, const struct runner_job *job, struct run *run)
{
	_cleanup_close_ int rd = -1, wr = -1;
	int p[2], e = 0;

	if (pipe2(p, O_CLOEXEC))
		return errno;
	rd = p[0];
	wr = p[1];
	run->clock_ns = clock_ns(CLOCK_MONOTONIC);
	run->pid = fork();
	if (run->pid == 0)
		exec_command(r, job, wr);
	if (run->pid < 0)
		return errno;
	close(TAKE_FD(wr));
	if (read(rd, &e, sizeof(e)) != sizeof(e))
		return 0;
	waitpid(run->pid, NULL, 0);
	return e;
}

bool runner_sets_variable(const char *word)
{
	size_t n = 0;

	while (isalnum((unsigned char)word[n]) || word[n] == '_')
		n++;
	return n && word[n] == '=' && !isdigit((unsigned char)word[0]);
}

static bool reaped(struct run *run)
{
	return waitpid(run->pid, &run->status, WNOHANG) == run->pid;
}

/* Waits for the end of the command, a signal, or the time `until` (CLOCK_MONOTONIC; 0: no limit). */
static enum run_end wait_end(struct runner *r, struct run *run, uint64_t until)
{
	struct pollfd p = { .fd = r->signal_fd, .events = POLLIN };

	for (;;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		int ms = until > now ? (int)MIN((until - now) / NSEC_PER_MSEC + 1, 3600000ULL) : -1;

		if (reaped(run)) {
			run->clock_ns = now - run->clock_ns;
			return RUN_EXITED;
		}
		if (until && now >= until)
			return RUN_TIMED_OUT;
		run->signal = runner_signal(r);
		if (run->signal)
			return RUN_INTERRUPTED;
		poll(&p, 1, ms);
	}
}

static void end_by_force(struct run *run, const struct orphans *before)
{
	bool over = false;

	kill(-run->pid, SIGTERM);
	for (int ms = 0; ms < CHECK_GRACE_MS && !over; ms += 10) {
		over = reaped(run);
		if (!over)
			poll(NULL, 0, 10);
	}
	kill(-run->pid, SIGKILL);
	for (int ms = 0; ms < WAIT_KILLED_MS && !over; ms += 10) {
		over = reaped(run);
		if (!over)
			poll(NULL, 0, 10);
	}
	if (!over)
		cli_warn("process %d does not end, although it was killed", (int)run->pid);
	orphans_kill(before);
}

static int recorder_for(struct runner *r, bool traced)
{
	if (r->recorder && (!traced || !oneshot_alive(r->recorder)))
		oneshot_free(TAKE_PTR(r->recorder));
	if (!r->recorder)
		while (waitpid(-1, NULL, WNOHANG) > 0)
			; /* reaps orphans of earlier runs */
	return traced && !r->recorder && !r->daemon ? oneshot_start(".", 0, r->frameworks, &r->recorder)
						    : CLI_OK;
}

/* A running ctraced may leave out records, to keep its budget. */
static void tell_lacks(struct runner *r, const struct lacks *lacks)
{
	if (r->daemon && !r->told_lacks && (lacks->missing_ns || lacks->unsure_to_ns)) {
		r->told_lacks = true;
		(void)lacks_say(lacks, "the recording of a run");
	}
}

static enum run_end run_command(struct runner *r, const struct runner_job *job, struct run *run)
{
	_cleanup_(orphans_done) struct orphans before = { 0 };
	uint64_t from_ns = clock_boot_ns(), until;
	struct lacks lacks;
	enum run_end end;

	orphans_find(&before);
	run->signal = runner_signal(r);
	if (run->signal)
		return RUN_INTERRUPTED;
	run->error = start(r, job, run);
	if (run->error)
		return RUN_NOT_STARTED;
	until = job->timeout_ns ? run->clock_ns + job->timeout_ns : 0;
	end = wait_end(r, run, until);
	if (end != RUN_EXITED) {
		end_by_force(run, &before);
		return end;
	}
	if (job->traced) {
		if (now_open(socket_of(r), from_ns, &run->trace, &run->trace_fd, &lacks))
			return RUN_NOT_TRACED;
		tell_lacks(r, &lacks);
	}
	run->n_left = orphans_count(&before);
	return RUN_EXITED;
}

void runner_run(struct runner *r, const struct runner_job *job, struct run *ret)
{
	struct run run = { .end = RUN_NOT_TRACED, .trace_fd = -1 };

	if (!recorder_for(r, job->traced))
		run.end = run_command(r, job, &run);
	*ret = run;
}

void run_done(struct run *run)
{
	reader_free(TAKE_PTR(run->trace));
	if (run->trace_fd >= 0)
		close(TAKE_FD(run->trace_fd));
}
