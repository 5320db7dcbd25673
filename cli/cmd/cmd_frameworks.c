// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/client/client.h"
#include "cli/client/frameworks.h"
#include "cli/client/now.h"
#include "cli/client/oneshot.h"
#include "cli/cmd/commands.h"
#include "cli/input/analysis_input.h"
#include "cli/input/timearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/checked.h"
#include "lib/cleanup.h"

struct frameworks {
	const char *socket, *dir, *time;
	uint32_t pid;
	bool json;
};

static const struct cli_option options[] = {
	{ CLI_TEXT(struct frameworks, time), "time", "T",
	  "count the hits of probes for this time (default: 1s)" },
	{ CLI_TEXT(struct frameworks, dir), "dir", "DIR", "also list the descriptions in DIR" },
	{ CLI_NUMBER(struct frameworks, pid), "pid", "PID",
	  "with test: count the records of jobs of this process" },
	{ CLI_FLAG(struct frameworks, json), "json", NULL, "print JSON (ctrace.frameworks/1)" },
	{ CLI_TEXT(struct frameworks, socket), "socket", "PATH", CLIENT_SOCKET_HELP },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "frameworks",
	.args = "[--time T] [--dir DIR] [--json] [--socket PATH] [test SPEC [--pid PID]]",
	.about =
		"Lists the frameworks that ctrace knows: how many processes use each now, which of its functions have a\n"
		"probe, how often these are hit, and what that costs. With test, it puts the probes of SPEC for a moment, and\n"
		"says what they catch. SPEC is a value of the setting frameworks, such as libuv or /etc/shop.json.",
	.options = options,
};

