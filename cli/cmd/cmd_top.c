// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/client/client.h"
#include "cli/cmd/commands.h"
#include "cli/live/waitwords.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "cli/top/lines.h"
#include "cli/top/machine.h"
#include "cli/top/screen.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

enum { OPT_BATCH = 256, OPT_COUNT, OPT_DELAY };

struct top_options {
	const char *sort, *filter, *socket;
	bool batch, services;
	uint64_t count, delay_ns; /* count 0: until the user ends it */
};

#define TEXT(member) CLI_TEXT(struct top_options, member)
static const struct cli_option top_table[] = {
	{ CLI_FLAG(struct top_options, batch), "batch", NULL,
	  "Print text, for a log or a pipe, instead of a screen" },
	{ OPT_COUNT, "count", "N", "End after N updates" },
	{ OPT_DELAY, "delay", "SECONDS", "The time between updates (default: 1)" },
	{ TEXT(filter), "filter", "TEXT", "Show only the trees and services in which a line contains TEXT" },
	{ CLI_FLAG(struct top_options, services), "services", NULL,
	  "Show the services with their longest waits, instead of the trees" },
	{ TEXT(sort), "sort", "ORDER",
	  "longest (the default): the tree or service with the longest wait first; waiters: the one with the largest number of waiting tasks first" },
	{ TEXT(socket), "socket", "PATH", CLIENT_SOCKET_HELP },
	{ 0 },
};

static const struct cli_usage top_usage = {
	.name = "top",
	.args = "[--batch] [--count N] [--delay SECONDS] [--filter TEXT] [--services] [--sort ORDER] [--socket PATH]",
	.about =
		"Shows, again and again, which tasks wait for which tasks, and for how long. The task that others wait\n"
		"for stands above them. Needs neither the daemon nor a trace. Root sees all processes, other users\n"
		"only their own.",
	.options = top_table,
};

enum { HEAD_MACHINE, HEAD_TASKS, HEAD_DAEMON, HEAD_TITLE, HEAD_LINES };
#define HEAD_MAX 512

struct session {
	const struct top_options *o;
	struct top top;
	struct top_services services;
	bool by_service;
	struct machine machine;
	struct waitlive last; /* all zeros before the first update */
	enum top_sort sort;
	bool frozen;
	uint64_t updated_ns; /* monotonic */
	uint64_t cpu_ns;     /* CPU time of this process at the last update; 0: there was none */
	uint64_t cost_ns;    /* CPU time of this process between the last two updates */
	char head[HEAD_LINES][HEAD_MAX];
	char daemon[HEAD_MAX];
	uint64_t daemon_ns; /* when the daemon was last asked; 0: never */
};

/* Asks the daemon less often than the screen changes, because each answer costs the daemon CPU
 * time. */
static void ask_daemon(struct session *s)
{
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	const json_t *governor;
	const char *step;

	if (s->daemon_ns && s->updated_ns - s->daemon_ns < TOP_DAEMON_NS)
		return;
	s->daemon_ns = s->updated_ns;
	if (client_command(s->o->socket, "status", TOP_DAEMON_WAIT_MS, &answer, err)) {
		snprintf(s->daemon, sizeof(s->daemon), "No daemon answers%s",
			 s->o->batch ? "" : ", so Enter cannot explain a wait");
		return;
	}
	governor = json_object_get(answer, "governor");
	step = json_string_value(json_object_get(governor, "step"));
	snprintf(s->daemon, sizeof(s->daemon), "The daemon records %s, and takes %.2f %% of the machine",
		 step && strcmp(step, "none") ? "only a part (see ctrace status)" : "everything",
		 json_number_value(json_object_get(governor, "cost_percent")));
	json_decref(answer);
}

/* The next update comes later than the user asked for if updates would cost too much. */
static uint64_t next_ns(const struct session *s)
{
	return s->updated_ns + MAX(s->o->delay_ns, s->cost_ns * TOP_COST);
}

