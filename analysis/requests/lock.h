/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock.h - the structures for the waits of requests for locks of Go. locks.h fills them. */
#ifndef CTRACE_ANALYSIS_REQUESTS_LOCK_H
#define CTRACE_ANALYSIS_REQUESTS_LOCK_H

#include "graph/causal/requests.h"
#include "lib/bisect.h"
#include "lib/vec.h"

struct lock_wait {
	uint64_t from_ns, to_ns;
	uint64_t obj;     /* the lock */
	uint64_t strand;  /* a hash of the process and the goroutine */
	uint32_t event;   /* of the begin */
	uint32_t request; /* that the goroutine serves */
	uint32_t next;    /* private to locks.c, as `again` */
	bool again;
};

struct lock_release {
	uint64_t obj;
	uint64_t ts_ns;
	uint64_t strand;
	uint32_t event;
	/* the stack of this release, or of another one of this lock and goroutine; 0: not known */
	uint64_t stack;
};

/* A receive by a goroutine. */
struct strand_recv {
	uint64_t strand;
	uint32_t event;
};

struct locks {
	/* the waits of known requests that have ended, sorted by (request, from_ns) */
	VEC(struct lock_wait) waits;
	VEC(struct lock_release) releases; /* sorted by (obj, ts_ns) */
	VEC(struct strand_recv) recvs;     /* sorted by (strand, event) */
};

/* Returns the index of the first wait of the request that ends after ts_ns, or of a wait of a later request.
 */
static inline size_t lock_wait_after(const struct locks *l, uint32_t request, uint64_t ts_ns)
{
	const struct lock_wait *v = l->waits.v;

	return BISECT(i, (size_t)0, l->waits.n,
		      v[i].request > request || (v[i].request == request && v[i].to_ns > ts_ns));
}

/* Returns the index of the first release of the lock after ts_ns, or of a release of another lock. */
static inline size_t lock_release_after(const struct locks *l, uint64_t obj, uint64_t ts_ns)
{
	const struct lock_release *v = l->releases.v;

	return BISECT(i, (size_t)0, l->releases.n, v[i].obj > obj || (v[i].obj == obj && v[i].ts_ns > ts_ns));
}

#endif
