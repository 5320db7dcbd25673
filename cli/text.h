/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - numbers and names from a trace as text and as JSON.  Names are any
 * bytes; what is no UTF-8 becomes U+FFFD in JSON.  JSON is printed in ASCII, all
 * other characters as "\uXXXX": it is shown on terminals too.  Any thread.
 */
#ifndef CTRACE_CLI_TEXT_H
#define CTRACE_CLI_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_NUMBER_MAX 32
/* "512 MiB", "1.5 GiB". */
const char *text_bytes(uint64_t bytes, char buf[TEXT_NUMBER_MAX]);
/* "1.234 s", "56.7 ms", "2 min 3 s": about four digits. */
const char *text_duration(uint64_t ns, char buf[TEXT_NUMBER_MAX]);
/* "12 345 678". */
const char *text_count(uint64_t n, char buf[TEXT_NUMBER_MAX]);

/* A JSON string; NULL: out of memory. */
json_t *text_json(const char *s);
/* Writes a JSON string with its quotes. */
void text_put_json(FILE *f, const char *s);
/* Makes an answer of the daemon a document: its "ok" goes, a "schema" comes. */
json_t *text_document(const char *schema, json_t *answer);
/* Replaces each string in an answer of the daemon, which may hold names, by what lib/clean.h shows: 0, or
 * -ENOMEM. For text: it is not what a program wants to read. */
int text_clean(json_t *answer);
/* Prints a document, readable when stdout is a terminal and one line when not, releases it; an exit code.
 * NULL: out of memory, which is said. */
int text_print_json(json_t *doc);

#endif
