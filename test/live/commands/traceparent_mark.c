/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library through which a program in any language can mark trace contexts. */
#include "../../../share/ctrace-traceparent.h"

int mark_traceparent(int fd, const char *text, size_t length);

int mark_traceparent(int fd, const char *text, size_t length)
{
	return ctrace_mark_traceparent(fd, text, length);
}
