// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/transaction_profile.h"

#include "analysis/transactions/legs.h"
#include "lib/cleanup.h"

int transaction_profile(const struct transactions *t, const uint32_t *of, size_t n, struct profile **ret)
{
	leg_list legs = { 0 };
	VEC(struct profile_leg) to = { 0 };
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		r = legs_of(t, &t->v[of[i]], &legs);
	r = r ? r : VEC_RESERVE(&to, legs.n);
	for (size_t i = 0; i < legs.n && !r; i++) {
		const struct transaction_leg *leg = &legs.v[i];

		to.v[to.n++] = (struct profile_leg){ .from_ns = leg->from_ns,
						     .to_ns = leg->to_ns,
						     .task = leg->task,
						     .kind = leg->queued    ? PROFILE_LEG_QUEUED
							     : leg->outside ? PROFILE_LEG_OUTSIDE
									    : PROFILE_LEG_PATH };
	}
	r = r ? r : profile_legs(t->g, to.v, to.n, ret);
	VEC_FREE(&legs);
	VEC_FREE(&to);
	return r;
}
