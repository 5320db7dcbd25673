// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/hangs/rowarg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hangs/hangs.h"
#include "analysis/requests/services.h"
#include "cli/hangs/hangs_search.h"
#include "cli/text.h"
#include "lib/cleanup.h"

struct found {
	uint32_t tid, pid;
	uint64_t from_ns, to_ns; /* boot time */
	unsigned boot;           /* reader_info.boot */
};

static void add_option(struct words *t, const char *name, const char *value, const char *unknown)
{
	if (!value)
		return;
	words_add(t, " --%s ", name);
	words_add_quoted(t, value, unknown);
}

void rowarg_add_tasks(struct words *t, const struct selector *who)
{
	if (who->tid)
		words_add(t, " --tid %u", who->tid);
	if (who->pid)
		words_add(t, " --pid %u", who->pid);
	add_option(t, "comm", who->comm, "NAME");
	add_option(t, "cgroup", who->cgroup, "GLOB");
	add_option(t, "container", who->container, "NAME");
}

void rowarg_add_window(struct words *t, const struct windowarg *window)
{
	add_option(t, "at", window->at, "TIME");
	add_option(t, "from", window->from, "TIME");
	add_option(t, "to", window->to, "TIME");
	add_option(t, "last", window->last, "T");
}

/* `list` is the command that lists the rows, and n the number of its rows. */
static int say_no_row(const char *path, const struct selector *who, const struct windowarg *window,
		      const char *list, const char *what, uint32_t number, size_t n)
{
	_cleanup_free_ char *command = NULL;
	struct words t = { 0 };

	words_add(&t, "ctrace %s ", list);
	words_add_path(&t, path, "FILE");
	rowarg_add_tasks(&t, who);
	rowarg_add_window(&t, window);
	add_option(&t, "boot", window->boot, "N");
	command = words_take(&t);
	if (!command)
		return cli_error("out of memory");
	if (!n)
		return cli_error("%s: there is no %s %" PRIu32 "; '%s' lists no %ss", path, what, number,
				 command, what);
	return cli_error("%s: there is no %s %" PRIu32 "; '%s' lists %zu %s%s", path, what, number, command,
			 n, what, text_s(n));
}

static size_t numbered_rows(const struct hangs *h)
{
	size_t n = 0;

	while (hangs_numbered(h, (uint32_t)n + 1))
		n++;
	return n;
}

int rowarg_hang(const struct analysis_input *in, uint32_t number, const struct selector *who,
		const struct windowarg *window, const struct timearg_moment *at, struct hangs **ret,
		struct hang **ret_row)
{
	/* The search for the worst hang ends early. */
	const struct hangs_filter filter = {
		.who = *who, .worst = number == 1, .at_from_ns = at->from_ns, .at_to_ns = at->to_ns
	};
	_cleanup_free_ bool *tasks = NULL;
	struct hangs *h;
	int r = selectorarg_find(in, who, &tasks);

	if (r)
		return r;
	r = hangs_search_all(in, &filter, &h);
	if (r)
		return r;
	*ret_row = hangs_numbered(h, number);
	if (*ret_row) {
		*ret = h;
		return CLI_OK;
	}
	r = say_no_row(in->path, who, window, "hangs", "hang", number, numbered_rows(h));
	hangs_free(h);
	return r;
}

static int find_hang(struct analysis_input *in, uint32_t number, const struct selector *who,
		     const struct windowarg *window, const struct timearg_moment *at, struct found *ret)
{
	struct hangs *h;
	struct hang *x;
	int r = rowarg_hang(in, number, who, window, at, &h, &x);

	if (r)
		return r;
	*ret = (struct found){ in->graph->tasks[x->task].tid, in->graph->tasks[x->task].tgid, x->from_ns,
			       x->to_ns, reader_info(in->reader)->boot };
	hangs_free(h);
	return CLI_OK;
}