static void make_head(struct session *s)
{
	char words[MACHINE_WORDS_MAX], clock[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	machine_words(&s->machine, words);
	snprintf(s->head[HEAD_MACHINE], HEAD_MAX, "%s  %s", clock, words);
	snprintf(s->head[HEAD_TASKS], HEAD_MAX,
		 "%u tasks, %u running, %u in the kernel for a disk or alike. An update every %.1f s",
		 s->top.threads, s->top.running, s->top.disk,
		 (double)(next_ns(s) - s->updated_ns) / (double)NSEC_PER_SEC);
	snprintf(s->head[HEAD_DAEMON], HEAD_MAX, "%s", s->daemon);
}

static int update(struct session *s)
{
	struct waitlive w = { 0 };
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	int r;

	s->cost_ns = s->cpu_ns ? cpu_ns - s->cpu_ns : 0;
	s->cpu_ns = cpu_ns;
	r = waitlive_read(&s->last, TOP_SOCKETS_NS, NULL, &w);
	if (r < 0)
		return waitwords_failed(r, "top");
	waitlive_done(&s->last);
	s->last = w;
	s->updated_ns = clock_ns(CLOCK_MONOTONIC);
	machine_update(&s->machine);
	ask_daemon(s);
	if (top_update(&s->top, &s->last, s->updated_ns) ||
	    top_services_update(&s->services, &s->top, &s->last, s->updated_ns))
		return cli_error("out of memory");
	make_head(s);
	return CLI_OK;
}

static int make_lines(struct session *s, const char *filter, struct top_lines *lines)
{
	struct top_pick pick = { 0 };
	top_service_list services = { 0 };
	int r;

	if (s->by_service) {
		r = top_services_pick(&s->services, s->sort, filter, &services);
		if (!r)
			r = lines_of_services(&s->services, &services, lines);
	} else {
		r = top_pick(&s->top, s->sort, filter, &pick);
		if (!r)
			r = lines_make(&s->top, &pick, s->updated_ns, lines);
	}
	VEC_FREE(&services);
	top_pick_done(&pick);
	return r;
}

static void make_title(struct session *s, const char *filter, bool empty)
{
	char shown[HEAD_MAX / 2];
	char *title = s->head[HEAD_TITLE];

	clean_text(filter, shown, sizeof(shown));
	if (s->by_service && !empty)
		lines_service_title(title, HEAD_MAX);
	else
		snprintf(title, HEAD_MAX, "%9s %s%s%s", "WAITS",
			 s->by_service ? "SERVICE" : "TASK (the tasks below it wait for it)",
			 !empty          ? ""
			 : *filter       ? ": nothing contains "
			 : s->by_service ? ": none"
					 : ": none waits for a particular task",
			 empty ? shown : "");
}

static int show(struct session *s, struct screen *screen, const char *filter)
{
	char footer[HEAD_MAX], shown[HEAD_MAX / 2];
	const char *heads[HEAD_LINES];
	struct top_lines lines = { 0 };
	int r = make_lines(s, filter, &lines);

	make_title(s, filter, !lines.v.n);
	clean_text(filter, shown, sizeof(shown));
	for (unsigned i = 0; i < HEAD_LINES; i++)
		heads[i] = s->head[i];
	if (!r && screen) {
		/* The filter comes first: a narrow screen cuts the end of the line off. */
		snprintf(footer, sizeof(footer), "%s%s%s%s  q quit  Enter explain  v %s  s order: %s%s",
			 *filter ? "/" : "", shown, *filter ? "  " : "",
			 s->frozen ? "FROZEN: Space" : "Space freeze", s->by_service ? "trees" : "services",
			 s->sort == TOP_LONGEST ? "longest" : "waiters", *filter ? "" : "  / filter");
		screen_draw(screen, heads, HEAD_LINES, &lines, footer);
	} else if (!r) {
		for (unsigned i = 0; i < HEAD_LINES; i++)
			puts(heads[i]);
		for (size_t i = 0; i < lines.v.n; i++)
			puts(lines.v.v[i].text);
		puts("");
	}
	lines_done(&lines);
	return r ? cli_error("out of memory") : CLI_OK;
}

static int run_batch(struct session *s)
{
	for (uint64_t n = 1;; n++) {
		struct timespec at;
		int r = update(s);

		if (!r)
			r = show(s, NULL, s->o->filter);
		if (!r)
			r = cli_output_end(CLI_OK);
		if (r || n == s->o->count || cli_output_broken())
			return r;
		at = (struct timespec){ (time_t)(next_ns(s) / NSEC_PER_SEC),
					(long)(next_ns(s) % NSEC_PER_SEC) };
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
			;
	}
}

/* Runs `ctrace diagnose` about a task, on the terminal. */
static void diagnose(const struct session *s, struct screen *screen, uint32_t tid)
{
	struct sigaction on_int;
	char number[16];
	pid_t pid;

	snprintf(number, sizeof(number), "%u", tid);
	screen_leave(screen);
	pid = fork();
	if (!pid) {
		cli_restore_signals();
		execl("/proc/self/exe", "ctrace", "diagnose", "--tid", number, "--socket", s->o->socket,
		      NULL);
		cli_error("cannot start ctrace diagnose: %s; run it by hand", strerror(errno));
		_exit(127);
	}
	if (pid < 0)
		cli_error("cannot start ctrace diagnose: %s; try again later", strerror(errno));
	/* Ctrl-C is for ctrace diagnose */
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = SIG_IGN }, &on_int);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &on_int, NULL);
	cli_say("press Enter to return to ctrace top");
	for (char c = 0; c != '\n' && read(STDIN_FILENO, &c, 1) == 1;)
		;
	screen_return(screen);
}