static uint64_t number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static bool is_same(const json_t *a, const json_t *b, const char *key)
{
	return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* Returns by how much the number probe[key] has grown since an earlier answer of the daemon.
 * before: the probes of that answer. same: the name of a member. The element of `before` in which
 * this member is equal to that of `probe` has the earlier number. Without such an element, or if
 * the earlier number is larger, the earlier number counts as 0. */
static uint64_t growth(const json_t *probe, const json_t *before, const char *same, const char *key)
{
	const json_t *x;
	size_t i;

	json_array_foreach (before, i, x)
		if (is_same(x, probe, same) && number(x, key) <= number(probe, key))
			return number(probe, key) - number(x, key);
	return number(probe, key);
}

static bool has_same(const json_t *before, const json_t *probe, const char *same)
{
	const json_t *x;
	size_t i;

	json_array_foreach (before, i, x)
		if (is_same(x, probe, same))
			return true;
	return false;
}

static double by_second(uint64_t n, uint64_t ns)
{
	return (double)n * NSEC_PER_SEC / (double)MAX(ns, (uint64_t)1);
}

static void set_rate(json_t *row, const char *key, uint64_t n, uint64_t ns)
{
	json_object_set_new(row, key, json_real(by_second(n, ns)));
}

static json_t *row_of(json_t *list, const json_t *name)
{
	json_t *x;
	size_t i;

	json_array_foreach (list, i, x)
		if (json_equal(json_object_get(x, "name"), name) && !json_object_get(x, "error"))
			return x;
	/* a program that the setting frameworks names by its path has no description */
	x = json_pack("{s:O}", "name", name);
	return json_array_append_new(list, x) ? NULL : x;
}

/* Returns in how many ns the file is probed anew, or NULL if it is not. */
static json_t *retry_in(const json_t *probe, uint64_t now_ns)
{
	uint64_t retry_ns = number(probe, "retry_ns");

	return retry_ns ? json_integer((json_int_t)checked_sub(retry_ns, now_ns)) : NULL;
}

static void add_probe(json_t *list, const json_t *probe, const json_t *before, uint64_t ns, uint64_t now_ns)
{
	json_t *row = row_of(list, json_object_get(probe, "name")), *probes;
	double hits = by_second(growth(probe, before, "id", "hits"), ns);
	/* The sums of functions of jobs begin with the daemon. So they say nothing of the last time if the
	 * probes were detached at its begin. */
	bool callees_known = has_same(before, probe, "name");
	double cost = by_second(growth(probe, before, "id", "cost_ns"), ns);
	const char *why = json_string_value(json_object_get(probe, "why"));

	if (!row)
		return;
	probes = json_object_get(row, "probes");
	if (!probes) {
		probes = json_array();
		json_object_set_new(row, "probes", probes);
		if (callees_known) {
			set_rate(row, "callee_hits_per_s", growth(probe, before, "name", "callee_hits"), ns);
			set_rate(row, "cost_ns_per_s", growth(probe, before, "name", "callee_ns"), ns);
		}
	}
	if (callees_known)
		json_object_set_new(row, "cost_ns_per_s",
				    json_real(json_real_value(json_object_get(row, "cost_ns_per_s")) + cost));
	json_array_append_new(
		probes, json_pack("{s:O,s:O,s:O,s:O,s:s*,s:o*,s:f}", "file", json_object_get(probe, "file"),
				  "functions", json_object_get(probe, "functions"), "wanted",
				  json_object_get(probe, "wanted"), "marks", json_object_get(probe, "marks"),
				  "why", why && *why ? why : NULL, "retry_in_ns", retry_in(probe, now_ns),
				  "hits_per_s", hits));
}

/* Adds a framework whose probes are detached (frameworks = auto). */
static void add_detached(json_t *list, const json_t *detached, uint64_t now_ns)
{
	static const char *const same[] = { "hits_per_s", "cost_percent", "limit_percent", "times" };
	json_t *row = row_of(list, json_object_get(detached, "name")), *x = json_object();
	uint64_t again_ns = number(detached, "again_ns"), since_ns = number(detached, "since_ns");

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		json_object_set(x, same[i], json_object_get(detached, same[i]));
	json_object_set_new(x, "ago_ns", json_integer((json_int_t)(now_ns - MIN(since_ns, now_ns))));
	json_object_set_new(x, "again_in_ns", json_integer((json_int_t)checked_sub(again_ns, now_ns)));
	if (row)
		json_object_set(row, "detached", x);
	json_decref(x);
}

/* Waits for ns, or until a signal of `stop` arrives. The caller has blocked these signals. stop
 * NULL: no signal ends the wait. Returns the signal, or 0. SIGCHLD says that the daemon has ended.
 * SIGCHLD ends the wait too, but the result is 0, because the next request to the daemon fails. */
static int rest(uint64_t ns, const sigset_t *stop)
{
	struct timespec t = { .tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC) };
	int sig = 0;

	if (stop)
		sig = sigtimedwait(stop, NULL, &t);
	else
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	return sig > 0 && sig != SIGCHLD ? sig : 0;
}

/* Asks the daemon again and again, until the daemon has counted the hits of probes anew, after its
 * answer `old`. Returns false after an error, with a text in err. */
static bool count_again(const char *socket, const json_t *old, json_t **ret, char err[CLIENT_ERR_MAX])
{
	for (unsigned i = 0; i < FRAMEWORKS_LOOKS; i++) {
		if (client_command(socket, "status", WAIT_ANSWER_MS, ret, err))
			return false;
		if (number(json_object_get(*ret, "frameworks"), "counted_ns") > number(old, "counted_ns"))
			return true;
		json_decref(*ret);
		*ret = NULL;
		rest(FRAMEWORKS_LOOK_NS, NULL);
	}
	snprintf(
		err, CLIENT_ERR_MAX,
		"the daemon does not count the hits of probes; 'ctrace status' says whether its search for frameworks is stuck");
	return false;
}

/* Adds what the daemon says. Returns 0; or -1 with a text in err if the daemon does not answer; or
 * the signal of `stop` that arrived. */
