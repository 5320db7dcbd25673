// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/blame.h"

const char *time_kind_name(enum time_kind k)
{
	static const char *const names[TIME_KINDS] = { "running", "runnable", "lock",       "ipc",
						       "disk",    "network",  "timer",      "queue",
						       "fault",   "unknown",  "short_waits" };

	return k < TIME_KINDS ? names[k] : "unknown";
}
