// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare/across.h"

#include <errno.h>
#include <string.h>

#include "analysis/profile/role.h"
#include "analysis/slice/candidate.h"
#include "analysis/thresholds.h"
#include "ctrace/glibc.h"
#include "lib/cleanup.h"
#include "trace/words/cmdline.h"
#include "trace/words/describe.h"
#include "trace/words/texts.h"

static uint64_t last_ns(const struct graph *g, uint32_t task)
{
	return MIN(g->tasks[task].exit_ns - 1, g->w->to_ns);
}

/* Writes the name of the program, or of the script that an interpreter runs. If the code comes from
 * an option -c or -e of the interpreter, writes the option and the code. Writes "" if the command
 * line is not known. */
static const char *script_of(const struct graph *g, uint32_t task, char buf[ROLE_MAX])
{
	char brief[CMDLINE_SHORT_MAX];

	cmdline_short(graph_cmdline(g, task, last_ns(g, task)), "", CMDLINE_SHORT_MAX - 4, brief);
	if (!brief[0]) {
		buf[0] = '\0';
		return buf;
	}
	brief[strlen(brief) - 1] = '\0';
	if (strncmp(brief, " (-", 3) != 0)
		brief[2 + strcspn(brief + 2, " ")] = '\0';
	return role_path(brief + 2, buf, ROLE_MAX);
}

bool across_role(const struct graph *g, uint32_t task, const struct graph *good, uint32_t other)
{
	char a[ROLE_MAX], b[ROLE_MAX];

	if (texts_order(role_task(g, task, last_ns(g, task), a),
			role_task(good, other, last_ns(good, other), b)) != 0)
		return false;
	script_of(g, task, a);
	script_of(good, other, b);
	return !a[0] || !b[0] || !texts_order(a, b);
}

enum relation across_relation(const struct graph *g, uint32_t of, uint32_t task)
{
	const struct graph_task *a = &g->tasks[of], *b = &g->tasks[task];

	if (a->tgid == b->tgid)
		return RELATION_THREAD;
	if (b->ptgid == a->tgid)
		return RELATION_CHILD;
	return a->ptgid == b->tgid ? RELATION_PARENT : RELATION_OTHER;
}

static bool same_in_page(uint64_t a, uint64_t b)
{
	uint64_t x = a & (ACROSS_PAGE_BYTES - 1), y = b & (ACROSS_PAGE_BYTES - 1);

	return MAX(x, y) - MIN(x, y) < sizeof(struct glibc_cond);
}

/* Leaves out an offset such as "+0x28", because a condition variable has two futexes. */
static size_t symbol_len(const char *name)
{
	return strcspn(name, "+");
}

static bool same_name(const char *a, const char *b)
{
	return symbol_len(a) == symbol_len(b) && !memcmp(a, b, symbol_len(a));
}

float across_place(const struct graph *g, const struct interval *a, const struct graph *good,
		   const struct interval *b)
{
	unsigned kind = CT_OBJ_KIND(a->obj);
	char x[DESCRIBE_MAX], y[DESCRIBE_MAX];
	bool late, good_late;

	if (a->wait != b->wait || a->nr != b->nr || kind != CT_OBJ_KIND(b->obj) ||
	    !graph_futex_owner(g, a) != !graph_futex_owner(good, b))
		return 0;
	role_object(g, a->obj, x, sizeof(x), &late);
	role_object(good, b->obj, y, sizeof(y), &good_late);
	if (x[0] && y[0])
		return same_name(x, y) ? 1 : 0;
	if (kind == CT_OBJ_FUTEX && same_in_page(a->obj, b->obj))
		return 1;
	/* If only `a` has a name, and the name is not from an inspection, the places differ. */
	return x[0] && !late ? 0 : SIMILAR_OTHER_OBJECT;
}

static float stacks_alike(const struct graph *g, const struct interval *a, const struct graph *good,
			  const struct interval *b)
{
	uint64_t x = graph_visit(g, a) != GRAPH_NONE ? graph_visit_stack(g, a) : 0;
	uint64_t y = graph_visit(good, b) != GRAPH_NONE ? graph_visit_stack(good, b) : 0;

	return candidate_frames_alike(x ? window_stack(g->w, x) : NULL, y ? window_stack(good->w, y) : NULL);
}