static int add_daemon(json_t *list, const char *socket, uint64_t time_ns, const sigset_t *stop,
		      char err[CLIENT_ERR_MAX])
{
	_cleanup_json_ json_t *before = NULL, *after = NULL;
	const json_t *old, *new, *x;
	uint64_t ns;
	size_t i;
	int sig;

	if (client_command(socket, "status", WAIT_ANSWER_MS, &before, err))
		return -1;
	old = json_object_get(before, "frameworks");
	if (!json_array_size(json_object_get(old, "probes")) &&
	    !json_array_size(json_object_get(old, "detached")))
		return 0;
	sig = rest(time_ns, stop);
	if (sig)
		return sig;
	if (!count_again(socket, old, &after, err))
		return -1;
	new = json_object_get(after, "frameworks");
	ns = number(new, "counted_ns") - number(old, "counted_ns");
	json_array_foreach (json_object_get(new, "probes"), i, x)
		add_probe(list, x, json_object_get(old, "probes"), ns, number(after, "now_ns"));
	json_array_foreach (json_object_get(new, "detached"), i, x)
		add_detached(list, x, number(after, "now_ns"));
	return 0;
}

/* Returns true if a function or mark of the framework has a probe. */
static bool is_on(const json_t *row)
{
	const json_t *x;
	size_t i;

	json_array_foreach (json_object_get(row, "probes"), i, x)
		if (number(x, "functions") || number(x, "marks"))
			return true;
	return false;
}

static void print_lack(const json_t *probe)
{
	char wait[TEXT_NUMBER_MAX];

	printf("      no probe: %s", json_string_value(json_object_get(probe, "why")));
	if (json_object_get(probe, "retry_in_ns"))
		printf("; ctraced tries again in %s", text_duration(number(probe, "retry_in_ns"), wait));
	putchar('\n');
}

static void print_probes(const json_t *row)
{
	double callees = json_real_value(json_object_get(row, "callee_hits_per_s"));
	char cost[TEXT_NUMBER_MAX];
	const json_t *x;
	size_t i;

	json_array_foreach (json_object_get(row, "probes"), i, x) {
		printf("    %s: %d of %d functions have a probe",
		       json_string_value(json_object_get(x, "file")), (int)number(x, "functions"),
		       (int)number(x, "wanted"));
		if (number(x, "marks"))
			printf(", and %d marks", (int)number(x, "marks"));
		printf("; %.0f hits/s\n", json_real_value(json_object_get(x, "hits_per_s")));
		if (json_object_get(x, "why"))
			print_lack(x);
	}
	if (callees > 0)
		printf("    functions of jobs: %.0f hits/s\n", callees);
	if (!is_on(row))
		return;
	if (!json_object_get(row, "cost_ns_per_s")) {
		printf("    cost: not known yet, because the probes were attached just now\n");
		return;
	}
	printf("    cost: about %s of CPU time in each second\n",
	       text_duration((uint64_t)json_real_value(json_object_get(row, "cost_ns_per_s")), cost));
}

static void print_detached(const json_t *d)
{
	char ago[TEXT_NUMBER_MAX], again[TEXT_NUMBER_MAX], cost[TEXT_NUMBER_MAX], limit[TEXT_NUMBER_MAX];
	uint64_t in_ns = number(d, "again_in_ns");

	printf("    detached: %.0f hits/s would cost %s %% of the machine's CPU time; limit %s %%\n",
	       json_number_value(json_object_get(d, "hits_per_s")),
	       text_percent(json_number_value(json_object_get(d, "cost_percent")), cost),
	       text_percent(json_number_value(json_object_get(d, "limit_percent")), limit));
	printf("    %s ago, for the %" PRIu64 ". time; ctraced attaches them again in %s\n",
	       text_duration(number(d, "ago_ns"), ago), number(d, "times"), text_duration(in_ns, again));
}

