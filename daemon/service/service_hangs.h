/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_hangs.h - the request {"cmd":"hangs"}. Main thread only. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_HANGS_H
#define CTRACE_DAEMON_SERVICE_SERVICE_HANGS_H

#include "daemon/service/service.h"

#define SERVICE_HANGS_MAX 200

void service_hangs(struct service *s, uint64_t client);

#endif
