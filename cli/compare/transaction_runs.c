// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/transaction_runs.h"

#include <stdio.h>
#include <string.h>

#include "analysis/transactions/transaction_profile.h"
#include "analysis/transactions/transactions.h"
#include "cli/cli.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

static int refuse(const struct analysis_input *in, const struct transactions *t, const char *type)
{
	char names[512] = "", name[64];
	size_t n = 0;

	for (size_t i = 0; i < t->n_types && n + sizeof(name) + 4 < sizeof(names); i++) {
		describe_clean(t->types[i].name, name, sizeof(name));
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s'%s'", i ? ", " : "", name);
	}
	if (!t->n_types)
		return cli_error(
			"%s: there are no transactions; mark them with 'ctrace mark', or give --rules: see ctrace-transactions(1)",
			in->path);
	return cli_error("%s: there is no finished transaction '%s'; the trace has %s", in->path, type,
			 names);
}

static bool is_run(const struct transactions *t, const struct transaction *x, const char *type)
{
	return x->to_ns > x->from_ns && !strcmp(t->types[x->type].name, type);
}

static int add_one(struct baseline *b, const struct transactions *t, const struct transaction *x,
		   const struct baseline_machine *machine, const char *command)
{
	struct profile *p = NULL;
	int r = transaction_profile(t, x, &p);

	r = r ? r : baseline_add(b, p, machine, command);
	if (r)
		profile_free(p);
	return r;
}

static int add_all(struct baseline *b, const struct analysis_input *in, const struct transaction_pick *pick,
		   const struct baseline_machine *machine, const struct transactions *t)
{
	char command[PART_TEXT_MAX];
	size_t n = 0, at = 0, step;
	int r = 0;

	for (size_t i = 0; i < t->n; i++)
		n += is_run(t, &t->v[i], pick->type);
	if (!n)
		return refuse(in, t, pick->type);
	step = (n + pick->most - 1) / pick->most;
	describe_clean(pick->type, command, sizeof(command));
	for (size_t i = 0; i < t->n && !r; i++) {
		if (!is_run(t, &t->v[i], pick->type) || at++ % step)
			continue;
		cli_progress_count("Walking critical paths", at, n);
		r = add_one(b, t, &t->v[i], machine, command);
	}
	if (r)
		return cli_error("%s: cannot walk the critical path: %s", in->path, strerror(-r));
	if (step > 1)
		cli_warn("%s: the trace has %zu transactions '%s'; %zu of them, one in %zu, are compared",
			 in->path, n, command, (n + step - 1) / step, step);
	return CLI_OK;
}

int transaction_runs_add(struct baseline *b, const struct analysis_input *in,
			 const struct transaction_pick *pick, const struct baseline_machine *machine)
{
	_cleanup_(transaction_rules_done) struct transaction_rules none = { 0 };
	struct transactions *t = NULL;
	int r = pick->rules->v.n ? 0 : transaction_rules_default(in->graph, &none);

	if (!r)
		r = transactions_find(in->graph, in->from_ns, in->to_ns,
				      pick->rules->v.n ? pick->rules : &none, NULL, &t);
	if (r)
		return cli_error("%s: cannot find the transactions: %s", in->path, strerror(-r));
	r = add_all(b, in, pick, machine, t);
	transactions_free(t);
	return r;
}
