/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_budget.h - the request that changes the budget. Main thread only. */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_BUDGET_H
#define CTRACE_DAEMON_SERVICE_SERVICE_BUDGET_H

#include "daemon/service/service.h"

void service_budget(struct service *s, uint64_t client, json_t *body);

#endif
