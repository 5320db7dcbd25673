/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_parts.h - private to report/view/: the page of `ctrace view` in two parts. view_page_head comes
 * before the data, and view_page_tail comes after the data. report/view/embed makes both parts from
 * view.html, view.css and the scripts *.js. The parts do not end with a 0. */
#ifndef CTRACE_REPORT_VIEW_PAGE_PARTS_H
#define CTRACE_REPORT_VIEW_PAGE_PARTS_H

#include <stddef.h>

extern const char view_page_head[], view_page_tail[];
extern const size_t view_page_head_size, view_page_tail_size;

#endif
