// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/render/dumpline.h"
#include "cli/input/tracefile.h"
#include "trace/words/describe.h"

#define KINDS_TEXT_MAX 1024
#define LOOK_EVERY     256

enum { OPT_TID = 256, OPT_PID, OPT_KIND };

struct filter {
	uint64_t tid, pid;
	const char *comm;
	uint64_t kinds; /* bit n: records of kind n; 0: all kinds */
	bool known;
};

struct dump {
	const char *from, *to, *boot;
	struct filter filter;
	struct dumpline_options options;
	struct dumpline *line;
};

#define TEXT(member) CLI_TEXT(struct dump, member)
#define FLAG(member) CLI_FLAG(struct dump, member)
static const struct cli_option options[] = {
	{ TEXT(from), "from", "TIME", "Begin at TIME: 14:03:12, -30s, boot:NS, ... (see ctrace(1))" },
	{ TEXT(to), "to", "TIME", "End before TIME" },
	{ OPT_TID, "tid", "T", "Only records about this task" },
	{ OPT_PID, "pid", "P", "Only records about tasks of this process" },
	{ TEXT(filter.comm), "comm", "C", "Only records about tasks of this name" },
	{ OPT_KIND, "kind", "K[,K...]", "Only records of these kinds: switch, wake, fork, ..." },
	{ TEXT(boot), "boot", "N",
	  "Use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ FLAG(options.wall), "wall", NULL, "Show local wall clock time instead of seconds since the boot" },
	{ FLAG(options.json), "json", NULL, "Print JSON Lines" },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "dump",
	.args = "FILE [--from TIME] [--to TIME] [--tid T | --pid P | --comm C] [--kind K[,K...]] [--boot N] [--wall] [--json]",
	.about = "Prints the records of a trace in the order of time, one record a line.",
	.options = options,
};

static bool task_matches(const struct filter *f, const struct window *w, uint32_t tid, uint64_t ts)
{
	const struct window_task *t;

	if (f->tid)
		return tid == f->tid;
	t = tid ? window_task_at(w, tid, ts) : NULL;
	if (f->pid)
		return t && t->tgid == f->pid;
	return t && !strcmp(t->comm, f->comm);
}

static bool by_task(const struct filter *f)
{
	return f->tid || f->pid || f->comm;
}

static bool matches(struct filter *f, const struct window *w, const struct window_event *e)
{
	uint32_t tasks[2];
	unsigned n;

	if (f->kinds && !(e->r.kind < 64 && f->kinds >> e->r.kind & 1))
		return false;
	if (!by_task(f))
		return true;
	n = dumpline_tasks(e, tasks);
	for (unsigned i = 0; i < n; i++)
		if (task_matches(f, w, tasks[i], e->r.ts)) {
			f->known = true;
			return true;
		}
	return false;
}

static void look_for_task(struct filter *f, const struct window *w)
{
	for (size_t i = 0; i < w->n_tasks && !f->known; i++)
		f->known = task_matches(f, w, w->tasks[i].tid, w->tasks[i].ts_ns);
}

static bool dump_piece(void *arg, const struct window *w, size_t first, size_t end)
{
	struct dump *d = arg;

	if (by_task(&d->filter))
		look_for_task(&d->filter, w);
	dumpline_window(d->line, w);
	for (size_t i = first; i < end; i++) {
		if (matches(&d->filter, w, &w->events[i]))
			dumpline_print(d->line, &w->events[i]);
		if (i % LOOK_EVERY == 0 && cli_output_broken())
			return false;
	}
	return !cli_output_broken();
}

static int unknown_kind(const char *word)
{
	char kinds[KINDS_TEXT_MAX] = "";
	size_t n = 0;

	for (unsigned k = 1; k < 64 && n < sizeof(kinds); k++)
		if (describe_record(k))
			n += (size_t)snprintf(kinds + n, sizeof(kinds) - n, " %s", describe_record(k));
	cli_say("--kind %s: there is no such kind of record; there are%s", word, kinds);
	return CLI_USAGE;
}

static int parse_kinds(const char *arg, uint64_t *ret)
{
	while (*arg) {
		size_t n = strcspn(arg, ",");
		char word[32];
		unsigned kind;

		snprintf(word, sizeof(word), "%.*s", (int)n, arg);
		kind = describe_record_kind(word);
		if (!kind || kind >= 64)
			return unknown_kind(word);
		*ret |= 1ULL << kind;
		arg += n + (arg[n] == ',');
	}
	return CLI_OK;
}

static int parse_id(const char *name, const char *arg, uint64_t *ret)
{
	if (!cli_number(arg, INT32_MAX, ret) && *ret)
		return CLI_OK;
	return cli_usage_error(&usage,
			       "--%s %s: this is not the id of a task or process; give a positive number",
			       name, arg);
}

static int say_unknown(const struct filter *f, const char *path)
{
	if (f->tid)
		return cli_error(
			"%s: there is no task %" PRIu64
			" in this trace or window; 'ctrace dump %s --kind fork,exec' shows some tasks",
			path, f->tid, path);
	if (f->pid)
		return cli_error("%s: there is no process %" PRIu64 " in this trace or window; try --comm",
				 path, f->pid);
	return cli_error("%s: no task in this trace or window has the name '%s'; names have at most 15 bytes",
			 path, f->comm);
}

int cmd_dump(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	const char *path;
	uint64_t from_ns, to_ns;
	struct dump d = { 0 };
	struct reader *r;
	int c, code = 0;

	p.into = &d;
	while (!code && (c = cli_next(&p)) > 0) {
		if (c == OPT_TID)
			code = parse_id("tid", p.arg, &d.filter.tid);
		else if (c == OPT_PID)
			code = parse_id("pid", p.arg, &d.filter.pid);
		else if (c == OPT_KIND)
			code = parse_kinds(p.arg, &d.filter.kinds);
	}
	if (code)
		return code;
	if (c < 0)
		return p.exit_code;
	if (!!d.filter.tid + !!d.filter.pid + !!d.filter.comm > 1)
		return cli_usage_error(&usage, "give only one of --tid, --pid and --comm");
	path = cli_only_arg(&p, "FILE");
	if (!path)
		return CLI_USAGE;
	code = tracefile_open(path, &r);
	if (code)
		return code;
	reader_want_kinds(r, d.filter.kinds);
	d.line = dumpline_new(stdout, &d.options);
	if (!d.line)
		code = cli_error("out of memory");
	if (!code)
		code = tracefile_use_boot(r, path, d.boot);
	if (!code)
		code = tracefile_window(r, path, d.from, d.to, &from_ns, &to_ns);
	if (!code)
		code = tracefile_each(r, from_ns, to_ns, dump_piece, &d);
	dumpline_free(d.line);
	reader_free(r);
	if (!code && by_task(&d.filter) && !d.filter.known)
		return say_unknown(&d.filter, path);
	return code;
}
