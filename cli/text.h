/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - numbers and names as text and as JSON. In JSON, bytes that are no UTF-8 become U+FFFD,
 * and other characters that are no ASCII become "\uXXXX". Any thread may call the functions, except
 * those that print to stdout. Functions with a buf return buf.
 */
#ifndef CTRACE_CLI_TEXT_H
#define CTRACE_CLI_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_NUMBER_MAX 32
/* Examples: "512 MiB", "1.5 GiB". */
const char *text_bytes(uint64_t bytes, char buf[TEXT_NUMBER_MAX]);
/* Examples: "1.234 s", "56.7 ms", "2 min 3 s". */
const char *text_duration(uint64_t ns, char buf[TEXT_NUMBER_MAX]);
const char *text_count(uint64_t n, char buf[TEXT_NUMBER_MAX]);
/* Returns the end of a noun after the number n: "" or "s". */
const char *text_s(uint64_t n);

#define TEXT_JSON_ERR_MAX 256
/* Parses a document from a user, of at most max bytes. Refuses duplicate members. Returns 0,
 * -ENOMEM, or -EBADMSG. After -EBADMSG, err says what is wrong. */
int text_parse_json(const char *text, size_t size, unsigned max, json_t **ret, char err[TEXT_JSON_ERR_MAX]);
void text_json_release(json_t **j);
#define _cleanup_json_ _cleanup_(text_json_release)

json_t *text_json(const char *s);
void text_put_json(FILE *f, const char *s);
/* Takes the reference of an answer of the daemon. Returns a new one, with "schema" in place of
 * "ok". NULL: out of memory. */
json_t *text_document(const char *schema, json_t *answer);
/* Makes each string of an answer safe to print as text (lib/clean.h). Not for JSON output, which
 * keeps names as they are. Returns 0 or -ENOMEM. */
int text_clean(json_t *answer);
/* Prints JSON, with indentation if stdout is a terminal. Takes the reference of doc. doc NULL:
 * prints the error "out of memory". Returns an exit code. */
int text_print_json(json_t *doc);
/* As text_print_json(), for a document whose last member `key` is a long array of n items. doc has
 * the other members, at least one. make() returns a new reference to item i, or NULL: out of
 * memory. */
int text_print_json_items(json_t *doc, const char *key, size_t n, json_t *(*make)(const void *arg, size_t i),
			  const void *arg);

#endif
