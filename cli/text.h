/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - prints JSON to stdout. report/text.h makes it. One thread. */
#ifndef CTRACE_CLI_TEXT_H
#define CTRACE_CLI_TEXT_H

#include <jansson.h>
#include <stddef.h>

#include "report/text.h"

/* Prints JSON, with indentation if stdout is a terminal. Takes the reference of doc. doc NULL:
 * prints the error "out of memory". Returns an exit code. */
int text_print_json(json_t *doc);
/* As text_print_json(), for a document whose last member `key` is a long array of n items. doc has
 * the other members, at least one. make() returns a new reference to item i, or NULL: out of
 * memory. */
int text_print_json_items(json_t *doc, const char *key, size_t n, json_t *(*make)(const void *arg, size_t i),
			  const void *arg);

#endif
