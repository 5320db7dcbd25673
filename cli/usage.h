/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.h - how a command is called: its synopsis and its options, and their help. On a terminal, the lines
 * fit its width. One thread. */
#ifndef CTRACE_CLI_USAGE_H
#define CTRACE_CLI_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * An option of a command. An array of options ends with an element of zeroes, and does not list
 * --help.
 * - key: the number that cli_next() returns. A printable character is also the short option. With
 *   CLI_TEXT(...), CLI_FLAG(...) or CLI_NUMBER(...), cli_next() stores the value instead, in the
 *   struct at cli_parse.into. A CLI_NUMBER is positive.
 * - arg: the name of the option's argument; NULL: none.
 */
struct cli_option {
	int key;
	const char *name;
	const char *arg;
	const char *help;
};

#define CLI_TEXT(type, member)   (CLI_TEXT_KEY + CLI_OFFSET(type, member, const char *))
#define CLI_FLAG(type, member)   (CLI_FLAG_KEY + CLI_OFFSET(type, member, bool))
#define CLI_NUMBER(type, member) (CLI_NUMBER_KEY + CLI_OFFSET(type, member, uint32_t))
enum { CLI_TEXT_KEY = 1 << 16, CLI_FLAG_KEY = 1 << 17, CLI_NUMBER_KEY = 1 << 18 };
#define CLI_OFFSET(type, member, of)                                                                         \
	((int)(offsetof(type, member) +                                                                      \
	       0 * sizeof(char[__builtin_types_compatible_p(typeof(((type *)0)->member), of) ? 1 : -1])))

/* Says how to go on after an option that other commands have, but this one has not. An array of them ends
 * with an element of zeroes. */
struct cli_instead {
	const char *options; /* names, with spaces between them: "at from to" */
	const char *say;
};

struct cli_usage {
	const char *name;
	const char *args;
	const char *about;
	const struct cli_option *options;
	const struct cli_instead *instead; /* or NULL */
	bool stop_early;                   /* the options end at the first argument that is no option */
};

/* Prints "Usage: ctrace diagnose [--tid TID] ...". */
void usage_print_line(FILE *f, const struct cli_usage *u);
/* Returns the words for an option that the command has not, such as "at" or "at=14:03"; NULL: none. */
const char *usage_instead(const struct cli_usage *u, const char *option);
/* Calls print(arg), which prints a long text to stdout. main() sets it to a function that shows the text in a
 * pager if it is longer than the terminal. */
extern void (*usage_show)(void (*print)(const void *arg), const void *arg);
/* Prints the whole help to stdout, by usage_show(). */
void usage_print_help(const struct cli_usage *u);

#endif
