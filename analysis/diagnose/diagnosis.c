// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/diagnosis.h"

#include <stdlib.h>

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = { [VERDICT_NORMAL] = "normal",
					     [VERDICT_LONG_WAIT] = "long-wait",
					     [VERDICT_LONG_RUNNING] = "long-running",
					     [VERDICT_STARVED] = "starved",
					     [VERDICT_REPEATED_YIELD] = "repeated-yield" };

	return names[v];
}

const char *cause_word(enum cause_kind cause)
{
	static const char *const words[] = {
		[CAUSE_NONE] = "none",
		[CAUSE_BUSY] = "busy",
		[CAUSE_CHATTY] = "chatty",
		[CAUSE_CIRCULAR_WAIT] = "circular-wait",
		[CAUSE_DISK] = "disk",
		[CAUSE_EXTERNAL] = "external",
		[CAUSE_LOCK_HOLDER] = "lock-holder",
		[CAUSE_MEMORY] = "memory",
		[CAUSE_MISSING_WAKEUP] = "missing-wakeup",
		[CAUSE_NETWORK] = "network",
		[CAUSE_POLLING] = "polling",
		[CAUSE_QUEUEING] = "queueing",
		[CAUSE_SLOW_PEER] = "slow-peer",
		[CAUSE_STARVED] = "starved",
		[CAUSE_STOPPED] = "stopped",
		[CAUSE_TIMER] = "timer",
	};

	return words[cause];
}

const char *link_state_word(enum link_state state)
{
	static const char *const words[] = {
		[LINK_UNKNOWN] = "unknown", [LINK_RUNNING] = "running",   [LINK_RUNNABLE] = "runnable",
		[LINK_WAITING] = "waiting", [LINK_SLEEPING] = "sleeping", [LINK_STOPPED] = "stopped",
		[LINK_UNBORN] = "unborn",   [LINK_EXITED] = "exited",     [LINK_FOLDED] = "folded",
	};

	return words[state];
}

void diagnosis_free(struct diagnosis *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_chain; i++)
		free(d->chain[i].resource);
	for (size_t i = 0; i < d->n_choices; i++)
		free(d->choices[i].text);
	missing_wake_free(d->comparison);
	if (d->against)
		against_done(d->against);
	free(d->against);
	free(d->chain);
	free(d->choices);
	free(d->root_text);
	free(d->sentence);
	free(d->watch);
	free(d);
}
