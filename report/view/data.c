// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/data.h"

#include <string.h>

#include "report/walltime.h"
#include "report/analysis.h"
#include "report/cgroup_name.h"
#include "report/limit.h"
#include "report/plain.h"
#include "report/text.h"
#include "report/view/hangs.h"
#include "report/view/summary.h"
#include "report/view/tables.h"
#include "report/view/words.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/texts.h"

/* A reason is a text about an interval, with some more values. `reasons` has each reason once, and
 * a span (picture.h) has the number of its reason. After VIEW_REASONS reasons, a span gets a reason
 * that only says the state of the task, such as "sleeps". */
struct build {
	const struct view *v;
	struct texts keys; /* each reason as JSON text */
	/* [i]: the number of the reason whose JSON text has the index i in `keys` */
	VEC(json_int_t) numbers;
	json_t *reasons;
	json_int_t n_short;
	bool failed;
};

static json_int_t mono(const struct view *v, uint64_t boot_ns)
{
	return clock_mono_ns(boot_ns, &v->g->w->offsets);
}

static json_t *lane_number(const struct view *v, uint32_t task)
{
	uint32_t lane = task == GRAPH_NONE ? GRAPH_NONE : picture_lane(v->picture, task);

	return lane == GRAPH_NONE ? json_null() : json_integer(lane);
}

static json_t *taken(struct words *t)
{
	_cleanup_free_ char *s = words_take(t);

	return s ? text_json(s) : NULL;
}

static json_int_t number_of(struct build *b, json_t *reason);

/* enum time_kind has no value for a stopped task: the time of a stop is TIME_UNKNOWN. The member
 * "stopped" tells the page that the reason is a stop. Takes the reference to reason, and returns
 * it. NULL: out of memory. */
static json_t *mark_stopped(json_t *reason, enum time_kind time, bool stopped)
{
	if (!stopped || time != TIME_UNKNOWN || !json_object_set_new(reason, "stopped", json_true()))
		return reason;
	json_decref(reason);
	return NULL;
}

static json_int_t short_reason(struct build *b, enum time_kind time, bool stopped)
{
	b->n_short++;
	return number_of(b, mark_stopped(json_pack("{s:s, s:s}", "time", time_kind_name(time), "text",
						   view_time_words(time, stopped)),
					 time, stopped));
}

