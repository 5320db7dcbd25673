/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - writes numbers and names as text and as JSON. A name may have any bytes; bytes that are no
 * UTF-8 become U+FFFD in JSON. JSON is printed in ASCII, with "\uXXXX" for all other characters, so
 * that it is safe to show on a terminal. Any thread. Functions with a buf return buf.
 */
#ifndef CTRACE_CLI_TEXT_H
#define CTRACE_CLI_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_NUMBER_MAX 32
/* Writes a number of bytes: "512 MiB", "1.5 GiB". */
const char *text_bytes(uint64_t bytes, char buf[TEXT_NUMBER_MAX]);
/* Writes a duration: "1.234 s", "56.7 ms", "2 min 3 s". If it is shorter than a minute, it has at
 * most four digits. */
const char *text_duration(uint64_t ns, char buf[TEXT_NUMBER_MAX]);
/* Writes a number with spaces: "12 345 678". */
const char *text_count(uint64_t n, char buf[TEXT_NUMBER_MAX]);

/* Returns a JSON string, a new reference. NULL: out of memory. */
json_t *text_json(const char *s);
/* Writes a string as JSON, with its quotes. */
void text_put_json(FILE *f, const char *s);
/* Makes a document from an answer of the daemon: removes "ok" and adds "schema". Takes the reference of
 * answer, and returns a new one. NULL: out of memory. */
json_t *text_document(const char *schema, json_t *answer);
/* Makes each string in an answer of the daemon safe to print (lib/clean.h), because strings may
 * hold names. Only for an answer that is then printed as text: in an answer that is printed as
 * JSON, names stay as they are. Returns 0 or -ENOMEM. */
int text_clean(json_t *answer);
/* Prints a JSON document: with indentation if stdout is a terminal, otherwise in one line. Takes the
 * reference of doc. If doc is NULL, memory was short: prints an error. Returns an exit code. */
int text_print_json(json_t *doc);
/* As text_print_json(), for a document whose last member `key` is a long array of n items. doc has all other
 * members, and at least one. make() returns a new reference to item i; NULL: out of memory. Unless stdout is
 * a terminal, only one item is in memory at a time. */
int text_print_json_items(json_t *doc, const char *key, size_t n, json_t *(*make)(const void *arg, size_t i),
			  const void *arg);

#endif
