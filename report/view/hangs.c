// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/hangs.h"

#include <stdio.h>
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

/* The list of the tasks that waited because of a hang. is_waiter() picks their rows. */
struct subject {
	const struct view *v;
	const struct diagnosis *d;
	/* [i]: row i is in a list already. One task is in one list only. */
	bool *told;
};

/* A task that waits for a CPU or a disk does not wait for the task that has it. */
static bool is_for_task(enum edge_kind edge)
{
	return edge != EDGE_CPU && edge != EDGE_DISK;
}

static bool in_chain(const struct diagnosis *d, uint32_t task)
{
	for (size_t i = 0; i < d->n_chain; i++)
		if (d->chain[i].task == task)
			return true;
	return false;
}

/* Returns the link of the task. Only the tasks count for which the victim waited, or the victim. d->n_chain:
 * there is none. */
static size_t find_link(const struct diagnosis *d, uint32_t task)
{
	for (size_t i = 0; i < d->n_chain; i++) {
		if (d->chain[i].task == task)
			return i;
		if (!is_for_task(d->chain[i].edge))
			break;
	}
	return d->n_chain;
}

/* If links lead from the task of row x to a task of the chain of d, at the time of d: returns the first such
 * link of d. d->n_chain: there is none. *ret_certain: all of these links are certain. */
static size_t needed_link(const struct diagnosis *d, const struct hang *x, bool *ret_certain)
{
	*ret_certain = true;
	for (size_t i = 0; i + 1 < x->diagnosis->n_chain; i++) {
		const struct link *k = &x->diagnosis->chain[i];

		if (!is_for_task(k->edge) || k->from_ns >= d->to_ns || d->from_ns >= k->to_ns)
			break;
		/* A thread whose futex has no known owner may only wait for work. */
		if (!render_is_sure(k->edge, k->strength) && k->wait == CT_W_FUTEX && k->pid == k[1].pid)
			break;
		*ret_certain &= render_is_sure(k->edge, k->strength);
		if (find_link(d, k[1].task) < d->n_chain)
			return find_link(d, k[1].task);
	}
	return d->n_chain;
}

static bool overlaps(const struct diagnosis *d, const struct hang *x)
{
	return x->from_ns < d->to_ns && d->from_ns < x->to_ns;
}

/* Returns true if another hang, at the time of d, is blamed on the task. A chain whose end the trace does not
 * show blames no task. */
static bool is_blamed(const struct hangs *h, const struct diagnosis *d, uint32_t task)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct diagnosis *other = h->v[i].diagnosis;

		if (h->v[i].alarm && other->n_chain > 1 && other->n_chain < DIAGNOSE_MAX_CHAIN &&
		    !(other->doubts >> DOUBT_END & 1) && overlaps(d, &h->v[i]) &&
		    other->chain[other->n_chain - 1].task == task)
			return true;
	}
	return false;
}

static bool is_waiter(const struct subject *s, size_t row)
{
	const struct hang *x = &s->v->hangs->v[row];
	const struct diagnosis *d = s->d;
	bool certain;

	/* The threads of a stopped process are stopped, too: they do not wait for it. */
	return !s->told[row] && x->alarm && overlaps(d, x) && x->diagnosis->chain[0].state != LINK_STOPPED &&
	       !in_chain(d, x->task) && needed_link(d, x, &certain) < d->n_chain &&
	       (certain || !is_blamed(s->v->hangs, d, x->task));
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

/* Adds the members "begin" and "length_ns" of the row, and "before_ns": how long before that the wait began.
 */
static json_t *with_time(json_t *o, const struct view *v, const struct hang *x)
{
	char wall[WALLTIME_MAX];

	if (!json_object_set_new(o, "begin",
				 json_string(walltime_text(x->from_ns, &v->g->w->offsets, 3, wall))) &&
	    !json_object_set_new(o, "length_ns", json_integer((json_int_t)(x->to_ns - x->from_ns))) &&
	    !json_object_set_new(o, "before_ns", json_integer((json_int_t)x->diagnosis->chain[0].before_ns)))
		return o;
	json_decref(o);
	return NULL;
}

static json_t *waiter_json(const struct subject *s, const struct hang *x)
{
	bool certain;
	const struct link *k = &x->diagnosis->chain[0],
			  *awaited = &s->d->chain[needed_link(s->d, x, &certain)];
	char name[CT_COMM_LEN + 16];

	snprintf(name, sizeof(name), "%s[%u]", awaited->comm, awaited->tid);
	return with_time(json_pack("{s:I, s:I, s:o, s:o, s:b}", "pid", (json_int_t)k->pid, "tid",
				   (json_int_t)k->tid, "comm", text_json(k->comm), "for", text_json(name),
				   "certain", certain),
			 s->v, x);
}

/* One task may have several rows at the time of the hang. All of them are told with the first one, except a
 * row about a hang of its own. */
static void tell_task(const struct subject *s, uint32_t task)
{
	const struct hangs *h = s->v->hangs;
	bool certain;

	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].task == task && overlaps(s->d, &h->v[i]) &&
		    (!h->v[i].alarm || h->v[i].first_row != i ||
		     needed_link(s->d, &h->v[i], &certain) < s->d->n_chain))
			s->told[i] = true;
}

/* Returns the tasks of the rows that is_waiter() picks; at most VIEW_WAITERS tasks. The tasks whose waits
 * began at about the time of the hang come first. Sets *ret_left_out to the number of all further tasks.
 * NULL: out of memory. */
