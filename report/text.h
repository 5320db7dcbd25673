/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - numbers and names as text and as JSON. In JSON, bytes that are no UTF-8 become U+FFFD,
 * and other characters that are no ASCII become "\uXXXX". Any thread. Functions with a buf return
 * buf.
 */
#ifndef CTRACE_REPORT_TEXT_H
#define CTRACE_REPORT_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_NUMBER_MAX 32
/* Examples: "512 MiB", "1.5 GiB". */
const char *text_bytes(uint64_t bytes, char buf[TEXT_NUMBER_MAX]);
/* Examples: "1.234 s", "56.7 ms", "2 min 3 s". */
const char *text_duration(uint64_t ns, char buf[TEXT_NUMBER_MAX]);
/* Two digits, or the whole number from 99 on: 0.2, 14 or 140. Without an exponent. */
const char *text_percent(double percent, char buf[TEXT_NUMBER_MAX]);
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
/* Takes the reference of `answer`, an answer of the daemon. Returns a new document with the members
 * of the answer, and with "schema" in place of "ok". NULL: out of memory. */
json_t *text_document(const char *schema, json_t *answer);
/* Makes each string of an answer safe to print as text (lib/clean.h). Not for JSON output, which
 * keeps names as they are. Returns 0 or -ENOMEM. */
int text_clean(json_t *answer);

#endif
