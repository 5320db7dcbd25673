// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/branch.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "trace/words/words.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

#define OPTIONS_MAX 8

struct option {
	struct group *group;
	struct rule_facts facts;
	bool ruled_out, ruled_in;
};

struct options {
	const struct graph *g;
	uint32_t task;
	const struct breakdown *l;
	struct option v[OPTIONS_MAX];
	size_t n;
	size_t n_ruled_out;
	bool ruled;
};

static void put_in(struct options *o, struct group *x)
{
	size_t at = o->n;

	while (at > 0 && o->v[at - 1].group->total_ns < x->total_ns)
		at--;
	if (at >= OPTIONS_MAX)
		return;
	o->n = MIN(o->n, (size_t)OPTIONS_MAX - 1);
	memmove(&o->v[at + 1], &o->v[at], (o->n - at) * sizeof(o->v[0]));
	o->v[at] = (struct option){ .group = x };
	o->n++;
}

static void rank(struct options *o, struct breakdown *l)
{
	for (size_t i = 0; i < l->v.n; i++) {
		struct group *x = &l->v.v[i];

		if (x->type != GROUP_UNKNOWN || x->total_ns >= l->total_ns / 5 * BRANCH_UNKNOWN_FIFTHS)
			put_in(o, x);
	}
	if (!o->n && l->v.n)
		put_in(o, &l->v.v[0]);
}

static bool has_share(const struct options *o, const struct group *x, uint64_t share)
{
	return x->type != GROUP_UNKNOWN && x->total_ns > o->l->total_ns / share;
}

static void fill_facts(const struct options *o, const struct group *x, struct rule_facts *ret)
{
	*ret = (struct rule_facts){ .from = GRAPH_NONE, .to = o->task, .ts_ns = x->to_ns };
	if (x->type != GROUP_TASK && x->type != GROUP_LEAF)
		return;
	ret->edge = x->blame.edge;
	ret->from = x->type == GROUP_TASK ? x->task : GRAPH_NONE;
	ret->obj = x->blame.obj;
	ret->stack = breakdown_wait_stack(o->g, o->task, x->from_ns, x->to_ns, NULL);
}

static int by_rules(const struct option *x)
{
	return x->ruled_in ? 0 : x->ruled_out ? 2 : 1;
}

static void apply_rules(struct options *o, struct rules *rules)
{
	for (size_t i = 0; i < o->n; i++) {
		struct option x = o->v[i];
		size_t at = i;

		fill_facts(o, x.group, &x.facts);
		if (x.facts.edge && (i == 0 || has_share(o, x.group, BRANCH_SHARE))) {
			const struct rule *rule = rules_match(rules, o->g, &x.facts);

			x.ruled_out = rule && rule->verdict == RULE_NOT_CAUSE;
			x.ruled_in = rule && rule->verdict == RULE_CAUSE;
		}
		o->n_ruled_out += x.ruled_out;
		o->ruled |= x.ruled_out || x.ruled_in;
		for (; at > 0 && by_rules(&x) < by_rules(&o->v[at - 1]); at--)
			o->v[at] = o->v[at - 1];
		o->v[at] = x;
	}
}

/* A wait for a lock is no guess: the lock certainly took the time of the wait. */
static bool is_guess(const struct group *x)
{
	return x->type == GROUP_TASK && x->blame.strength != EDGE_STRONG && x->blame.edge != EDGE_LOCK &&
	       x->blame.edge != EDGE_KERNEL_LOCK;
}

static size_t count_alternatives(const struct options *o, uint64_t share)
{
	size_t n = 1;

	while (n + o->n_ruled_out < o->n && has_share(o, o->v[n].group, share))
		n++;
	return n;
}

static void put_object(const struct options *o, const char *kind, uint64_t obj, struct words *t)
{
	char buf[DESCRIBE_MAX];

	describe_object(o->g->w, obj, buf, sizeof(buf));
	if (strncmp(buf, kind, strlen(kind)) != 0)
		words_add(t, "%s%s", kind, buf[0] ? " " : "");
	words_add(t, "%s", buf);
}

