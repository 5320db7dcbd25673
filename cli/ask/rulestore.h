/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rulestore.h - the rules files of one run, in this order:
 * - the files of --rules, in the order of the command line;
 * - the user's own file: ctrace/rules.json in $XDG_CONFIG_HOME, or in ~/.config.
 *
 * Answers are kept at the front of the first of these files. To keep them, rulestore_keep() reads
 * the file again and replaces it by a rename. Except for rulestore_read(), a function that returns
 * int returns an exit code and prints its errors itself. One thread.
 */
#ifndef CTRACE_CLI_ASK_RULESTORE_H
#define CTRACE_CLI_ASK_RULESTORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/rules.h"

#define RULESTORE_FILES_MAX 16

struct rulestore_options {
	const char *files[RULESTORE_FILES_MAX];
	size_t n_files;
	bool none;
};
int rulestore_option(struct rulestore_options *o, const char *file);

struct rulestore {
	struct rules rules; /* first the rules of the files, then those of this run */
	size_t n_read;
	/* The verdicts of the n_read rules in their files. Answers change the verdicts in
	 * `rules`. */
	uint8_t *was;
	struct {
		char *path;
		size_t end;
	} files[RULESTORE_FILES_MAX + 1];
	size_t n_files;
	/* The file for answers. NULL: --no-rules was given, or there is no file of --rules, and
	 * neither $XDG_CONFIG_HOME nor $HOME is an absolute path. */
	char *keep;
};

/* Reads at most RULESFILE_BYTES_MAX + 1 bytes, so that the parser sees a file that is too large. The
 * caller frees *ret. Returns 0, -EMEDIUMTYPE if the file is not regular, or another -errno. */
int rulestore_read(const char *path, char **ret, size_t *ret_size);
/* asking: the first file of --rules need not exist yet, because an answer can create it. Call
 * rulestore_done() after failure too. */
int rulestore_open(const struct rulestore_options *o, bool asking, struct rulestore *ret);
/* Writes the rules that answers have made or changed into the file s->keep, and prints how many.
 * Leaves out a rule with a name that is not UTF-8. After a failure, the file is as before. */
int rulestore_keep(const struct rulestore *s);
void rulestore_done(struct rulestore *s);

/* Prints which rules decided, and how often. Prints nothing if no rule decided. */
void rulestore_print(FILE *f, const struct rulestore *s);
/* Returns the rules that decided: [{"file","rule","verdict","applied","text"}], a new reference. */
json_t *rulestore_json(const struct rulestore *s);

#endif
