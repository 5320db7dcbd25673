/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_budget.h - handles the request that changes the budget. All functions run on the main
 * thread. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_BUDGET_H
#define CTRACE_DAEMON_SERVICE_SERVICE_BUDGET_H

#include "daemon/service/service.h"

/* Handles {"cmd":"budget","budget":"3%"}. The clients' worker waits for the drain thread, which makes the
 * change. */
void service_budget(struct service *s, uint64_t client, json_t *body);

#endif
