/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_line.h - one line of a text, word by word.
 *
 * Blanks separate words. A word, or VALUE in KEY=VALUE, may be quoted, with \\ \" \n \xHH inside. A
 * word that begins with '#' starts a comment. l->error keeps the first error.
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
	char error[TEXT_ERROR_MAX];
};

struct text_word {
	const char *word;
	uint64_t value;
};

void text_line_init(struct text_line *l, const char *line);
void text_line_free(struct text_line *l);
__attribute__((format(printf, 2, 3))) void text_line_fail(struct text_line *l, const char *fmt, ...);

/* Returns the next word that is not KEY=VALUE. Without one, sets an error about `what`, and returns "". */
const char *text_line_next(struct text_line *l, const char *what);
/* As text_line_next(). But if no word is left, returns NULL and sets no error. */
const char *text_line_more(struct text_line *l);
/* If text_line_next() would return `word`, takes it and returns true. */
bool text_line_skip(struct text_line *l, const char *word);
const char *text_line_field(struct text_line *l, const char *key);
/* Returns true if all words are taken, without an error. If a word is left, sets an error with `usage`. */
bool text_line_done(struct text_line *l, const char *usage);

/* Reads "12", "0x1f" or "-11". Returns 0 after an error. */
uint64_t text_number(struct text_line *l, const char *word);
/* Reads "12ns", "12us", "12.1ms", "3s" or "0". Returns ns, or 0 after an error. */
uint64_t text_time(struct text_line *l, const char *word);
void text_range(struct text_line *l, const char *word, uint64_t *ret_from, uint64_t *ret_to);
/* Returns the word's value in the list, which ends with NULL; 0 after an error. */
uint64_t text_one_of(struct text_line *l, const char *word, const struct text_word *words);
/* Reads words of the list, such as "a,b". Returns the OR of their values. */
uint64_t text_flags(struct text_line *l, const char *word, const struct text_word *words);

#define TEXT_TIME_MAX 32
/* Writes ns as text_time() reads it, in ms. buf has TEXT_TIME_MAX bytes. Returns buf. */
const char *text_put_time(uint64_t ns, char *buf);

#endif