static void put_group(const struct options *o, const struct group *x, struct words *t)
{
	switch (x->type) {
	case GROUP_CPU:
		words_add(t, "its own time on or for the CPU");
		break;
	case GROUP_TASK:
		words_add(t, "%s[%u]", graph_comm(o->g, x->task, x->to_ns), o->g->tasks[x->task].tid);
		break;
	case GROUP_LEAF:
		put_object(o, x->cycle ? "cycle" : resource_kind_word(x->kind), x->obj, t);
		break;
	case GROUP_FOLDED:
		words_add(t, "its own runs and short waits");
		break;
	case GROUP_UNKNOWN:
		words_add(t, "time nothing is known of");
		break;
	}
}

static unsigned percent(const struct options *o, const struct group *x)
{
	return o->l->total_ns ? (unsigned)((double)x->total_ns * 100 / (double)o->l->total_ns + 0.5) : 0;
}

static void put_share(const struct options *o, const struct group *x, struct words *t)
{
	put_group(o, x, t);
	words_add(t, " (");
	words_duration(t, x->total_ns);
	words_add(t, ", %u %%)", percent(o, x));
}

static char *choice_text(const struct options *o, const struct group *taken, size_t n, const char *why)
{
	const char *sep = "";
	struct words t = { 0 };

	words_add(&t, "%s[%u]: ", graph_comm(o->g, o->task, o->v[0].group->to_ns), o->g->tasks[o->task].tid);
	if (taken) {
		words_add(&t, "followed ");
		put_share(o, taken, &t);
	}
	for (size_t i = 0; i < o->n; i++) {
		if (o->v[i].group == taken || (i >= n && !o->v[i].ruled_out))
			continue;
		words_add(&t, "%s", sep[0] ? sep : taken ? ", not " : "did not follow ");
		put_share(o, o->v[i].group, &t);
		sep = ", ";
	}
	words_add(&t, ": %s", why);
	return words_take(&t);
}

static int option_words(const struct options *o, const struct group *x, struct ask_option *ret)
{
	struct words who = { 0 }, how = { 0 };

	put_group(o, x, &who);
	if (x->type == GROUP_CPU || x->type == GROUP_FOLDED) {
		words_add(&how, "It ran ");
		words_duration(&how, o->l->running_ns);
		words_add(&how, " and wanted a CPU ");
		words_duration(&how, o->l->runnable_ns);
	} else {
		words_add(&how, "It waited ");
		words_duration(&how, x->total_ns);
		words_add(&how, " in %u wait%s for ", x->waits, x->waits == 1 ? "" : "s");
		put_object(o, resource_kind_word(x->blame.kind), x->blame.obj, &how);
		if (x->type == GROUP_TASK)
			words_add(&how, is_guess(x) ? " (which task that was for is a guess)" : "");
	}
	words_add(&how, ": %u %% of this time.", percent(o, x));
	ret->who = words_take(&who);
	ret->how = words_take(&how);
	return ret->who && ret->how ? 0 : -ENOMEM;
}

static int option_fill(const struct options *o, const struct group *x, struct ask_option *ret)
{
	uint32_t task = x->type == GROUP_TASK ? x->task : o->task;

	*ret = (struct ask_option){
		.from_ns = x->from_ns,
		.to_ns = x->to_ns,
		.sure = edge_strength_name(x->type == GROUP_TASK ? x->blame.strength : EDGE_STRONG),
		.score = o->l->total_ns ? (double)x->total_ns / (double)o->l->total_ns : 0
	};
	if (x->type == GROUP_TASK && x->blame.edge == EDGE_LOCK)
		ret->sure = edge_strength_name(EDGE_STRONG);
	if (x->type != GROUP_CPU)
		ret->stack = breakdown_wait_stack(o->g, task, x->from_ns, x->to_ns, NULL);
	else if (breakdown_run_stack(o->g, task, x->from_ns, x->to_ns, &ret->stack))
		return -ENOMEM;
	return option_words(o, x, ret);
}

static char *question_text(const struct options *o)
{
	struct words t = { 0 };

	words_add(&t, "What held up %s[%u] for these ", graph_comm(o->g, o->task, o->v[0].group->to_ns),
		  o->g->tasks[o->task].tid);
	words_duration(&t, o->l->total_ns);
	words_add(&t, "?");
	return words_take(&t);
}

