/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap.h - fits lines into the columns of a terminal. A line is safe to show (lib/clean.h), and may have
 * escape sequences of cli_sgr(), which take no columns. Wide characters take two columns if LC_CTYPE is a
 * UTF-8 locale. Pure. */
#ifndef CTRACE_CLI_SHEET_WRAP_H
#define CTRACE_CLI_SHEET_WRAP_H

#include <stddef.h>

/* Returns how many columns the first n bytes of s take. */
size_t wrap_columns(const char *s, size_t n);
/* Returns how many of the n bytes go into a row of `width` columns. A row ends before a space. A word that is
 * wider than a row has a row of its own, so that a path can be copied. A number stays with its unit. */
size_t wrap_row(const char *s, size_t n, size_t width);
/* A line that is too wide for one row has several rows. All rows but the first are indented. Returns the
 * width of this indent, in columns. */
size_t wrap_indent(const char *s, size_t width);

/* Cuts the middle out of the longest words of a row of a table, so that the row needs at most `width`
 * columns. If this is not possible, cuts only the words that are longer than half of the width. Returns a
 * text that the caller frees. NULL: out of memory. */
char *wrap_shorten(const char *s, size_t width);

#endif
