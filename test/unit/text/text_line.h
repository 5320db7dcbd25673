/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_line.h - one line of a text, word by word.
 *
 * Blanks separate words. A word, or the value of KEY="...", may be quoted, with \\ \" \n \xHH
 * inside. '#' at the beginning of a word starts a comment. The caller has to take every word:
 * text_line_done() reports the first word that is left. Of several errors, l->error keeps the first.
 */
#ifndef CTRACE_TEST_TEXT_LINE_H
#define CTRACE_TEST_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_WORDS_MAX 32
#define TEXT_ERROR_MAX 256

struct text_line {
	char *buf;
	const char *words[TEXT_WORDS_MAX];
	bool taken[TEXT_WORDS_MAX];
	bool field[TEXT_WORDS_MAX]; /* the word is KEY=VALUE, with no quote before the '=' */
	size_t n;
	char error[TEXT_ERROR_MAX]; /* "": no error so far */
};

struct text_word {
	const char *word;
	uint64_t value;
};

/* Splits the line into words. Aborts if there is no memory. */
void text_line_init(struct text_line *l, const char *line);
void text_line_free(struct text_line *l);
__attribute__((format(printf, 2, 3))) void text_line_fail(struct text_line *l, const char *fmt, ...);

/* Returns the next word that is no field. If there is none, sets an error that names `what`, and
 * returns "". */
const char *text_line_next(struct text_line *l, const char *what);
/* Returns the next word that is no field, or NULL if there is none. */
const char *text_line_more(struct text_line *l);
/* If the next word that is no field is this word, takes it and returns true. */
bool text_line_skip(struct text_line *l, const char *word);
/* Returns the value of the field KEY=VALUE, or NULL if there is no such field. */
const char *text_line_field(struct text_line *l, const char *key);
/*
 * Sets an error if words are left. usage: the correct form of the line, for this error. Returns
 * false after any error.
 */
bool text_line_done(struct text_line *l, const char *usage);

/* Reads a number, such as "12", "0x1f" or "-11". The function, and each function below that returns
 * a number, sets an error and returns 0 if it cannot read the word. */
uint64_t text_number(struct text_line *l, const char *word);
/* Reads a time, such as "12ns", "12us", "12.1ms", "3s" or "0". Returns ns. */
uint64_t text_time(struct text_line *l, const char *word);
/* Reads a range of time, such as "10ms..50ms". */
void text_range(struct text_line *l, const char *word, uint64_t *ret_from, uint64_t *ret_to);
/*
 * Returns the value that the list has for the word. The list ends with NULL. If the list lacks the
 * word, sets an error that shows the list.
 */
uint64_t text_one_of(struct text_line *l, const char *word, const struct text_word *words);
/*
 * Reads a word like "a,b": words of the list, with commas between them. Returns the sum of their
 * values.
 */
uint64_t text_flags(struct text_line *l, const char *word, const struct text_word *words);

#define TEXT_TIME_MAX 32
/* Writes a time to buf, which has TEXT_TIME_MAX bytes, in the form that text_time() reads, always
 * in ms. Returns buf. */
const char *text_put_time(uint64_t ns, char *buf);

#endif
