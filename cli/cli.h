/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - functions for all sub-commands of ctrace: options, errors, colour, progress. One thread.
 *
 * A command is a function like main() in cmd_<name>.c, and a row of the table in main.c. The
 * function returns an exit code. The result of a command goes to stdout, everything else to stderr.
 * Messages for stderr go through the functions below, which make them safe to show (lib/clean.h);
 * output.h does the same for stdout. SIGPIPE is ignored, so a command with much output calls
 * cli_output_broken() now and then. At the end, main() flushes stdout and prints an error if a
 * write to stdout has failed.
 */
#ifndef CTRACE_CLI_CLI_H
#define CTRACE_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

struct command {
	const char *name;
	const char *summary; /* one line, no full stop */
	int (*run)(int argc, char **argv);
};

/*
 * One option of a command.
 *
 * key: cli_next() returns this number for the option. If key is a printable character, this character is also
 * the short option. If key is CLI_TEXT(...) or CLI_FLAG(...), cli_next() does not return: it stores the value
 * in a member of the struct at cli_parse.into, and goes on with the next option.
 *
 * arg: the name of the option's argument; NULL: the option has no argument. An array of options
 * ends with an element of zeroes. Every command understands --help, which is not in the array.
 */
struct cli_option {
	int key;
	const char *name;
	const char *arg;
	const char *help;
};

/* Keys of options that only set a member of a struct: CLI_TEXT sets a const char *, CLI_FLAG sets a
 * bool to true. */
#define CLI_TEXT(type, member) (CLI_TEXT_KEY + CLI_OFFSET(type, member, const char *))
#define CLI_FLAG(type, member) (CLI_FLAG_KEY + CLI_OFFSET(type, member, bool))
enum { CLI_TEXT_KEY = 1 << 16, CLI_FLAG_KEY = 1 << 17 };
#define CLI_OFFSET(type, member, of)                                                                         \
	((int)(offsetof(type, member) +                                                                      \
	       0 * sizeof(char[__builtin_types_compatible_p(typeof(((type *)0)->member), of) ? 1 : -1])))

struct cli_usage {
	const char *name; /* name of the command */
	const char *args; /* the arguments, for example "[-o FILE] [--] [CMD...]" */
	const char *about;
	const struct cli_option *options;
	bool stop_early; /* the first argument that is no option, and all arguments after it, are the command
			    line of another program */
};

#define CLI_OPTIONS_MAX 32
struct cli_parse {
	const struct cli_usage *usage;
	int argc;
	/* cli_next() changes the order of argv. When cli_next() has returned 0, the arguments that are no
	 * options are argv[first] .. argv[argc-1]. */
	char **argv;
	int first;
	void *into;      /* set by the command: the struct in which CLI_TEXT and CLI_FLAG store */
	const char *arg; /* argument of the option that cli_next() returned */
	int exit_code;   /* valid when cli_next() or cli_parse_into() has returned -1 */
};

/*
 *	struct cli_parse p = cli_parse(&usage, argc, argv);
 *
 *	while ((c = cli_next(&p)) > 0)
 *		switch (c) { ... }
 *	if (c < 0)
 *		return p.exit_code;
 *
 * cli_next() returns the key of the next option that is neither CLI_TEXT nor CLI_FLAG, and 0 after
 * the last option. cli_next() returns -1 if the command has to end with exit_code, because
 * cli_next() has printed the requested help, or an error about the options.
 */
struct cli_parse cli_parse(const struct cli_usage *usage, int argc, char **argv);
int cli_next(struct cli_parse *p);
/* For a command without arguments whose options are all CLI_TEXT or CLI_FLAG: stores the values of
 * all options in the struct at `into`. Returns 0, or -1: the command has to end with exit_code. */
int cli_parse_into(struct cli_parse *p, void *into);
/* Returns the only argument besides the options. If there is no argument, or more than one, prints
 * an error and returns NULL, and the command has to exit with CLI_USAGE. what: the name of the
 * argument in the error, for example "FILE". */
const char *cli_only_arg(const struct cli_parse *p, const char *what);
/* Returns 0 if there is no argument besides the options; otherwise prints an error and returns CLI_USAGE. */
int cli_no_args(const struct cli_parse *p);
/* Prints "ctrace NAME: " and the message, the usage line of the command, and how to get help.
 * Returns CLI_USAGE. */
int cli_usage_error(const struct cli_usage *usage, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Reads a decimal number without sign, at most max. Returns 0 or -EINVAL. */
int cli_number(const char *s, uint64_t max, uint64_t *ret);
/* Reads a number of bytes, which may end in K, M, G or T (1K is 1024 bytes). Returns 0 or
 * -EINVAL. */
int cli_size(const char *s, uint64_t *ret);

/* Prints "ctrace: " and an error message to stderr. The message has the form "what failed: why; what
 * to do". Returns CLI_FAILED. */
int cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* As cli_error(), for a message that is no error. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* As cli_error(), for a warning. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The escape sequence for an SGR code ("1", "31") on f. "" if f is no terminal, if NO_COLOR is set
 * and not empty, or if TERM is missing or "dumb". The code "0" ends the colour. The result stays
 * valid during the next three calls. */
const char *cli_sgr(FILE *f, const char *code);

/* Shows the progress of long work on stderr, if stderr is a terminal. arg: a word for the work
 * ("Reading"). A percent of 100 or more removes the line. The function can be given to
 * reader_on_progress(). */
void cli_progress(void *arg, unsigned percent);
/* Does the same as cli_progress(), for work that consists of `all` things, of which `done` are
 * done. If done >= all, removes the line. */
void cli_progress_count(const char *what, size_t done, size_t all);

/* True: a write to stdout has failed, so the command should stop. The function keeps errno for
 * cli_output_end(), so call it right after writing. */
bool cli_output_broken(void);
/* Flushes stdout and returns code. If a write to stdout has failed, prints an error and returns
 * CLI_FAILED. Exception: if the reader of the output has closed the pipe, prints nothing and
 * returns code. */
int cli_output_end(int code);

/* Returns how many threads to use: one for each CPU on which ctrace may run, but at most max. */
unsigned cli_threads(unsigned max);

/* cli_ignore_signals() ignores the signals that a write can raise (SIGPIPE, SIGXFSZ). The write
 * then fails with EPIPE or EFBIG instead. cli_restore_signals() undoes this: a child process of
 * ctrace calls this function before the child executes another program. */
void cli_ignore_signals(void);
void cli_restore_signals(void);

/* Returns the name that is most like a mistyped word. names: an array that ends with NULL. The result
 * is NULL if no name is like the word. */
const char *cli_nearest(const char *word, const char *const *names);

#endif
