/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - functions for all sub-commands of ctrace: options, errors, colour, progress. One thread.
 *
 * A command is a function in cmd_<name>.c, and a row of the table in main.c. It returns an exit code. The
 * result goes to stdout. All other texts go to stderr; the functions below make them safe to show. A command
 * with much output calls cli_output_broken() now and then.
 */
#ifndef CTRACE_CLI_CLI_H
#define CTRACE_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli/usage.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

#define CLI_OPTIONS_MAX 32
struct cli_parse {
	const struct cli_usage *usage;
	int argc;
	/* After the last option, argv[first..argc) are the other arguments. */
	char **argv;
	int first;
	void *into;
	const char *arg;
	int exit_code; /* valid after -1 from cli_next() or cli_parse_into() */
};

/*
 * struct cli_parse p = cli_parse(&usage, argc, argv);
 *
 * while ((c = cli_next(&p)) > 0)
 *	switch (c) { ... }
 * if (c < 0)
 *	return p.exit_code;
 *
 * cli_next() returns 0 after the last option, or -1 after it has printed the help or an error.
 */
struct cli_parse cli_parse(const struct cli_usage *usage, int argc, char **argv);
int cli_next(struct cli_parse *p);
/* For a command whose options are all stored, and that has no other arguments. Returns 0, or
 * -1: exit with p->exit_code. */
int cli_parse_into(struct cli_parse *p, void *into);
/* Returns the only argument besides the options. what: its name, such as "FILE". NULL: an error was
 * printed; exit with CLI_USAGE. */
const char *cli_only_arg(const struct cli_parse *p, const char *what);
#define CLI_TRACE_HOW                                                                                        \
	"'ctrace snapshot -o FILE --last 5m' saves what the daemon recorded; 'ctrace diagnose' needs no FILE"
/* As cli_only_arg(), for the FILE of a trace: if it is missing, says how to get one. */
const char *cli_trace_arg(const struct cli_parse *p);
int cli_no_args(const struct cli_parse *p);
int cli_usage_error(const struct cli_usage *usage, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Reads a decimal number without sign, at most max. Returns 0 or -EINVAL. */
int cli_number(const char *s, uint64_t max, uint64_t *ret);
/* Reads a number of bytes, which may end in K, M, G or T (1K is 1024). Returns 0 or -EINVAL. */
int cli_size(const char *s, uint64_t *ret);

/* The message has the form "what failed: why; what to do". Returns CLI_FAILED. */
int cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define CLI_WORD_MAX 512
/* Writes the path as one word of a shell, for a command that a person can copy; or "FILE", if nobody can type
 * it. Returns buf. */
const char *cli_path_word(const char *path, char buf[CLI_WORD_MAX]);

/* Returns how many rows the messages so far take on a terminal of 80 columns. Returns 0 without a
 * terminal. */
size_t cli_said_rows(void);

/* Returns the escape sequence for an SGR code, such as "31"; "0" ends the colour. Returns "" without a
 * terminal, or if NO_COLOR or TERM forbid colour. Valid during the next three calls. */
const char *cli_sgr(FILE *f, const char *code);

/* While a pager shows stdout, stdout counts as a terminal, and no progress is shown. */
void cli_use_pager(bool on);
/* Returns true if stdout is a terminal, or leads to one through a pager. */
bool cli_is_terminal(void);

/* Shows progress on stderr, if that is a terminal. arg: a word for the work, such as "Reading". 100
 * percent removes the line. reader_on_progress() takes this function as an argument. */
void cli_progress(void *arg, unsigned percent);
void cli_progress_count(const char *what, size_t done, size_t all);

/* Returns true if a write to stdout has failed. Then the command should stop. Call this function right after
 * a write, while errno is that of the write: cli_output_end() prints this errno. */
bool cli_output_broken(void);
/* Flushes stdout. Returns CLI_FAILED after a failed write, otherwise `code`. A closed pipe is no failure. */
int cli_output_end(int code);

/* Returns the number of CPUs on which ctrace may run, but at most max. */
unsigned cli_threads(unsigned max);
/* Calls a(arg) and b(arg): in two threads if ctrace may run on several CPUs. Returns after both calls have
 * returned. */
void cli_both(void (*a)(void *arg), void (*b)(void *arg), void *arg);

/* While SIGPIPE and SIGXFSZ are ignored, a write fails with EPIPE or EFBIG instead. A child process calls
 * cli_restore_signals() before exec. */
void cli_ignore_signals(void);
void cli_restore_signals(void);
/* Starts the program argv[0], found by PATH, with the default actions of the signals that
 * cli_ignore_signals() ignores. Its stdin is in_fd. Its stdout is out_fd, or that of ctrace if out_fd is -1.
 * Returns 0 or a positive errno. */
int cli_spawn(char *const argv[], int in_fd, int out_fd, pid_t *ret_pid);
/* The same for a program that may live longer than ctrace: in a session of its own, with fd as its stdin,
 * stdout and stderr. */
int cli_spawn_apart(char *const argv[], int fd, pid_t *ret_pid);

/* Returns the name that is most like a mistyped word, or NULL. names ends with NULL. */
const char *cli_nearest(const char *word, const char *const *names);

#endif
