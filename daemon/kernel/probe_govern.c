/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_govern.c - steps, pauses and caps of the governor, and the cost of the programs. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "daemon/kernel/probe_private.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

/* Returns the mean time of a rename, in the fastest of several batches. While ct_empty is attached
 * to the tracepoint of renames, a rename includes the call of a program. */
static double govern_rename_ns(const char *comm)
{
	uint64_t best = UINT64_MAX;

	for (int b = 0; b < GOVERN_BATCHES; b++) {
		uint64_t began = clock_ns(CLOCK_MONOTONIC);

		for (int i = 0; i < GOVERN_CALLS; i++)
			prctl(PR_SET_NAME, comm);
		best = MIN(best, clock_ns(CLOCK_MONOTONIC) - began);
	}
	return (double)best / GOVERN_CALLS;
}

void probe_govern_calibrate(struct probe *p, bool measure)
{
	struct bpf_link *link;
	char comm[16] = "";
	double without, with;

	p->govern.dispatch_ns = GOVERN_CALL_NS;
	for (int k = 0; k < GOVERN_KINDS; k++)
		p->govern.mean_ns[k] = k == GOVERN_LIGHT   ? GOVERN_LIGHT_NS
				       : k == GOVERN_SHORT ? GOVERN_SHORT_NS
							   : GOVERN_MEAN_NS;
	if (!measure || prctl(PR_GET_NAME, comm))
		return;
	without = govern_rename_ns(comm);
	link = bpf_program__attach(p->skel->progs.ct_empty);
	if (!link)
		return;
	with = govern_rename_ns(comm);
	bpf_link__destroy(link);
	if (with > without && with - without < GOVERN_CALL_MAX_NS)
		p->govern.dispatch_ns = with - without;
}

int probe_govern_map(struct probe *p)
{
	void *at = mmap(NULL, GOVERN_WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED,
			bpf_map__fd(p->skel->maps.ct_capped), 0);

	if (at == MAP_FAILED)
		return -errno;
	p->govern.capped = at;
	return 0;
}

void probe_govern_unmap(struct probe *p)
{
	if (p->govern.capped)
		munmap(p->govern.capped, GOVERN_WORDS * sizeof(uint64_t));
}

static bool govern_stays_attached(size_t prog)
{
	const char *how = hooks_progs[prog].how;

	return !strcmp(how, "tp_btf") || !strcmp(how, "fentry") || !strcmp(how, "fexit");
}

static const struct hook_def *govern_hook(size_t prog)
{
	const struct hook_def *d = hooks_defs;

	while (strcmp(d->name, hooks_progs[prog].hook) != 0)
		d++;
	return d;
}

static bool govern_wants(size_t prog, enum ct_shed step)
{
	const struct hook_def *d = govern_hook(prog);

	return step >= d->from && (!d->until || step < d->until);
}

static void govern_detach(struct probe *p, size_t prog)
{
	if (!p->links[prog] || !govern_stays_attached(prog))
		return;
	bpf_link__destroy(p->links[prog]);
	p->links[prog] = NULL;
	p->govern.detached[prog] = true;
}

static int govern_attach(struct probe *p, enum ct_shed step)
{
	int r = 0;

	/* The kernel takes some milliseconds to attach a program. The scheduler's programs (first
	 * in hooks_progs) run most often, so they are attached last. */
	for (size_t i = hooks_n_progs; i-- > 0;) {
		if (!p->govern.detached[i] || !govern_wants(i, step))
			continue;
		p->links[i] = bpf_program__attach(
			bpf_object__find_program_by_name(p->skel->obj, hooks_progs[i].prog));
		if (p->links[i])
			p->govern.detached[i] = false;
		else
			r = -errno;
	}
	return r;
}

static volatile struct govern *govern_state(const struct probe *p)
{
	return &p->skel->data_govern->ct_govern;
}

