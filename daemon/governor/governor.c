// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/governor/governor.h"

#include "daemon/thresholds.h"
#include "lib/cleanup.h"

/* Returns the CPU time in ns that the bucket gains in 1 ns. */
static double governor_in(const struct governor *g)
{
	return (double)g->budget_ppm / 1e6 * g->cpus;
}

static double governor_room(const struct governor *g, uint64_t now_ns)
{
	return governor_in(g) *
	       (double)(now_ns < g->begin_ns + GOVERNOR_BEGIN_NS ? GOVERNOR_START_NS : GOVERNOR_HOLD_NS);
}

void governor_init(struct governor *g, uint32_t budget_ppm, uint64_t now_ns,
		   const struct governor_spent *spent, unsigned cpus)
{
	*g = (struct governor){ .budget_ppm = budget_ppm,
				.begin_ns = now_ns,
				.last_ns = now_ns,
				.rate_ns = now_ns,
				.spent = *spent,
				.cpus = cpus,
				.patience = 1 };
	g->bucket_ns = governor_room(g, now_ns);
}

void governor_budget(struct governor *g, uint32_t budget_ppm)
{
	g->budget_ppm = budget_ppm;
	g->bucket_ns = governor_room(g, g->last_ns);
	g->patience = 1;
	g->calm_ns = 0;
}

static void smooth(double *rate, double now, double dt_ns, double over_ns)
{
	*rate += (now - *rate) * MIN(dt_ns / over_ns, 1.0);
}

static enum governor_act step_to(struct governor *g, uint64_t now_ns, enum ct_shed step)
{
	if (step > g->step) {
		if (g->down_ns && now_ns - g->down_ns < GOVERNOR_FLAP_NS)
			g->patience = MIN(g->patience * 2, (unsigned)GOVERNOR_PATIENCE);
		g->up_ns = now_ns;
	} else {
		if (g->patience > 1 && now_ns - g->up_ns > GOVERNOR_LASTED * GOVERNOR_FLAP_NS)
			g->patience /= 2;
		g->down_ns = now_ns;
	}
	g->step = step;
	g->rate_ns = now_ns;
	g->calm_ns = 0;
	return GOVERNOR_STEP;
}

static enum governor_act blind_to(struct governor *g, uint64_t now_ns, bool blind)
{
	g->blind = blind;
	g->blind_ns = now_ns;
	g->rate_ns = now_ns;
	g->calm_ns = 0;
	return GOVERNOR_STEP;
}

static enum ct_shed step_next(enum ct_shed step, bool forward)
{
	static const enum ct_shed steps[] = { CT_SHED_NONE, CT_SHED_HOOKS, CT_SHED_COARSE, CT_SHED_PAUSES };
	size_t i = 0;

	while (steps[i] != step)
		i++;
	return steps[forward ? i + 1 : i - 1];
}

static bool governor_is_upkeep(const struct governor *g)
{
	return g->programs_ppm < g->budget_ppm * GOVERNOR_PROGRAMS;
}

static enum governor_act governor_up(struct governor *g, uint64_t now_ns)
{
	double times = g->capture_ppm / g->budget_ppm;
	enum ct_shed last = g->coarse ? CT_SHED_PAUSES : CT_SHED_HOOKS;
	bool pauses_next = g->step >= MIN(last, (enum ct_shed)CT_SHED_COARSE);

	/* The inspections put the cost above the budget. To record less would not help, or would leave out all
	 * records for the sake of inspections. */
	if (governor_is_upkeep(g) ||
	    times < (pauses_next && g->step != CT_SHED_PAUSES ? 1 : GOVERNOR_CAPTURE))
		return g->blind ? GOVERNOR_STAY : blind_to(g, now_ns, true);
	if (pauses_next &&
	    g->share > (times > GOVERNOR_STORM ? GOVERNOR_SHARE_STORM : GOVERNOR_SHARE)) {
		if (!g->cap_ns)
			g->cap_ns = now_ns;
		g->rate_ns = now_ns;
		return GOVERNOR_CAP;
	}
	if (g->step == last) {
		g->paused = true;
		g->pause_ns = now_ns;
		return GOVERNOR_PAUSE;
	}
	if (now_ns - g->rate_ns < (g->cap_ns || (g->step == CT_SHED_COARSE && times < GOVERNOR_STORM)
					   ? GOVERNOR_REST_NS
					   : GOVERNOR_SETTLE_NS))
		return GOVERNOR_STAY;
	return step_to(g, now_ns, step_next(g->step, true));
}

