/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reasons.h - private to analysis/requests/: sums up the parts of requests by reason. A reason says
 * in words where the time went. It has no ids, so it is the same for all requests of a service.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_REASONS_H
#define CTRACE_ANALYSIS_REQUESTS_REASONS_H

#include "analysis/requests/service.h"
#include "analysis/requests/texts.h"

enum reason_group { REASON_USUAL, REASON_SLOW, REASON_GROUPS };

struct reason {
	const char *text; /* owned by reasons.texts */
	const char *kind;
	uint64_t ns[REASON_GROUPS];
};

struct reasons {
	struct texts texts;
	VEC(struct reason)
	v; /* one for each text; sort v only after the last reasons_add() */
};

void reasons_done(struct reasons *k);
/* Returns 0 or -ENOMEM. */
int reasons_add(struct reasons *k, const struct services *s, uint32_t service, const struct part *part,
		enum reason_group group);

#endif