static int find_request(struct analysis_input *in, uint32_t number, const struct selector *who,
			const struct windowarg *window, struct found *ret)
{
	const struct graph *g = in->graph;
	struct services_filter filter = { .touching = windowarg_touches(window) };
	_cleanup_free_ bool *tasks = NULL;
	struct services *s = NULL;
	uint32_t i;
	int r = selectorarg_find_threads(in, who, &tasks);

	if (r)
		return r;
	filter.tasks = tasks;
	r = services_count(g, in->from_ns, in->to_ns, &filter, &s);
	if (r)
		return cli_error("%s: cannot find the requests: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	i = services_numbered(s, number);
	if (i == GRAPH_NONE) {
		r = say_no_row(in->path, who, window, "requests --all", "request", number, s->n_numbered);
	} else {
		const struct request *q = &s->requests.v[i];
		bool open = q->answered == GRAPH_NONE;
		uint32_t task = q->client == GRAPH_NONE ? q->server : q->client;
		uint64_t from_ns = request_from_ns(g, q);
		uint64_t to_ns = open ? MIN(s->to_ns, g->tasks[task].exit_ns) : request_to_ns(g, q);

		*ret = (struct found){ g->tasks[task].tid, g->tasks[task].tgid, from_ns,
				       MAX(to_ns, from_ns + 1), reader_info(in->reader)->boot };
	}
	services_free(s);
	return r;
}

int rowarg_check(const struct cli_usage *usage, const struct rowarg *row)
{
	return row->hang && row->request ? cli_usage_error(usage, "give either --hang or --request") : CLI_OK;
}

static int find(const struct rowarg *row, const char *path, const struct selector *who,
		const struct windowarg *window, struct found *ret)
{
	/* as in cmd_hangs() and cmd_requests(), so that the lists are the same */
	struct analysis_input in = { .lean = row->hang, .fit = row->hang };
	struct timearg_moment at;
	int r = row->hang ? analysis_begin_moment(&in, path, window, &at) : analysis_begin(&in, path, window);

	if (!r)
		r = row->hang ? find_hang(&in, row->hang, who, window, &at, ret)
			      : find_request(&in, row->request, who, window, ret);
	analysis_close(&in);
	return r;
}

static int use(const struct rowarg *row, const char *path, bool process, struct selector *who,
	       struct windowarg *window, struct rowarg_texts *texts)
{
	struct found x = { 0 };
	int r = rowarg_is_set(row) ? find(row, path, who, window, &x) : CLI_OK;

	if (r || !rowarg_is_set(row))
		return r;
	snprintf(texts->from, sizeof(texts->from), "boot:%" PRIu64, x.from_ns);
	snprintf(texts->to, sizeof(texts->to), "boot:%" PRIu64, x.to_ns);
	snprintf(texts->last, sizeof(texts->last), "boot:%" PRIu64, x.to_ns - 1);
	snprintf(texts->boot, sizeof(texts->boot), "%u", x.boot);
	*who = process ? (struct selector){ .pid = x.pid } : (struct selector){ .tid = x.tid };
	*window = (struct windowarg){
		.from = texts->from, .to = texts->to, .boot = texts->boot, .of_row = true
	};
	return CLI_OK;
}

int rowarg_use(const struct rowarg *row, const char *path, struct selector *who, struct windowarg *window,
	       struct rowarg_texts *texts)
{
	return use(row, path, false, who, window, texts);
}

int rowarg_use_process(const struct rowarg *row, const char *path, struct selector *who,
		       struct windowarg *window, struct rowarg_texts *texts)
{
	return use(row, path, true, who, window, texts);
}

int rowarg_use_moment(const struct rowarg *row, const char *path, struct selector *who,
		      struct windowarg *window, struct rowarg_texts *texts)
{
	int r = rowarg_use(row, path, who, window, texts);

	if (!r && rowarg_is_set(row))
		*window = (struct windowarg){ .boot = texts->boot };
	return r;
}
