// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/client/client.h"
#include "cli/client/most.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "report/walltime.h"

static const struct cli_usage usage = {
	.name = "status",
	.args = "[--json] [--socket PATH]",
	.about =
		"Shows the state of the running daemon: how far back its trace reaches, rates, losses, cost.",
	.options = client_options,
};

/* Returns 0 if the daemon has no such number: it may be older or newer than ctrace. */
static uint64_t num(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static double real(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static const char *str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "unknown";
}

static void print_file(const json_t *f)
{
	char size[TEXT_NUMBER_MAX], reach[TEXT_NUMBER_MAX], from[WALLTIME_MAX], records[TEXT_NUMBER_MAX],
		written[TEXT_NUMBER_MAX];
	struct clock_offsets offsets = clock_offsets_now();
	uint64_t oldest = num(f, "oldest_ns"), newest = num(f, "newest_ns");

	printf("%-10s %s (%s)\n", "Trace:", str(f, "path"), text_bytes(num(f, "bytes"), size));
	if (newest > oldest)
		printf("%-10s back to %s (%s)\n", "Reaches:", walltime_text(oldest, &offsets, 0, from),
		       text_duration(newest - oldest, reach));
	else
		printf("%-10s it is still empty\n", "Reaches:");
	printf("%-10s %s records, %s, since the start\n", "Written:", text_count(num(f, "records"), records),
	       text_bytes(num(f, "written_bytes"), written));
}

static void print_storage(const json_t *s)
{
	const char *state = s ? str(s, "state") : "ok";
	char d[TEXT_NUMBER_MAX], n[TEXT_NUMBER_MAX];

	if (!strcmp(state, "stuck"))
		printf("%-10s the disk has not answered for %s; %s wait in memory. See the kernel log\n",
		       "Storage:", text_duration(num(s, "busy_ns"), d),
		       text_bytes(num(s, "queued_bytes"), n));
	else if (!strcmp(state, "unsynced"))
		printf("%-10s %s; the latest records may not survive a reboot. See the kernel log\n",
		       "Storage:", str(s, "error"));
	else if (strcmp(state, "ok"))
		printf("%-10s %s: %s; new records are lost. Make room on the disk of the trace, or see the kernel log\n",
		       "Storage:",
		       strcmp(state, "gone") ? "the trace cannot be written"
					     : "the trace was removed and cannot be made again",
		       str(s, "error"));
}

static void print_losses(const json_t *losses)
{
	char n[TEXT_NUMBER_MAX];
	const char *key, *sep = "";
	bool any = false;
	json_t *v;

	printf("%-10s ", "Lost:");
	json_object_foreach ((json_t *)losses, key, v) {
		if (!json_integer_value(v))
			continue;
		printf("%s%s: %s", sep, key, text_count((uint64_t)json_integer_value(v), n));
		sep = ", ";
		any = true;
	}
	puts(any ? "" : "none");
}

static void print_cost(const json_t *cost)
{
	char rss[TEXT_NUMBER_MAX];
	json_t *bpf = json_object_get(cost, "bpf_percent");

	printf("%-10s the daemon uses %.2f %% of one CPU now, %.2f %% since recording began",
	       "Cost:", real(cost, "daemon_percent"), real(cost, "daemon_percent_total"));
	if (bpf)
		printf("; the hooks in the kernel %.2f %%", json_number_value(bpf));
	printf("; %s of memory\n", text_bytes(num(cost, "rss_bytes"), rss));
}

static void print_groups(const json_t *g)
{
	char n[TEXT_NUMBER_MAX];
	json_t *group;
	size_t i;

	if (num(g, "group_caps"))
		printf("%-10s records of users or control groups that made too many, %s time%s\n",
		       "Left out:", text_count(num(g, "group_caps"), n), text_s(num(g, "group_caps")));
	json_array_foreach (json_object_get(g, "groups"), i, group) {
		bool user = json_object_get(group, "user");

		printf("%-10s at this moment the records of %s %" PRIu64 "\n",
		       "Left out:", user ? "user" : "control group", num(group, user ? "user" : "cgroup"));
	}
}

static void print_governor(const json_t *status)
{
	const json_t *g = json_object_get(status, "governor");
	uint64_t capped = num(g, "capped");
	char n[TEXT_NUMBER_MAX];

	if (!g)
		return;
	if (real(g, "budget_percent") > 0) {
		printf("%-10s daemon and hooks use %.2f %% of all CPUs (the hooks alone %.2f %%); the budget is %.3g %%\n",
		       "Tracing:", real(g, "cost_percent"), real(g, "bpf_percent"),
		       real(g, "budget_percent"));
		if (real(g, "passed_percent") >= SHOW_PASSED_PERCENT)
			printf("%-10s of this, %.2f %% of all CPUs does not count against the budget: hooks that ran for events that are left out\n",
			       "", real(g, "passed_percent"));
	}
	if (strcmp(str(g, "step"), "none")) {
		printf("%-10s to keep within the budget: step \"%s\"%s; see ctraced(8)\n",
		       "Left out:", str(g, "step"),
		       json_is_true(json_object_get(g, "paused")) ? ", and nothing is recorded at the moment"
								  : "");
		most_print(status);
	}
	if (json_is_true(json_object_get(g, "inspections_stopped")))
		printf("%-10s inspections of long waits (stacks, polled variables), because they cost too much; they begin again by themselves\n",
		       "Left out:");
	if (capped)
		printf("%-10s records of tasks that made more than %" PRIu64 " a second, %s time%s\n",
		       "Left out:", num(g, "task_cap"), text_count(capped, n), text_s(capped));
	print_groups(g);
	if (num(g, "left_out"))
		printf("%-10s %s records since the start, of tasks, users and control groups that made too many\n",
		       "Left out:", text_count(num(g, "left_out"), n));
}

static void print_hangs(const json_t *incidents, const json_t *detector)
{
	uint64_t alone = num(incidents, "limited") + num(incidents, "refused") + num(incidents, "failed");
	const json_t *found = json_object_get(detector, "found");
	uint64_t crashes = num(found, "crash"), exceptions = num(found, "exception");
	char n[TEXT_NUMBER_MAX];

	if (incidents && !num(incidents, "noticed") && !num(incidents, "kept")) {
		printf("%-10s none noticed since the start\n", "Hangs:");
	} else if (incidents) {
		printf("%-10s %" PRIu64 " noticed since the start", "Hangs:", num(incidents, "noticed"));
		if (crashes)
			printf(", %" PRIu64 " of them crash%s", crashes, crashes > 1 ? "es" : "");
		if (exceptions)
			printf(", %" PRIu64 " of them uncaught exception%s", exceptions, text_s(exceptions));
		if (alone)
			printf(", %" PRIu64 " of them without a snapshot", alone);
		printf("; %" PRIu64 " kept in %s: 'ctrace hangs' lists them\n", num(incidents, "kept"),
		       text_bytes(num(incidents, "bytes"), n));
	}
	if (num(detector, "crashes_refused"))
		printf("%-10s %s crashes got no report, because too many processes crashed at the same time; 'ctrace crashes' finds them in the trace\n",
		       "Hangs:", text_count(num(detector, "crashes_refused"), n));
	if (num(detector, "blind_ns") >= NSEC_PER_SEC)
		printf("%-10s for a total of %s, there were too few records to notice all hangs; the lines \"Left out:\" and \"Lost:\" say why\n",
		       "Hangs:", text_duration(num(detector, "blind_ns"), n));
}

static void print_stuck(const json_t *visits, const json_t *frameworks, const json_t *requests)
{
	uint64_t given_up = num(visits, "given_up"), look_ns = num(frameworks, "stuck_ns");
	char t[TEXT_NUMBER_MAX];

	if (given_up)
		printf("%-10s %" PRIu64
		       " inspections of programs whose memory or files do not answer; at 4 no stacks are recorded until one answers\n",
		       "Stuck:", given_up);
	if (num(requests, "stuck"))
		printf("%-10s %" PRIu64
		       " requests that wait for file systems that do not answer; other requests go on\n",
		       "Stuck:", num(requests, "stuck"));
	if (look_ns > SHOW_STUCK_NS)
		printf("%-10s the search for frameworks, for %s; look for a file system that does not answer\n",
		       "Stuck:", text_duration(look_ns, t));
}

/* The rows of one framework are beside each other, and each has the same callee_ns. */
static void print_probes(const json_t *frameworks, double cpu_ns)
{
	uint64_t functions = 0, files = 0, cost_ns = 0;
	char names[256] = "", cost[TEXT_NUMBER_MAX];
	const char *last = "";
	const json_t *x;
	size_t i, at = 0;

	json_array_foreach (json_object_get(frameworks, "probes"), i, x) {
		uint64_t n = num(x, "functions") + num(x, "marks");

		functions += n;
		files += n > 0;
		cost_ns += num(x, "cost_ns") + (strcmp(last, str(x, "name")) ? num(x, "callee_ns") : 0);
		if (n && strcmp(last, str(x, "name")) && at < sizeof(names))
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "",
					       str(x, "name"));
		last = str(x, "name");
	}
	if (files)
		printf("%-10s %" PRIu64 " functions in %" PRIu64
		       " files, for jobs of %s; their hits cost %s %% of the machine so far\n",
		       "Probes:", functions, files, names,
		       text_percent(cpu_ns ? 100 * (double)cost_ns / cpu_ns : 0, cost));
}

