/* SPDX-License-Identifier: GPL-2.0-or-later */
/* most.h - prints which task or group made the most records when the daemon last counted them. One
 * thread. */
#ifndef CTRACE_CLI_CLIENT_MOST_H
#define CTRACE_CLI_CLIENT_MOST_H

#include <jansson.h>

void most_print(const json_t *status);

#endif
