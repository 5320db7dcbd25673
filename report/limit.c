// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/limit.h"

#include "report/text.h"

bool limit_is_own(const struct link *k)
{
	return k->timeouts && k->state == LINK_WAITING && k->kind != RESOURCE_TIMER;
}

void limit_add(struct words *t, const struct link *k)
{
	char buf[TEXT_NUMBER_MAX];

	if (!limit_is_own(k))
		return;
	if (k->waits > 1) {
		words_add(t, "Its own time limit ended %u of these %u waits.", k->timeouts, k->waits);
		return;
	}
	words_add(t, "Its own time limit ended the wait, after %s%s.", k->before_ns ? "at least " : "",
		  text_duration(k->before_ns + k->total_ns, buf));
}
