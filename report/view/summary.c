// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/summary.h"

#include <string.h>

#include "report/analysis.h"
#include "report/limit.h"
#include "report/text.h"
#include "report/view/words.h"
#include "report/walltime.h"

static void add_name(struct words *t, const struct link *k)
{
	words_add(t, "%s[%u]", k->comm, k->tid);
}

static void add_ns(struct words *t, uint64_t ns)
{
	char buf[TEXT_NUMBER_MAX];

	words_add(t, "%s", text_duration(ns, buf));
}

bool summary_is_certain(const struct diagnosis *d, size_t i)
{
	bool doubted = i + 1 == d->n_chain && d->doubts >> DOUBT_CYCLE & 1;

	return !doubted && render_is_sure(d->chain[i].edge, d->chain[i].strength);
}

/* Returns true if the tasks of several links wait for each other. */
static bool is_circle(const struct diagnosis *d)
{
	return d->cycle + 1 < d->n_chain;
}

void summary_add_blame(struct words *t, const struct diagnosis *d)
{
	if (d->verdict == VERDICT_NORMAL) {
		words_add(t, "no task. No sign of a problem was found.");
		return;
	}
	if (!is_circle(d)) {
		words_add(t, "%s.", d->root_text);
		return;
	}
	for (size_t i = d->cycle; i < d->n_chain; i++) {
		words_add(t, i == d->cycle ? "" : i + 1 == d->n_chain ? " and " : ", ");
		add_name(t, &d->chain[i]);
	}
	words_add(t, " wait for each other (deadlock).");
}

static const char *state_words(enum link_state state)
{
	switch (state) {
	case LINK_RUNNING:
		return "ran";
	case LINK_SLEEPING:
		return "slept";
	case LINK_STOPPED:
		return "was stopped";
	case LINK_UNBORN:
		return "was not started yet";
	case LINK_EXITED:
		return "had ended";
	case LINK_FOLDED:
		return "ran and waited for short times, in all";
	case LINK_RUNNABLE:
	case LINK_WAITING:
		return "waited";
	case LINK_UNKNOWN:
		break;
	}
	return "was in a state that is not known";
}

/* A wait that began before the window. */
static void add_begin(struct words *t, const struct graph *g, const struct link *k)
{
	char wall[WALLTIME_MAX];

	words_add(t, " (since %s or earlier; ",
		  walltime_text(k->from_ns - k->before_ns, &g->w->offsets, 3, wall));
	add_ns(t, k->total_ns);
	words_add(t, " of it in the window)");
}

static void add_waits(struct words *t, const struct link *k)
{
	if (k->waits < 2) {
		words_add(t, limit_is_own(k) ? ", until its own time limit," : "");
		return;
	}
	words_add(t, " in %u waits", k->waits);
	/* the first wait may be longer than the part of it that longest_ns counts */
	if (!k->before_ns) {
		words_add(t, " (the longest: ");
		add_ns(t, k->longest_ns);
		words_add(t, k->timeouts ? "; a time limit ended %u of them)" : ")", k->timeouts);
	} else if (k->timeouts) {
		words_add(t, " (a time limit ended %u of them)", k->timeouts);
	}
}

/* Returns true if the record of the wait names the thing. Another thing may only be inferred. */
static bool has_thing(const struct graph *g, const struct link *k)
{
	uint32_t i = graph_interval_at(g, k->task, k->to_ns - 1);

	if (k->kind == RESOURCE_LOCK || k->kind == RESOURCE_JAVA_LOCK || k->kind == RESOURCE_JAVA_TASK ||
	    k->kind == RESOURCE_DATABASE_LOCK || k->kind == RESOURCE_STANDBY ||
	    k->kind == RESOURCE_CHECKPOINT || k->kind == RESOURCE_ARCHIVE)
		return false;
	return k->kind == RESOURCE_DISK ||
	       (k->obj && i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED &&
		g->intervals[i].obj == k->obj);
}

static void add_thing(struct words *t, const struct link *k)
{
	const char *kind = resource_kind_word(k->kind);

	if (k->kind == RESOURCE_UNKNOWN || k->kind == RESOURCE_TIMER || k->kind == RESOURCE_CPU)
		return;
	if (k->resource[0] && !strncmp(k->resource, kind, strlen(kind))) {
		words_add(t, " for %s", k->resource);
		return;
	}
	words_add(t, " for %s", view_resource_words(k->kind));
	if (k->resource[0])
		words_add(t, " (%s)", k->resource);
}

/* The larger part comes first. */
static void add_on_cpu(struct words *t, const struct link *k)
{
	bool ran_more = k->running_ns >= k->runnable_ns;

	for (int i = 0; i < 2; i++) {
		bool ran = (i == 0) == ran_more;
		uint64_t ns = ran ? k->running_ns : k->runnable_ns;

		if (!ns)
			continue;
		words_add(t, "%s %s ", i ? ", and" : "", ran ? "ran for" : "waited for a CPU for");
		add_ns(t, ns);
	}
}

