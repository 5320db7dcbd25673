// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/shedding.h"

#include <inttypes.h>

#include "report/text.h"
#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

static void note_cap(struct shedding *s, const struct ct_rec *r)
{
	s->left_out += ct_cap_records(r);
	for (unsigned i = 0; i < s->n_capped; i++)
		if (s->capped[i] == r->tid)
			return;
	if (s->n_capped < SHEDDING_TASKS)
		s->capped[s->n_capped++] = r->tid;
}

static void note_group(struct shedding *s, const struct window_event *e, uint64_t since_ns)
{
	bool cgroup = e->r.flags & CT_GV_CGROUP;
	unsigned i = 0;

	s->left_out += ct_cap_records(&e->r);
	while (i < s->n_groups && (s->groups[i].id != e->r.obj || s->groups[i].cgroup != cgroup))
		i++;
	if (i == SHEDDING_GROUPS)
		return;
	if (i == s->n_groups)
		s->groups[s->n_groups++] = (struct shedding_group){ .id = e->r.obj, .cgroup = cgroup };
	if (e->r.ts > since_ns)
		s->groups[i].ns += e->r.ts - since_ns;
}

/* Keeps `step` if it leaves out at least as much as s->step. */
static void note_step(struct shedding *s, enum ct_shed step)
{
	uint32_t most = ct_shed_lacks(s->step), now = ct_shed_lacks(step);

	if ((now & most) == most && now)
		s->step = step;
}

void shedding_note(struct shedding *s, const struct window *w, const struct window_event *e)
{
	const uint64_t *x = window_words(w, e);

	if (e->r.kind == CT_SHED && e->r.flags & CT_GV_GROUP) {
		if (!(e->r.flags & CT_GV_CAP))
			note_group(s, e, x[0]);
	} else if (e->r.kind == CT_SHED && e->r.flags & CT_GV_CAP) {
		note_cap(s, &e->r);
	} else if (e->r.kind == CT_SHED) {
		note_step(s, ct_shed_step(&e->r));
		note_step(s, ct_shed_step_before(&e->r));
		s->blind |= e->r.flags & CT_GV_BLIND;
	} else if (e->r.kind == CT_GAP && ct_gap_cause(&e->r) == CT_LOSS_SHED && x[1] > x[0]) {
		s->paused_ns += x[1] - x[0];
	}
}

void shedding_look(struct shedding *s, const struct window *w, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = window_next_words(w, 0); i < w->n_events; i = window_next_words(w, i + 1)) {
		const struct window_event *e = &w->events[i];
		bool shed = e->r.kind == CT_SHED || e->r.kind == CT_GAP;

		/* the first word is the start of the time that the record is about */
		if (shed && window_words(w, e)[0] < to_ns && e->r.ts >= from_ns)
			shedding_note(s, w, e);
	}
}

bool shedding_any(const struct shedding *s)
{
	return s->step || s->blind || s->n_capped || s->n_groups;
}

void shedding_print(FILE *f, const char *label, const struct shedding *s)
{
	static const char *const what[CT_SHED_STEPS] = {
		[CT_SHED_SAMPLES] = "no samples of long runs",
		[CT_SHED_STACKS] = "no samples and no stacks of long waits",
		[CT_SHED_MESSAGES] = "no samples, stacks and messages",
		[CT_SHED_WAKES] = "no samples, stacks, messages and objects of wakes",
		[CT_SHED_WAITS] = "only runs, waits and wakes, without their objects",
		[CT_SHED_PAUSE] = "only runs, waits and wakes, without their objects, and not all the time",
		[CT_SHED_HOOKS] = "no messages, and not which interrupt woke a task",
		[CT_SHED_COARSE] = "only waits of 8 ms or more, and sums of the shorter ones",
		[CT_SHED_PAUSES] = "only waits of 8 ms or more, and not all the time",
	};
	char d[TEXT_NUMBER_MAX], n[TEXT_NUMBER_MAX];

	if (s->step && s->step < CT_SHED_STEPS)
		fprintf(f,
			"%s to keep within its budget the daemon recorded %s (step \"%s\") for parts of this time.\n",
			label, what[s->step], describe_shed(s->step));
	if (s->blind && !(ct_shed_lacks(s->step) & CT_LACK_STACKS))
		fprintf(f,
			"%s to keep within its budget the daemon recorded no stacks of long waits for parts of this time.\n",
			label);
	if (s->paused_ns)
		fprintf(f,
			"%s nothing at all was recorded for %s; the states of tasks in that time are unknown.\n",
			label, text_duration(s->paused_ns, d));
	if (s->n_capped)
		fprintf(f,
			"%s records of %u task%s that made too many; the states of %s are unknown for parts of this time.\n",
			label, s->n_capped, text_s(s->n_capped),
			s->n_capped == 1 ? "this task" : "these tasks");
	for (unsigned i = 0; i < s->n_groups; i++)
		fprintf(f,
			"%s records of the tasks of %s %" PRIu64
			", which made too many, for %s; the states of those tasks that ran in that time are unknown.\n",
			label, s->groups[i].cgroup ? "control group" : "user", s->groups[i].id,
			text_duration(s->groups[i].ns, d));
	if (s->left_out)
		fprintf(f, "%s %s records of tasks in all.\n", label, text_count(s->left_out, n));
}

static json_t *groups_json(const struct shedding *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < s->n_groups; i++)
		json_array_append_new(list, json_pack("{s:I,s:I}", s->groups[i].cgroup ? "cgroup" : "user",
						      (json_int_t)s->groups[i].id, "ns",
						      (json_int_t)s->groups[i].ns));
	return list;
}

json_t *shedding_json(const struct shedding *s)
{
	json_t *tids = json_array();

	if (!shedding_any(s)) {
		json_decref(tids);
		return NULL;
	}
	for (unsigned i = 0; i < s->n_capped; i++)
		json_array_append_new(tids, json_integer(s->capped[i]));
	return json_pack("{s:s,s:I,s:I,s:o,s:o,s:o*}", "step", describe_shed(s->step), "paused_ns",
			 (json_int_t)s->paused_ns, "left_out", (json_int_t)s->left_out, "capped", tids,
			 "groups", groups_json(s), "blind", s->blind ? json_true() : NULL);
}
