// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/governor/governor_run_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/say.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define AGAIN_NS                                                                                             \
	(5 * NSEC_PER_SEC) /* a step in force is told of again, for those who read a part of the trace */
#define CPUS_NS (2 * NSEC_PER_SEC) /* between two looks at how many CPUs there are */

uint64_t governing_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static struct governor_spent governing_spent(struct governing *g)
{
	struct governing_threads threads = { 0 };
	struct governor_spent s;
	uint64_t passed_ns;
	struct timespec ts;

	g->opt.threads(g->opt.arg, &threads);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts); /* after the threads: it is no less than they are */
	g->bpf_now_ns = probe_cost_ns(g->opt.probe);
	/* a task with a cap of its own is paid for by the budget */
	passed_ns = probe_passed_ns(g->opt.probe);
	s.passed_ns = g->governor.spent.passed_ns + (g->stats.n_groups ? passed_ns - g->passed_ns : 0);
	g->passed_ns = passed_ns;
	s.other_ns = threads.inspect_ns;
	s.capture_ns = g->bpf_now_ns + (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec -
		       threads.inspect_ns - threads.aside_ns;
	/* the clocks of threads are read one after the other: none goes back */
	s.other_ns = MAX(s.other_ns, g->governor.spent.other_ns);
	s.capture_ns = MAX(s.capture_ns, g->governor.spent.capture_ns);
	return s;
}

static unsigned governing_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}

int governing_new(const struct governing_options *opt, struct governing **ret)
{
	struct governing *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->opt = *opt;
	caps_init(&g->caps, opt->task_cap, clock_boot_ns());
	groups_init(&g->groups, clock_boot_ns());
	g->stats.since_ns = clock_boot_ns();
	*ret = g;
	return 0;
}

void governing_free(struct governing *g)
{
	free(g);
}

struct caps *governing_caps(struct governing *g)
{
	return &g->caps;
}

struct groups *governing_groups(struct governing *g)
{
	return &g->groups;
}

bool governing_sheds(const struct governing *g, enum ct_shed step)
{
	return g->governor.step >= step;
}

bool governing_paused(const struct governing *g)
{
	return g->gap_ns != 0;
}

void governing_record(struct governing *g, struct ct_rec *rec, uint64_t since_ns)
{
	const uint64_t words[2] = { since_ns, (uint64_t)g->governor.cost_ppm };

	rec->kind = CT_SHED;
	rec->state = (uint8_t)g->told;
	recorder_add(g->opt.recorder, rec, words);
}

static void governing_tell(struct governing *g, enum ct_shed before)
{
	struct ct_rec rec = { .ts = clock_boot_ns(), .wait = (uint8_t)before, .nr = CT_NR_NONE };

	governing_record(g, &rec, g->stats.since_ns);
	g->told_ns = rec.ts;
}

/* A line when it begins, when it becomes more than was said, and when it is over. */
static void governing_say(struct governing *g, double ppm)
{
	static const char *const what[CT_SHED_STEPS] = {
		[CT_SHED_SAMPLES] = "samples",
		[CT_SHED_STACKS] = "samples and stacks",
		[CT_SHED_MESSAGES] = "samples, stacks and messages",
		[CT_SHED_WAKES] = "samples, stacks, messages and the objects of wakes",
		[CT_SHED_WAITS] = "everything but runs, waits and wakes",
		[CT_SHED_PAUSE] = "everything for parts of the time, and otherwise everything but runs, "
				  "waits and wakes",
	};

	if (!g->told && g->said) {
		say("The load is over: everything is recorded again.");
	} else if (g->told > g->said) {
		say("Tracing would cost %.1f %% of the machine's CPU time, and the budget is %.3g %%: "
		    "leaving out %s. This ends by itself; 'ctrace status' shows it.",
		    ppm / 1e4, g->opt.budget_ppm / 1e4, what[g->told]);
	} else {
		return;
	}
	g->said = g->told;
}

/* Whether what had been detached could be attached again: r is 0 or -errno.  Said once. */
static void governing_broken(struct governing *g, int r)
{
	if (r && !g->broken_ns)
		say("Cannot attach the detached BPF programs again: %s. ctraced keeps trying.", strerror(-r));
	else if (!r && g->broken_ns)
		say("The BPF programs are attached again.");
	g->broken_ns = r ? clock_boot_ns() : 0;
}

static void governing_step(struct governing *g)
{
	enum ct_shed before = g->told;
	uint64_t now_ns = clock_boot_ns();
	double ppm = g->governor.rate_ppm;

	governing_broken(g, probe_shed(g->opt.probe, g->governor.step));
	g->told = g->stats.step = g->governor.step;
	g->stats.changes++;
	governing_tell(g, before);
	g->stats.since_ns = now_ns;
	governing_say(g, ppm);
}

