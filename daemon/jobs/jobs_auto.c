// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_auto.h"

#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

static void auto_off(struct jobs_auto *a, uint64_t now_ns)
{
	uint64_t calm_ns = MAX(a->pause_ns, JOBS_AUTO_CALM_NS), on_ns = now_ns - a->since_ns;

	if (!a->pause_ns)
		a->pause_ns = JOBS_AUTO_PAUSE_NS;
	else if (on_ns < calm_ns)
		a->pause_ns = MIN(2 * a->pause_ns, JOBS_AUTO_PAUSE_MAX_NS);
	while (on_ns >= calm_ns && a->pause_ns > JOBS_AUTO_PAUSE_NS) {
		on_ns -= calm_ns;
		a->pause_ns = MAX(a->pause_ns / 2, JOBS_AUTO_PAUSE_NS);
		calm_ns = MAX(a->pause_ns, JOBS_AUTO_CALM_NS);
	}
	a->off = true;
	a->since_ns = now_ns;
	a->again_ns = now_ns + a->pause_ns;
	a->times++;
}

size_t jobs_auto_round(struct jobs_auto_bucket *b, struct jobs_auto *v, const struct jobs_auto_spent *spent,
		       size_t n, uint64_t now_ns)
{
	double dt = (double)(now_ns - b->last_ns), rate = b->limit_ppm / 1e6 * b->cpus;
	size_t most = SIZE_MAX;

	if (now_ns <= b->last_ns)
		return SIZE_MAX;
	b->last_ns = now_ns;
	for (size_t i = 0; i < n; i++) {
		if (v[i].off)
			continue;
		v[i].hits_per_s = (double)spent[i].hits * NSEC_PER_SEC / dt;
		v[i].cost_ppm = (double)spent[i].cost_ns * 1e6 / (dt * b->cpus);
		b->level_ns += (double)spent[i].cost_ns;
		if (most == SIZE_MAX || v[i].cost_ppm > v[most].cost_ppm)
			most = i;
	}
	/* A limit that is set later does not count what was spent before. */
	b->level_ns = b->limit_ppm ? MAX(b->level_ns - rate * dt, 0.0) : 0;
	if (!b->limit_ppm || b->level_ns <= rate * JOBS_AUTO_BURST_NS || most == SIZE_MAX)
		return SIZE_MAX;
	/* What the others have spent is within the limit, or the next round finds the next one. */
	b->level_ns = 0;
	auto_off(&v[most], now_ns);
	return most;
}

size_t jobs_auto_back(struct jobs_auto_bucket *b, struct jobs_auto *v, size_t n, uint64_t now_ns)
{
	for (size_t i = 0; i < n; i++) {
		if (!v[i].off || (b->limit_ppm && now_ns < v[i].again_ns))
			continue;
		v[i].off = false;
		v[i].since_ns = now_ns;
		return i;
	}
	return SIZE_MAX;
}

bool jobs_auto_stacks(const struct jobs_auto_bucket *b)
{
	double rate = b->limit_ppm / 1e6 * b->cpus;

	return !b->limit_ppm || b->level_ns <= rate * JOBS_AUTO_STACKS_NS;
}
