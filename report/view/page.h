/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.h - the page of `ctrace view`: one HTML file that loads nothing. Any thread. */
#ifndef CTRACE_REPORT_VIEW_PAGE_H
#define CTRACE_REPORT_VIEW_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the page with the data of view_data(). The data has only printable ASCII. No text of the data can
 * end the element that has the data: in strings, <, > and & are written as \uXXXX. Returns 0 or -errno. */
int view_write_page(FILE *f, const json_t *data);
/* Returns true if view_write_page() could have written this page: it has the style and the scripts of this
 * program. Its data has only printable ASCII, and cannot end the element that has the data. So no other
 * script can run in it, also if a browser takes it for another character set. */
bool view_is_page(const char *page, size_t n);

#endif
