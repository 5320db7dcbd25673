/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rulestore.h - the rules files of one run, in this order:
 * - the files of --rules, in the order of the command line;
 * - the user's own file: ctrace/rules.json in $XDG_CONFIG_HOME, or in ~/.config.
 *
 * Answers go to the front of the first of these files. Functions that return int return an exit code and
 * print their errors (except rulestore_read()). One thread.
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
	/* The verdicts of the first n_read rules, as they are in the files. An answer of the user changes the
	 * verdict of a rule in `rules`, but not here. */
	uint8_t *was;
	struct {
		char *path;
		size_t end;
	} files[RULESTORE_FILES_MAX + 1];
	size_t n_files;
	/* The file for answers. With --no-rules, it is NULL. Without --rules, it is NULL if neither
	 * $XDG_CONFIG_HOME nor $HOME is an absolute path. */
	char *keep;
};

/* If the file is larger than RULESFILE_BYTES_MAX, reads only its first RULESFILE_BYTES_MAX + 1 bytes. The
 * parser then refuses the text as too long. The caller frees *ret. Returns 0, -EMEDIUMTYPE (no regular
 * file), or another -errno. */
int rulestore_read(const char *path, char **ret, size_t *ret_size);
/* asking: the first file of --rules may be missing, because an answer can create it. Call
 * rulestore_done() after failure too. */
int rulestore_open(const struct rulestore_options *o, bool asking, struct rulestore *ret);
/* Writes new and changed rules into the file s->keep, and prints how many. Leaves out a rule with a name
 * that is not UTF-8. After a failure, the file is as before. */
int rulestore_keep(const struct rulestore *s);
void rulestore_done(struct rulestore *s);

/* Prints the rules that decided at least one choice of this run, and how many choices each
 * decided. */
void rulestore_print(FILE *f, const struct rulestore *s);
/* Returns the same rules as JSON: [{"file","rule","verdict","applied","text"}], a new reference. */
json_t *rulestore_json(const struct rulestore *s);

#endif
