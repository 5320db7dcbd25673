/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_watch.h - the requests about watched variables. Main thread only. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_WATCH_H
#define CTRACE_DAEMON_SERVICE_SERVICE_WATCH_H

#include "daemon/service/service.h"

/* {"cmd":"watch"}: watches a variable as long as the client is connected. body is borrowed. */
void service_watch(struct service *s, uint64_t client, json_t *body);
/* {"cmd":"watched"}: answers with the accesses since the last such request. body is borrowed. */
void service_watched(struct service *s, uint64_t client, json_t *body);

#endif
