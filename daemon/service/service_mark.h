/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_mark.h - handles the request "mark", on the main thread. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_MARK_H
#define CTRACE_DAEMON_SERVICE_SERVICE_MARK_H

#include "daemon/service/service.h"

/* The mark is about the client's process, or with "parent" about the task that started this process
 * (CT_MF_PARENT). The pid of the client comes from the kernel, not from the client. */
void service_mark(struct service *s, uint64_t client, json_t *body);

#endif