static void print_row(const json_t *row, bool asked)
{
	const json_t *detached = json_object_get(row, "detached");
	const json_t *files = json_object_get(row, "files"), *x;
	uint64_t processes = number(row, "processes");
	const char *error = json_string_value(json_object_get(row, "error"));
	bool wanted = json_object_get(row, "probes") != NULL;
	size_t i;

	printf("%s  %s", json_string_value(json_object_get(row, "name")),
	       is_on(row) ? "on"
	       : detached ? "detached"
	       : wanted   ? "no probes"
	       : asked    ? "off"
			  : "not known");
	if (error && json_object_get(row, "description"))
		printf(": %s: %s", json_string_value(json_object_get(row, "description")), error);
	else if (error)
		printf(": %s", error);
	else if (json_object_get(row, "description"))
		printf(", used by %d process%s now", (int)processes, processes == 1 ? "" : "es");
	putchar('\n');
	if (wanted)
		print_probes(row);
	if (detached)
		print_detached(detached);
	json_array_foreach (files, i, x)
		if (!wanted && !detached)
			printf("    %s\n", json_string_value(x));
}

static void print_text(json_t *list, bool asked, const char *err)
{
	bool off = false;
	const json_t *x;
	size_t i;

	json_array_foreach (list, i, x) {
		print_row(x, asked);
		off |= number(x, "processes") && !json_object_get(x, "probes") &&
		       !json_object_get(x, "detached");
	}
	if (!json_array_size(list))
		printf("There are no descriptions of frameworks. 'ctrace frameworks --dir DIR' lists those in DIR.\n");
	if (!asked)
		cli_warn("whether there are probes is not known: %s", err);
	else if (off)
		printf("To switch a framework on, name it in ctraced.conf: 'frameworks = NAME'; or use 'ctrace record --frameworks NAME'.\n");
}

/* Adds why functions or files have no probe. */
static void add_reasons(json_t *list, const char *socket)
{
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL, *row;
	const json_t *x;
	size_t i;

	if (client_command(socket, "doctor", WAIT_ANSWER_MS, &answer, err))
		return;
	json_array_foreach (json_object_get(answer, "hooks"), i, x) {
		const char *name = json_string_value(json_object_get(x, "name"));
		json_t *own;

		if (!name || strncmp(name, "jobs/", strlen("jobs/")) != 0 ||
		    json_is_true(json_object_get(x, "live")))
			continue;
		own = json_string(name + strlen("jobs/"));
		row = row_of(list, own);
		json_decref(own);
		if (row && !json_object_get(row, "probes"))
			json_object_set(row, "error", json_object_get(x, "why"));
	}
	json_decref(answer);
}

/* Counts the records of jobs, inputs, calls and locks of the process. Returns a new object, or NULL after a
 * printed error. */
static json_t *count_records(const char *socket, uint32_t pid)
{
	struct analysis_input in = { 0 };
	uint64_t n[CT_JOB_END + 1] = { 0 }, inputs = 0, calls = 0, locks = 0;
	struct reader *trace;
	struct lacks lacks;
	int fd, r = now_open(socket, 0, &trace, &fd, &lacks);

	if (r)
		return NULL;
	analysis_take_now(&in, trace, fd);
	r = analysis_load_range(&in, 0, UINT64_MAX);
	for (size_t i = 0; !r && i < in.window->n_events; i++) {
		const struct ct_rec *e = &in.window->events[i].r;
		bool call = e->kind == CT_MARK && e->flags & CT_MF_CALL;
		bool wanted = e->kind == CT_JOB || e->kind == CT_INPUT || e->kind == CT_LOCK || call;
		uint32_t task = wanted ? graph_task_at(in.graph, e->tid, e->ts) : GRAPH_NONE;

		if (task == GRAPH_NONE || in.graph->tasks[task].tgid != pid)
			continue;
		if (call)
			calls++;
		else if (e->kind == CT_LOCK)
			locks++;
		else if (e->kind == CT_INPUT)
			inputs++;
		else if (ct_job_state(e) <= CT_JOB_END)
			n[ct_job_state(e)]++;
	}
	analysis_close(&in);
	return r ? NULL
		 : json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "pid", (json_int_t)pid, "enqueues",
			     (json_int_t)n[CT_JOB_ENQUEUE], "starts", (json_int_t)n[CT_JOB_START], "ends",
			     (json_int_t)n[CT_JOB_END], "inputs", (json_int_t)inputs, "calls",
			     (json_int_t)calls, "locks", (json_int_t)locks);
}

