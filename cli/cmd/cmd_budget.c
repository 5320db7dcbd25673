// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/client/client.h"
#include "cli/client/most.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

struct budget {
	const char *socket;
};

static const struct cli_option options[] = {
	{ CLI_TEXT(struct budget, socket), "socket", "PATH", CLIENT_SOCKET_HELP },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "budget",
	.args = "[SHARE] [--socket PATH]",
	.about =
		"Shows how much CPU time of the machine the running daemon may use, how much it uses, and what it leaves\n"
		"out to stay below that. With SHARE (3%; 0: no budget) it changes the budget, until the daemon starts\n"
		"again. Only root may change it.",
	.options = options,
};

static double real(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static const char *percent(double v, char buf[TEXT_NUMBER_MAX])
{
	snprintf(buf, TEXT_NUMBER_MAX, v > 0 ? "%.3g %%" : "none", v);
	return buf;
}

static void print_step(const json_t *g, uint64_t now_ns)
{
	const char *step = json_string_value(json_object_get(g, "step"));
	uint64_t since_ns = (uint64_t)json_integer_value(json_object_get(g, "since_ns"));
	char d[TEXT_NUMBER_MAX];

	if (!step || !strcmp(step, "none"))
		printf("%-10s none: all kinds of records are recorded\n", "Step:");
	else
		printf("%-10s \"%s\" for %s%s; see ctraced(8)\n", "Step:", step,
		       text_duration(now_ns - MIN(since_ns, now_ns), d),
		       json_is_true(json_object_get(g, "paused")) ? ", and nothing is recorded at the moment"
								  : "");
}

static void print_text(const json_t *answer)
{
	const json_t *g = json_object_get(answer, "governor");
	double now = real(g, "budget_percent"), setting = real(g, "budget_setting_percent");
	char b[TEXT_NUMBER_MAX];

	printf("%-10s %s", "Budget:", percent(now, b));
	printf("%s", now > 0 ? " of the CPU time of all CPUs" : ": the cost has no limit");
	if (json_object_get(g, "budget_setting_percent") && setting != now)
		printf("; after the next start of ctraced %s", percent(setting, b));
	printf("\n%-10s %.2f %% (the hooks alone %.2f %%)\n", "Cost:", real(g, "cost_percent"),
	       real(g, "bpf_percent"));
	print_step(g, (uint64_t)json_integer_value(json_object_get(answer, "now_ns")));
	most_print(answer);
}

static int show(const char *socket)
{
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	int c;

	if (client_command(socket, "status", WAIT_ANSWER_MS, &answer, err))
		return cli_error("%s", err);
	c = text_clean(answer);
	if (!c)
		print_text(answer);
	json_decref(answer);
	return c ? cli_error("out of memory") : CLI_OK;
}

static void print_change(const json_t *answer)
{
	const char *config = json_string_value(json_object_get(answer, "config"));
	double now = real(answer, "budget_percent");
	char b[TEXT_NUMBER_MAX];

	printf("The budget is now %s", percent(now, b));
	printf(" (before: %s).\n", percent(real(answer, "before_percent"), b));
	printf("This lasts until ctraced starts again; then the budget is %s.\n",
	       percent(real(answer, "setting_percent"), b));
	printf("To keep it, put this line into %s:\n", config ? config : "the config file of ctraced");
	printf("    budget = %.3g%s\n", now, now > 0 ? "%" : "");
}

static int change(const char *socket, const char *share)
{
	json_t *request = json_pack("{s:s,s:s}", "cmd", "budget", "budget", share);
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	int r;

	if (!request)
		return cli_usage_error(&usage, "'%s' is no share; give for example 3%%, or 0", share);
	r = client_call(socket, request, -1, WAIT_ANSWER_MS, &answer, err);
	json_decref(request);
	if (r)
		return cli_error("%s", err);
	r = text_clean(answer);
	if (!r)
		print_change(answer);
	json_decref(answer);
	return r ? cli_error("out of memory") : CLI_OK;
}

int cmd_budget(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	struct budget o = { .socket = client_socket() };
	const char *share;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	if (p.first == p.argc)
		return show(o.socket);
	share = cli_only_arg(&p, "SHARE");
	return share ? change(o.socket, share) : CLI_USAGE;
}
