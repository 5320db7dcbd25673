// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/input/selectorarg.h"
#include "report/cgroup_name.h"
#include "cli/sheet/sheet.h"
#include "cli/text.h"
#include "cli/live/waitwords.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/words/describe.h"

struct waits_request {
	struct selector who;
	bool all, json;
};

#define FLAG(member) CLI_FLAG(struct waits_request, member)
static const struct cli_option waits_options[] = {
	SELECTORARG_OPTIONS(struct waits_request, who),
	{ FLAG(all), "all", NULL,
	  "also show waits that seem idle, such as waits for work or for no known task, and waits that came and went" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.waits/1)" },
	{ 0 },
};

static const struct cli_instead waits_instead[] = {
	{ "at from to last boot hang request",
	  "this command shows the present; 'ctrace hangs FILE' and 'ctrace diagnose FILE' look at another time, in a trace" },
	{ "sort limit",
	  "this command prints chains of tasks, first the deadlocks; choose some with --pid or --comm" },
	{ 0 },
};

static const struct cli_usage waits_usage = {
	.name = "waits",
	.args = SELECTORARG_USAGE " [--all] [--json]",
	.about =
		"Shows which task waits for which task now: for the owner of a lock, the other end of a pipe or a\n"
		"socket, or a child. Also shows deadlocks. Needs neither the daemon nor a trace. Root sees all\n"
		"processes, other users only their own. Of chosen tasks it also shows the idle waits.",
	.options = waits_options,
	.instead = waits_instead,
};

static const char *class_word(enum procwait_class class)
{
	switch (class) {
	case PROCWAIT_RUN:
		return "running";
	case PROCWAIT_WAIT:
		return "waiting";
	case PROCWAIT_IDLE:
		return "idle";
	case PROCWAIT_TIMER:
		return "sleeping";
	case PROCWAIT_DISK:
		return "disk";
	case PROCWAIT_STOPPED:
		return "stopped";
	case PROCWAIT_EXTERNAL:
		return "external";
	case PROCWAIT_UNKNOWN:
		return "unknown";
	case PROCWAIT_GONE:
		return "gone";
	}
	return "unknown";
}

static void put_sentence(const struct waitlive *w, const struct waitlive_chain *c, FILE *f)
{
	char task[WAITWORDS_MAX], wait[WAITWORDS_MAX], cmdline[CMDLINE_SHORT_MAX];

	for (size_t i = 0; i < c->links.n; i++) {
		const struct waitlive_link *l = &c->links.v[i];
		bool last = i + 1 == c->links.n;

		waitwords_task(w, l->th, task);
		waitwords_cmdline(w, l->th, cmdline);
		if (last && !c->cycle)
			waitwords_root(l->wait, wait);
		else
			waitwords_wait(l, wait);
		fprintf(f, i ? " %s%s, which %s" : "%s%s %s", task, cmdline, wait);
		if (last && c->cycle && c->links.n == 1)
			fputs(" itself", f);
		else if (last && c->cycle) {
			waitwords_task(w, c->links.v[0].th, task);
			fprintf(f, " %s", task);
		}
	}
}

static bool same_next(const struct waitlive_chain *a, const struct waitlive_chain *b)
{
	return a->links.n > 1 && b->links.n == a->links.n && a->links.v[1].th == b->links.v[1].th &&
	       !strcmp(a->links.v[0].wait->kind, b->links.v[0].wait->kind) && a->moving == b->moving;
}

/* Counts the chains directly after the chain `first` that are like it (same_next()): the first
 * tasks of these chains wait for the same task, by a wait of the same kind. Prints these first
 * tasks, at most SHOWN. Returns the count. */
static size_t print_fellows(const struct waitlive *w, size_t first, size_t end)
{
	enum { SHOWN = 8 };
	char task[WAITWORDS_MAX];
	size_t n = 0;

	while (first + n + 1 < end && same_next(&w->chains.v[first], &w->chains.v[first + n + 1]))
		n++;
	if (!n)
		return 0;
	printf("  %zu more wait%s there: ", n, n == 1 ? "s" : "");
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		waitwords_task(w, w->chains.v[first + 1 + i].links.v[0].th, task);
		printf("%s%s", i ? ", " : "", task);
	}
	puts(n > SHOWN ? ", ..." : "");
	return n;
}