/* Returns how long, in ns, the cost has to be low before a step back. */
static uint64_t governor_wait(const struct governor *g)
{
	uint64_t ns =
		g->rate_ppm < g->budget_ppm / GOVERNOR_QUIET_SHARE ? GOVERNOR_QUIET_NS : GOVERNOR_CALM_NS;

	return ns * g->patience;
}

/* A step back from CT_SHED_PAUSES changes nothing in the recording if there was no pause. So it
 * need not wait for a low cost. */
static bool governor_needs_no_pause(const struct governor *g, uint64_t now_ns)
{
	return g->step == CT_SHED_PAUSES && now_ns - MAX(g->up_ns, g->pause_ns) >= GOVERNOR_NO_PAUSE_NS;
}

/* A capture that is within the budget, but not far below it, may go on for days. */
static bool governor_sees_again(const struct governor *g, uint64_t now_ns)
{
	return g->blind && g->bucket_ns > 0 && g->capture_ppm < g->budget_ppm &&
	       now_ns - g->blind_ns >= GOVERNOR_BLIND_NS;
}

static enum governor_act governor_down(struct governor *g, uint64_t now_ns)
{
	/* A step back from CT_SHED_PAUSES does not raise the cost, so the limit is nearer to the
	 * budget. */
	double limit = g->step == CT_SHED_PAUSES ? GOVERNOR_CALM_PAUSE : GOVERNOR_CALM;
	/* A step back from CT_SHED_COARSE adds the cost of the short waits (back_ppm), so the cost is
	 * then at least back_ppm. back_ppm does not matter while the inspections are stopped (blind):
	 * then the next change only starts the inspections again. */
	bool upkeep = g->step && governor_is_upkeep(g), blind = g->blind && !upkeep;
	double rate = upkeep ? g->programs_ppm : g->rate_ppm;
	bool calm;

	if (g->step == CT_SHED_COARSE && !blind)
		rate = MAX(rate, g->back_ppm);
	calm = (g->step || blind) && !g->cap_ns && (upkeep || g->bucket_ns > 0) &&
	       rate < g->budget_ppm * limit;

	if (governor_needs_no_pause(g, now_ns))
		return step_to(g, now_ns, step_next(g->step, false));
	if (governor_sees_again(g, now_ns))
		return blind_to(g, now_ns, false);
	if (!calm) {
		g->calm_ns = 0;
		return GOVERNOR_STAY;
	}
	if (!g->calm_ns)
		g->calm_ns = now_ns;
	if (now_ns - g->calm_ns < governor_wait(g))
		return GOVERNOR_STAY;
	return blind ? blind_to(g, now_ns, false) : step_to(g, now_ns, step_next(g->step, false));
}

/* If it took long to end the previous caps, the present caps last longer. */
static bool governor_cap_is_over(const struct governor *g, uint64_t now_ns)
{
	uint64_t ns = now_ns - g->cap_ns, least_ns = GOVERNOR_CAP_TIMES * g->uncap_ns;

	return g->cap_ns && ns >= MAX(GOVERNOR_CAP_MIN_NS, least_ns) &&
	       (g->bucket_ns > GOVERNOR_FULL * governor_room(g, now_ns) ||
		ns >= MAX(GOVERNOR_CAP_MAX_NS, least_ns));
}

static double governor_need(const struct governor *g)
{
	return g->on_ns + g->capture_ppm / 1e6 * g->cpus * (double)GOVERNOR_ON_NS;
}

static enum governor_act governor_paused(const struct governor *g, uint64_t now_ns)
{
	uint64_t off_ns = now_ns - g->pause_ns;

