/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - what `ctrace top` shows, line by line. Does not know the size of the screen. One thread. */
#ifndef CTRACE_CLI_TOP_LINES_H
#define CTRACE_CLI_TOP_LINES_H

#include <stdbool.h>

#include "cli/top/services.h"

enum top_line_kind { TOP_LINE_CIRCLE, TOP_LINE_ROOT, TOP_LINE_WAITER, TOP_LINE_TITLE, TOP_LINE_ENDED };

struct top_line {
	enum top_line_kind kind;
	uint32_t tid; /* 0: the line is not about one task */
	char *text;
};

struct top_lines {
	VEC(struct top_line) v;
};

/* Makes the lines of the trees that top_pick() chose, and then of the ended waits that it chose. Returns 0 or
 * -ENOMEM; the caller calls lines_done() in both cases. */
int lines_make(const struct top *t, const struct top_pick *pick, uint64_t now_ns, struct top_lines *ret);
/* Makes a line for each service that top_services_pick() chose. Returns and needs the same. */
int lines_of_services(const struct top_services *s, const top_service_list *pick, struct top_lines *ret);
/* The title above the lines of services */
void lines_service_title(char *buf, size_t size);
void lines_done(struct top_lines *l);

#endif
