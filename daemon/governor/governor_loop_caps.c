// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/governor/governor_loop_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctrace/fields.h"
#include "daemon/say.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/vec.h"

static void cap_ends(struct governor_loop *g, uint8_t flags, uint32_t tid, uint64_t since_ns, uint64_t n,
		     const struct ct_iter_task *found)
{
	struct tasks *tasks = recorder_tasks(g->opt.recorder);
	struct ct_rec rec = { .ts = clock_boot_ns(),
			      .flags = flags,
			      .wait = (uint8_t)g->told,
			      .tid = tid,
			      .peer = (uint32_t)MIN(n, (uint64_t)UINT32_MAX),
			      .nr = CT_NR_NONE };

	if (!found) {
		rec.aux = CT_W_EXITED | CT_ST_DEAD << 8;
	} else {
		/* the task may have a new name, or the record of its fork may be missing */
		recorder_take(g->opt.recorder, 0, &found->task, sizeof(found->task));
		rec.ts = found->wait.ts;
		rec.nr = found->wait.nr;
		rec.aux = (uint16_t)(found->wait.wait | found->wait.state << 8);
		rec.obj = found->wait.obj;
		tasks_found_begin(tasks, rec.ts);
		tasks_found(tasks, found);
	}
	tasks_uncap(tasks, tid, rec.ts);
	if (!found)
		tasks_ended(tasks, tid, rec.ts);
	governor_loop_record(g, &rec, since_ns);
}

static void task_cap(void *arg, uint32_t tid)
{
	struct governor_loop *g = arg;
	struct ct_rec rec = { .ts = clock_boot_ns(),
			      .flags = CT_GV_CAP,
			      .wait = (uint8_t)g->told,
			      .tid = tid,
			      .nr = CT_NR_NONE };

	probe_cap(g->opt.probe, tid);
	g->capping = true;
	governor_loop_record(g, &rec, rec.ts);
	tasks_record(recorder_tasks(g->opt.recorder), 0, &rec);
	g->stats.capped++;
}

static void task_uncap(void *arg, uint32_t tid, uint64_t since_ns)
{
	struct governor_loop *g = arg;
	uint64_t n = probe_uncap(g->opt.probe, tid);
	struct ct_iter_task found;

	g->left_out_apart += n;
	cap_ends(g, CT_GV_CAP, tid, since_ns, n, probe_read_task(g->opt.probe, tid, &found) ? NULL : &found);
}

struct group_tasks {
	struct governor_loop *g;
	uint64_t since_ns;
	VEC(uint32_t) tids;
	VEC(uint8_t) found; /* found.v[i]: the iterator has found the task tids.v[i] */
};