	if (off_ns < GOVERNOR_OFF_MIN_NS || (g->bucket_ns < governor_need(g) && off_ns < GOVERNOR_OFF_MAX_NS))
		return GOVERNOR_STAY;
	return GOVERNOR_RESUME;
}

static enum governor_act governor_off(struct governor *g, uint64_t now_ns)
{
	if (g->paused)
		return GOVERNOR_RESUME;
	if (g->cap_ns)
		return GOVERNOR_UNCAP;
	if (g->blind)
		return blind_to(g, now_ns, false);
	return g->step ? step_to(g, now_ns, step_next(g->step, false)) : GOVERNOR_STAY;
}

/* Accounts for the CPU time that was spent since the last call. Returns the part of it that the budget
 * counts, in ns. measure: also updates rate_ppm and capture_ppm. */
static double governor_account(struct governor *g, uint64_t now_ns, const struct governor_spent *now,
			       bool measure)
{
	double dt = (double)(now_ns - g->last_ns), room = governor_room(g, now_ns);
	double passed =
		MIN((double)(now->passed_ns - g->spent.passed_ns), GOVERNOR_PASSED_PPM / 1e6 * g->cpus * dt);
	double capture = (double)(now->capture_ns - g->spent.capture_ns) - passed,
	       programs = (double)(now->programs_ns - g->spent.programs_ns) - passed,
	       spent = capture + (double)(now->other_ns - g->spent.other_ns);
	double ppm = dt > 0 ? 1e6 / (dt * g->cpus) : 0,
	       over_ns = MIN(GOVERNOR_RATE_NS, (double)(now_ns - g->rate_ns));

	smooth(&g->cost_ppm, (spent + passed) * ppm, dt, GOVERNOR_COST_NS);
	smooth(&g->passed_ppm, passed * ppm, dt, GOVERNOR_COST_NS);
	if (measure) {
		smooth(&g->rate_ppm, spent * ppm, dt, over_ns);
		smooth(&g->capture_ppm, capture * ppm, dt, over_ns);
		smooth(&g->programs_ppm, programs * ppm, dt, over_ns);
	}
	/* The bucket must be able to hold what is needed to end the pause. */
	if (g->paused)
		room = MAX(room, governor_need(g));
	g->bucket_ns = MIN(g->bucket_ns + governor_in(g) * dt - spent, room);
	g->last_ns = now_ns;
	g->spent = *now;
	return spent;
}

enum governor_act governor_tick(struct governor *g, uint64_t now_ns, const struct governor_spent *spent,
				unsigned cpus)
{
	if (now_ns < g->last_ns + GOVERNOR_TICK_NS)
		return GOVERNOR_STAY;
	g->cpus = cpus;
	governor_account(g, now_ns, spent, !g->paused);
	if (!g->budget_ppm)
		return governor_off(g, now_ns);
	if (g->paused)
		return governor_paused(g, now_ns);
	if (governor_cap_is_over(g, now_ns))
		return GOVERNOR_UNCAP;
	if (g->bucket_ns < 0 && g->rate_ppm > g->budget_ppm) {
		enum governor_act act = governor_up(g, now_ns);

		if (act != GOVERNOR_STAY || !governor_is_upkeep(g))
			return act;
	}
	return governor_down(g, now_ns);
}

void governor_stepped(struct governor *g, uint64_t now_ns, const struct governor_spent *spent)
{
	governor_account(g, now_ns, spent, false);
	g->rate_ns = now_ns;
	g->rate_ppm = g->capture_ppm = g->programs_ppm = 0;
}

void governor_resumed(struct governor *g, uint64_t now_ns, const struct governor_spent *spent)
{
	double cost = governor_account(g, now_ns, spent, false);

	g->on_ns = g->on_ns > 0 ? g->on_ns * (1 - GOVERNOR_ON_NEW) + cost * GOVERNOR_ON_NEW : cost;
	g->paused = false;
	g->pause_ns = g->rate_ns = now_ns;
	g->calm_ns = 0;
}

void governor_uncapped(struct governor *g, uint64_t now_ns, uint64_t took_ns)
{
	g->cap_ns = 0;
	g->rate_ns = now_ns;
	g->uncap_ns = took_ns;
}
