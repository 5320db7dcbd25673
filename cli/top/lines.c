// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/top/lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define WAIT_WIDTH 9 /* characters: "> 59.9 s" */

static int put(struct top_lines *l, enum top_line_kind kind, uint32_t tid, char *text)
{
	if (text && !VEC_PUSH(&l->v, (struct top_line){ kind, tid, text }))
		return 0;
	free(text);
	return -ENOMEM;
}

static void wait_words(uint64_t ns, bool at_least, char buf[TEXT_NUMBER_MAX + 4])
{
	uint64_t s = ns / NSEC_PER_SEC;
	const char *more = at_least ? "> " : "";

	if (s < 60)
		snprintf(buf, TEXT_NUMBER_MAX, "%s%.1f s", more, (double)(ns / (NSEC_PER_SEC / 10)) / 10);
	else if (s < 3600)
		snprintf(buf, TEXT_NUMBER_MAX, "%s%um%02us", more, (unsigned)(s / 60), (unsigned)(s % 60));
	else
		snprintf(buf, TEXT_NUMBER_MAX, "%s%uh%02um", more, (unsigned)(s / 3600),
			 (unsigned)(s / 60 % 60));
}

static int put_row(struct top_lines *l, const struct top_tree *tree, const struct top_row *row)
{
	char wait[TEXT_NUMBER_MAX + 4] = "";
	char *text = NULL;

	if (row->waits && row->tid)
		wait_words(row->wait_ns, row->at_least, wait);
	if (asprintf(&text, "%*s %*s%s", WAIT_WIDTH, wait, (int)(2 * row->depth), "", row->text) < 0)
		text = NULL;
	return put(l,
		   row->depth     ? TOP_LINE_WAITER
		   : tree->circle ? TOP_LINE_CIRCLE
				  : TOP_LINE_ROOT,
		   row->tid, text);
}

static int put_ended(struct top_lines *l, const struct top_ended *e, uint64_t now_ns)
{
	char wait[TEXT_NUMBER_MAX + 4];
	char *text = NULL;

	wait_words(e->wait_ns, e->at_least, wait);
	if (asprintf(&text, "%*s %s (ended %u s ago)", WAIT_WIDTH, wait, e->text,
		     (unsigned)((now_ns - e->ended_ns) / NSEC_PER_SEC)) < 0)
		text = NULL;
	return put(l, TOP_LINE_ENDED, 0, text);
}

int lines_make(const struct top *t, const struct top_pick *pick, uint64_t now_ns, struct top_lines *ret)
{
	int r = 0;

	for (size_t i = 0; !r && i < pick->trees.n; i++) {
		const struct top_tree *tree = &t->trees.v[pick->trees.v[i]];

		for (size_t k = 0; !r && k < tree->n_rows; k++)
			r = put_row(ret, tree, &t->rows.v[tree->first_row + k]);
	}
	if (!r && pick->ended.n)
		r = put(ret, TOP_LINE_TITLE, 0, strdup("Longest waits that ended in the last minute:"));
	for (size_t i = 0; !r && i < pick->ended.n && i < TOP_ENDED_SHOWN; i++)
		r = put_ended(ret, &t->ended.v[pick->ended.v[i]], now_ns);
	return r;
}

#define SERVICE_COLUMNS "%*s %4s %5s %4s %4s %5s %5s  %s"

void lines_service_title(char *buf, size_t size)
{
	snprintf(buf, size, SERVICE_COLUMNS, WAIT_WIDTH, "LONGEST", "CPU", "QUEUE", "DISK", "LOCK", "OTHER",
		 "TASKS", "SERVICE: its longest wait now (CPU to OTHER: tasks on average)");
}

static int put_service(struct top_lines *l, const struct top_service *x)
{
	char wait[TEXT_NUMBER_MAX + 4] = "", average[SHARES][TEXT_NUMBER_MAX], tasks[16];
	char *text = NULL;

	if (x->tid)
		wait_words(x->wait_ns, x->at_least, wait);
	for (int i = 0; i < SHARES; i++)
		snprintf(average[i], sizeof(average[i]), "%.*f", x->average[i] < 100, x->average[i]);
	snprintf(tasks, sizeof(tasks), "%u", x->tasks);
	if (asprintf(&text, SERVICE_COLUMNS "%s%s", WAIT_WIDTH, wait, average[SHARE_CPU],
		     average[SHARE_QUEUE], average[SHARE_DISK], average[SHARE_LOCK], average[SHARE_TASKS],
		     tasks, x->name, x->text ? ": " : "", x->text ?: "") < 0)
		text = NULL;
	return put(l, TOP_LINE_WAITER, x->tid, text);
}

int lines_of_services(const struct top_services *s, const top_service_list *pick, struct top_lines *ret)
{
	int r = 0;

	for (size_t i = 0; !r && i < pick->n; i++)
		r = put_service(ret, &s->v.v[pick->v[i]]);
	return r;
}

void lines_done(struct top_lines *l)
{
	for (size_t i = 0; i < l->v.n; i++)
		free(l->v.v[i].text);
	VEC_FREE(&l->v);
}
