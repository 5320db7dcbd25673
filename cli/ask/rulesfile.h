/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rulesfile.h - the text of a rules file: JSON, ctrace.rules/1 (doc/json.md). No I/O. Any thread.
 *
 * The text may be hostile, so sizes are limited. An unknown member of a rule is an error: if a mistyped
 * member were ignored, the rule would match too much.
 */
#ifndef CTRACE_CLI_ASK_RULESFILE_H
#define CTRACE_CLI_ASK_RULESFILE_H

#include "analysis/slice/rules.h"

#define RULESFILE_SCHEMA     "ctrace.rules/1"
#define RULESFILE_BYTES_MAX  (1u << 20)
#define RULESFILE_RULES_MAX  10000
#define RULESFILE_STRING_MAX 512 /* bytes of an object's name, a frame or a note */
#define RULESFILE_ERR_MAX    256

/* Appends the rules of a text to `rules`. Returns 0, -EBADMSG or -ENOMEM. After an error,
 * `rules` is as before. After -EBADMSG, err says what is wrong, and where. */
int rulesfile_parse(const char *text, size_t size, struct rules *rules, char err[RULESFILE_ERR_MAX]);
/*
 * Makes the text of a rules file: first rules[0..n), then those of the text `old` (size 0: none), because
 * the first rule that matches wins. Drops an old rule with the same conditions as a new one. The caller
 * frees *ret. Returns 0, -EBADMSG (`old` is no rules file) or -ENOMEM.
 */
int rulesfile_merge(const char *old, size_t size, const struct rule *rules, size_t n, char **ret);

#define RULESFILE_WORDS_MAX 1024
/* Writes a sentence that is safe to print: "lock from a to b through futex x is not a cause". */
const char *rulesfile_words(const struct rule *rule, char buf[RULESFILE_WORDS_MAX]);

#endif