static void print_detached(const json_t *frameworks, uint64_t now_ns)
{
	char again[TEXT_NUMBER_MAX], cost[TEXT_NUMBER_MAX], limit[TEXT_NUMBER_MAX];
	const json_t *x;
	size_t i;

	json_array_foreach (json_object_get(frameworks, "detached"), i, x)
		printf("%-10s jobs of %s: %.0f hits/s of its probes would cost %s %% of the machine; limit %s %%; its probes come back in %s\n",
		       "Left out:", str(x, "name"), real(x, "hits_per_s"),
		       text_percent(real(x, "cost_percent"), cost),
		       text_percent(real(x, "limit_percent"), limit),
		       text_duration(checked_sub(num(x, "again_ns"), now_ns), again));
}

/* A file without any probe is told only if it is to get probes. */
static void print_unprobed_file(const json_t *x, uint64_t now_ns)
{
	uint64_t probes = num(x, "functions") + num(x, "marks"), retry_ns = num(x, "retry_ns");
	char wait[TEXT_NUMBER_MAX];

	if (!*str(x, "why") || (!probes && !retry_ns))
		return;
	printf("%-10s %s probes of %s in %s: %s", "Left out:", probes ? "some" : "all", str(x, "name"),
	       str(x, "file"), str(x, "why"));
	if (retry_ns)
		printf("; ctrace tries again in %s", text_duration(checked_sub(retry_ns, now_ns), wait));
	putchar('\n');
}

