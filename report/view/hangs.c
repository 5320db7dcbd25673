// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/hangs.h"

#include <stdlib.h>

#include "lib/cleanup.h"
#include "report/analysis.h"
#include "report/walltime.h"
#include "report/text.h"
#include "report/thresholds.h"
#include "trace/words/words.h"

static void add_command(struct words *t, const struct view *v, const char *name)
{
	words_add(t, "ctrace %s ", name);
	words_add_path(t, v->trace, "FILE");
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
	char at[WALLTIME_MAX];

	if (to_ns - from_ns > 2 * LOAD_AROUND_NS)
		add_window(t, v, from_ns, to_ns);
	else
		words_add(t, " --at %s",
			  walltime_iso(from_ns + (to_ns - from_ns) / 2, &v->g->w->offsets, 3, at));
}

/* Adds options that choose the task and the time of this hang. */
static void add_hang(struct words *t, const struct view *v, const struct hang *x)
{
	if (v->whole && x->number) {
		words_add(t, " --hang %u", x->number);
		return;
	}
	words_add(t, " --tid %u", v->g->tasks[x->task].tid);
	add_time(t, v, x->from_ns, x->to_ns);
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

/* Returns the index of the first row about the hang of the page (hang.first_row). SIZE_MAX: the
 * list has no alarm about this hang. Rows that are no alarms do not count, because their tasks may
 * only idle. */
static size_t own_row(const struct view *v)
{
	for (size_t i = 0; i < v->hangs->n; i++)
		if (v->hangs->v[i].alarm && is_victims(v, &v->hangs->v[i]))
			return v->hangs->v[i].first_row;
	return SIZE_MAX;
}

/* A hang: the rows whose first_row is `first`. is_about() picks those that overlap with [from_ns,
 * to_ns), except the rows of `task`. */
struct subject {
	size_t first; /* SIZE_MAX: no row */
	uint32_t task;
	uint64_t from_ns, to_ns;
	/* The hang of the page: is_about() also picks the rows of tasks that need a task of this chain, and
	 * leaves out the tasks of the chain. NULL: another hang. */
	const struct diagnosis *page;
};

static bool in_chain(const struct diagnosis *d, uint32_t task)
{
	for (size_t i = 0; i < d->n_chain; i++)
		if (d->chain[i].task == task)
			return true;
	return false;
}

/* Returns true if certain links lead from the task of row x to a task of the chain of d, at the time of d. */
static bool needs_chain(const struct diagnosis *d, const struct hang *x)
{
	for (size_t i = 0; i + 1 < x->diagnosis->n_chain; i++) {
		const struct link *k = &x->diagnosis->chain[i];

		if (!render_is_sure(k->edge, k->strength) || k->from_ns >= d->to_ns || d->from_ns >= k->to_ns)
			return false;
		if (in_chain(d, k[1].task))
			return true;
	}
	return false;
}

static bool is_about(const struct subject *s, const struct hang *x)
{
	if (x->task == s->task || x->from_ns >= s->to_ns || s->from_ns >= x->to_ns)
		return false;
	if (!s->page)
		return x->first_row == s->first;
	/* The threads of a stopped process are stopped, too: they do not wait for it. */
	return !in_chain(s->page, x->task) && x->diagnosis->chain[0].state != LINK_STOPPED &&
	       (x->first_row == s->first ||
		(x->diagnosis->verdict != VERDICT_NORMAL && needs_chain(s->page, x)));
}

/* One task may have several rows about a hang. Returns true if row i is the first of its task. */
static bool is_first_of_task(const struct hangs *h, const struct subject *s, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (h->v[j].task == h->v[i].task && is_about(s, &h->v[j]))
			return false;
	return true;
}

/* distance_ns: the time between the begin of the row and the begin of the hang. */
struct waiter {
	uint64_t distance_ns;
	size_t row;
};

static int nearer(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;

	return x->distance_ns != y->distance_ns
		       ? (x->distance_ns > y->distance_ns) - (x->distance_ns < y->distance_ns)
		       : (x->row > y->row) - (x->row < y->row);
}

static json_t *waiter_json(const struct view *v, const struct hang *x)
{
	const struct link *k = &x->diagnosis->chain[0];
	char wall[WALLTIME_MAX];

	return json_pack("{s:I, s:I, s:o, s:s, s:I}", "pid", (json_int_t)k->pid, "tid", (json_int_t)k->tid,
			 "comm", text_json(k->comm), "begin",
			 walltime_text(x->from_ns, &v->g->w->offsets, 1, wall), "length_ns",
			 (json_int_t)(x->to_ns - x->from_ns));
}

/* Returns the tasks of the rows about the hang, except s->task; at most VIEW_WAITERS tasks. The tasks whose
 * waits began at about the time of the hang come first. Sets *ret_left_out to the number of all further
 * tasks. NULL: out of memory. */
static json_t *waiting(const struct view *v, const struct subject *s, json_int_t *ret_left_out)
{
	const struct hangs *h = v->hangs;
	_cleanup_free_ struct waiter *all = calloc(h->n + 1, sizeof(*all));
	json_t *list = all ? json_array() : NULL;
	size_t n = 0;

	for (size_t i = 0; all && i < h->n; i++) {
		uint64_t at_ns = h->v[i].from_ns;

		if (is_about(s, &h->v[i]) && is_first_of_task(h, s, i))
			all[n++] =
				(struct waiter){ at_ns > s->from_ns ? at_ns - s->from_ns : s->from_ns - at_ns,
						 i };
	}
	if (n)
		qsort(all, n, sizeof(*all), nearer);
	for (size_t i = 0; i < n && i < VIEW_WAITERS; i++)
		json_array_append_new(list, waiter_json(v, &h->v[all[i].row]));
	*ret_left_out = n > VIEW_WAITERS ? (json_int_t)(n - VIEW_WAITERS) : 0;
	return list;
}

/* Adds `waiters`, the number of tasks that waiting() finds, and the tasks themselves. Takes the reference. */
static json_t *with_waiters(json_t *o, const struct view *v, const struct subject *s)
{
	json_int_t left_out = 0;
	json_t *list = waiting(v, s, &left_out);
	json_int_t n = (json_int_t)json_array_size(list) + left_out;

	if (!json_object_set_new(o, "waiting", list) && !json_object_set_new(o, "waiters", json_integer(n)))
		return o;
	json_decref(o);
	return NULL;
}

static json_t *hang_json(const struct view *v, size_t i)
{
	const struct hang *x = &v->hangs->v[i];
	const struct link *k = &x->diagnosis->chain[0];
	char wall[WALLTIME_MAX];
	struct words t = { 0 };

	add_command(&t, v, "view");
	add_hang(&t, v, x);
	words_add(&t, " -o hang-%u.html", v->whole ? x->number : k->tid);
	return with_waiters(json_pack("{s:I, s:I, s:o, s:s, s:I, s:o, s:o}", "pid", (json_int_t)k->pid, "tid",
				      (json_int_t)k->tid, "comm", text_json(k->comm), "begin",
				      walltime_text(x->from_ns, &v->g->w->offsets, 1, wall), "length_ns",
				      (json_int_t)(x->to_ns - x->from_ns), "text",
				      text_json(x->diagnosis->sentence), "command", command(&t)),
			    v, &(struct subject){ i, x->task, x->from_ns, x->to_ns, NULL });
}

/* The list is that of `ctrace hangs`: alarms only, one row for each hang. */
json_t *view_hangs(const struct view *v)
{
	size_t own = own_row(v), left_out = 0;
	const struct diagnosis *d = v->diagnosis;
	json_t *others = json_array(), *o;

	for (size_t i = 0; i < v->hangs->n; i++) {
		const struct hang *x = &v->hangs->v[i];

		if (!x->number || i == own)
			continue;
		if (json_array_size(others) == VIEW_HANGS)
			left_out++;
		else
			json_array_append_new(others, hang_json(v, i));
	}
	o = json_pack("{s:o, s:s, s:o, s:I}", "chosen", text_json(v->chosen), "where", v->where, "others",
		      others, "others_left_out", (json_int_t)left_out);
	return with_waiters(o, v, &(struct subject){ own, d->chain[0].task, d->from_ns, d->to_ns, d });
}

/* Returns the row of the list with the task and the times of the page, or NULL. */
static const struct hang *page_row(const struct view *v)
{
	const struct diagnosis *d = v->diagnosis;

	for (size_t i = 0; i < v->hangs->n; i++) {
		const struct hang *x = &v->hangs->v[i];

		if (is_victims(v, x) && x->from_ns == d->from_ns && x->to_ns == d->to_ns)
			return x;
	}
	return NULL;
}

/* Adds a command `ctrace diagnose` that prints the same diagnosis as the page. If the page is about a hang
 * of the list of the whole trace, the command has options for this hang (add_hang()). Otherwise, it has the
 * options with which the user called `ctrace view`, because they choose the same task and window again. */
static void add_diagnose(struct words *t, const struct view *v)
{
	const struct hang *x = v->whole && !v->window_given ? page_row(v) : NULL;

	add_command(t, v, "diagnose");
	if (x)
		add_hang(t, v, x);
	else
		words_add(t, "%s", v->options);
}

/* Adds a command `ctrace path` for the task and the window of the page. */
static void add_path(struct words *t, const struct view *v)
{
	const struct diagnosis *d = v->diagnosis;
	const struct hang *x = page_row(v);

	add_command(t, v, "path");
	if (v->whole && x && x->number) {
		add_hang(t, v, x);
		return;
	}
	words_add(t, " --tid %u", d->chain[0].tid);
	add_window(t, v, d->from_ns, d->to_ns);
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
	add_path(&t, v);
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
