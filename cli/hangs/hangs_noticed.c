// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/hangs/hangs_noticed.h"

#include <stdio.h>

#include "analysis/hangs/hangs.h"
#include "report/cgroup_name.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "ctrace/fields.h"
#include "report/walltime.h"
#include "trace/words/describe.h"

static uint64_t since(const struct window *w, const struct window_event *e)
{
	uint64_t ns = window_words(w, e)[0];

	return MIN(ns, e->r.ts);
}

/* Returns true if a part of the hang is at the moment. */
static bool is_at(const struct analysis_input *in, const struct timearg_moment *at,
		  const struct window_event *e)
{
	uint32_t task = graph_task_at(in->graph, e->r.tid, e->r.ts);
	bool looped = ct_hang_rule(&e->r) != CT_HANG_DISK && ct_hang_rule(&e->r) != CT_HANG_DEADLOCK;
	uint64_t since_ns = since(in->window, e), end_ns = e->r.ts;

	if (task != GRAPH_NONE && !ct_hang_is_crash(ct_hang_rule(&e->r)))
		end_ns = hangs_end(in->graph, task, since_ns, e->r.ts, looped);
	return since_ns < at->to_ns && end_ns >= at->from_ns;
}

static bool is_noticed(const struct analysis_input *in, const struct selector *who,
		       const struct timearg_moment *at, const struct window_event *e)
{
	return (!at->to_ns || e->r.kind != CT_HANG || is_at(in, at, e)) && e->r.kind == CT_HANG &&
	       e->r.ts >= in->from_ns && e->r.ts < in->to_ns &&
	       selector_fits(who, in->window, e->r.tid, e->r.ts);
}

static const char *comm_of(const struct analysis_input *in, const struct window_event *e)
{
	const struct window_task *t = window_task_at(in->window, e->r.tid, e->r.ts);

	return t ? t->comm : "";
}

void hangs_noticed_print(const struct analysis_input *in, const struct selector *who,
			 const struct timearg_moment *at)
{
	const struct window *w = in->window;
	bool any = false;

	for (size_t i = window_next_words(w, 0); i < w->n_events; i = window_next_words(w, i + 1)) {
		const struct window_event *e = &w->events[i];
		char comm[64], place[CGROUP_NAME_MAX + 1], wall[WALLTIME_MAX], ns[TEXT_NUMBER_MAX];
		struct cgroup_name p;
		bool crashed;

		if (!is_noticed(in, who, at, e))
			continue;
		if (!any)
			printf("Noticed by ctraced as it happened:\n");
		any = true;
		describe_clean(comm_of(in, e), comm, sizeof(comm));
		p = cgroup_name_of(w, e->r.tid, e->r.ts);
		crashed = ct_hang_is_crash(ct_hang_rule(&e->r));
		printf("      %s %8s  %s[%u]%s, by the rule %s%s\n",
		       walltime_text(e->r.ts, &w->offsets, 1, wall),
		       crashed ? "" : text_duration(e->r.ts - since(w, e), ns), comm, e->r.tid,
		       render_at(&p, place), describe_hang(ct_hang_rule(&e->r)),
		       crashed ? ": 'ctrace crashes' says more" : "");
	}
}

static json_int_t mono(const struct analysis_input *in, uint64_t boot_ns)
{
	return clock_mono_ns(boot_ns, &in->window->offsets);
}

static json_t *noticed_row(const struct analysis_input *in, const struct window_event *e)
{
	const struct window_task *t = window_task_at(in->window, e->r.tid, e->r.ts);
	const char *syscall = describe_syscall(in->window->machine, e->r.nr);
	struct cgroup_name p = cgroup_name_of(in->window, e->r.tid, e->r.ts);
	char object[DESCRIBE_MAX];
	json_t *row;

	describe_object(in->window, e->r.obj, object, sizeof(object));
	row = json_pack("{s:I,s:I,s:o,s:s,s:I,s:I,s:I,s:s,s:s,s:o,s:I}", "pid",
			(json_int_t)(t ? t->tgid : e->r.tid), "tid", (json_int_t)e->r.tid, "comm",
			text_json(comm_of(in, e)), "rule", describe_hang(ct_hang_rule(&e->r)), "since_ns",
			mono(in, since(in->window, e)), "found_ns", mono(in, e->r.ts), "threshold_ns",
			(json_int_t)window_words(in->window, e)[1], "wait",
			describe_wait(ct_hang_wait(&e->r)), "syscall", syscall ? syscall : "", "object",
			text_json(object), "peer", (json_int_t)ct_hang_blocker(&e->r));
	return render_cgroup_name(row, &p);
}

json_t *hangs_noticed_json(const struct analysis_input *in, const struct selector *who,
			   const struct timearg_moment *at)
{
	const struct window *w = in->window;
	json_t *rows = json_array();

	for (size_t i = window_next_words(w, 0); i < w->n_events; i = window_next_words(w, i + 1))
		if (is_noticed(in, who, at, &w->events[i]))
			json_array_append_new(rows, noticed_row(in, &w->events[i]));
	return rows;
}
