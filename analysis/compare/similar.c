// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare/similar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "analysis/slice/candidate.h"
#include "analysis/thresholds.h"
#include "ctrace/glibc.h"
#include "lib/cleanup.h"
#include "lib/hash.h"

enum token { TOKEN_WAIT = 1, TOKEN_SEND, TOKEN_RECV, TOKEN_WOKE, TOKEN_BORN };

/* A token of a wait has the kind of edge that ended the wait. The first token has RESULT_OPEN
 * instead, because its wait may not have ended yet. */
#define RESULT_OPEN 0xff

static uint32_t make_token(enum token what, unsigned a, unsigned b, unsigned c)
{
	return (uint32_t)what << 28 | (a & 0x3f) << 22 | (b & 0x3ff) << 12 | (c & 0xfff);
}

bool similar_is_chance(const struct graph *g, const struct interval *s)
{
	return (s->wait == CT_W_FUTEX && graph_futex_owner(g, s)) || s->wait == CT_W_FAULT ||
	       s->wait == CT_W_STOPPED || s->st & CT_ST_DISK || s->flags & CT_SF_IOWAIT;
}

struct builder {
	struct signature *s;
	uint32_t period;
	uint32_t end;
};

static void fold(struct builder *b)
{
	struct signature *s = b->s;

	for (uint32_t p = 1; p <= SIMILAR_PERIOD && 2 * p <= s->n; p++)
		if (!memcmp(&s->token[s->n - p], &s->token[s->n - 2 * p], p * sizeof(*s->token))) {
			s->n -= p;
			b->period = p;
			b->end = s->n;
			return;
		}
}

static void push(struct builder *b, uint32_t token)
{
	if (b->s->n == SIMILAR_TOKENS)
		return;
	b->s->token[b->s->n++] = token;
	fold(b);
}

/* Drops an incomplete repeat at the end of the signature. The rest of this repeat is beyond a
 * limit, or outside of the window. */
static void finish(struct builder *b)
{
	uint32_t rest = b->s->n - b->end;

	if (rest < b->period &&
	    !memcmp(&b->s->token[b->end], &b->s->token[b->end - b->period], rest * sizeof(*b->s->token)))
		b->s->n = b->end;
}

static unsigned result_of(const struct graph *g, const struct interval *s)
{
	uint8_t kind, strength;

	if (s->wake == GRAPH_NONE)
		return 0;
	edge_classify(g, s, &g->w->events[s->wake], &kind, &strength);
	return kind;
}

static uint32_t event_token(const struct window_event *e, uint32_t tid)
{
	unsigned kind = CT_OBJ_KIND(e->r.obj);

	switch (e->r.kind) {
	case CT_SEND:
		return e->r.tid == tid ? make_token(TOKEN_SEND, kind, 0, 0) : 0;
	case CT_RECV:
		return e->r.tid == tid ? make_token(TOKEN_RECV, kind, 0, 0) : 0;
	case CT_WAKE:
		/* the message that made a socket readable (CT_WF_READY) has a token already */
		if (ct_wake_waker(&e->r) != tid || ct_wake_context(&e->r) != CT_CTX_TASK ||
		    e->r.flags & CT_WF_READY)
			return 0;
		return make_token(TOKEN_WOKE, kind, 0, 0);
	default:
		return 0;
	}
}

static void push_run(const struct graph *g, const struct interval *s, struct builder *b)
{
	size_t from = window_lower_bound(g->w, s->from_ns), to = window_lower_bound(g->w, s->to_ns);

	size_t dropped = graph_dropped_before(g, s->to_ns), seen = 0;

	for (size_t i = to; i > from; i--, seen++) {
		uint32_t token;

		for (; dropped && g->dropped[dropped - 1].next >= i; dropped--)
			seen++;
		if (seen >= SIMILAR_EVENTS)
			break;
		token = event_token(&g->w->events[i - 1], g->tasks[s->task].tid);
		if (token)
			push(b, token);
	}
}

static void push_wait(struct builder *b, const struct interval *s, unsigned result)
{
	push(b, make_token(TOKEN_WAIT, s->wait, s->nr, (unsigned)CT_OBJ_KIND(s->obj) << 6 | (result & 0x3f)));
}

void similar_signature(const struct graph *g, uint32_t interval, struct signature *ret)
{
	const struct interval *s = &g->intervals[interval];
	uint32_t first = g->tasks[s->task].first_interval, i;
	struct builder b = { .s = ret };

	ret->n = 0;
	push_wait(&b, s, RESULT_OPEN);
	for (i = interval; i > first && interval - i < SIMILAR_INTERVALS && ret->n < SIMILAR_TOKENS; i--) {
		s = &g->intervals[i - 1];
		if (s->state == INTERVAL_FOLDED)
			break;
		if (s->state == INTERVAL_RUNNING)
			push_run(g, s, &b);
		else if (s->state == INTERVAL_BLOCKED && !similar_is_chance(g, s))
			push_wait(&b, s, result_of(g, s));
	}
	if (i == first && g->tasks[s->task].born_ns)
		push(&b, make_token(TOKEN_BORN, 0, 0, 0));
	else
		finish(&b);
}