static json_t *waiting(const struct subject *s, json_int_t *ret_left_out)
{
	const struct hangs *h = s->v->hangs;
	_cleanup_free_ struct waiter *all = calloc(h->n + 1, sizeof(*all));
	json_t *list = all ? json_array() : NULL;
	size_t n = 0;

	for (size_t i = 0; all && i < h->n; i++) {
		uint64_t at_ns = h->v[i].from_ns, from_ns = s->d->from_ns;

		if (!is_waiter(s, i))
			continue;
		all[n++] = (struct waiter){ at_ns > from_ns ? at_ns - from_ns : from_ns - at_ns, i };
		tell_task(s, h->v[i].task);
	}
	if (n)
		qsort(all, n, sizeof(*all), nearer);
	for (size_t i = 0; i < n && i < VIEW_WAITERS; i++)
		json_array_append_new(list, waiter_json(s, &h->v[all[i].row]));
	*ret_left_out = n > VIEW_WAITERS ? (json_int_t)(n - VIEW_WAITERS) : 0;
	return list;
}

/* Adds `waiters`, the number of tasks that waiting() finds, and the tasks themselves. Takes the reference. */
static json_t *with_waiters(json_t *o, const struct subject *s)
{
	json_int_t left_out = 0;
	json_t *list = waiting(s, &left_out);
	json_int_t n = (json_int_t)json_array_size(list) + left_out;

	if (!json_object_set_new(o, "waiting", list) && !json_object_set_new(o, "waiters", json_integer(n)))
		return o;
	json_decref(o);
	return NULL;
}

static json_t *hang_json(const struct subject *page, size_t i)
{
	const struct view *v = page->v;
	const struct hang *x = &v->hangs->v[i];
	const struct link *k = &x->diagnosis->chain[0];
	const struct subject s = { v, x->diagnosis, page->told };
	struct words t = { 0 };
	json_t *o;

	add_command(&t, v, "view");
	add_hang(&t, v, x);
	words_add(&t, " -o hang-%u.html", v->whole ? x->number : k->tid);
	o = json_pack("{s:I, s:I, s:o, s:o, s:o}", "pid", (json_int_t)k->pid, "tid", (json_int_t)k->tid,
		      "comm", text_json(k->comm), "text", text_json(x->diagnosis->sentence), "command",
		      command(&t));
	return with_waiters(with_time(o, v, x), &s);
}

/* Returns true if the page tells the row as its own hang: the task is in the chain, and so are all tasks for
 * which it waited. The row may be about another hang of a task of the chain. */
static bool is_told(const struct subject *page, size_t row)
{
	const struct hang *x = &page->v->hangs->v[row];
	const struct diagnosis *d = x->diagnosis;

	if (row == own_row(page->v))
		return in_chain(page->d, x->task);
	for (size_t i = 0; i < d->n_chain; i++)
		if (!in_chain(page->d, d->chain[i].task))
			return false;
	return overlaps(page->d, x);
}

/* A deadlock does not end by itself, so it comes first. Then come the hangs in the time of the page. */
static unsigned rank(const struct view *v, const struct hang *x)
{
	if (x->diagnosis->cause == CAUSE_CIRCULAR_WAIT)
		return 0;
	return overlaps(v->diagnosis, x) ? 1 : 2;
}

struct other {
	unsigned rank;
	uint64_t length_ns;
	size_t row;
};

static int before(const void *a, const void *b)
{
	const struct other *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->length_ns != y->length_ns ? (x->length_ns < y->length_ns) - (x->length_ns > y->length_ns)
					    : (x->row > y->row) - (x->row < y->row);
}

/* Finds the rows of the other hangs, by rank, and then the longest first: alarms only, one row for each hang,
 * as in the list of `ctrace hangs`. A task that waits because of the hang of the page is no other hang.
 * others has room for all rows. Returns the number of rows. */
static size_t other_rows(const struct subject *page, struct other *others)
{
	const struct hangs *h = page->v->hangs;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].alarm && h->v[i].first_row == i && !is_told(page, i) && !page->told[i])
			others[n++] =
				(struct other){ rank(page->v, &h->v[i]), h->v[i].to_ns - h->v[i].from_ns, i };
	if (n)
		qsort(others, n, sizeof(*others), before);
	return n;
}

json_t *view_hangs(const struct view *v)
{
	const struct hangs *h = v->hangs;
	_cleanup_free_ bool *told = calloc(h->n + 1, sizeof(*told));
	_cleanup_free_ struct other *rows = calloc(h->n + 1, sizeof(*rows));
	const struct subject page = { v, v->diagnosis, told };
	json_t *others, *o;
	size_t n;

	if (!told || !rows)
		return NULL;
	o = with_waiters(json_pack("{s:o, s:s}", "chosen", text_json(v->chosen), "where", v->where), &page);
	n = other_rows(&page, rows);
	for (size_t i = 0; i < n; i++) {
		const struct subject other = { v, h->v[rows[i].row].diagnosis, told };

		told[rows[i].row] = true;
		tell_task(&other, h->v[rows[i].row].task);
	}
	others = json_array();
	for (size_t i = 0; i < n && i < VIEW_HANGS; i++)
		json_array_append_new(others, hang_json(&page, rows[i].row));
	if (!json_object_set_new(o, "others", others) &&
	    !json_object_set_new(o, "others_left_out",
				 json_integer(n > VIEW_HANGS ? (json_int_t)(n - VIEW_HANGS) : 0)))
		return o;
	json_decref(o);
	return NULL;
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