/* Returns the number of the reason, or -1: out of memory. Takes the reference. */
static json_int_t number_of(struct build *b, json_t *reason)
{
	_cleanup_free_ char *key = reason ? json_dumps(reason, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	size_t i = 0;

	b->failed |= !key || texts_add(&b->keys, key, &i);
	if (!b->failed && i == b->numbers.n)
		b->failed |= VEC_PUSH(&b->numbers, (json_int_t)json_array_size(b->reasons)) ||
			     json_array_append(b->reasons, reason);
	json_decref(reason);
	return b->failed ? -1 : b->numbers.v[i];
}

static json_int_t span_reason(struct build *b, const struct lane *l, const struct span *x)
{
	const struct graph *g = b->v->g;
	const struct interval *s = &g->intervals[x->interval];
	const struct blame *why = x->blame == GRAPH_NONE ? NULL : &l->blames.v[x->blame];
	bool stopped = view_is_stopped(g, x->interval);
	struct words text = { 0 }, by = { 0 };
	json_t *o;

	if (json_array_size(b->reasons) >= VIEW_REASONS)
		return short_reason(b, (enum time_kind)x->time, stopped);
	view_add_interval(&text, g, s, (enum time_kind)x->time, why);
	if (!why)
		return number_of(b, mark_stopped(json_pack("{s:s, s:o}", "time",
							   time_kind_name((enum time_kind)x->time), "text",
							   taken(&text)),
						 (enum time_kind)x->time, stopped));
	view_add_end(&by, g, b->v->diagnosis, s, why);
	o = json_pack("{s:s, s:o, s:o, s:o, s:b, s:s, s:o*}", "time", time_kind_name((enum time_kind)x->time),
		      "text", taken(&text), "by", taken(&by), "lane", lane_number(b->v, why->task), "certain",
		      render_is_sure((enum edge_kind)why->edge, (enum edge_strength)why->strength), "edge",
		      edge_kind_name(why->edge), "limit", view_is_limited(g, s, why) ? json_true() : NULL);
	return number_of(b, mark_stopped(o, (enum time_kind)x->time, stopped));
}

/* Returns how long the wait x went on after the task to blame for it (x->blame) had acted. 0: the task acted
 * at the end of the wait, or never. */
static json_int_t since_act(const struct lane *l, const struct span *x)
{
	const struct blame *why = &l->blames.v[x->blame];

	return why->until_ns < x->to_ns ? (json_int_t)(x->to_ns - MAX(why->until_ns, x->from_ns)) : 0;
}

static json_t *span_json(struct build *b, const struct lane *l, const struct span *x, uint64_t *at_ns)
{
	json_int_t skip = (json_int_t)(x->from_ns - *at_ns), ns = (json_int_t)(x->to_ns - x->from_ns);

	*at_ns = x->to_ns;
	if (x->n > 1 || x->time == TIME_SHORT)
		return json_pack("[I, I, i, I, I, I]", skip, ns, -1, (json_int_t)x->ran_ns,
				 (json_int_t)x->queued_ns, (json_int_t)x->n);
	if (x->blame == GRAPH_NONE)
		return json_pack("[I, I, I]", skip, ns, span_reason(b, l, x));
	return json_pack("[I, I, I, I, i]", skip, ns, span_reason(b, l, x), since_act(l, x), (int)x->kept);
}

static json_t *spans_json(struct build *b, const struct lane *l)
{
	uint64_t at_ns = b->v->picture->from_ns;
	json_t *spans = json_array();

	for (size_t i = 0; i < l->spans.n; i++)
		b->failed |= json_array_append_new(spans, span_json(b, l, &l->spans.v[i], &at_ns));
	return spans;
}

static const char *why_word(enum lane_why why)
{
	switch (why) {
	case LANE_CHAIN:
		return "chain";
	case LANE_PATH:
		return "path";
	case LANE_NEAR:
		break;
	}
	return "near";
}

static uint32_t main_thread(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t leader = graph_task_at(g, g->tasks[task].tgid, ts_ns);

	return leader == GRAPH_NONE ? task : leader;
}

/* Returns two times: how long before the picture the first interval begins, and how long after the picture
 * the last one ends. */
static json_t *beyond(const struct graph *g, const struct lane *l)
{
	const struct span *first = &l->spans.v[0], *last = &l->spans.v[l->spans.n - 1];

	return json_pack("[I, I]", (json_int_t)(first->from_ns - g->intervals[first->interval].from_ns),
			 (json_int_t)(last->n > 1 ? 0 : g->intervals[last->interval].to_ns - last->to_ns));
}

/* A task may change its name. The lane of a task of the chain has the name that the sentence of the
 * diagnosis uses. */
static const char *lane_comm(const struct view *v, const struct lane *l, uint64_t ts_ns)
{
	return l->why == LANE_CHAIN ? v->diagnosis->chain[l->link].comm : graph_comm(v->g, l->task, ts_ns);
}

static json_t *lane_json(struct build *b, const struct lane *l)
{
	const struct graph *g = b->v->g;
	const struct graph_task *t = &g->tasks[l->task];
	uint64_t at = MIN(b->v->picture->to_ns, t->exit_ns) - 1;
	struct cgroup_name place = graph_place(g, l->task, at);
	const char *cmdline = graph_cmdline(g, l->task, at);
	json_t *o =
		json_pack("{s:I, s:I, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:I}", "pid", (json_int_t)t->tgid,
			  "tid", (json_int_t)t->tid, "comm", text_json(lane_comm(b->v, l, at)), "process",
			  text_json(graph_comm(g, main_thread(g, l->task, at), at)), "why", why_word(l->why),
			  "link", l->why == LANE_CHAIN ? json_integer(l->link) : json_null(), "path_ns",
			  (json_int_t)l->path_ns, "wakes", (json_int_t)l->wakes, "intervals",
			  (json_int_t)l->n_intervals, "finest_ns", (json_int_t)l->finest_ns);

	if (!o)
		return NULL;
	if (cmdline[0])
		b->failed |= json_object_set_new(o, "cmdline", text_json(cmdline));
	if (!render_cgroup_name(o, &place))
		return NULL;
	if (l->spans.n)
		b->failed |= json_object_set_new(o, "beyond_ns", beyond(g, l));
	b->failed |= json_object_set_new(o, "spans", spans_json(b, l));
	return o;
}

static json_t *lanes_json(struct build *b)
{
	json_t *lanes = json_array();

	for (size_t i = 0; i < b->v->picture->lanes.n; i++)
		b->failed |= json_array_append_new(lanes, lane_json(b, &b->v->picture->lanes.v[i]));
	return lanes;
}

static json_t *piece_json(struct build *b, const struct route_piece *x)
{
	bool stopped = view_is_stopped(b->v->g, x->interval);
	json_t *reason = json_pack(
		"{s:s, s:s, s:s*, s:b}", "time", time_kind_name((enum time_kind)x->time), "text",
		view_time_words((enum time_kind)x->time, stopped), "by",
		x->edge ? view_edge_words((enum edge_kind)x->edge, (enum resource_kind)x->resource) : NULL,
		"certain",
		!x->edge || render_is_sure((enum edge_kind)x->edge, (enum edge_strength)x->strength));

	return json_pack("[I, o, I, I]", (json_int_t)(x->to_ns - x->from_ns), lane_number(b->v, x->task),
			 number_of(b, mark_stopped(reason, (enum time_kind)x->time, stopped)),
			 (json_int_t)x->n);
}

static json_t *path_json(struct build *b)
{
	const struct picture *p = b->v->picture;
	json_t *pieces = json_array();
	struct words note = { 0 };

	view_add_writer(&note, b->v->diagnosis);
	for (size_t i = 0; i < p->route.n; i++)
		b->failed |= json_array_append_new(pieces, piece_json(b, &p->route.v[i]));
	return json_pack("{s:b, s:I, s:I, s:I, s:o*, s:o}", "truncated", b->v->path->truncated, "finest_ns",
			 (json_int_t)p->route_finest_ns, "count", (json_int_t)b->v->path->n_pieces, "from_ns",
			 (json_int_t)(b->v->diagnosis->from_ns - p->from_ns), "note",
			 note.n ? taken(&note) : NULL, "pieces", pieces);
}

static json_t *gaps_json(const struct picture *p)
{
	json_t *gaps = json_array();

	for (size_t i = 0; i < p->gaps.n; i++) {
		const struct gap_stretch *x = &p->gaps.v[i];

		json_array_append_new(
			gaps, json_pack("{s:I, s:I, s:o, s:I, s:I, s:s}", "from_ns",
					(json_int_t)(x->from_ns - p->from_ns), "to_ns",
					(json_int_t)(x->to_ns - p->from_ns), "cpu",
					x->cpu == CT_GAP_ALL_CPUS ? json_null() : json_integer(x->cpu),
					"gaps", (json_int_t)x->n, "records", (json_int_t)x->records, "cause",
					describe_loss(x->cause)));
	}
	return gaps;
}

static json_t *lacking_json(const struct picture *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->lacking.n; i++) {
		const struct lacking_stretch *x = &p->lacking.v[i];
		struct words t = { 0 };

		view_add_lacks(&t, x->lacks);
		json_array_append_new(list, json_pack("{s:I, s:I, s:b, s:o}", "from_ns",
						      (json_int_t)(x->from_ns - p->from_ns), "to_ns",
						      (json_int_t)(x->to_ns - p->from_ns), "coarse",
						      !!(x->lacks & (CT_LACK_SWITCHES | CT_LACK_PAUSES)),
						      "text", taken(&t)));
	}
	return list;
}