float similar_score(const struct signature *a, const struct signature *b)
{
	uint8_t len[SIMILAR_TOKENS + 1] = { 0 };

	for (uint32_t i = 0; i < a->n; i++) {
		uint8_t before = 0;

		for (uint32_t j = 0; j < b->n; j++) {
			uint8_t up = len[j + 1];

			if (a->token[i] == b->token[j])
				len[j + 1] = (uint8_t)(before + 1);
			else
				len[j + 1] = MAX(up, len[j]);
			before = up;
		}
	}
	return a->n + b->n ? 2.0F * (float)len[b->n] / (float)(a->n + b->n) : 0;
}

static bool same_condition(uint64_t a, uint64_t b)
{
	return CT_OBJ_KIND(a) == CT_OBJ_FUTEX && CT_OBJ_KIND(b) == CT_OBJ_FUTEX &&
	       MAX(a, b) - MIN(a, b) < sizeof(struct glibc_cond);
}

static bool same_address(const struct graph *g, uint64_t a, uint64_t b)
{
	const struct window_object *x = graph_object(g, a), *y = graph_object(g, b);

	if (!x || !y || x->family != y->family || x->type != y->type)
		return false;
	if (x->family == AF_UNIX)
		return x->name[0] && window_object_same_name(x, y);
	return x->rport == y->rport || x->lport == y->lport;
}

float similar_place(const struct graph *g, const struct interval *a, const struct interval *b)
{
	if (a->wait != b->wait || a->nr != b->nr || !graph_futex_owner(g, a) != !graph_futex_owner(g, b))
		return 0;
	if (a->obj == b->obj || same_condition(a->obj, b->obj))
		return 1;
	if (CT_OBJ_KIND(a->obj) != CT_OBJ_KIND(b->obj))
		return 0;
	if (CT_OBJ_KIND(a->obj) == CT_OBJ_SOCK)
		return same_address(g, a->obj, b->obj) ? SIMILAR_OTHER_OBJECT : 0;
	/* A pipe is made anew for each use, so two pipes of one task may serve one purpose. */
	return a->task != b->task || CT_OBJ_KIND(a->obj) == CT_OBJ_PIPE ? SIMILAR_OTHER_OBJECT : 0;
}

static uint64_t last_ns(const struct graph *g, uint32_t task)
{
	return MIN(g->tasks[task].exit_ns - 1, g->w->to_ns);
}

static uint32_t leader_of(const struct graph *g, uint32_t task)
{
	uint32_t leader = graph_task_at(g, g->tasks[task].tgid, last_ns(g, task));

	return leader == GRAPH_NONE ? task : leader;
}

static bool same_name(const struct graph *g, uint32_t a, uint64_t a_ns, uint32_t b, uint64_t b_ns)
{
	return graph_is_called(g, a, a_ns, graph_comm(g, b, b_ns));
}

bool similar_role(const struct graph *g, uint32_t a, uint32_t b)
{
	uint64_t a_ns = last_ns(g, a), b_ns = last_ns(g, b);

	return a == b ||
	       (same_name(g, a, a_ns, b, b_ns) && same_name(g, leader_of(g, a), a_ns, leader_of(g, b), b_ns));
}

static float stacks_factor(const struct graph *g, const struct interval *a, const struct interval *b,
			   float place)
{
	float alike = -1;

	if (graph_visit(g, a) != GRAPH_NONE && graph_visit(g, b) != GRAPH_NONE)
		alike = candidate_stacks_alike(g, graph_visit_stack(g, a), graph_visit_stack(g, b));
	if (alike < 0)
		alike = place < 1 ? 0.5F : 1;
	return SIMILAR_STACK + (1 - SIMILAR_STACK) * alike;
}

static bool is_of_another_process(const struct graph *g, uint32_t me, uint32_t mate, uint32_t waker)
{
	return waker != GRAPH_NONE && g->tasks[waker].tgid == g->tasks[mate].tgid &&
	       g->tasks[waker].tgid != g->tasks[me].tgid;
}

/* Returns true if b, which ended x, is a message on a connection that the process of s does not have. */
static bool is_of_another_connection(const struct graph *g, const struct interval *s,
				     const struct interval *x, const struct blame *b)
{
	const struct window_object *o = graph_object(g, b->obj);

	return g->tasks[s->task].tgid != g->tasks[x->task].tgid && CT_OBJ_KIND(s->obj) != CT_OBJ_SOCK &&
	       CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK && o && (o->rport || graph_peer_object(g, b->obj));
}

