// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/governor/governor_loop_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctrace/fields.h"
#include "daemon/say.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

uint64_t governor_loop_clock(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static struct governor_spent governor_loop_spent(struct governor_loop *g)
{
	struct governor_loop_threads threads = { 0 };
	struct governor_spent s;
	uint64_t passed_ns, short_ns, cpu_ns;

	g->opt.threads(g->opt.arg, &threads);
	/* cpu_ns is read after the clocks of the threads, so it is not smaller than their sum */
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	g->bpf_now_ns = probe_cost_ns(g->opt.probe);
	passed_ns = probe_passed_ns(g->opt.probe);
	short_ns = probe_short_ns(g->opt.probe);
	s.passed_ns = g->governor.spent.passed_ns + (g->stats.n_groups ? passed_ns - g->passed_ns : 0) +
		      short_ns - g->short_ns;
	g->passed_ns = passed_ns;
	g->short_ns = short_ns;
	s.other_ns = threads.inspect_ns;
	s.programs_ns = g->bpf_now_ns;
	s.capture_ns = g->bpf_now_ns + cpu_ns - threads.inspect_ns - threads.aside_ns;
	/* The clocks are read one after the other, so a sum could fall. The governor needs sums
	 * that never fall. */
	s.other_ns = MAX(s.other_ns, g->governor.spent.other_ns);
	s.capture_ns = MAX(s.capture_ns, g->governor.spent.capture_ns);
	return s;
}

static unsigned governor_loop_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}

int governor_loop_new(const struct governor_loop_options *opt, struct governor_loop **ret)
{
	struct governor_loop *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->opt = *opt;
	caps_init(&g->caps, opt->task_cap, clock_boot_ns());
	groups_init(&g->groups, clock_boot_ns());
	g->stats.since_ns = clock_boot_ns();
	g->stats.budget_ppm = opt->budget_ppm;
	*ret = g;
	return 0;
}

void governor_loop_free(struct governor_loop *g)
{
	free(g);
}

struct caps *governor_loop_caps(struct governor_loop *g)
{
	return &g->caps;
}

struct groups *governor_loop_groups(struct governor_loop *g)
{
	return &g->groups;
}

uint32_t governor_loop_budget(struct governor_loop *g, uint32_t budget_ppm)
{
	uint32_t before = g->opt.budget_ppm;

	g->opt.budget_ppm = g->stats.budget_ppm = budget_ppm;
	governor_budget(&g->governor, budget_ppm);
	say("The budget is now %.3g %%; before, it was %.3g %%. This lasts until ctraced starts again.",
	    budget_ppm / 1e4, before / 1e4);
	return before;
}

bool governor_loop_inspects(const struct governor_loop *g)
{
	return !g->governor.blind && !g->gap_ns;
}

bool governor_loop_paused(const struct governor_loop *g)
{
	return g->gap_ns != 0;
}

void governor_loop_record(struct governor_loop *g, struct ct_rec *rec, uint64_t since_ns)
{
	const uint64_t words[2] = { since_ns, (uint64_t)g->governor.cost_ppm };

	rec->kind = CT_SHED;
	rec->state = (uint8_t)g->told;
	recorder_add(g->opt.recorder, rec, words);
}

static void governor_loop_tell(struct governor_loop *g, enum ct_shed before)
{
	struct ct_rec rec = { .ts = clock_boot_ns(),
			      .wait = (uint8_t)before,
			      .flags = g->governor.blind ? CT_GV_BLIND : 0,
			      .nr = CT_NR_NONE };

	governor_loop_record(g, &rec, g->stats.since_ns);
	g->told_ns = rec.ts;
}

static bool step_is_coarse(enum ct_shed step)
{
	return ct_shed_lacks(step) & CT_LACK_SWITCHES;
}

static void governor_loop_say(struct governor_loop *g, enum ct_shed before, double ppm)
{
	static const char *const what[CT_SHED_STEPS] = {
		[CT_SHED_HOOKS] = "messages between tasks, and which interrupt wakes a task",
		[CT_SHED_COARSE] = "messages, and runs and waits of less than 8 ms",
		[CT_SHED_PAUSES] =
			"everything for parts of the time, and otherwise runs and waits of less than 8 ms",
	};
	char most[MOST_TEXT_MAX] = "";

	/* stats.most does not change in a coarse step */
	if (!step_is_coarse(before))
		most_text(&g->stats.most, most);
	if (!g->told && g->said) {
		say("%s: everything is recorded again.",
		    g->opt.budget_ppm ? "The cost is within the budget" : "There is no budget");
	} else if (g->told > g->said) {
		say("Tracing would cost %.1f %% of the machine's CPU time, and the budget is %.3g %%: leaving out %s.%s This ends by itself; a larger budget leaves out less ('ctrace budget %.3g%%'). 'ctrace status' shows it.",
		    ppm / 1e4, g->opt.budget_ppm / 1e4, what[g->told], most,
		    MIN(g->opt.budget_ppm / 1e4 * GOVERNOR_MORE, 100.0));
	} else {
		return;
	}
	g->said = g->told;
}