/* Returns true for the last link, and for the tasks that wait for each other. */
static bool is_root(const struct diagnosis *d, size_t i)
{
	return i + 1 == d->n_chain || i >= d->cycle;
}

/* Returns true if the last link waits for an earlier link. */
static bool closes_circle(const struct diagnosis *d)
{
	return d->cycle + 1 < d->n_chain;
}

/* Who had the CPU while the task of link i waited for one. null: the link is no such wait. */
static json_t *cpu_json(const struct diagnosis *d, size_t i)
{
	const struct cpu_use *c = &d->cpu;

	if (i + 1 == d->n_chain || d->chain[i].edge != EDGE_CPU)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:b}", "wait_ns", (json_int_t)c->wait_ns, "next_ns",
			 (json_int_t)c->ns, "others_ns", (json_int_t)c->others_ns, "idle_ns",
			 (json_int_t)c->idle_ns, "lost_ns", (json_int_t)c->lost_ns, "sampled", c->sampled);
}

/* The choices of the diagnosis at this task that no rule and no person decided. */
static json_t *choices_json(const struct diagnosis *d, uint32_t task)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->n_choices; i++)
		if (!d->choices[i].settled && d->choices[i].task == task)
			json_array_append_new(list, text_json(d->choices[i].text));
	return list;
}

