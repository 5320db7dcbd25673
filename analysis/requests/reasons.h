/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reasons.h - sums up the parts of requests, or of other work, by reason. A reason says in words
 * where the time went. It has no ids, so it is the same for all requests of a service.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_REASONS_H
#define CTRACE_ANALYSIS_REQUESTS_REASONS_H

#include "analysis/requests/service.h"
#include "trace/words/texts.h"

enum reason_group { REASON_USUAL, REASON_SLOW, REASON_GROUPS };

struct reason {
	const char *text; /* owned by reasons.texts */
	const char *kind;
	uint64_t ns[REASON_GROUPS];
};

/* Says more about a part of the time of a reason. Example: the reason is "queued behind another
 * request". The detail says what this other request did: "which was mostly running". */
struct reason_detail {
	const char *reason; /* reason.text */
	const char *text;   /* owned by reasons.detail_texts */
	uint64_t ns;        /* the time with this detail, only in the group REASON_SLOW */
	uint32_t samples;   /* ns is the time that this many samples show; 0: ns is exact */
};

struct reasons {
	struct texts texts, detail_texts;
	VEC(struct reason)
	v; /* one reason for each text; add none after v is sorted */
	VEC(struct reason_detail) details;
};

void reasons_done(struct reasons *k);
/* Returns 0 or -ENOMEM. */
int reasons_add_text(struct reasons *k, const char *text, const char *kind, uint64_t ns,
		     enum reason_group group);
/* in: the first words of each reason, such as "in db: ". Returns 0, -ENOMEM or -EINVAL, like path_walk(). */
int reasons_add_path(struct reasons *k, const struct graph *g, const char *in, uint32_t task,
		     uint64_t from_ns, uint64_t to_ns, enum reason_group group);
/* Returns the text of the reason. If one detail has more than half of x->ns[REASON_SLOW], the text ends
 * with this detail. Fewer than PROFILE_SAMPLES_MIN samples are no such detail. The caller frees the
 * text. NULL: out of memory. */
char *reasons_text(const struct reasons *k, const struct reason *x);
/* Sets *ret to the reasons and their shares, the largest share_p99 first. Returns 0 or -ENOMEM. The
 * caller calls reasons_free() in both cases. */
int reasons_shares(const struct reasons *k, struct service_reason **ret, size_t *ret_n);
void reasons_free(struct service_reason *v, size_t n);
/* Returns 0 or -ENOMEM. */
int reasons_add(struct reasons *k, const struct services *s, uint32_t service, const struct part *part,
		enum reason_group group);

#endif