static int consider(const struct graph *g, uint32_t interval, const struct signature *mine, uint32_t earlier,
		    struct similar_set *ret)
{
	const struct interval *s = &g->intervals[interval], *x = &g->intervals[earlier];
	struct similar found = { .interval = earlier };
	struct signature its;
	float place;

	if (x->state != INTERVAL_BLOCKED || x->wake == GRAPH_NONE || x->to_ns > s->from_ns)
		return 0;
	place = similar_place(g, s, x);
	if (place <= 0 || result_of(g, x) == EDGE_TIMER)
		return 0;
	if (ret->v.n == SIMILAR_MAX || ret->looked == SIMILAR_LOOKS) {
		ret->refused++;
		return 0;
	}
	ret->looked++;
	blame_wait(g, earlier, x->to_ns, &found.blame);
	if (!found.blame.ended || found.blame.killed || found.blame.timed_out ||
	    is_of_another_process(g, s->task, x->task, found.blame.task) ||
	    is_of_another_connection(g, s, x, &found.blame))
		return 0;
	similar_signature(g, earlier, &its);
	found.score = place * similar_score(mine, &its) * stacks_factor(g, s, x, place);
	return VEC_PUSH(&ret->v, found);
}

static int consider_task(const struct graph *g, uint32_t interval, const struct signature *mine,
			 uint32_t task, struct similar_set *ret)
{
	uint32_t first = g->tasks[task].first_interval, at = first + g->tasks[task].n_intervals;
	int r = 0;

	if (g->intervals[interval].task == task)
		at = interval;
	for (; at > first && !r; at--)
		r = consider(g, interval, mine, at - 1, ret);
	return r;
}

int similar_find(const struct graph *g, uint32_t interval, struct similar_set *ret)
{
	uint32_t me = g->intervals[interval].task, mates = 0;
	const struct graph_ref *called;
	struct signature mine;
	size_t n;
	int r;

	*ret = (struct similar_set){ 0 };
	similar_signature(g, interval, &mine);
	r = consider_task(g, interval, &mine, me, ret);
	if (!r && ret->v.n >= MISSING_GOOD_COUNT)
		return 0;
	called = graph_refs(&g->called, hash_text(HASH_START, graph_last_comm(g, me)), &n);
	for (size_t k = 0; k < n && !r; k++) {
		uint32_t i = called[k].event;

		if (i == me || !g->tasks[i].n_intervals || !similar_role(g, me, i))
			continue;
		if (mates++ < SIMILAR_TASKS)
			r = consider_task(g, interval, &mine, i, ret);
		else
			ret->refused++;
	}
	if (r)
		similar_done(ret);
	return r;
}

static bool same_way(const struct graph *g, const struct similar *a, const struct similar *b)
{
	return a->blame.edge == b->blame.edge && similar_role(g, a->blame.task, b->blame.task);
}

void similar_keep_commonest(const struct graph *g, struct similar_set *set, uint32_t *ret_others)
{
	struct similar *v = set->v.v, model = { 0 };
	size_t n = set->v.n, best = n;
	float best_sum = 0;

	for (size_t i = 0; i < n; i++) {
		float sum = 0;

		if (v[i].blame.task == GRAPH_NONE)
			continue;
		for (size_t j = 0; j < n; j++)
			if (v[j].blame.task != GRAPH_NONE && same_way(g, &v[i], &v[j]))
				sum += v[j].score;
		if (sum > best_sum) {
			best_sum = sum;
			best = i;
		}
	}
	set->v.n = 0;
	if (best < n)
		model = v[best];
	for (size_t i = 0; i < n; i++) {
		if (v[i].score < SIMILAR_LEAST)
			continue;
		if (best < n && v[i].blame.task != GRAPH_NONE && same_way(g, &model, &v[i]))
			v[set->v.n++] = v[i];
		else
			++*ret_others;
	}
}

static uint64_t length(const struct graph *g, const struct similar *s)
{
	return g->intervals[s->interval].to_ns - g->intervals[s->interval].from_ns;
}

static int length_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

const struct similar *similar_median(const struct graph *g, const struct similar_set *set)
{
	uint64_t len[SIMILAR_MAX];
	float least = 0;
	size_t n = 0, i;

	for (i = 0; i < set->v.n; i++)
		least = MAX(least, set->v.v[i].score - SIMILAR_NEAR_BEST);
	for (i = 0; i < set->v.n; i++)
		if (set->v.v[i].score >= least)
			len[n++] = length(g, &set->v.v[i]);
	qsort(len, n, sizeof(*len), length_cmp);
	for (i = 0; set->v.v[i].score < least || length(g, &set->v.v[i]) != len[n / 2]; i++)
		;
	return &set->v.v[i];
}

void similar_done(struct similar_set *s)
{
	VEC_FREE(&s->v);
}