static json_t *summary_json(const struct view *v)
{
	struct words blame = { 0 }, victim = { 0 }, sure = { 0 };

	summary_add_blame(&blame, v->diagnosis);
	summary_add_victim(&victim, v->g, v->diagnosis);
	summary_add_sure(&sure, v->diagnosis);
	return json_pack("{s:o, s:o, s:o, s:s, s:s?}", "blame", taken(&blame), "victim", taken(&victim),
			 "sure", taken(&sure), "verdict", plain_verdict(v->diagnosis->verdict), "cause",
			 plain_cause(v->diagnosis->cause));
}

static json_t *link_json(const struct view *v, size_t i)
{
	const struct diagnosis *d = v->diagnosis;
	const struct link *k = &d->chain[i];
	bool last = i + 1 == d->n_chain, waits = !last || closes_circle(d);
	struct words text = { 0 }, t = { 0 }, limit = { 0 };

	limit_add(&limit, k);
	if (waits) {
		summary_add_link(&text, d, i, last ? d->cycle : i + 1);
		view_add_notes(&t, v->g, d, i);
	}
	return json_pack(
		"{s:o, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o*, s:o, s:o}",
		"lane", lane_number(v, k->task), "root", is_root(d, i), "thing", plain_resource(k->kind),
		"total_ns", (json_int_t)k->total_ns, "waits", (json_int_t)k->waits, "timeouts",
		(json_int_t)k->timeouts, "sure_waits", (json_int_t)k->sure_waits, "longest_ns",
		(json_int_t)k->longest_ns, "running_ns", (json_int_t)k->running_ns, "runnable_ns",
		(json_int_t)k->runnable_ns, "other_ns", (json_int_t)k->other_ns, "before_ns",
		(json_int_t)k->before_ns, "doubted", view_is_doubted(d, i), "certain",
		waits ? json_boolean(summary_is_certain(d, i)) : json_null(), "how",
		waits ? json_string(view_edge_words(k->edge, k->kind)) : json_null(), "text",
		waits ? taken(&text) : json_null(), "notes", taken(&t), "limit",
		limit.n ? taken(&limit) : NULL, "cpu", cpu_json(d, i), "choices", choices_json(d, k->task));
}

static json_t *story_json(const struct view *v)
{
	json_t *story = json_array();

	for (size_t i = 0; i < v->diagnosis->n_chain; i++)
		json_array_append_new(story, link_json(v, i));
	return story;
}

/* Finds the longest wait of the last link, and returns the blame for it. Only waits of the same
 * kind and for the same object as the link count. NULL: there is no such wait. */
