// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/policyarg.h"

#include <string.h>

int policyarg_parse(const struct cli_usage *usage, const char *arg, enum causal_policy *ret)
{
	for (enum causal_policy p = POLICY_CTRACE; p <= POLICY_APPINSIGHT; p++)
		if (!strcmp(arg, causal_policy_name(p))) {
			*ret = p;
			return CLI_OK;
		}
	return cli_usage_error(
		usage, "--policy %s: there is no such policy; give ctrace, panappticon or appinsight", arg);
}

/* Skips CUT_FIRST, a cut that no rule makes. */
static enum cut_rule find_rule(const char *name, size_t len)
{
	enum cut_rule rule = CUT_IDLE;

	while (rule < CUT_RULES &&
	       (strlen(cut_rule_name(rule)) != len || strncmp(cut_rule_name(rule), name, len)))
		rule++;
	return rule;
}

int policyarg_cuts(const struct cli_usage *usage, const char *arg, uint32_t *cuts)
{
	for (const char *s = arg; *s;) {
		size_t len = strcspn(s, ",");
		enum cut_rule rule = find_rule(s, len);

		if (rule == CUT_RULES)
			return cli_usage_error(
				usage,
				"--cuts-off %s: there is no rule '%.*s'; the rules are idle, job, batch, peers, exec and wake",
				arg, (int)len, s);
		*cuts |= CUT_BIT(rule);
		s += len + (s[len] == ',');
	}
	return CLI_OK;
}
