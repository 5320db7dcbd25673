/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables.h - looks up the descriptor tables of processes (CT_FD) and of epolls (CT_EPMEMBER). A table is
 * recorded as a whole. Pure; any thread. */
#ifndef CTRACE_GRAPH_TIMELINE_TABLES_H
#define CTRACE_GRAPH_TIMELINE_TABLES_H

#include "graph/timeline/graph.h"

/* What the last descriptor table of a process, recorded in a range of time, says about an object. */
enum table_has {
	TABLE_UNKNOWN, /* no such table is recorded, or not all of it */
	TABLE_LACKS,
	TABLE_HAS,
	TABLE_HAS_LOCK, /* and the open file has a file lock (CT_FF_LOCK) */
};

/* Looks at the last table that begins after since_ns, and not after until_ns. The table of an inspection does
 * not show the locks. So if this table has obj without a lock, an earlier one may show the lock. */
enum table_has table_last_has(const struct graph *g, uint32_t tgid, uint64_t obj, uint64_t since_ns,
			      uint64_t until_ns);
/* The CT_FD `event` shows that its process has an object. Returns true if a later table of this process,
 * which begins at ts_ns at the latest, shows otherwise, or has an own record of the object. */
bool table_is_outdated(const struct graph *g, uint32_t event, uint64_t ts_ns);
/* Returns the CT_EPMEMBER records of the epoll. If the epoll was read between these times, returns only those
 * of the last time. */
const struct graph_ref *table_members(const struct graph *g, uint64_t epoll, uint64_t from_ns, uint64_t to_ns,
				      size_t *ret_n);

#endif
