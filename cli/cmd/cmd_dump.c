// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/rowarg.h"
#include "cli/render/dumpline.h"
#include "cli/input/selectorarg.h"
#include "cli/sheet/pager.h"
#include "trace/words/describe.h"

#define KINDS_TEXT_MAX 1024
#define LOOK_EVERY     256

enum { OPT_KIND = 256 };

struct filter {
	struct selector who;
	uint64_t kinds; /* bit n: records of kind n; 0: all kinds */
	bool known;
};

struct dump {
	struct windowarg window;
	struct rowarg row;
	struct filter filter;
	struct dumpline_options options;
	struct dumpline *line;
};

#define FLAG(member) CLI_FLAG(struct dump, member)
static const struct cli_option options[] = {
	SELECTORARG_OPTIONS(struct dump, filter.who),
	WINDOWARG_OPTIONS(struct dump, window),
	ROWARG_OPTIONS(struct dump, row),
	{ OPT_KIND, "kind", "K[,K...]", "only records of these kinds: switch, wake, fork, ..." },
	{ FLAG(options.wall), "wall", NULL, "show local wall clock time instead of seconds since the boot" },
	{ FLAG(options.json), "json", NULL, "print JSON Lines" },
	{ 0 },
};

static const struct cli_instead instead[] = {
	{ "sort limit",
	  "the records are in the order of time; choose some of them with --kind, --at or --tid" },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "dump",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE " " ROWARG_USAGE
				  " [--kind K[,K...]] [--wall] [--json] FILE",
	.about = "Prints the records of a trace in the order of time, one record a line.",
	.options = options,
	.instead = instead,
};

static bool matches(struct filter *f, const struct window *w, const struct window_event *e)
{
	uint32_t tasks[2];
	unsigned n;

	if (f->kinds && !(e->r.kind < 64 && f->kinds >> e->r.kind & 1))
		return false;
	if (!selector_is_set(&f->who))
		return true;
	n = dumpline_tasks(e, tasks);
	for (unsigned i = 0; i < n; i++)
		if (selector_fits(&f->who, w, tasks[i], e->r.ts)) {
			f->known = true;
			return true;
		}
	return false;
}

static void look_for_task(struct filter *f, const struct window *w)
{
	for (size_t i = 0; i < w->n_tasks && !f->known; i++)
		f->known = selector_fits(&f->who, w, w->tasks[i].tid, w->tasks[i].ts_ns);
}

static bool dump_piece(void *arg, const struct window *w, size_t first, size_t end)
{
	struct dump *d = arg;

	if (selector_is_set(&d->filter.who))
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

static int say_unknown(const struct filter *f, const char *path)
{
	char words[SELECTORARG_MAX], file[CLI_WORD_MAX];

	return cli_error(
		"%s: no task fits %s in this window; 'ctrace dump %s --kind fork,exec' shows some tasks",
		path, selectorarg_words(&f->who, words), cli_path_word(path, file));
}

int cmd_dump(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	const char *path;
	uint64_t from_ns, to_ns;
	struct rowarg_texts texts;
	struct dump d = { 0 };
	struct reader *r;
	struct pager pager;
	bool paged = false;
	int c, code = 0;

	p.into = &d;
	while (!code && (c = cli_next(&p)) > 0)
		code = parse_kinds(p.arg, &d.filter.kinds);
	if (code)
		return code;
	if (c < 0)
		return p.exit_code;
	path = cli_trace_arg(&p);
	if (!path || rowarg_check(&usage, &d.row))
		return CLI_USAGE;
	code = rowarg_use(&d.row, path, &d.filter.who, &d.window, &texts);
	if (code)
		return code;
	code = tracefile_open(path, &r);
	if (code)
		return code;
	reader_want_kinds(r, d.filter.kinds);
	d.line = dumpline_new(stdout, &d.options);
	if (!d.line)
		code = cli_error("out of memory");
	if (!code)
		code = tracefile_use_boot(r, path, d.window.boot);
	if (!code)
		code = tracefile_window(r, path, &d.window, &from_ns, &to_ns);
	if (!code)
		paged = pager_begin_long(&pager);
	if (!code)
		code = tracefile_each(r, from_ns, to_ns, dump_piece, &d);
	dumpline_free(d.line);
	if (paged)
		pager_end(&pager);
	reader_free(r);
	if (!code && selector_is_set(&d.filter.who) && !d.filter.known)
		return say_unknown(&d.filter, path);
	return code;
}