void probe_govern_clock(struct probe *p, uint64_t off_ns, uint64_t tick_off_ns)
{
	volatile struct govern *g = govern_state(p);
	uint64_t before = g->sched_tick_off_ns;

	/* A measurement late in a tick gives too small a value. So if the new value is smaller than
	 * the old one by less than a tick, the value falls by at most CLOCK_DRIFT_NS. */
	if (before > tick_off_ns + CLOCK_DRIFT_NS && before - tick_off_ns < p->skel->rodata->ct_tick_ns)
		tick_off_ns = before - CLOCK_DRIFT_NS;
	__atomic_store_n(&g->sched_tick_off_ns, tick_off_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&g->sched_off_ns, off_ns, __ATOMIC_RELAXED);
}

bool probe_can_be_coarse(const struct probe *p)
{
	return govern_state(p)->sched_off_ns && bpf_program__fd(p->skel->progs.ct_waking_coarse) >= 0;
}

int probe_shed_begin(struct probe *p, enum ct_shed step)
{
	return govern_attach(p, step);
}

void probe_shed_end(struct probe *p, enum ct_shed step)
{
	govern_state(p)->shed = step;
	for (size_t i = 0; i < hooks_n_progs; i++)
		if (!govern_wants(i, step))
			govern_detach(p, i);
}

void probe_pause(struct probe *p)
{
	__atomic_store_n(&govern_state(p)->paused, 1, __ATOMIC_SEQ_CST);
}

void probe_pause_detach(struct probe *p)
{
	for (size_t i = 0; i < hooks_n_progs; i++)
		govern_detach(p, i);
}

int probe_resume(struct probe *p)
{
	int r = govern_attach(p, (enum ct_shed)govern_state(p)->shed);

	if (r)
		return r;
	/* during the pause the programs did not see the ends of interrupts */
	for (unsigned i = 0; i < p->n_cpus; i++)
		percpu_ring_cpu(p->rings, i)->depth = 0;
	__atomic_store_n(&govern_state(p)->paused, 0, __ATOMIC_SEQ_CST);
	return 0;
}

static uint64_t govern_slot_left_out(const struct probe *p, uint32_t tid)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < p->n_cpus; i++)
		n += __atomic_load_n(&percpu_ring_cpu(p->rings, i)->left_out[GOVERN_SLOT(tid)],
				     __ATOMIC_RELAXED);
	return n;
}

void probe_cap(struct probe *p, uint32_t tid)
{
	p->govern.left_out[GOVERN_SLOT(tid)] = govern_slot_left_out(p, tid);
	if (tid < GOVERN_TIDS)
		__atomic_fetch_or(&p->govern.capped[tid / 64], 1ULL << (tid & 63), __ATOMIC_SEQ_CST);
	__atomic_store_n(&govern_state(p)->capping, 1, __ATOMIC_SEQ_CST);
}

uint64_t probe_uncap(struct probe *p, uint32_t tid)
{
	if (tid < GOVERN_TIDS)
		__atomic_fetch_and(&p->govern.capped[tid / 64], ~(1ULL << (tid & 63)), __ATOMIC_SEQ_CST);
	return govern_slot_left_out(p, tid) - p->govern.left_out[GOVERN_SLOT(tid)];
}

bool probe_cap_group(struct probe *p, uint64_t group)
{
	volatile struct govern *g = govern_state(p);
	uint32_t n = g->n_groups;

	if (n >= GOVERN_GROUPS)
		return false;
	g->groups[n] = group;
	__atomic_store_n(&g->n_groups, n + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&g->capping, 1, __ATOMIC_SEQ_CST);
	return true;
}

void probe_uncap_groups(struct probe *p)
{
	__atomic_store_n(&govern_state(p)->n_groups, 0, __ATOMIC_SEQ_CST);
}

