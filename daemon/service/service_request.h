/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_request.h - handles the requests of the control socket. All functions run on the main
 * thread. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_REQUEST_H
#define CTRACE_DAEMON_SERVICE_SERVICE_REQUEST_H

#include "daemon/service/service.h"

/* The function for control_options.request. arg: the struct service. */
void service_request(void *arg, uint64_t client, const char *cmd, json_t *body, int *fd);

#endif