static void print_chain(const struct waitlive *w, const struct waitlive_chain *c)
{
	char task[WAITWORDS_MAX], wait[WAITWORDS_MAX], cmdline[CMDLINE_SHORT_MAX];

	for (size_t i = 0; i < c->links.n; i++) {
		const struct waitlive_link *l = &c->links.v[i];
		bool last = i + 1 == c->links.n;

		waitwords_task(w, l->th, task);
		waitwords_cmdline(w, l->th, cmdline);
		printf("%*s%s%s%s%s ", (int)(2 * i), "", cli_sgr(stdout, "1"), task, cli_sgr(stdout, "0"),
		       cmdline);
		if (last) {
			waitwords_root(l->wait, wait);
			puts(wait);
			break;
		}
		waitwords_wait(l, wait);
		waitwords_task(w, l[1].th, task);
		printf("%s %s%s", wait, task, c->moving && i == 0 ? " (it moves)" : "");
		if (l->one_of > 1)
			printf(" or %u other%s", l->one_of - 1, l->one_of == 2 ? "" : "s");
		putchar('\n');
	}
}

static void print_cycle(const struct waitlive *w, const struct waitlive_chain *c)
{
	printf("%s%s:%s ", cli_sgr(stdout, "1;31"), waitwords_cycle(c), cli_sgr(stdout, "0"));
	put_sentence(w, c, stdout);
	puts(".");
}

static int print_text(const struct waitlive *w, bool all)
{
	size_t told = 0, idle = 0, moving = 0;
	struct sheet sheet;

	sheet_begin(&sheet, SHEET_FULL);
	for (size_t i = 0; i < w->chains.n; i++) {
		const struct waitlive_chain *c = &w->chains.v[i];

		if (!all && !c->told) {
			idle++;
			continue;
		}
		if (!all && c->moving) {
			moving++;
			continue;
		}
		told++;
		if (c->cycle) {
			print_cycle(w, c);
		} else {
			print_chain(w, c);
			i += print_fellows(w, i, w->chains.n);
		}
	}
	if (!told)
		puts("No task waits for a particular task.");
	if (moving)
		printf("%zu wait%s came and went while we looked; --all shows %s.\n", moving,
		       moving == 1 ? "" : "s", moving == 1 ? "it" : "them");
	if (idle)
		printf("%zu wait%s idle, as a poll does: --all shows %s, --pid those of one process.\n", idle,
		       idle == 1 ? " looks" : "s look", idle == 1 ? "it" : "them");
	sheet_end(&sheet);
	return CLI_OK;
}

#define CGROUP_MAX 4096

static json_t *link_json(const struct waitlive *w, const struct waitlive_link *l, bool last)
{
	const char *syscall = l->wait->nr >= 0 ? describe_syscall(MACHINE_THIS, l->wait->nr) : NULL;
	char cgroup[CGROUP_MAX], cmdline[CT_CMDLINE_MAX + 1];
	struct cgroup_name name;
	json_t *j = json_pack("{s:i, s:i, s:o, s:s, s:o?, s:{s:s, s:o}}", "pid",
			      (int)waitlive_proc(w, l->th)->pid, "tid", (int)l->th->tid, "comm",
			      text_json(l->th->comm), "state", class_word(l->wait->class), "syscall",
			      syscall ? text_json(syscall) : json_null(), "resource", "kind", l->wait->kind,
			      "name", text_json(l->wait->name));

	proctask_cgroup(waitlive_proc(w, l->th)->pid, cgroup, sizeof(cgroup));
	name = cgroup_name_of_path(cgroup);
	render_cgroup_name(j, &name);
	if (j && proctask_cmdline(waitlive_proc(w, l->th)->pid, cmdline, sizeof(cmdline)))
		json_object_set_new(j, "cmdline", text_json(cmdline));
	if (j && !last)
		json_object_set_new(j, "edge",
				    json_pack("{s:s, s:b, s:i}", "strength", l->sure ? "strong" : "weak",
					      "owes", l->owes, "one_of", (int)l->one_of));
	return j;
}

