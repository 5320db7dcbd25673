/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_parts.h - private to cli/view/: the page before and behind the data (view.html, view.css and
 * view.js, put together by cli/view/embed). The parts do not end with a 0. */
#ifndef CTRACE_CLI_VIEW_PAGE_PARTS_H
#define CTRACE_CLI_VIEW_PAGE_PARTS_H

#include <stddef.h>

extern const char view_page_head[], view_page_tail[];
extern const size_t view_page_head_size, view_page_tail_size;

#endif
