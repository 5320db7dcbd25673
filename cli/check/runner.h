/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runner.h - runs a command once, and measures its time. One thread, and one runner at a time.
 *
 * The first traced run starts a ctraced (the *recorder*). To save time, the recorder also serves the
 * traced runs that follow, until an untraced run ends it. Without root, a running ctraced can be the recorder
 * (runner.daemon). It records all runs.
 *
 * The command runs in a session of its own (setsid(2)), with /dev/null as its input. If it ends by itself,
 * the processes that it leaves behind run on.
 */
#ifndef CTRACE_CLI_CHECK_RUNNER_H
#define CTRACE_CLI_CHECK_RUNNER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/read/reader.h"

struct oneshot;

struct runner {
	int signal_fd;
	struct oneshot *recorder; /* NULL: no recorder runs */
	const char *frameworks;   /* for the recorder, as in ctraced.conf(5) */
	const char *daemon;       /* the socket of the running ctraced that is the recorder; NULL: none */
	bool told_lacks;
	sigset_t old_mask;
};

/* From runner_init() to runner_done(), INT, TERM, HUP, QUIT and CHLD are blocked, and orphans of a command
 * become children of ctrace. frameworks, daemon: as in struct runner; NULL: none. Returns CLI_OK, or
 * CLI_FAILED after printing an error. */
int runner_init(struct runner *r, const char *frameworks, const char *daemon);
/* Also ends the recorder. */
void runner_done(struct runner *r);

struct runner_job {
	char *const *argv;
	bool traced;
	/* The command's output and errors go to this new or emptied file. NULL: to /dev/null. */
	const char *log;
	int errors_fd;       /* without show: the errors go to this file, not to log; 0: no file */
	bool show;           /* the output and errors go where those of ctrace go, not to log */
	bool show_as_errors; /* with show: all goes to standard error */
	uint64_t timeout_ns; /* 0: none */
};

enum run_end {
	RUN_EXITED,      /* the command ended by itself; see `status` */
	RUN_TIMED_OUT,   /* killed, with the processes that the command had left behind */
	RUN_INTERRUPTED, /* ctrace got `signal`; the command was not started, or was killed */
	RUN_NOT_STARTED, /* error is an errno, mostly of execve(2) */
	RUN_NOT_TRACED,  /* the recording failed, and an error has been printed */
};

struct run {
	enum run_end end;
	int status; /* as from waitpid(2) */
	int signal, error;
	uint64_t clock_ns; /* RUN_EXITED: from before the fork to the end of the command */
	pid_t pid;
	size_t n_left;        /* processes that the command has left behind; they run on */
	struct reader *trace; /* RUN_EXITED and traced: the recording; otherwise NULL */
	int trace_fd;         /* the file of `trace`; -1: no trace */
};

/* Returns true if a word has the form NAME=VALUE, which a shell would take for a variable. */
bool runner_sets_variable(const char *word);
/* The caller calls run_done(ret). */
void runner_run(struct runner *r, const struct runner_job *job, struct run *ret);
void run_done(struct run *run);

/* Takes the next pending signal, and returns its number. Skips CHLD. 0: none is pending. */
int runner_signal(struct runner *r);

#endif
