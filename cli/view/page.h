/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.h - the page of `ctrace view`: one HTML file that loads nothing. Any thread. */
#ifndef CTRACE_CLI_VIEW_PAGE_H
#define CTRACE_CLI_VIEW_PAGE_H

#include <jansson.h>
#include <stdio.h>

/* Writes the page with the data of view_data(). No text of the data can end the element that has
 * the data: in strings, <, > and & are written as \uXXXX. Returns 0 or -errno. */
int view_write_page(FILE *f, const json_t *data);

#endif