static int put_question(const struct options *o, size_t n, const struct diagnose_options *d, int *ret_answer)
{
	struct ask_option options[OPTIONS_MAX] = { 0 };
	struct rule_facts facts[OPTIONS_MAX];
	_cleanup_free_ char *text = question_text(o);
	struct ask_question q = { .text = text, .options = options, .n_options = n };
	bool keep = false;
	int r = text ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !r; i++) {
		fill_facts(o, o->v[i].group, &facts[i]);
		r = option_fill(o, o->v[i].group, &options[i]);
	}
	if (!r) {
		*ret_answer = d->ask->choose(d->ask->arg, &q, &keep);
		if (*ret_answer >= (int)n ||
		    (*ret_answer < 0 && *ret_answer != ASK_STOP && *ret_answer != ASK_NONE))
			*ret_answer = ASK_DECIDE;
		if (keep)
			r = ask_keep(d->rules, o->g, facts, n, *ret_answer);
	}
	for (size_t i = 0; i < n; i++) {
		free((char *)options[i].who);
		free((char *)options[i].how);
	}
	return r;
}

static struct group *make_own(struct group *x)
{
	if (x->type == GROUP_TASK) {
		x->type = GROUP_LEAF;
		x->kind = x->blame.kind;
		x->obj = x->blame.obj;
		x->blame.task = GRAPH_NONE;
	}
	return x;
}

static bool all_refused(const struct options *o)
{
	return o->n_ruled_out == o->n ||
	       (o->n_ruled_out && !o->v[0].ruled_in && !has_share(o, o->v[0].group, BRANCH_SHARE));
}

static struct group *largest(const struct options *o)
{
	struct group *x = o->v[0].group;

	for (size_t i = 1; i < o->n; i++)
		if (o->v[i].group->total_ns > x->total_ns)
			x = o->v[i].group;
	return x;
}

static const char *reason(const struct options *o, const struct group *taken, int answer)
{
	switch (answer) {
	case ASK_STOP:
		return "as was answered (to go no further)";
	case ASK_NONE:
		return "as was answered (none of them)";
	case ASK_DECIDE:
		break;
	default:
		return "as was answered";
	}
	if (o->ruled)
		return "as a rule says";
	return is_guess(taken) && count_alternatives(o, BRANCH_SHARE) < 2 ? "a guess, but the larger share"
									  : "the larger share";
}

static int settle(const struct options *o, size_t n, int answer, struct branch *ret)
{
	bool refused = answer == ASK_STOP || answer == ASK_NONE;

	if (answer == ASK_DECIDE && all_refused(o)) {
		ret->refused = true;
		ret->choice = choice_text(o, NULL, 0, "a rule says that it is no cause");
		ret->taken = make_own(largest(o));
		return ret->choice ? 0 : -ENOMEM;
	}
	ret->taken = o->v[MAX(answer, 0)].group;
	if (n > 1 || o->ruled) {
		ret->choice = choice_text(o, refused ? NULL : ret->taken, n, reason(o, ret->taken, answer));
		if (!ret->choice)
			return -ENOMEM;
		ret->ranked = answer == ASK_DECIDE && !o->ruled;
	}
	/* make_own() removes the task, which choice_text() above needs */
	if (refused)
		make_own(ret->taken);
	ret->refused = refused;
	return 0;
}

int branch_choose(const struct graph *g, const struct diagnose_options *options, uint32_t task,
		  struct breakdown *l, struct branch *ret)
{
	struct options o = { .g = g, .task = task, .l = l };
	int answer = ASK_DECIDE, r = 0;
	size_t n;

	*ret = (struct branch){ 0 };
	rank(&o, l);
	if (!o.n)
		return 0;
	if (options->rules)
		apply_rules(&o, options->rules);
	n = count_alternatives(&o, BRANCH_SHARE);
	if (options->ask && !all_refused(&o) && !o.v[0].ruled_in) {
		if (n == 1 && is_guess(o.v[0].group))
			n = count_alternatives(&o, BRANCH_SHARE_GUESS);
		ret->asked = n > 1;
		if (n > 1)
			r = put_question(&o, n, options, &answer);
	}
	return r ? r : settle(&o, n, answer, ret);
}