/* Prints the answer. process: the result of count_records(), or NULL. Takes the reference to list,
 * and to process. */
static int show(const struct frameworks *o, json_t *list, json_t *process, bool asked, const char *err)
{
	json_t *doc = json_pack("{s:s,s:b,s:o,s:o*}", "schema", "ctrace.frameworks/1", "daemon", asked,
				"frameworks", list, "process", process);

	if (o->json)
		return text_print_json(doc);
	if (!doc || text_clean(doc)) {
		json_decref(doc);
		return cli_error("out of memory");
	}
	print_text(list, asked, err);
	if (process)
		printf("Process %u: %d enqueues, %d starts and %d ends of jobs were recorded\n", o->pid,
		       (int)number(process, "enqueues"), (int)number(process, "starts"),
		       (int)number(process, "ends"));
	if (process && number(process, "inputs"))
		printf("%d records of inputs and drawings were made\n", (int)number(process, "inputs"));
	if (process && number(process, "calls"))
		printf("%d records of calls were made\n", (int)number(process, "calls"));
	if (process && number(process, "locks"))
		printf("%d records of waits for locks and of releases were made\n",
		       (int)number(process, "locks"));
	json_decref(doc);
	return CLI_OK;
}

static int test(const char *spec, const struct frameworks *o, uint64_t time_ns)
{
	json_t *list, *process = NULL;
	char err[CLIENT_ERR_MAX] = "";
	sigset_t signals = oneshot_signals();
	struct oneshot *own;
	int r;

	if (oneshot_start("/tmp", ONESHOT_SIZE_MIN, spec, &own))
		return CLI_FAILED;
	list = json_array();
	r = add_daemon(list, oneshot_socket(own), time_ns, &signals, err);
	if (r)
		r = r > 0 ? 128 + r : cli_error("%s", err);
	else
		add_reasons(list, oneshot_socket(own));
	if (!r && o->pid) {
		process = count_records(oneshot_socket(own), o->pid);
		r = process ? CLI_OK : CLI_FAILED;
	}
	oneshot_free(own);
	if (!r)
		return show(o, list, process, true, err);
	json_decref(list);
	return r;
}

int cmd_frameworks(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	struct frameworks o = { .socket = client_socket() };
	char err[CLIENT_ERR_MAX], why[TIMEARG_ERR_MAX];
	uint64_t time_ns = NSEC_PER_SEC;
	const char *spec;
	json_t *list;
	bool asked;
	int r;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	spec = p.argc - p.first == 2 && !strcmp(p.argv[p.first], "test") ? p.argv[p.first + 1] : NULL;
	if (!spec && p.first != p.argc)
		return cli_usage_error(&usage, "give no argument, or 'test' and one SPEC");
	if (!spec && o.pid)
		return cli_usage_error(&usage, "give --pid only with 'test'");
	if (o.time && timearg_duration(o.time, &time_ns, why))
		return cli_usage_error(&usage, "--time %s: %s", o.time, why);
	if (spec)
		return test(spec, &o, time_ns);
	list = json_array();
	r = frameworks_find(list, o.dir);
	if (r) {
		json_decref(list);
		return cli_error("--dir %s: cannot be read: %s; give a directory with descriptions", o.dir,
				 strerror(-r));
	}
	asked = !add_daemon(list, o.socket, time_ns, NULL, err);
	return show(&o, list, NULL, asked, err);
}
