/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_hangs.h - handles the request for the hangs that were caught. All functions run on the
 * main thread. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_HANGS_H
#define CTRACE_DAEMON_SERVICE_SERVICE_HANGS_H

#include "daemon/service/service.h"

#define SERVICE_HANGS_MAX 200 /* the answer lists at most this many hangs, the newest ones */

/* Handles {"cmd":"hangs"}. The clients' worker reads the files. */
void service_hangs(struct service *s, uint64_t client);

#endif
