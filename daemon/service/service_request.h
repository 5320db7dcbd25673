/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_request.h - handles the requests of the control socket. Main thread only. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_REQUEST_H
#define CTRACE_DAEMON_SERVICE_SERVICE_REQUEST_H

#include "daemon/service/service.h"

void service_request(void *arg, uint64_t client, const char *cmd, json_t *body, int *fd);

#endif