static int wait_ms(const struct session *s)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), next = next_ns(s);

	if (s->frozen)
		return -1;
	return next > now ? (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC) : 0;
}

static int run_screen(struct session *s, struct screen *screen)
{
	bool filtered = false;
	uint64_t n = 0;
	int r = CLI_OK;

	while (!r) {
		if (!s->frozen && (!n || !wait_ms(s))) {
			if (n && n == s->o->count)
				break;
			r = update(s);
			n++;
		}
		if (!r)
			r = show(s, screen, filtered ? screen_filter(screen) : s->o->filter);
		if (r)
			break;
		switch (screen_wait(screen, wait_ms(s))) {
		case SCREEN_QUIT:
			return CLI_OK;
		case SCREEN_SORT:
			s->sort = s->sort == TOP_LONGEST ? TOP_WAITERS : TOP_LONGEST;
			break;
		case SCREEN_VIEW:
			s->by_service = !s->by_service;
			break;
		case SCREEN_FREEZE:
			s->frozen = !s->frozen;
			break;
		case SCREEN_FILTER:
			filtered = true;
			break;
		case SCREEN_DIAGNOSE:
			if (screen_tid(screen))
				diagnose(s, screen, screen_tid(screen));
			break;
		case SCREEN_NONE:
			break;
		}
	}
	return r;
}

static int parse(struct cli_parse *p, struct top_options *o)
{
	char *end;
	double seconds;
	int c;

	p->into = o;
	while ((c = cli_next(p)) > 0) {
		if (c == OPT_COUNT) {
			if (cli_number(p->arg, UINT32_MAX, &o->count) || !o->count)
				return cli_usage_error(&top_usage, "--count %s: give a number above 0",
						       p->arg);
			continue;
		}
		seconds = strtod(p->arg, &end);
		if (*end || end == p->arg || !(seconds >= 0.1 && seconds <= 3600))
			return cli_usage_error(&top_usage, "--delay %s: give seconds, from 0.1 to 3600",
					       p->arg);
		o->delay_ns = (uint64_t)(seconds * (double)NSEC_PER_SEC);
	}
	if (c < 0)
		return -1;
	return cli_no_args(p) ? CLI_USAGE : CLI_OK;
}

int cmd_top(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&top_usage, argc, argv);
	struct top_options o = {
		.socket = client_socket(), .filter = "", .sort = "longest", .delay_ns = NSEC_PER_SEC
	};
	struct session s = { .o = &o };
	struct screen *screen = NULL;
	int r = parse(&p, &o);

	if (r)
		return r < 0 ? p.exit_code : r;
	if (strcmp(o.sort, "longest") && strcmp(o.sort, "waiters"))
		return cli_usage_error(&top_usage, "--sort %s: give longest or waiters", o.sort);
	s.sort = strcmp(o.sort, "waiters") ? TOP_LONGEST : TOP_WAITERS;
	s.by_service = o.services;
	if (!o.batch)
		r = screen_new(&screen);
	if (!r)
		r = o.batch ? run_batch(&s) : run_screen(&s, screen);
	screen_free(screen);
	top_services_done(&s.services);
	top_done(&s.top);
	waitlive_done(&s.last);
	return r;
}
