// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/hangs/hangs.h"
#include "daemon/incident/diagnoser_private.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "report/text.h"
#include "report/view/make.h"
#include "report/view/page.h"
#include "report/walltime.h"
#include "trace/words/describe.h"

#define PAGE_WORDS_MAX 96

uint64_t diagnoser_cpu_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* An earlier try, which ran out of memory, may have used CPU time too. */
static bool page_has_time(uint64_t begun_ns)
{
	uint64_t used_ns = diagnoser_cpu_ns();

	return used_ns - begun_ns < DIAGNOSER_SEARCH_NS && used_ns < DIAGNOSER_SEARCH_ALL_NS;
}

/* As hangs_find(), but ends when the CPU time is used up. The longest waits are searched first. *ret_n: so
 * many were searched. *ret_all: these are all. */
static int page_hangs(const struct graph *g, uint64_t begun_ns, struct hangs **ret, size_t *ret_n,
		      bool *ret_all)
{
	struct hangs *h;
	size_t i = 0;
	int r = hangs_candidates(g, g->w->from_ns, g->w->to_ns, NULL, &h);

	if (r)
		return r;
	for (; i < h->n && !r && page_has_time(begun_ns); i++) {
		r = hangs_diagnose(g, &h->v[i]);
		if (!r)
			r = hangs_settle(g, &h->v[i]);
	}
	if (r) {
		hangs_free(h);
		return r;
	}
	*ret_n = i;
	*ret_all = i == h->n;
	hangs_sort(h);
	*ret = h;
	return 0;
}

static int page_data(const struct graph *g, const struct diagnosis *d, const struct diagnoser_question *q,
		     bool tables, uint64_t begun_ns, json_t **ret)
{
	char chosen[PAGE_WORDS_MAX], options[PAGE_WORDS_MAX], where[PAGE_WORDS_MAX] = "in the whole trace";
	char at[WALLTIME_MAX];
	struct view view = { .g = g,
			     .diagnosis = d,
			     .chosen = chosen,
			     .options = options,
			     .where = where,
			     .trace = q->trace,
			     .tables = tables };
	struct hangs *h;
	bool all;
	size_t n;
	int r = page_hangs(g, begun_ns, &h, &n, &all);

	if (r)
		return r;
	if (!all && !n)
		snprintf(where, sizeof(where), "because there was no time to search for others");
	else if (!all)
		snprintf(where, sizeof(where), "among the %zu longest waits of the trace", n);
	snprintf(chosen, sizeof(chosen), "ctraced reported this hang (rule %s).", describe_hang(q->rule));
	snprintf(options, sizeof(options), " --tid %u --at %s", q->tid,
		 walltime_iso(q->found_ns, &g->w->offsets, 0, at));
	view.hangs = h;
	r = view_make(&view, ret);
	hangs_free(h);
	return r;
}

static int page_write(int fd, const json_t *data)
{
	FILE *f = fdopen(fd, "w");
	int r;

	if (!f)
		return -errno;
	r = view_write_page(f, data);
	if (fclose(f) && !r)
		r = -errno;
	return r;
}

int diagnoser_page(int fd, const struct graph *g, const struct diagnosis *d,
		   const struct diagnoser_question *q, bool tables, uint64_t begun_ns,
		   char why[DIAGNOSER_WHY_MAX])
{
	char limit[TEXT_NUMBER_MAX];
	json_t *data;
	int r = page_data(g, d, q, tables, begun_ns, &data);

	if (r == -ENOMEM)
		return r;
	if (!r) {
		r = page_write(fd, data);
		json_decref(data);
	}
	if (r == -EFBIG)
		snprintf(why, DIAGNOSER_WHY_MAX, "it would have more than %s",
			 text_bytes(q->page_bytes, limit));
	else if (r)
		snprintf(why, DIAGNOSER_WHY_MAX, "%s", strerror(-r));
	/* a part of the page may be written, so no other try can follow */
	return r == -ENOMEM ? -EIO : r;
}