/* The stretch of which nothing is known ends at now_ns: what is known from then on. */
static void governing_gap(struct governing *g, uint64_t now_ns)
{
	const struct ct_rec gap = {
		.ts = now_ns, .kind = CT_GAP, .tid = CT_GAP_ALL_CPUS, .state = CT_LOSS_SHED, .nr = CT_NR_NONE
	};
	const uint64_t words[2] = { g->gap_ns, now_ns };

	/* if it fails, readers know from the gap, and the next round of the drain tries again */
	(void)g->opt.resync(g->opt.arg, now_ns);
	recorder_add(g->opt.recorder, &gap, words);
	recorder_seal(g->opt.recorder, now_ns, true);
	g->stats.paused_ns += now_ns - g->gap_ns;
}

static void governing_resume(struct governing *g)
{
	struct governor_spent spent;
	uint64_t now_ns;
	int r = probe_resume(g->opt.probe);

	governing_broken(g, r);
	if (r)
		return; /* the governor asks again at the next tick */
	now_ns = clock_boot_ns();
	governing_gap(g, now_ns);
	g->gap_ns = 0;
	g->stats.paused = false;
	spent = governing_spent(g);
	governor_resumed(&g->governor, governing_clock(), &spent);
}

static void governing_pause(struct governing *g)
{
	governing_caps_end(g); /* what is recorded in a pause would be taken for all that happened */
	probe_pause(g->opt.probe);
	governing_caps_over(g);
	g->gap_ns = clock_boot_ns();
	g->stats.paused = true;
	g->stats.pauses++;
	g->opt.empty(g->opt.arg);
	recorder_seal(g->opt.recorder, g->gap_ns, true);
	probe_pause_detach(g->opt.probe);
}

static void governing_rates(struct governing *g, uint64_t now_ns)
{
	g->stats.cost_percent = g->governor.cost_ppm / 1e4;
	g->stats.passed_percent = g->governor.passed_ppm / 1e4;
	g->stats.spent_ns = g->governor.spent.capture_ns + g->governor.spent.other_ns;
	g->stats.bpf_ns = g->bpf_now_ns;
	g->stats.caps_refused = g->caps.refused;
	if (now_ns < g->bpf_at_ns + 2 * NSEC_PER_SEC)
		return;
	if (g->bpf_at_ns)
		g->stats.bpf_percent = (double)(g->bpf_now_ns - g->bpf_ns) * 100 /
				       ((double)(now_ns - g->bpf_at_ns) * g->cpus);
	g->bpf_ns = g->bpf_now_ns;
	g->bpf_at_ns = now_ns;
}

void governing_round(struct governing *g)
{
	uint64_t now_ns = governing_clock();
	struct governor_spent spent;

	if (!g->gap_ns)
		governing_caps_round(g);
	if (g->governor.last_ns && now_ns < g->governor.last_ns + GOVERNOR_TICK_NS)
		return;
	if (!g->cpus || now_ns >= g->cpus_ns + CPUS_NS) {
		g->cpus = governing_cpus();
		g->cpus_ns = now_ns;
	}
	spent = governing_spent(g);
	if (!g->governor.last_ns) {
		governor_init(&g->governor, g->opt.budget_ppm, now_ns, &spent, g->cpus);
		return;
	}
	g->governor.share = governing_share(g);
	switch (governor_tick(&g->governor, now_ns, &spent, g->cpus)) {
	case GOVERNOR_STAY:
		break;
	case GOVERNOR_STEP:
		governing_step(g);
		break;
	case GOVERNOR_PAUSE:
		governing_pause(g);
		break;
	case GOVERNOR_RESUME:
		governing_resume(g);
		break;
	case GOVERNOR_CAP:
		governing_cap_group(g);
		break;
	case GOVERNOR_UNCAP:
		governing_uncap_groups(g);
		break;
	}
	if (g->broken_ns && !g->gap_ns && clock_boot_ns() >= g->broken_ns + AGAIN_NS)
		governing_broken(g, probe_shed(g->opt.probe, g->told));
	if (g->told && !g->gap_ns && clock_boot_ns() >= g->told_ns + AGAIN_NS)
		governing_tell(g, g->told);
	governing_rates(g, now_ns);
}

void governing_settle(struct governing *g)
{
	uint64_t now_ns;

	governing_caps_end(g);
	if (g->gap_ns) {
		now_ns = clock_boot_ns();
		governing_gap(g, now_ns);
		g->gap_ns = now_ns;
	}
	if (g->told)
		governing_tell(g, g->told);
}

struct governing_stats governing_stats(const struct governing *g)
{
	return g->stats;
}
