// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/title.h"

#include <string.h>

#include "ctrace/postgres.h"
#include "ctrace/postgres_title.h"
#include "graph/timeline/scan.h"
#include "trace/words/frame.h"

/* Returns the title (postgres_title()). *ret_fresh: the title was right in this wait. It was recorded in this
 * wait, or the daemon inspected this wait: an inspection records the title if it has changed. */
static const char *title_of(const struct graph *g, const struct interval *s, bool *ret_fresh)
{
	uint64_t since_ns;
	const char *text = window_cmdline_since(g->w, g->tasks[s->task].tid, s->to_ns - 1, &since_ns);

	*ret_fresh = since_ns >= s->from_ns || graph_visit(g, s) != GRAPH_NONE;
	return postgres_title(text);
}

bool title_waits(const struct graph *g, const struct interval *s)
{
	bool fresh;
	const char *title = title_of(g, s, &fresh);

	return fresh && postgres_title_waits(title);
}

static bool is_session(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint64_t since_ns;
	const char *text = window_cmdline_since(g->w, g->tasks[task].tid, ts_ns, &since_ns);

	return postgres_title_may_lock(postgres_title(text));
}

bool title_sessions(const struct graph *g, uint32_t task, uint32_t other, uint64_t ts_ns)
{
	return g->tasks[task].ptgid && g->tasks[task].ptgid == g->tasks[other].ptgid &&
	       is_session(g, task, ts_ns) && is_session(g, other, ts_ns);
}

uint32_t title_owner(const struct graph *g, const struct interval *s, struct enders *all)
{
	const struct graph_task *me = &g->tasks[s->task];
	size_t n;
	const struct graph_ref *r = graph_refs(&g->children, me->ptgid, &n);
	uint32_t owner = GRAPH_NONE;

	for (size_t i = 0; me->ptgid && i < n && scan_step(g); i++) {
		uint32_t at = graph_interval_at(g, r[i].event, s->to_ns - 1);
		const struct interval *x = at == GRAPH_NONE ? NULL : &g->intervals[at];
		bool fresh = false, behind;
		const char *title = x ? title_of(g, x, &fresh) : "";

		if (!x || r[i].event == s->task || x->from_ns >= s->to_ns ||
		    !postgres_title_may_lock(title) || postgres_title_idles(title))
			continue;
		behind = fresh && postgres_title_waits(title) && x->from_ns > s->from_ns;
		if (behind)
			continue;
		if (all->n < ENDERS_MAX)
			all->v[all->n++] = r[i].event;
		owner = fresh ? r[i].event : GRAPH_NONE;
	}
	return all->n == 1 ? owner : GRAPH_NONE;
}

static bool is_below(const struct window_stack *w, const char *function)
{
	for (uint16_t i = 0; w && i < w->n_frames; i++)
		if (frame_is_function(w->frames[i], function))
			return true;
	return false;
}

static bool is_helper(enum resource_kind kind, const char *title)
{
	const char *start = kind == RESOURCE_STANDBY   ? POSTGRES_STANDBY_TITLE
			    : kind == RESOURCE_ARCHIVE ? POSTGRES_ARCHIVE_TITLE
						       : POSTGRES_CHECKPOINT_TITLE;

	return !strncmp(title, start, strlen(start)) && !strstr(title, POSTGRES_BACKUP_TITLE);
}

/* Returns the end of the task's wait before s. Without such a wait, returns the birth of the task, or 0 if it
 * is not known. The work that led to s began then, or later. */
static uint64_t worked_since(const struct graph *g, const struct interval *s)
{
	const struct interval *x = s, *first = &g->intervals[g->tasks[s->task].first_interval];

	while (x-- > first && scan_step(g))
		if (x->state == INTERVAL_BLOCKED)
			return x->to_ns;
	return g->tasks[s->task].born_ns;
}

/* x is a wait of the process that sends the log to a standby. Returns true if this process has sent
 * bytes since since_ns, and has received bytes on the same connection after its last send. */
static bool is_confirmed(const struct graph *g, const struct interval *x, uint64_t since_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->members, x->wait == CT_W_EPOLL ? x->obj : 0, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint64_t sock = g->w->events[r[i].event].r.obj;
		const struct graph_ref *sent, *got;

		if (CT_OBJ_KIND(sock) != CT_OBJ_SOCK)
			continue;
		sent = graph_ref_before(g, &g->sends, sock, to_ns);
		got = graph_ref_before(g, &g->recvs, sock, to_ns);
		if (sent && got && g->w->events[sent->event].r.ts >= since_ns && got->event > sent->event)
			return true;
	}
	return false;
}

/* Returns true if room for bytes of sock ended the wait s. */
static bool got_room(const struct graph *g, const struct interval *s, uint64_t sock)
{
	const struct ct_rec *r = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake].r;

	return r && !(r->flags & CT_WF_READY) && r->obj &&
	       (r->obj == sock || r->obj == graph_peer_object(g, sock));
}