uint32_t probe_capped_next(const struct probe *p, uint32_t from)
{
	for (uint32_t i = from / 64; i < GOVERN_WORDS; i++) {
		uint64_t word = __atomic_load_n(&p->govern.capped[i], __ATOMIC_SEQ_CST);

		if (i == from / 64)
			word &= ~0ULL << (from & 63);
		if (word)
			return i * 64 + (uint32_t)__builtin_ctzll(word);
	}
	return 0;
}

void probe_caps_over(struct probe *p)
{
	__atomic_store_n(&govern_state(p)->capping, 0, __ATOMIC_SEQ_CST);
}

uint64_t probe_left_out(struct probe *p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < p->n_cpus; i++)
		n += __atomic_load_n(&percpu_ring_cpu(p->rings, i)->n_left_out, __ATOMIC_RELAXED);
	return n;
}

uint64_t probe_passed_ns(struct probe *p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < p->n_cpus; i++)
		n += __atomic_load_n(&percpu_ring_cpu(p->rings, i)->n_passed, __ATOMIC_RELAXED);
	return (uint64_t)((double)n * (p->govern.dispatch_ns + GOVERN_LIGHT_NS));
}

static struct govern_cost govern_since(struct probe *p, enum govern_kind kind)
{
	struct govern_cost now = { 0 }, *told = &p->govern.told[kind], since;

	for (unsigned i = 0; i < p->n_cpus; i++) {
		const struct govern_cost *c = &percpu_ring_cpu(p->rings, i)->cost[kind];

		now.runs += __atomic_load_n(&c->runs, __ATOMIC_RELAXED);
		now.timed += __atomic_load_n(&c->timed, __ATOMIC_RELAXED);
		now.timed_ns += __atomic_load_n(&c->timed_ns, __ATOMIC_RELAXED);
	}
	since = (struct govern_cost){ .runs = now.runs - told->runs,
				      .timed = now.timed - told->timed,
				      .timed_ns = now.timed_ns - told->timed_ns };
	*told = now;
	return since;
}

/* Returns how many records were lost since the last call because a ring was full. A BPF program that
 * loses its record mostly does not count its run in govern_cost.runs. */
static uint64_t govern_lost(struct probe *p)
{
	uint64_t n = 0, told = p->govern.lost;

	for (unsigned i = 0; i < p->n_cpus; i++)
		n += __atomic_load_n(&percpu_ring_cpu(p->rings, i)->stats.lost[CT_LOSS_RING_FULL],
				     __ATOMIC_RELAXED);
	p->govern.lost = n;
	return n - told;
}

uint64_t probe_cost_ns(struct probe *p)
{
	p->govern.cost_ns +=
		(double)govern_lost(p) * (p->govern.dispatch_ns + p->govern.mean_ns[GOVERN_SWITCH]);
	for (int k = 0; k < GOVERN_KINDS; k++) {
		struct govern_cost c = govern_since(p, k);
		double *mean = &p->govern.mean_ns[k];

		if (c.timed)
			*mean += ((double)c.timed_ns / (double)c.timed - *mean) *
				 (c.timed < GOVERN_RUNS_FEW ? (double)c.timed / GOVERN_RUNS_FEW : 1);
		p->govern.cost_ns += (double)c.runs * (p->govern.dispatch_ns + *mean);
		if (k == GOVERN_SHORT)
			p->govern.n_short += (double)c.runs;
	}
	return (uint64_t)p->govern.cost_ns;
}

uint64_t probe_short_ns(const struct probe *p)
{
	return (uint64_t)(p->govern.n_short * (p->govern.dispatch_ns + p->govern.mean_ns[GOVERN_SHORT]));
}

uint64_t probe_whole_cost_ns(const struct probe *p)
{
	return (uint64_t)(p->govern.n_short * (2 * p->govern.dispatch_ns + p->govern.mean_ns[GOVERN_SWITCH] +
					       p->govern.mean_ns[GOVERN_WAKE] + GOVERN_DRAIN_NS));
}
