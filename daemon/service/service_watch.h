/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_watch.h - the requests about watched variables.  Main thread. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_WATCH_H
#define CTRACE_DAEMON_SERVICE_SERVICE_WATCH_H

#include "daemon/service/service.h"

/* {"cmd":"watch"}: lasts as long as the connection. */
void service_watch(struct service *s, uint64_t client, json_t *body);
/* {"cmd":"watched"}: what has happened since the last time. */
void service_watched(struct service *s, uint64_t client, json_t *body);

#endif
