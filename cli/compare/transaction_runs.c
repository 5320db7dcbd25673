// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/transaction_runs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/transactions/transaction_profile.h"
#include "analysis/transactions/transactions.h"
#include "cli/cli.h"
#include "lib/cleanup.h"
#include "lib/vec.h"
#include "trace/words/describe.h"

#define SHOWN_MAX 64

typedef VEC(uint32_t) index_list;

static int refuse(const struct analysis_input *in, const struct transactions *t, const char *type)
{
	char names[512] = "", name[SHOWN_MAX];
	size_t n = 0;

	for (size_t i = 0; i < t->n_types && n + sizeof(name) + 4 < sizeof(names); i++) {
		describe_clean(t->types[i].name, name, sizeof(name));
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s'%s'", i ? ", " : "", name);
	}
	if (!t->n_types)
		return cli_error(
			"%s: there are no transactions; mark them with 'ctrace mark', or give --rules: see ctrace-transactions(1)",
			in->path);
	describe_clean(type, name, sizeof(name));
	return cli_error("%s: there is no finished transaction '%s'; the trace has %s", in->path, name,
			 names);
}

const char *transaction_runs_unit(const struct transaction_pick *pick, char buf[PART_TEXT_MAX])
{
	char name[SHOWN_MAX], rules[48] = "";

	describe_clean(pick->type, name, sizeof(name));
	if (pick->rules->v.n)
		snprintf(rules, sizeof(rules), ", by the rules %016" PRIx64,
			 transaction_rules_print(pick->rules, pick->type));
	snprintf(buf, PART_TEXT_MAX, "%s '%s'%s%s",
		 pick->most ? "a transaction" : "the sum of the transactions", name,
		 pick->most ? "" : " in a command", rules);
	return buf;
}

static void say_left_out(const struct analysis_input *in, const struct transactions *t, const char *type,
			 const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_types; i++)
		if (!strcmp(t->types[i].name, type))
			n += t->types[i].n_open + t->types[i].n_cut;
	if (n)
		cli_warn(
			"%s: %zu more transaction%s '%s' did not begin or did not end in the trace, and %s not compared",
			in->path, n, n == 1 ? "" : "s", name, n == 1 ? "is" : "are");
}

static bool is_ambiguous(const struct transactions *t, const char *type)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_types; i++)
		n += !strcmp(t->types[i].name, type);
	return n > 1;
}

static int find(const struct transactions *t, const char *type, index_list *ret)
{
	int r = 0;

	for (size_t i = 0; i < t->n && !r; i++)
		if (t->v[i].to_ns > t->v[i].from_ns && !strcmp(t->types[t->v[i].type].name, type))
			r = VEC_PUSH(ret, (uint32_t)i);
	return r;
}

static int add_run(struct baseline *b, const struct transactions *t, const uint32_t *of, size_t n,
		   const struct baseline_machine *machine, const char *command, bool *truncated)
{
	struct profile *p = NULL;
	int r = transaction_profile(t, of, n, &p);

	if (!r)
		*truncated |= p->truncated;
	r = r ? r : baseline_add(b, p, machine, command);
	if (r)
		profile_free(p);
	return r;
}

static int add_each(struct baseline *b, const char *path, const struct transaction_pick *pick,
		    const struct baseline_machine *machine, const struct transactions *t,
		    const index_list *of, const char *name, bool *truncated)
{
	size_t step = (of->n + pick->most - 1) / pick->most;
	int r = 0;

	for (size_t i = 0; i < of->n && !r; i += step) {
		cli_progress_count("Walking critical paths", i, of->n);
		r = add_run(b, t, &of->v[i], 1, machine, name, truncated);
	}
	cli_progress_count("Walking critical paths", of->n, of->n);
	if (step > 1 && !r)
		cli_warn("%s: the trace has %zu transactions '%s'; %zu of them, one in %zu, are compared",
			 path, of->n, name, (of->n + step - 1) / step, step);
	return r;
}

static int add(struct baseline *b, const struct analysis_input *in, const struct transaction_pick *pick,
	       const struct baseline_machine *machine, const struct transactions *t)
{
	char name[SHOWN_MAX];
	index_list of = { 0 };
	bool truncated = false;
	int r = find(t, pick->type, &of);

	if (!r && !of.n)
		return refuse(in, t, pick->type);
	describe_clean(pick->type, name, sizeof(name));
	if (is_ambiguous(t, pick->type)) {
		VEC_FREE(&of);
		return cli_error(
			"%s: there are transactions '%s' of several kinds, such as requests and processes; give each rule a name of its own (\"transaction\")",
			in->path, name);
	}
	if (!r)
		r = pick->most ? add_each(b, in->path, pick, machine, t, &of, name, &truncated)
			       : add_run(b, t, of.v, of.n, machine, name, &truncated);
	VEC_FREE(&of);
	if (r == -E2BIG)
		return cli_error("%s: one side has more than %d runs; give fewer files", in->path,
				 BASELINE_RUNS_MAX);
	if (r)
		return cli_error("%s: cannot walk the critical path: %s", in->path, strerror(-r));
	say_left_out(in, t, pick->type, name);
	if (truncated)
		cli_warn("%s: a critical path has too many pieces, so some waits were not followed",
			 in->path);
	return CLI_OK;
}

int transaction_runs_add(struct baseline *b, const struct analysis_input *in,
			 const struct transaction_pick *pick, const struct baseline_machine *machine)
{
	_cleanup_(transaction_rules_done) struct transaction_rules none = { 0 };
	struct transactions *t = NULL;
	char unit[PART_TEXT_MAX];
	int r = pick->rules->v.n ? 0 : transaction_rules_default(in->graph, &none);

	if (baseline_unit(b, transaction_runs_unit(pick, unit)))
		return cli_error("%s: a run in it is %s, and a run before it is %s", in->path, unit,
				 baseline_unit_words(b->unit));
	if (!r)
		r = transactions_find(in->graph, in->from_ns, in->to_ns,
				      pick->rules->v.n ? pick->rules : &none, NULL, &t);
	if (r)
		return cli_error("%s: cannot find the transactions: %s", in->path, strerror(-r));
	r = add(b, in, pick, machine, t);
	transactions_free(t);
	return r;
}