/* r: 0, or -errno if detached programs could not be attached again. */
static void governor_loop_broken(struct governor_loop *g, int r)
{
	if (r && !g->broken_ns)
		say("Cannot attach the detached BPF programs again: %s. ctraced keeps trying.", strerror(-r));
	else if (!r && g->broken_ns)
		say("The BPF programs are attached again.");
	g->broken_ns = r ? clock_boot_ns() : 0;
}

/* The more tasks, the later the next reading: all readings cost at most a small part of one CPU. */
static void governor_loop_read(struct governor_loop *g, bool all)
{
	uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	/* If this reading fails, the next reading reports the same changes. */
	(void)g->opt.read(g->opt.arg, clock_boot_ns(), all);
	g->read_ns =
		clock_boot_ns() +
		MAX(GOVERNOR_READ_NS, GOVERNOR_READ_TIMES * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns));
}

/*
 * Attaches the new programs before it detaches the old ones, and writes the step in between. So the
 * programs always record at least as much as the trace says.
 */
static void governor_loop_step(struct governor_loop *g)
{
	enum ct_shed before = g->told, step = g->governor.step;
	bool turns = step_is_coarse(step) != step_is_coarse(before);
	double ppm = g->governor.rate_ppm;
	int r = probe_shed_begin(g->opt.probe, step);

	governor_loop_broken(g, r);
	if (r) {
		g->governor.step = before;
		return;
	}
	/* with fewer records in the sample, stats.most keeps its earlier value */
	if (g->caps.total >= GROUPS_LEAST)
		governor_loop_most(g);
	if (turns) {
		if (step_is_coarse(step))
			governor_loop_caps_end(g);
		g->opt.empty(g->opt.arg);
		tasks_coarse(recorder_tasks(g->opt.recorder), step_is_coarse(step));
		groups_init(&g->groups, clock_boot_ns());
	}
	g->told = g->stats.step = step;
	g->stats.changes++;
	governor_loop_tell(g, before);
	g->stats.since_ns = g->told_ns;
	probe_shed_end(g->opt.probe, step);
	if (turns)
		governor_loop_read(g, true);
	governor_loop_say(g, before, ppm);
}

/* The CT_GAP tells the detector that records are missing. The detector then needs the states of all
 * tasks. */
static void governor_loop_gap(struct governor_loop *g, uint64_t now_ns)
{
	const struct ct_rec gap = {
		.ts = now_ns, .kind = CT_GAP, .tid = CT_GAP_ALL_CPUS, .state = CT_LOSS_SHED, .nr = CT_NR_NONE
	};
	const uint64_t words[2] = { g->gap_ns, now_ns };

	recorder_add(g->opt.recorder, &gap, words);
	(void)g->opt.resync(g->opt.arg, now_ns); /* if this fails, drain_losses() tries again */
	recorder_seal(g->opt.recorder, now_ns, true);
	g->stats.paused_ns += now_ns - g->gap_ns;
}

static void governor_loop_resume(struct governor_loop *g)
{
	struct governor_spent spent;
	uint64_t now_ns;
	int r = probe_resume(g->opt.probe);

	governor_loop_broken(g, r);
	if (r)
		return; /* the next tick decides GOVERNOR_RESUME again */
	now_ns = clock_boot_ns();
	governor_loop_gap(g, now_ns);
	g->gap_ns = 0;
	g->stats.paused = false;
	spent = governor_loop_spent(g);
	governor_resumed(&g->governor, governor_loop_clock(), &spent);
}

static void governor_loop_pause(struct governor_loop *g)
{
	/* Programs that read the trace assume that the records of a capped task are complete again
	 * when its cap ends. The gap of this pause begins later, at g->gap_ns. So the BPF programs
	 * must run until all caps have ended. */
	governor_loop_caps_end(g);
	probe_pause(g->opt.probe);
	governor_loop_caps_over(g);
	g->gap_ns = clock_boot_ns();
	g->stats.paused = true;
	g->stats.pauses++;
	g->opt.empty(g->opt.arg);
	recorder_seal(g->opt.recorder, g->gap_ns, true);
	probe_pause_detach(g->opt.probe);
}