/* What the probes do not see: sites without a probe, descriptions that are not used, stacks. */
static void print_unprobed(const json_t *frameworks, const json_t *visits, uint64_t now_ns)
{
	uint64_t refused = num(frameworks, "refused"), stacks = num(visits, "job_stacks_refused");
	char n[TEXT_NUMBER_MAX];
	const json_t *x;
	size_t i;

	json_array_foreach (json_object_get(frameworks, "probes"), i, x)
		print_unprobed_file(x, now_ns);
	json_array_foreach (json_object_get(frameworks, "left_out"), i, x)
		printf("%-10s the description of a framework: %s\n", "Left out:", json_string_value(x));
	if (refused)
		printf("%-10s probes on files, marks or functions of jobs, %s time%s: a limit, or an error; ctrace tries again\n",
		       "Left out:", text_count(refused, n), text_s(refused));
	if (stacks)
		printf("%-10s the call stacks of %s enqueues of jobs, because there were too many\n",
		       "Left out:", text_count(stacks, n));
}

static void print_text(const json_t *a)
{
	const json_t *rate = json_object_get(a, "rate"), *rings = json_object_get(a, "rings"),
		     *hooks = json_object_get(a, "hooks"), *tables = json_object_get(a, "tables"),
		     *visits = json_object_get(a, "visits");
	char b1[TEXT_NUMBER_MAX], b2[TEXT_NUMBER_MAX];

	printf("%-10s %s, pid %" PRIu64 ", up for %s\n", "Daemon:", str(a, "version"), num(a, "pid"),
	       text_duration(num(a, "uptime_ns"), b1));
	print_file(json_object_get(a, "file"));
	print_storage(json_object_get(a, "storage"));
	printf("%-10s %.0f records/s, %s/s to disk\n", "Rate:", real(rate, "records_per_s"),
	       text_bytes((uint64_t)real(rate, "bytes_per_s"), b1));
	print_losses(json_object_get(a, "losses"));
	print_cost(json_object_get(a, "cost"));
	print_governor(a);
	printf("%-10s %" PRIu64 " of %s, filled up to %s\n", "Rings:", num(rings, "cpus"),
	       text_bytes(num(rings, "bytes_each"), b1), text_bytes(num(rings, "high_water_bytes"), b2));
	printf("%-10s %" PRIu64 " tasks, %" PRIu64 " objects, %" PRIu64 " stacks; %" PRIu64
	       " inspections of long waits\n",
	       "Tables:", num(tables, "tasks"), num(tables, "objects"), num(tables, "stacks"),
	       num(visits, "done"));
	if (num(visits, "crashes_limited"))
		printf("%-10s the stacks of %s crashes, because too many tasks crashed within a second\n",
		       "Left out:", text_count(num(visits, "crashes_limited"), b1));
	print_probes(json_object_get(a, "frameworks"),
		     (double)num(a, "uptime_ns") * (double)num(rings, "cpus"));
	print_detached(json_object_get(a, "frameworks"), num(a, "now_ns"));
	print_unprobed(json_object_get(a, "frameworks"), visits, num(a, "now_ns"));
	print_stuck(visits, json_object_get(a, "frameworks"), json_object_get(a, "requests"));
	print_hangs(json_object_get(a, "incidents"), json_object_get(a, "detector"));
	printf("%-10s %" PRIu64 " live, %" PRIu64 " off%s\n", "Hooks:", num(hooks, "live"), num(hooks, "off"),
	       num(hooks, "off") ? "; 'ctrace doctor' says why" : "");
}

int cmd_status(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	struct client_options o = { .socket = client_socket() };
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	int c;

	if (cli_parse_into(&p, &o))
		return p.exit_code;
	if (client_command(o.socket, "status", WAIT_ANSWER_MS, &answer, err))
		return cli_error("%s", err);
	if (o.json)
		return text_print_json(text_document("ctrace.status/1", answer));
	c = text_clean(answer);
	if (!c)
		print_text(answer);
	json_decref(answer);
	return c ? cli_error("out of memory") : CLI_OK;
}
