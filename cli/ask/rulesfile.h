/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rulesfile.h - the text of a rules file: JSON, ctrace.rules/1 (doc/json.md).
 * Which files there are, and when they are read and written, is rulestore.
 *
 * A rules file is written by people and passed around, so nothing in it is
 * believed: sizes are limited, and an unknown member of a rule is refused, since
 * one that is mistyped would make the rule match more than was meant.  No I/O.
 */
#ifndef CTRACE_CLI_ASK_RULESFILE_H
#define CTRACE_CLI_ASK_RULESFILE_H

#include "analysis/slice/rules.h"

#define RULESFILE_SCHEMA     "ctrace.rules/1"
#define RULESFILE_BYTES_MAX  (1u << 20)
#define RULESFILE_RULES_MAX  10000
#define RULESFILE_STRING_MAX 512 /* bytes of a name, a frame or a note */
#define RULESFILE_ERR_MAX    256

/* Appends the rules of a text to rules.  0, -EBADMSG (err says where and what; rules are as before), or
 * -ENOMEM. */
int rulesfile_parse(const char *text, size_t size, struct rules *rules, char err[RULESFILE_ERR_MAX]);
/* The text of old (size 0: a new file) with rules[0..n) before its own, since the first that matches wins: to
 * be freed; NULL: old is no rules file, or out of memory.  One of old that is about the very same goes; all
 * else is kept. */
char *rulesfile_merge(const char *old, size_t size, const struct rule *rules, size_t n);

#define RULESFILE_WORDS_MAX 1024
/* "a lock edge from a to b through futex x is not a cause", safe to print. */
const char *rulesfile_words(const struct rule *rule, char buf[RULESFILE_WORDS_MAX]);

#endif
