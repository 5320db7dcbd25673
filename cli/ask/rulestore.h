/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rulestore.h - the rules files of one run. First come the files that are given with --rules, in
 * the order of the command line. Then comes the user's own file: ctrace/rules.json in
 * $XDG_CONFIG_HOME, or in ~/.config. Answers are kept in the first file that is given with --rules.
 * Without --rules, answers are kept in the user's own file. The rules for the answers go to the
 * front of the file. The file is read again before it is written, and is replaced by a rename.
 *
 * A function that returns int returns an exit code and prints its errors itself. One thread.
 */
#ifndef CTRACE_CLI_ASK_RULESTORE_H
#define CTRACE_CLI_ASK_RULESTORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/rules.h"

#define RULESTORE_FILES_MAX 16

struct rulestore_options {
	const char *files[RULESTORE_FILES_MAX]; /* arguments of --rules; borrowed */
	size_t n_files;
	bool none; /* --no-rules was given */
};
/* Adds a file that was given with --rules. Returns an exit code. */
int rulestore_option(struct rulestore_options *o, const char *file);

struct rulestore {
	struct rules rules; /* the rules of the files, file by file; then new rules of this run */
	size_t n_read;      /* number of rules that come from files */
	/* was[i], i < n_read: the verdict that rule i has in its file. An answer of this run may
	 * change the verdict in `rules`. */
	uint8_t *was;
	struct {
		char *path;
		size_t end; /* the index in `rules` of the first rule after those of this file */
	} files[RULESTORE_FILES_MAX + 1];
	size_t n_files;
	/* the path of the file in which answers are kept; NULL: there is none (--no-rules, or no home
	 * directory) */
	char *keep;
};

/* Reads a file, but at most RULESFILE_BYTES_MAX + 1 bytes of it: so many bytes are enough for the
 * parser to see that the file is too large. The caller frees *ret. Returns 0, -EMEDIUMTYPE if the file
 * is not a regular file, or another -errno. */
int rulestore_read(const char *path, char **ret, size_t *ret_size);
/* Reads the files. asking: questions are possible, so there may be answers to keep. Then the file
 * for the answers need not exist yet. rulestore_done() has to be called after failure too. */
int rulestore_open(const struct rulestore_options *o, bool asking, struct rulestore *ret);
/* Writes to the file s->keep the rules that answers of this run have made or changed, and prints
 * the number of these rules. The file is replaced as a whole, or stays as it is. */
int rulestore_keep(const struct rulestore *s);
void rulestore_done(struct rulestore *s);

/* rulestore_print() and rulestore_json() say which rules decided a choice, and how often each did.
 * rulestore_print() writes lines of text, or nothing if no rule decided. rulestore_json() returns a
 * new reference to [{"file","rule","verdict","applied","text"}]. */
void rulestore_print(FILE *f, const struct rulestore *s);
json_t *rulestore_json(const struct rulestore *s);

#endif