void summary_add_victim(struct words *t, const struct graph *g, const struct diagnosis *d)
{
	const struct link *k = &d->chain[0];
	bool on_cpu = k->state == LINK_RUNNING || k->state == LINK_RUNNABLE;

	add_name(t, k);
	if (on_cpu && k->total_ns) {
		add_on_cpu(t, k);
		return;
	}
	words_add(t, " %s", state_words(k->state));
	if (!k->total_ns)
		return;
	words_add(t, k->before_ns ? " at least " : " ");
	add_ns(t, k->before_ns + k->total_ns);
	if (k->before_ns)
		add_begin(t, g, k);
	add_waits(t, k);
	if (has_thing(g, k) || (d->n_chain > 1 && summary_is_certain(d, 0)))
		add_thing(t, k);
}

void summary_add_sure(struct words *t, const struct diagnosis *d)
{
	size_t n = is_circle(d) ? d->n_chain : d->n_chain - 1, sure = 0;
	bool in_part = false;

	for (size_t i = 0; i < n; i++) {
		sure += summary_is_certain(d, i);
		in_part |= d->chain[i].sure_waits && d->chain[i].sure_waits < d->chain[i].waits;
	}
	if (d->verdict == VERDICT_NORMAL && !d->strong) {
		words_add(t, "partly inferred. The box \"Inferred\" says why.");
		return;
	}
	if (d->strong && n && d->verdict != VERDICT_NORMAL) {
		words_add(t, "certain. Records show each step from the victim to the task to blame%s.",
			  in_part ? ", but not for all waits" : "");
		return;
	}
	if (d->strong) {
		words_add(t, "certain. Records show what the victim did.");
		return;
	}
	words_add(t, "partly inferred.");
	if (sure == n && n && !(d->doubts & ~view_end_doubts(d)))
		words_add(
			t,
			" Records show each step from the victim to %s[%u], but not that the chain ends there.",
			d->chain[d->n_chain - 1].comm, d->chain[d->n_chain - 1].tid);
	else if (sure == n && n)
		words_add(t, " Records show each step, but the cause is inferred.");
	if (sure < n)
		words_add(t, " Of %zu step%s from the victim to the task to blame, %zu %s inferred.", n,
			  n == 1 ? "" : "s", n - sure, n - sure == 1 ? "is" : "are");
	words_add(t, " The box \"Inferred\" says why.");
}

static void add_cpu(struct words *t, const struct diagnosis *d, size_t i)
{
	const struct cpu_use *c = &d->cpu;

	add_name(t, &d->chain[i]);
	words_add(t, " waited ");
	add_ns(t, c->wait_ns);
	words_add(t, " for a CPU. Of this time, ");
	add_name(t, &d->chain[i + 1]);
	words_add(t, " had the wanted CPU for ");
	add_ns(t, c->ns);
	words_add(t, c->sampled ? " (an estimate by samples)" : "");
	if (c->others_ns) {
		words_add(t, c->idle_ns ? ", other tasks had it for " : ", and other tasks had it for ");
		add_ns(t, c->others_ns);
	}
	if (c->idle_ns) {
		words_add(t, ", and no task had it for ");
		add_ns(t, c->idle_ns);
	}
	words_add(t, ".");
	if (c->lost_ns) {
		words_add(t, " For ");
		add_ns(t, c->lost_ns);
		words_add(t, " it is not known which task had it.");
	}
}

/* The task of link k was started while the link before it waited. */
static void add_start(struct words *t, const struct link *k, const struct link *starter)
{
	words_add(t, " was started ");
	if (k->total_ns) {
		words_add(t, "only after ");
		add_ns(t, k->total_ns);
		words_add(t, ", ");
	}
	words_add(t, "by ");
	add_name(t, starter);
	words_add(t, ".");
}

void summary_add_link(struct words *t, const struct diagnosis *d, size_t i, size_t next)
{
	const struct link *k = &d->chain[i];

	if (k->edge == EDGE_CPU) {
		add_cpu(t, d, i);
		return;
	}
	add_name(t, k);
	if (k->state == LINK_UNBORN) {
		add_start(t, k, &d->chain[next]);
		return;
	}
	words_add(t, " waited");
	if (k->total_ns) {
		words_add(t, " ");
		add_ns(t, k->total_ns);
	}
	add_waits(t, k);
	words_add(t, next < i ? " in turn for " : " for ");
	add_name(t, &d->chain[next]);
	words_add(t, ": ");
	view_add_because(t, k, &d->chain[next]);
	words_add(t, ".");
	if (d->chain[next].state == LINK_UNBORN) {
		words_add(t, " ");
		add_name(t, &d->chain[next]);
		words_add(t, " was started only during this wait.");
	}
	if (k->sure_waits && k->sure_waits < k->waits && summary_is_certain(d, i))
		words_add(t, " Records show this for %u of the %u waits.", k->sure_waits, k->waits);
}
