/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rulestore.h - the rules files of one run: those given with --rules, in that
 * order, and the person's own one ($XDG_CONFIG_HOME/ctrace/rules.json).  Answers
 * are kept in the first that was given, else in the person's own.  New rules go to the front of that file,
 * which is read again before it is written, and replaced by a rename.
 *
 * Functions that return int return an exit code; what went wrong has been said.
 */
#ifndef CTRACE_CLI_ASK_RULESTORE_H
#define CTRACE_CLI_ASK_RULESTORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/rules.h"

#define RULESTORE_FILES_MAX 16

struct rulestore_options {
	const char *files[RULESTORE_FILES_MAX]; /* of --rules */
	size_t n_files;
	bool none; /* --no-rules */
};
/* Another --rules: an exit code. */
int rulestore_option(struct rulestore_options *o, const char *file);

struct rulestore {
	struct rules rules; /* the rules of the files, file by file, then the answers of this run */
	size_t n_read;      /* so many are from files */
	uint8_t *was;       /* [n_read]: what they said there; a later answer may say otherwise */
	struct {
		char *path;
		size_t end; /* its rules end there */
	} files[RULESTORE_FILES_MAX + 1];
	size_t n_files;
	char *keep; /* where answers are kept; NULL: nowhere (--no-rules, or there is no home) */
};

/* asking: there may be answers to keep, so the file for them need not exist yet.  Call rulestore_done() also
 * after failure. */
int rulestore_open(const struct rulestore_options *o, bool asking, struct rulestore *ret);
/* Adds the answers of this run to their file, which appears whole or stays as it is; says how many. */
int rulestore_keep(const struct rulestore *s);
void rulestore_done(struct rulestore *s);

/* Which rules decided how often: lines, or nothing; and [{"file","rule","verdict","applied","text"}]. */
void rulestore_print(FILE *f, const struct rulestore *s);
json_t *rulestore_json(const struct rulestore *s);

#endif
