/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - what all sub-commands of ctrace share: options, errors, colour,
 * progress.  One thread.
 *
 * A command is a function like main() in cmd_<name>.c and a row of the table in
 * main.c.  It returns an exit code.  stdout is for what was asked, stderr for
 * everything else; all that goes there goes through the functions below, which make the text safe to show
 * (lib/clean.h; output.h does so for stdout).  SIGPIPE is ignored: a command that writes much asks
 * cli_output_broken() now and then; main() flushes and reports at the end.
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

/* key: what cli_next() returns; a printable character is the short option too.  Or CLI_TEXT or CLI_FLAG: the
 * option's value goes into a member of the struct that cli_parse.into points at, and cli_next() goes on. arg:
 * the name of the argument, NULL when there is none.  A table ends with a row of zeroes; --help is understood
 * always. */
struct cli_option {
	int key;
	const char *name;
	const char *arg;
	const char *help;
};

/* The keys of options that only set a member: a const char *, or a bool (to true). */
#define CLI_TEXT(type, member) (CLI_TEXT_KEY + CLI_OFFSET(type, member, const char *))
#define CLI_FLAG(type, member) (CLI_FLAG_KEY + CLI_OFFSET(type, member, bool))
enum { CLI_TEXT_KEY = 1 << 16, CLI_FLAG_KEY = 1 << 17 };
#define CLI_OFFSET(type, member, of)                                                                         \
	((int)(offsetof(type, member) +                                                                      \
	       0 * sizeof(char[__builtin_types_compatible_p(typeof(((type *)0)->member), of) ? 1 : -1])))

struct cli_usage {
	const char *name; /* of the command */
	const char *args; /* "[-o FILE] [--] [CMD...]" */
	const char *about;
	const struct cli_option *options;
	bool stop_early; /* what follows the first argument that is no option belongs to somebody else */
};

#define CLI_OPTIONS_MAX 32
struct cli_parse {
	const struct cli_usage *usage;
	int argc;
	char **argv; /* reordered: after the end of the options, argv[first] .. argv[argc-1] are the rest */
	int first;
	void *into;      /* set by the command: where options with CLI_TEXT and CLI_FLAG go */
	const char *arg; /* of the option that cli_next() returned */
	int exit_code;   /* when cli_next() returned < 0 */
};

/*
 *	struct cli_parse p = cli_parse(&usage, argc, argv);
 *
 *	while ((c = cli_next(&p)) > 0)
 *		switch (c) { ... }
 *	if (c < 0)
 *		return p.exit_code;
 *
 * cli_next() returns the key of the next option, 0 at the end, -1 when the command is to end with exit_code:
 * help was asked for (and printed), or the options are wrong (and that was said).
 */
struct cli_parse cli_parse(const struct cli_usage *usage, int argc, char **argv);
int cli_next(struct cli_parse *p);
/* For a command without arguments whose options all are CLI_TEXT or CLI_FLAG: fills into.  0, or -1: the
 * command is to end with exit_code. */
int cli_parse_into(struct cli_parse *p, void *into);
/* Exactly one argument besides the options: it, or NULL (said; exit with CLI_USAGE). what: "FILE". */
const char *cli_only_arg(const struct cli_parse *p, const char *what);
/* No argument besides the options: 0, or CLI_USAGE (said). */
int cli_no_args(const struct cli_parse *p);
/* Prints "ctrace NAME: ..." and where the help is; returns CLI_USAGE. */
int cli_usage_error(const struct cli_usage *usage, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A decimal number without sign that is not above max: 0, or -EINVAL. */
int cli_number(const char *s, uint64_t max, uint64_t *ret);
/* A number of bytes with K, M, G or T: 0, or -EINVAL. */
int cli_size(const char *s, uint64_t *ret);

/* Prints "ctrace: " and "what: why; what to do" to stderr; returns CLI_FAILED. */
int cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same of what is no error. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same with "warning". */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The sequence for an SGR code ("1", "31") on f, or "" when that is no terminal or wants no colour (NO_COLOR
 * and TERM=dumb say so). End with "0". */
const char *cli_sgr(FILE *f, const char *code);

/* Progress of long work, on stderr when that is a terminal, else nothing.  Fits reader_on_progress(); arg:
 * what is done ("Reading"). 100 wipes the line. */
void cli_progress(void *arg, unsigned percent);

/* Whether stdout took no more: time to stop. Remembers why, so ask right after writing. */
bool cli_output_broken(void);
/* Flushes stdout; 0, or -errno of the first write that failed (-EPIPE: the reader has seen enough). */
int cli_output_end(void);

/* Ignores the signals that writing can raise (SIGPIPE, SIGXFSZ): the error of the write says the same.  The
 * second makes them as they were, in the child of a command that starts another program. */
void cli_ignore_signals(void);
void cli_restore_signals(void);

/* The name in names (ends with NULL) that is nearest to a mistyped word; NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *names);

#endif
