/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_watch.h - handles the requests about watched variables. All functions run on the main
 * thread. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_WATCH_H
#define CTRACE_DAEMON_SERVICE_SERVICE_WATCH_H

#include "daemon/service/service.h"

/* Handles {"cmd":"watch"}: watches a variable as long as the client is connected. body is borrowed. */
void service_watch(struct service *s, uint64_t client, json_t *body);
/* Handles {"cmd":"watched"}: answers with the accesses to the variable since the last such request.
 * body is borrowed. */
void service_watched(struct service *s, uint64_t client, json_t *body);

#endif