static int by_tid(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void group_task_found(void *arg, const struct ct_iter_task *found)
{
	struct group_tasks *t = arg;
	uint32_t tid = found->task.h.tid, *at = bsearch(&tid, t->tids.v, t->tids.n, sizeof(tid), by_tid);

	if (!at || t->found.v[at - t->tids.v])
		return;
	t->found.v[at - t->tids.v] = 1;
	cap_ends(t->g, CT_GV_CAP | CT_GV_GROUP, tid, t->since_ns, 0, found);
}

static int group_tasks_take(struct group_tasks *t)
{
	struct probe *p = t->g->opt.probe;

	for (uint32_t tid = 0; (tid = probe_capped_next(p, tid));) {
		if (!caps_has(&t->g->caps, tid)) {
			if (VEC_PUSH(&t->found, 0) || VEC_PUSH(&t->tids, tid))
				return -ENOMEM;
			probe_uncap(p, tid);
		}
		if (++tid >= GOVERN_TIDS)
			break;
	}
	return 0;
}

/* A task that the iterator does not find has ended. After -errno, some tasks stay capped, and the
 * caller has to try again. */
static int group_tasks_end(struct governor_loop *g, uint64_t since_ns)
{
	struct group_tasks t = { .g = g, .since_ns = since_ns };
	struct tasks *tasks = recorder_tasks(g->opt.recorder);
	struct ct_iter_task found;
	int r = 0, left = group_tasks_take(&t);

	if (t.tids.n > CAPS_READ_EACH)
		r = probe_read_tasks(g->opt.probe, group_task_found, &t);
	else
		for (size_t i = 0; i < t.tids.n; i++) {
			int e = probe_read_task(g->opt.probe, t.tids.v[i], &found);

			if (!e)
				group_task_found(&t, &found);
			else if (e != -ESRCH)
				r = e;
		}
	for (size_t i = 0; i < t.tids.n; i++)
		if (!t.found.v[i] && r)
			probe_cap(g->opt.probe, t.tids.v[i]);
		else if (!t.found.v[i] && tasks_get(tasks, t.tids.v[i]))
			cap_ends(g, CT_GV_CAP | CT_GV_GROUP, t.tids.v[i], since_ns, 0, NULL);
	VEC_FREE(&t.tids);
	VEC_FREE(&t.found);
	return r ? r : left;
}

static void group_record(struct governor_loop *g, uint64_t group, uint64_t since_ns, uint64_t now_ns,
			 uint64_t n)
{
	struct ct_rec rec = { .ts = now_ns,
			      .flags = CT_GV_GROUP | (group & GOVERN_CGROUP ? CT_GV_CGROUP : 0),
			      .wait = (uint8_t)g->told,
			      .peer = (uint32_t)MIN(n, (uint64_t)UINT32_MAX),
			      .nr = CT_NR_NONE,
			      .obj = group & ~GOVERN_CGROUP };

	governor_loop_record(g, &rec, since_ns);
}

static void group_say(struct governor_loop *g, uint64_t group, uint64_t now_ns)
{
	if (g->said_group == group && now_ns < g->said_group_ns + CAPS_SAY_NS)
		return;
	g->said_group = group;
	g->said_group_ns = now_ns;
	say("The tasks of %s %" PRIu64
	    " make so many events that tracing would cost more than the budget of %.3g %%: leaving out most of their records for parts of the time. 'ctrace status' shows for which users and control groups.",
	    group & GOVERN_CGROUP ? "control group" : "user", (uint64_t)(group & ~GOVERN_CGROUP),
	    g->opt.budget_ppm / 1e4);
}

static uint64_t group_to_cap(const struct governor_loop *g, double *ret_share)
{
	uint64_t group = groups_most(&g->groups, ret_share);

	for (unsigned i = 0; i < g->stats.n_groups; i++)
		if (g->grouped[i].group == group)
			return 0;
	return g->stats.n_groups < GOVERN_GROUPS ? group : 0;
}

double governor_loop_share(const struct governor_loop *g)
{
	double share;

	return group_to_cap(g, &share) ? share : 0;
}

void governor_loop_cap_group(struct governor_loop *g)
{
	uint64_t group, now_ns = clock_boot_ns();
	double share;

	group = group_to_cap(g, &share);
	if (!group || !probe_cap_group(g->opt.probe, group))
		return;
	if (!g->stats.n_groups) {
		g->left_out = probe_left_out(g->opt.probe);
		g->left_out_apart = 0;
	}
	g->capping = true;
	g->grouped[g->stats.n_groups].group = g->stats.group[g->stats.n_groups] = group;
	g->grouped[g->stats.n_groups++].since_ns = now_ns;
	g->stats.group_caps++;
	groups_init(&g->groups, now_ns);
	group_record(g, group, now_ns, now_ns, 0);
	group_say(g, group, now_ns);
}

void governor_loop_uncap_groups(struct governor_loop *g)
{
	uint64_t n, now_ns, began_ns = clock_boot_ns();

	if (!g->stats.n_groups) {
		if (g->governor.cap_ns) /* no group could be capped */
			governor_uncapped(&g->governor, governor_loop_clock(), 0);
		return;
	}
	probe_uncap_groups(g->opt.probe);
	/* A ring may still have the CT_SHED that begins a cap. It must come before the CT_SHED that
	 * ends the cap. */
	g->opt.empty(g->opt.arg);
	/* After a failure, governor_loop_caps_round() tries again. */
	(void)group_tasks_end(g, g->grouped[0].since_ns);
	now_ns = clock_boot_ns();
	/* Left-out records are not counted for each group, so the first group gets the sum. */
	n = probe_left_out(g->opt.probe) - g->left_out;
	/* Some of these records are already counted in the CT_SHED records of single tasks: their
	 * number is g->left_out_apart. */
	n -= MIN(n, g->left_out_apart);
	for (unsigned i = 0; i < g->stats.n_groups; i++)
		group_record(g, g->grouped[i].group, g->grouped[i].since_ns, now_ns, i ? 0 : n);
	g->over_ns = now_ns;
	g->over_since = g->grouped[0].since_ns;
	g->uncounted_ns = now_ns;
	g->stats.n_groups = 0;
	groups_init(&g->groups, now_ns);
	governor_uncapped(&g->governor, governor_loop_clock(), now_ns - began_ns);
}

void governor_loop_most(struct governor_loop *g)
{
	uint64_t now_ns = clock_boot_ns();
	struct ct_iter_task found;
	struct most most;

	/* If records were left out, the counts do not show which tasks make the load. */
	if (ct_shed_lacks(g->told) & CT_LACK_SWITCHES || g->gap_ns || g->stats.n_groups)
		g->uncounted_ns = now_ns;
	if (g->caps.second_ns <= g->uncounted_ns)
		return;
	most = most_task(&g->caps, now_ns);
	if (most.kind == MOST_TASK && !probe_read_task(g->opt.probe, (uint32_t)most.id, &found))
		memcpy(most.comm, found.task.comm, sizeof(most.comm));
	else
		most = most_group(&g->groups, now_ns);
	g->stats.most = most;
}

void governor_loop_caps_round(struct governor_loop *g)
{
	const struct caps_ops ops = { task_cap, task_uncap, g };
	uint64_t now_ns = clock_boot_ns();

	if (caps_over(&g->caps, now_ns))
		governor_loop_most(g);
	caps_round(&g->caps, now_ns, &ops);
	groups_age(&g->groups, now_ns);
	if (g->over_ns && !g->stats.n_groups && now_ns >= g->over_ns + CAPS_OVER_NS)
		g->over_ns = group_tasks_end(g, g->over_since) ? now_ns : 0;
	if (g->capping && !g->over_ns && !g->stats.n_groups && !g->caps.n_capped) {
		probe_caps_over(g->opt.probe);
		g->capping = false;
	}
	g->stats.left_out = probe_left_out(g->opt.probe);
}

void governor_loop_caps_end(struct governor_loop *g)
{
	const struct caps_ops ops = { task_cap, task_uncap, g };

	caps_end(&g->caps, &ops);
	governor_loop_uncap_groups(g);
}

void governor_loop_caps_over(struct governor_loop *g)
{
	if (g->over_ns)
		/* A failure does no harm: a pause begins now, and at its end the daemon reads the
		 * states of all tasks anyway. */
		(void)group_tasks_end(g, g->over_since);
	g->over_ns = 0;
	probe_caps_over(g->opt.probe);
	g->capping = false;
}
