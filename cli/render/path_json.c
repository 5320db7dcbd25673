// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/path.h"

#include "report/cgroup_name.h"
#include "cli/text.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

static json_int_t mono(const struct path_view *v, uint64_t boot_ns)
{
	return clock_mono_ns(boot_ns, &v->g->w->offsets);
}

static json_t *resource_json(const struct path_view *v, enum resource_kind kind, uint64_t obj)
{
	char name[DESCRIBE_MAX];

	if (kind == RESOURCE_NONE)
		return json_null();
	describe_object(v->g->w, obj, name, sizeof(name));
	return json_pack("{s:s, s:o}", "kind", resource_kind_word(kind), "name", text_json(name));
}

static json_t *task_json(const struct path_view *v, uint32_t task)
{
	struct cgroup_name p = graph_place(v->g, task, v->to_ns);

	const char *cmdline = graph_cmdline(v->g, task, v->to_ns);

	if (task == GRAPH_NONE)
		return json_null();
	return render_cgroup_name(json_pack("{s:I, s:I, s:o, s:o*}", "pid",
					    (json_int_t)v->g->tasks[task].tgid, "tid",
					    (json_int_t)v->g->tasks[task].tid, "comm",
					    text_json(graph_comm(v->g, task, v->to_ns)), "cmdline",
					    cmdline[0] ? text_json(cmdline) : NULL),
				  &p);
}

/* Of a folded piece, only sums are known. */
static json_t *sums_json(const struct path_view *v, const struct path_piece *x)
{
	struct interval_sums sums;

	if (x->time != TIME_SHORT)
		return NULL;
	interval_sums(&v->g->intervals[x->interval], x->from_ns, x->to_ns, &sums);
	return json_pack("{s:I, s:I, s:I}", "running_ns", (json_int_t)sums.ran_ns, "runnable_ns",
			 (json_int_t)sums.queued_ns, "switches", (json_int_t)sums.switches);
}

static json_t *piece_json(const void *view, size_t i)
{
	const struct path_view *v = view;
	const struct path_piece *x = &v->path->pieces[i];
	const struct path_frame *f = &v->path->frames[x->frame];
	const struct blame *b = x->blame == GRAPH_NONE ? NULL : &v->path->leaf_blames[x->blame];
	struct cgroup_name p = graph_place(v->g, f->task, x->from_ns);
	json_t *reason = json_null();

	if (f->depth)
		reason = json_pack("{s:s, s:s, s:o}", "edge", edge_kind_name(f->blame.edge), "strength",
				   edge_strength_name(f->blame.strength), "resource",
				   resource_json(v, f->blame.kind, f->blame.obj));
	return render_cgroup_name(
		json_pack("{s:I, s:I, s:o, s:s, s:I, s:I, s:I, s:o, s:o, s:o*}", "pid",
			  (json_int_t)v->g->tasks[f->task].tgid, "tid", (json_int_t)v->g->tasks[f->task].tid,
			  "comm", text_json(graph_comm(v->g, f->task, x->from_ns)), "state",
			  time_kind_name((enum time_kind)x->time), "from_ns", mono(v, x->from_ns), "to_ns",
			  mono(v, x->to_ns), "depth", (json_int_t)f->depth, "resource",
			  b ? resource_json(v, b->kind, b->obj) : json_null(), "reason", reason, "sums",
			  sums_json(v, x)),
		&p);
}

static json_t *account_json(const struct path_view *v, enum account_group group)
{
	bool timed = group == ACCOUNT_WAIT || group == ACCOUNT_RESOURCE;
	char words[ACCOUNT_WORDS_MAX];
	json_t *rows = json_array();

	for (size_t i = 0; i < v->account->n_rows[group]; i++) {
		const struct account_row *r = &v->account->rows[group][i];
		enum resource_kind kind =
			r->obj && r->kind == RESOURCE_NONE ? resource_of_object(v->g->w, r->obj) : r->kind;

		account_words(v->g, group, r, words, sizeof(words));
		json_array_append_new(
			rows, json_pack("{s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "text", text_json(words), "ns",
					(json_int_t)r->ns, "within_ns", (json_int_t)r->within_ns, "count",
					(json_int_t)r->count, "state",
					timed ? json_string(time_kind_name(r->time)) : json_null(), "task",
					task_json(v, r->task), "resource", resource_json(v, kind, r->obj)));
	}
	return rows;
}

static json_t *without_json(const struct path_view *v, const struct whatif_without *w)
{
	bool wait = w->kind == WHATIF_WAIT || w->kind == WHATIF_WAITS;
	char words[ACCOUNT_WORDS_MAX];
	json_t *o;

	whatif_words(v->whatif, w, words, sizeof(words));
	o = json_pack(
		"{s:s, s:o, s:o}", "kind", whatif_kind_name(w->kind), "text", text_json(words), "task",
		task_json(v, w->kind == WHATIF_TASK || w->kind == WHATIF_PROCESS ? w->task : GRAPH_NONE));
	if (wait) {
		json_object_set_new(o, "from_ns",
				    json_integer(mono(v, v->g->intervals[w->interval].from_ns)));
		json_object_set_new(o, "to_ns", json_integer(mono(v, v->g->intervals[w->interval].to_ns)));
	}
	return o;
}

static json_t *answer_json(const struct path_view *v, const struct whatif_without *w, size_t n,
			   const struct whatif_row *row)
{
	json_t *without = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(without, without_json(v, &w[i]));
	return json_pack("{s:o, s:I, s:I}", "without", without, "saved_ns", (json_int_t)row->saved_ns,
			 "path_ns", (json_int_t)row->path_ns);
}

int render_path_json(const struct path_view *v)
{
	json_t *accounts = json_object(), *answers = json_array();
	char headline[PATH_HEADLINE_MAX];

	for (int i = 0; i < ACCOUNT_GROUPS; i++)
		json_object_set_new(accounts, account_group_name((enum account_group)i),
				    account_json(v, (enum account_group)i));
	if (v->n_without)
		json_array_append_new(answers, answer_json(v, v->without, v->n_without, &v->answer));
	for (size_t i = 0; i < v->n_table; i++)
		json_array_append_new(answers, answer_json(v, &v->table[i].without, 1, &v->table[i]));
	render_path_headline(v, headline);
	return text_print_json_items(
		json_pack("{s:s, s:o*, s:{s:I,s:I,s:s}, s:o, s:b, s:o, s:o}", "schema", "ctrace.path/1",
			  "victim", v->victim == GRAPH_NONE ? NULL : task_json(v, v->victim), "window",
			  "from_ns", mono(v, v->from_ns), "to_ns", mono(v, v->to_ns), "clock", "monotonic",
			  "text", text_json(headline), "truncated", v->path->truncated, "accounts", accounts,
			  "what_if", answers),
		"pieces", v->path->n_pieces, piece_json, v);
}