/* Returns true if the task waited between the two times for something else than room for bytes of sock. */
static bool has_paused(const struct graph *g, uint32_t task, uint64_t sock, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t i = graph_interval_at(g, task, to_ns), first = g->tasks[task].first_interval;

	for (; i != GRAPH_NONE && i >= first && g->intervals[i].to_ns > from_ns && scan_step(g); i--)
		if (g->intervals[i].state == INTERVAL_BLOCKED && !got_room(g, &g->intervals[i], sock))
			return true;
	return false;
}

/* x is as in is_confirmed(). Returns true if most of the last sends of the process before since_ns got an
 * answer before the next send. So its standby confirms at once what it gets. Others, such as pg_receivewal,
 * only report now and then. Sends in a row, without a wait in between, count as one: a standby mostly
 * confirms them together. */
static bool confirms_soon(const struct graph *g, const struct interval *x, uint64_t since_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->members, x->wait == CT_W_EPOLL ? x->obj : 0, &n);
	unsigned sends = 0, answered = 0;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint64_t sock = g->w->events[r[i].event].r.obj, to_ns = since_ns;
		const struct graph_ref *sent, *got;

		if (CT_OBJ_KIND(sock) != CT_OBJ_SOCK)
			continue;
		while (sends < STANDBY_SENDS && to_ns && scan_step(g)) {
			uint64_t next_ns = to_ns;

			sent = graph_ref_before(g, &g->sends, sock, to_ns - 1);
			if (!sent)
				break;
			to_ns = g->w->events[sent->event].r.ts;
			if (next_ns != since_ns && !has_paused(g, x->task, sock, to_ns, next_ns))
				continue;
			got = graph_ref_before(g, &g->recvs, sock, next_ns - 1);
			answered += got && got->event > sent->event;
			sends++;
		}
	}
	return sends && 2 * answered >= sends;
}

/* Leaves out each process whose standby has confirmed all that it got since the waiter began the work
 * that led to s. If this standby were the awaited one, s would have ended. Leaves out none if the standby of
 * a process that stays may be one that never confirms at once. */
static void drop_confirmed(const struct graph *g, const struct interval *s, struct enders *all)
{
	uint64_t since_ns = worked_since(g, s);
	struct enders keep = *all;
	size_t left = 0;

	/* A full list may lack other processes. */
	if (!since_ns || all->n == ENDERS_MAX || graph_lacks_within(g, since_ns, s->to_ns) & CT_LACK_MESSAGES)
		return;
	for (size_t i = 0; i < all->n; i++) {
		uint32_t at = graph_interval_at(g, all->v[i], s->to_ns - 1);

		if (is_confirmed(g, &g->intervals[at], since_ns, s->to_ns - 1))
			continue;
		if (!confirms_soon(g, &g->intervals[at], since_ns))
			return;
		keep.v[left++] = all->v[i];
	}
	/* Without a candidate, some standby has to confirm twice, or is not known. */
	if (left) {
		*all = keep;
		all->n = left;
	}
}

bool title_helper(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all)
{
	const struct graph_task *me = &g->tasks[s->task];
	uint64_t stack = me->ptgid ? blame_stack(g, s) : 0;
	const struct window_stack *w = NULL;
	const struct graph_ref *r;
	bool fresh;
	size_t n;

	if (stack && *title_of(g, s, &fresh))
		w = window_stack(g->w, stack);
	if (is_below(w, POSTGRES_STANDBY_FUNCTION))
		b->kind = RESOURCE_STANDBY;
	else if (is_below(w, POSTGRES_CHECKPOINT_FUNCTION))
		b->kind = RESOURCE_CHECKPOINT;
	else if (is_below(w, POSTGRES_ARCHIVE_FUNCTION) || is_below(w, POSTGRES_ARCHIVE_FUNCTION_14))
		b->kind = RESOURCE_ARCHIVE;
	else
		return false;
	r = graph_refs(&g->children, me->ptgid, &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t at = graph_interval_at(g, r[i].event, s->to_ns - 1);
		const struct interval *x = at == GRAPH_NONE ? NULL : &g->intervals[at];

		if (x && r[i].event != s->task && x->from_ns < s->to_ns && all->n < ENDERS_MAX &&
		    is_helper(b->kind, title_of(g, x, &fresh)))
			all->v[all->n++] = r[i].event;
	}
	if (b->kind == RESOURCE_STANDBY && all->n > 1)
		drop_confirmed(g, s, all);
	/* If the budget of scan.h is spent, the loop may have missed other processes. */
	b->task = all->n == 1 && g->scans->left ? all->v[0] : GRAPH_NONE;
	return true;
}