static void governor_loop_rates(struct governor_loop *g, uint64_t now_ns)
{
	g->stats.blind = g->governor.blind;
	g->stats.cost_percent = g->governor.cost_ppm / 1e4;
	g->stats.passed_percent = g->governor.passed_ppm / 1e4;
	g->stats.spent_ns = g->governor.spent.capture_ns + g->governor.spent.other_ns;
	g->stats.bpf_ns = g->bpf_now_ns;
	g->stats.caps_refused = g->caps.refused;
	if (now_ns < g->bpf_at_ns + GOVERNOR_BPF_NS)
		return;
	if (g->bpf_at_ns)
		g->stats.bpf_percent = (double)(g->bpf_now_ns - g->bpf_ns) * 100 /
				       ((double)(now_ns - g->bpf_at_ns) * g->cpus);
	g->bpf_ns = g->bpf_now_ns;
	g->bpf_at_ns = now_ns;
}

/* A coarse step does not record short waits; the step CT_SHED_HOOKS does. Returns how much CPU time it would
 * cost to record them: ppm of the machine's CPU time, averaged over GOVERNOR_COST_NS. */
static double governor_loop_back(struct governor_loop *g, uint64_t now_ns)
{
	uint64_t ns = probe_whole_cost_ns(g->opt.probe);
	double dt = (double)(now_ns - g->governor.last_ns), weight = MIN(dt / GOVERNOR_COST_NS, 1.0);

	g->back_ppm += ((double)(ns - g->back_ns) * 1e6 / (dt * g->cpus) - g->back_ppm) * weight;
	g->back_ns = ns;
	return g->back_ppm;
}

void governor_loop_round(struct governor_loop *g)
{
	uint64_t now_ns = governor_loop_clock();
	struct governor_spent spent;

	if (!g->gap_ns)
		governor_loop_caps_round(g);
	if (g->governor.last_ns && now_ns < g->governor.last_ns + GOVERNOR_TICK_NS)
		return;
	if (!g->cpus || now_ns >= g->cpus_ns + GOVERNOR_CPUS_NS) {
		g->cpus = governor_loop_cpus();
		g->cpus_ns = now_ns;
	}
	spent = governor_loop_spent(g);
	if (!g->governor.last_ns) {
		governor_init(&g->governor, g->opt.budget_ppm, now_ns, &spent, g->cpus);
		return;
	}
	g->governor.share = governor_loop_share(g);
	g->governor.coarse = probe_can_be_coarse(g->opt.probe);
	g->governor.back_ppm = governor_loop_back(g, now_ns);
	switch (governor_tick(&g->governor, now_ns, &spent, g->cpus)) {
	case GOVERNOR_STAY:
		break;
	case GOVERNOR_STEP:
		governor_loop_step(g);
		spent = governor_loop_spent(g);
		governor_stepped(&g->governor, governor_loop_clock(), &spent);
		break;
	case GOVERNOR_PAUSE:
		governor_loop_pause(g);
		break;
	case GOVERNOR_RESUME:
		governor_loop_resume(g);
		break;
	case GOVERNOR_CAP:
		governor_loop_cap_group(g);
		break;
	case GOVERNOR_UNCAP:
		governor_loop_uncap_groups(g);
		break;
	}
	if (g->broken_ns && !g->gap_ns && clock_boot_ns() >= g->broken_ns + GOVERNOR_AGAIN_NS)
		governor_loop_broken(g, probe_shed_begin(g->opt.probe, g->told));
	if (step_is_coarse(g->told) && !g->gap_ns && clock_boot_ns() >= g->read_ns)
		governor_loop_read(g, false);
	if ((g->told || g->governor.blind) && !g->gap_ns && clock_boot_ns() >= g->told_ns + GOVERNOR_AGAIN_NS)
		governor_loop_tell(g, g->told);
	governor_loop_rates(g, now_ns);
}

void governor_loop_settle(struct governor_loop *g)
{
	uint64_t now_ns;

	governor_loop_caps_end(g);
	if (g->gap_ns) {
		now_ns = clock_boot_ns();
		governor_loop_gap(g, now_ns);
		g->gap_ns = now_ns;
	}
	if (step_is_coarse(g->told) && !g->gap_ns)
		governor_loop_read(g, false);
	if (g->told || g->governor.blind)
		governor_loop_tell(g, g->told);
}

struct governor_loop_stats governor_loop_stats(const struct governor_loop *g)
{
	return g->stats;
}