bool across_same_place(const struct graph *g, const struct interval *a, const struct graph *good,
		       const struct interval *b)
{
	float place = across_place(g, a, good, b), alike = stacks_alike(g, a, good, b);

	if (place <= 0)
		return false;
	if (alike >= 0)
		return alike >= MISSING_GOOD_SCORE;
	return place >= 1 || CT_OBJ_KIND(a->obj) != CT_OBJ_FUTEX;
}

/* Returns true if some of what the task did before the interval is not recorded. */
static bool is_cut(const struct graph *g, uint32_t interval)
{
	const struct graph_task *t = &g->tasks[g->intervals[interval].task];

	for (uint32_t i = interval; i > t->first_interval; i--) {
		if (interval - i == SIMILAR_INTERVALS)
			return false;
		if (g->intervals[i - 1].state == INTERVAL_FOLDED ||
		    g->intervals[i - 1].state == INTERVAL_UNKNOWN)
			return true;
	}
	return !t->born_ns;
}

struct search {
	const struct graph *g, *good;
	uint32_t interval;
	struct signature mine;
	bool cut;
	struct across_set *ret;
};

static bool ends_as_awaited(const struct search *s, uint32_t other, struct blame *ret)
{
	const struct interval *x = &s->good->intervals[other];
	uint8_t kind, strength;

	edge_classify(s->good, x, &s->good->w->events[x->wake], &kind, &strength);
	if (kind == EDGE_TIMER)
		return false;
	blame_wait(s->good, other, x->to_ns, ret);
	return ret->ended && !ret->killed && !ret->timed_out;
}

static int consider(struct search *s, uint32_t other)
{
	const struct interval *a = &s->g->intervals[s->interval], *x = &s->good->intervals[other];
	struct similar_set *set = &s->ret->set;
	struct similar found = { .interval = other };
	struct signature its;
	float place, alike;

	if (x->state != INTERVAL_BLOCKED || x->wake == GRAPH_NONE || x->wait != a->wait || x->nr != a->nr)
		return 0;
	if (set->v.n == SIMILAR_MAX || set->looked == SIMILAR_LOOKS) {
		set->refused++;
		return 0;
	}
	place = across_place(s->g, a, s->good, x);
	if (place <= 0)
		return 0;
	set->looked++;
	if (!ends_as_awaited(s, other, &found.blame))
		return 0;
	similar_signature(s->good, other, &its);
	if (s->cut)
		its.n = MIN(its.n, s->mine.n);
	alike = stacks_alike(s->g, a, s->good, x);
	if (place >= 1 || alike >= 0)
		s->ret->blind = false;
	if (alike < 0)
		alike = place < 1 ? 0.5F : 1;
	found.score = place * similar_score(&s->mine, &its) * (SIMILAR_STACK + (1 - SIMILAR_STACK) * alike);
	return VEC_PUSH(&set->v, found);
}

int across_find(const struct graph *g, uint32_t interval, const struct graph *good, struct across_set *ret)
{
	struct search s = { .g = g, .good = good, .interval = interval, .ret = ret };
	uint32_t me = g->intervals[interval].task;
	int r = 0;

	*ret = (struct across_set){ 0 };
	similar_signature(g, interval, &s.mine);
	s.cut = is_cut(g, interval);
	ret->blind = s.mine.n <= 1;
	for (uint32_t i = 0; i < good->n_tasks && !r; i++) {
		const struct graph_task *t = &good->tasks[i];

		if (!t->n_intervals || !across_role(g, me, good, i))
			continue;
		if (ret->mates++ == SIMILAR_TASKS) {
			ret->set.refused++;
			break;
		}
		for (uint32_t at = t->first_interval + t->n_intervals; at > t->first_interval && !r; at--)
			r = consider(&s, at - 1);
	}
	return r;
}
