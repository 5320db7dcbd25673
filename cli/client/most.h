/* SPDX-License-Identifier: GPL-2.0-or-later */
/* most.h - prints the task or the group that makes the most records. One thread. */
#ifndef CTRACE_CLI_CLIENT_MOST_H
#define CTRACE_CLI_CLIENT_MOST_H

#include <jansson.h>

void most_print(const json_t *status);

#endif