static json_t *chain_json(const struct waitlive *w, const struct waitlive_chain *c)
{
	json_t *tasks = json_array(), *j;
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_sentence(w, c, f);
	if (fclose(f))
		return NULL;
	for (size_t i = 0; i < c->links.n; i++)
		json_array_append_new(tasks, link_json(w, &c->links.v[i], !c->cycle && i + 1 == c->links.n));
	j = json_pack("{s:b, s:b, s:o, s:o}", "idle", !c->told, "moving", c->moving, "text", text_json(text),
		      "tasks", tasks);
	if (j && c->cycle) {
		json_object_set_new(j, "deadlock", json_boolean(c->closed && c->strong && !c->moving));
		json_object_set_new(j, "closed", json_boolean(c->closed));
		json_object_set_new(j, "strong", json_boolean(c->strong));
	}
	return j;
}

static int print_json(const struct waitlive *w, bool all)
{
	json_t *cycles = json_array(), *chains = json_array();
	size_t left_out = 0;

	for (size_t i = 0; i < w->chains.n; i++) {
		const struct waitlive_chain *c = &w->chains.v[i];

		if (!all && !c->told)
			left_out++;
		else
			json_array_append_new(c->cycle ? cycles : chains, chain_json(w, c));
	}
	return text_print_json(json_pack("{s:s, s:I, s:o, s:o, s:I, s:{s:i, s:i}}", "schema",
					 "ctrace.waits/1", "boot_ns", (json_int_t)clock_boot_ns(), "cycles",
					 cycles, "chains", chains, "idle_left_out", (json_int_t)left_out,
					 "unseen", "processes", (int)w->tables.tasks.unseen_cnt,
					 "network_namespaces", (int)w->tables.net.unseen_cnt));
}

static void warn_unseen(const struct waitlive *w)
{
	if (w->tables.tasks.unseen_cnt)
		cli_warn("%u process%s could not be inspected: %s", w->tables.tasks.unseen_cnt,
			 w->tables.tasks.unseen_cnt == 1 ? "" : "es",
			 geteuid() ? "owned by another user, or protected; run as root to see more"
				   : "the kernel protects them, also from root");
	if (w->tables.net.unseen_cnt)
		cli_warn("the other ends of unix sockets are not known in %u network namespace%s: %s",
			 w->tables.net.unseen_cnt, w->tables.net.unseen_cnt == 1 ? "" : "s",
			 w->tables.net.unseen_errno == EPERM ? "run as root to see them"
			 : w->tables.net.unseen_errno == ENOENT
				 ? "the kernel has no unix_diag (modprobe unix_diag)"
				 : strerror(w->tables.net.unseen_errno));
}

static int say_no_task(const struct selector *who)
{
	char words[SELECTORARG_MAX];

	return cli_error(
		"no task fits %s now; it may have ended: 'ctrace diagnose %s' asks the daemon about the last minutes",
		selectorarg_words(who, words), words);
}

int cmd_waits(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&waits_usage, argc, argv);
	_cleanup_(waitlive_done) struct waitlive w = { 0 };
	struct waits_request rq = { 0 };
	bool all;
	int r;

	if (cli_parse_into(&p, &rq))
		return p.exit_code;
	/* a person who asks about some tasks wants to see their idle waits too */
	all = rq.all || selector_is_set(&rq.who);
	r = waitlive_read(NULL, 0, &rq.who, &w);
	if (r == -ESRCH)
		return say_no_task(&rq.who);
	if (r < 0)
		return waitwords_failed(r, "waits");
	warn_unseen(&w);
	return rq.json ? print_json(&w, all) : print_text(&w, all);
}