static const struct blame *last_blame(const struct view *v)
{
	const struct link *k = &v->diagnosis->chain[v->diagnosis->n_chain - 1];
	uint32_t lane = picture_lane(v->picture, k->task);
	const struct lane *l = lane == GRAPH_NONE ? NULL : &v->picture->lanes.v[lane];
	const struct blame *best = NULL;
	uint64_t best_ns = 0;

	for (size_t i = 0; l && i < l->spans.n; i++) {
		const struct span *x = &l->spans.v[i];
		uint64_t from_ns = MAX(x->from_ns, k->from_ns), to_ns = MIN(x->to_ns, k->to_ns);
		const struct blame *b = x->blame == GRAPH_NONE ? NULL : &l->blames.v[x->blame];

		if (b && v->g->intervals[x->interval].wait == k->wait && b->obj == k->obj &&
		    to_ns > from_ns && to_ns - from_ns > best_ns) {
			best_ns = to_ns - from_ns;
			best = b;
		}
	}
	return best;
}

static json_t *doubt_json(const struct view *v, enum doubt doubt)
{
	const struct link *last = &v->diagnosis->chain[v->diagnosis->n_chain - 1];
	const struct blame *b = last_blame(v);
	struct words t = { 0 };

	if (doubt == DOUBT_CHOICE) {
		view_add_choices(&t, v->diagnosis);
		return taken(&t);
	}
	if (doubt == DOUBT_LEAF && last->kind == RESOURCE_TIMER)
		return json_string(
			last->timeouts
				? "A time limit ended the wait of the last task. The trace does not show whether the task awaited an event too."
				: "A timer ended the wait of the last task. The trace does not show whether the task awaited another event too.");
	if (doubt != DOUBT_LEAF || !b || !view_is_ended(b))
		return json_string(view_doubt_words(doubt));
	view_add_ended(&t, v->g, v->diagnosis, b);
	return taken(&t);
}

static json_t *doubts_json(const struct view *v)
{
	json_t *doubts = json_array();

	for (unsigned i = 0; i < DOUBTS; i++)
		if (v->diagnosis->doubts >> i & 1)
			json_array_append_new(doubts, doubt_json(v, (enum doubt)i));
	return doubts;
}

static bool add_tables(json_t *doc, const struct view *v)
{
	size_t more_services, more_queues;
	json_t *services = view_services(v, &more_services);
	json_t *queues = view_queues(v, &more_queues);

	return json_object_set_new(doc, "services", services ? services : json_null()) ||
	       json_object_set_new(doc, "services_left_out", json_integer((json_int_t)more_services)) ||
	       json_object_set_new(doc, "queues", queues ? queues : json_null()) ||
	       json_object_set_new(doc, "queues_left_out", json_integer((json_int_t)more_queues));
}

json_t *view_data(const struct view *v)
{
	struct build b = { .v = v, .reasons = json_array() };
	const struct picture *p = v->picture;
	char wall[WALLTIME_MAX], zone[WALLTIME_ZONE_MAX];
	json_t *lanes = lanes_json(&b), *path = path_json(&b);
	json_t *doc = json_pack(
		"{s:s, s:o, s:s, s:s, s:{s:I, s:I, s:s}, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}",
		"schema", "ctrace.view/1", "trace", text_json(v->trace), "begin",
		walltime_text(p->from_ns, &v->g->w->offsets, 9, wall), "zone",
		walltime_zone(p->from_ns, &v->g->w->offsets, zone), "window", "from_ns", mono(v, p->from_ns),
		"to_ns", mono(v, p->to_ns), "clock", "monotonic", "diagnosis",
		render_diagnosis_json(v->g, v->diagnosis), "doubts", doubts_json(v), "summary",
		summary_json(v), "hangs", view_hangs(v), "next", view_next(v), "story", story_json(v), "path",
		path, "gaps", gaps_json(p), "lacking", lacking_json(p), "reasons", b.reasons, "lanes", lanes,
		"tasks_left_out", (json_int_t)p->n_left_out, "texts_left_out", b.n_short);

	texts_done(&b.keys);
	VEC_FREE(&b.numbers);
	if (v->tables && doc)
		b.failed |= add_tables(doc, v);
	if (b.failed) {
		json_decref(doc);
		return NULL;
	}
	return doc;
}
