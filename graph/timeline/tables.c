// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/timeline/tables.h"

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

static const struct ct_rec *record(const struct graph *g, const struct graph_ref *r)
{
	return &g->w->events[r->event].r;
}

/* Returns the records of the table that begins with the reference `begin` (graph.table_begins). */
static const struct graph_ref *records_of(const struct graph *g, const struct graph_ref *begin, size_t *ret_n)
{
	const struct graph_ref *first = &g->tables.v[begin->event];
	uint32_t tgid = record(g, first)->tid;
	size_t n, n_tables, at;
	const struct graph_ref *all = graph_refs(&g->tables, tgid, &n);
	const struct graph_ref *begins = graph_refs(&g->table_begins, tgid, &n_tables);

	at = (size_t)(begin - begins) + 1;
	*ret_n = (at < n_tables ? begins[at].event : (size_t)(all - g->tables.v) + n) - begin->event;
	return first;
}

/* Returns false if the records may lack a part of the table: some are lost, the table was too large, or the
 * window ends. If a further table begins in the window, the window does not end in this one. */
static bool is_whole(const struct graph *g, const struct graph_ref *r, size_t n)
{
	uint64_t last_ns = record(g, &r[n - 1])->ts;
	bool may_be_cut = last_ns + TABLE_CUT_NS > g->w->to_ns && r[n - 1].event >= g->last_table;

	return n <= TABLE_WHOLE_MAX && !may_be_cut &&
	       !graph_may_lack(g, 0, record(g, r)->ts, last_ns);
}

/* r: the records of a table. Returns what they say about obj. */
static enum table_has has_of(const struct graph *g, const struct graph_ref *r, size_t n, uint64_t obj)
{
	enum table_has has = TABLE_LACKS;
	size_t n_fds, at;
	const struct graph_ref *fds = graph_refs(&g->fds, obj, &n_fds);

	at = BISECT(i, 0, n_fds, fds[i].event >= r->event);
	for (; at < n_fds && fds[at].event <= r[n - 1].event && scan_step(g); at++)
		if (record(g, &fds[at])->tid == record(g, r)->tid)
			has = MAX(has, record(g, &fds[at])->flags & CT_FF_LOCK ? TABLE_HAS_LOCK : TABLE_HAS);
	return has;
}

/* Returns how many tables of the process begin at ts_ns at the latest. */
static size_t count_begun(const struct graph *g, const struct graph_ref *begins, size_t n, uint64_t ts_ns)
{
	return BISECT(i, 0, n, record(g, &g->tables.v[begins[i].event])->ts > ts_ns);
}

enum table_has table_last_has(const struct graph *g, uint32_t tgid, uint64_t obj, uint64_t since_ns,
			      uint64_t until_ns)
{
	enum table_has has = TABLE_UNKNOWN;
	size_t n, first;
	const struct graph_ref *begins = graph_refs(&g->table_begins, tgid, &n);

	n = count_begun(g, begins, n, until_ns);
	first = count_begun(g, begins, n, since_ns);
	while (n > first && (has == TABLE_UNKNOWN || has == TABLE_HAS) && scan_step(g)) {
		size_t n_records;
		const struct graph_ref *r = records_of(g, &begins[--n], &n_records);
		enum table_has here = has_of(g, r, n_records, obj);

		if (has == TABLE_UNKNOWN && here == TABLE_LACKS && !is_whole(g, r, n_records))
			return TABLE_UNKNOWN;
		has = MAX(has, here);
	}
	return has == TABLE_LACKS && !scan_left(g) ? TABLE_UNKNOWN : has;
}

bool table_is_outdated(const struct graph *g, uint32_t event, uint64_t ts_ns)
{
	size_t n, n_records;
	const struct graph_ref *begins = graph_refs(&g->table_begins, g->w->events[event].r.tid, &n), *r;

	n = count_begun(g, begins, n, ts_ns);
	if (!n || g->tables.v[begins[n - 1].event].event <= event)
		return false;
	r = records_of(g, &begins[n - 1], &n_records);
	return is_whole(g, r, n_records);
}

const struct graph_ref *table_members(const struct graph *g, uint64_t epoll, uint64_t from_ns, uint64_t to_ns,
				      size_t *ret_n)
{
	size_t n, first, end;
	const struct graph_ref *r = graph_refs(&g->members, epoll, &n);

	*ret_n = n;
	end = BISECT(i, 0, n, record(g, &r[i])->ts > to_ns);
	if (!end || record(g, &r[end - 1])->ts < from_ns)
		return r;
	first = BISECT(i, 0, end, record(g, &r[i])->ts >= record(g, &r[end - 1])->ts);
	if (end - first >= TABLE_MEMBERS_MAX ||
	    graph_may_lack(g, 0, record(g, &r[first])->ts, record(g, &r[first])->ts))
		return r;
	*ret_n = end - first;
	return r + first;
}
