/* SPDX-License-Identifier: GPL-2.0-or-later */
/* most.h - prints the task or group that made the most records at the last count. One thread. */
#ifndef CTRACE_CLI_CLIENT_MOST_H
#define CTRACE_CLI_CLIENT_MOST_H

#include <jansson.h>

void most_print(const json_t *status);

#endif
