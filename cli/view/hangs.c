// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/view/hangs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/timearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "trace/words/words.h"

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:+@%-"

static bool has_control(const char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			return true;
	return false;
}

void view_add_quoted(struct words *t, const char *s, const char *unknown)
{
	if (has_control(s) || !*s) {
		words_add(t, "%s", unknown);
		return;
	}
	if (!s[strspn(s, PLAIN)]) {
		words_add(t, "%s", s);
		return;
	}
	words_add(t, "'");
	for (; *s; s++)
		words_add(t, *s == '\'' ? "'\\''" : "%c", *s);
	words_add(t, "'");
}

/* A name that begins with '-' would be an option. */
static void add_trace(struct words *t, const struct view *v)
{
	words_add(t, "%s", *v->trace == '-' ? "./" : "");
	view_add_quoted(t, v->trace, "FILE");
}

static void add_command(struct words *t, const struct view *v, const char *name)
{
	words_add(t, "ctrace %s ", name);
	add_trace(t, v);
	if (v->boot)
		words_add(t, " --boot %s", v->boot);
}

static void add_window(struct words *t, const struct view *v, uint64_t from_ns, uint64_t to_ns)
{
	words_add(t, " --from mono:%lld --to mono:%lld", (long long)clock_mono_ns(from_ns, &v->g->w->offsets),
		  (long long)clock_mono_ns(to_ns, &v->g->w->offsets));
}

/* Adds options that choose this hang among the hangs of its task. --at gets a moment in ms. This moment is
 * the middle of the hang: near an end of the hang, the rounded moment could be in another hang. A very
 * long hang gets --from and --to, because --at would show only a part of it. */
static void add_time(struct words *t, const struct view *v, uint64_t from_ns, uint64_t to_ns)
{
	char at[TIMEARG_WALL_MAX];

	if (to_ns - from_ns > 2 * LOAD_AROUND_NS)
		add_window(t, v, from_ns, to_ns);
	else
		words_add(t, " --at %s",
			  timearg_iso(from_ns + (to_ns - from_ns) / 2, &v->g->w->offsets, 3, at));
}

static json_t *command(struct words *t)
{
	char *s = words_take(t);
	json_t *o = s ? text_json(s) : NULL;

	free(s);
	return o;
}

static bool is_victims(const struct view *v, const struct hang *x)
{
	return x->task == v->diagnosis->chain[0].task && x->from_ns < v->diagnosis->to_ns &&
	       v->diagnosis->from_ns < x->to_ns;
}

/* Returns the first row about the hang of the page, or SIZE_MAX: the list has no such row. */
static size_t own_row(const struct view *v)
{
	for (size_t i = 0; i < v->hangs->n; i++)
		if (is_victims(v, &v->hangs->v[i]))
			return v->hangs->v[i].first_row;
	return SIZE_MAX;
}

static json_int_t count_waiters(const struct hangs *h, size_t first)
{
	json_int_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += h->v[i].first_row == first;
	return n ? n - 1 : 0;
}

static json_t *hang_json(const struct view *v, size_t i)
{
	const struct hang *x = &v->hangs->v[i];
	const struct link *k = &x->diagnosis->chain[0];
	char wall[TIMEARG_WALL_MAX];
	struct words t = { 0 };

	add_command(&t, v, "view");
	words_add(&t, " --tid %u", k->tid);
	add_time(&t, v, x->from_ns, x->to_ns);
	words_add(&t, " -o hang-%u.html", k->tid);
	return json_pack("{s:I, s:I, s:o, s:s, s:I, s:o, s:I, s:o}", "pid", (json_int_t)k->pid, "tid",
			 (json_int_t)k->tid, "comm", text_json(k->comm), "begin",
			 timearg_wall(x->from_ns, &v->g->w->offsets, 1, wall), "length_ns",
			 (json_int_t)(x->to_ns - x->from_ns), "text", text_json(x->diagnosis->sentence),
			 "waiters", count_waiters(v->hangs, i), "command", command(&t));
}

/* The list is that of `ctrace hangs`: alarms only, one row for each hang. */
json_t *view_hangs(const struct view *v)
{
	size_t own = own_row(v), left_out = 0;
	json_t *others = json_array();

	for (size_t i = 0; i < v->hangs->n; i++) {
		const struct hang *x = &v->hangs->v[i];

		if (!x->alarm || x->first_row != i || i == own)
			continue;
		if (json_array_size(others) == VIEW_HANGS)
			left_out++;
		else
			json_array_append_new(others, hang_json(v, i));
	}
	return json_pack("{s:o, s:s, s:I, s:o, s:I}", "chosen", text_json(v->chosen), "where", v->where,
			 "waiters", own == SIZE_MAX ? 0 : count_waiters(v->hangs, own), "others", others,
			 "others_left_out", (json_int_t)left_out);
}

/* Adds a command `ctrace diagnose` that prints the same diagnosis as the page. If the page is about a hang
 * of the list, the command has options for this hang (add_time()). Otherwise, it has the options with which
 * the user called `ctrace view`, because they choose the same task and window again. */
static void add_diagnose(struct words *t, const struct view *v)
{
	const struct diagnosis *d = v->diagnosis;

	add_command(t, v, "diagnose");
	for (size_t i = 0; i < v->hangs->n && !v->window_given; i++) {
		const struct hang *x = &v->hangs->v[i];

		if (is_victims(v, x) && x->from_ns == d->from_ns && x->to_ns == d->to_ns) {
			words_add(t, " --tid %u", d->chain[0].tid);
			add_time(t, v, d->from_ns, d->to_ns);
			return;
		}
	}
	words_add(t, "%s", v->options);
}

static json_t *next(struct words *t, const char *about)
{
	return json_pack("{s:o, s:s}", "command", command(t), "about", about);
}

json_t *view_next(const struct view *v)
{
	const struct diagnosis *d = v->diagnosis;
	json_t *list = json_array();
	struct words t = { 0 };

	add_diagnose(&t, v);
	json_array_append_new(list,
			      next(&t, "the answer as text; at a terminal, it asks about doubtful points"));
	add_command(&t, v, "path");
	words_add(&t, " --tid %u", d->chain[0].tid);
	add_window(&t, v, d->from_ns, d->to_ns);
	json_array_append_new(list,
			      next(&t, "how much time would be saved without each wait, task and resource"));
	add_command(&t, v, "hangs");
	json_array_append_new(list, next(&t, "all hangs of the trace"));
	if (!d->strong) {
		add_diagnose(&t, v);
		words_add(&t, " --against GOOD.ctr");
		json_array_append_new(
			list,
			next(&t,
			     "if you have a trace GOOD.ctr in which the same program did not hang: which task ended the same wait there"));
	}
	return list;
}
