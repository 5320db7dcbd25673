/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - merges the records of all CPUs by time. The records of one CPU are only nearly sorted,
 * because an interrupt's record may precede an older one. One thread at a time. */
#ifndef CTRACE_TRACE_FORMAT_ORDER_H
#define CTRACE_TRACE_FORMAT_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "lib/vec.h"
#include "trace/format/window.h"

#define ORDER_NONE UINT32_MAX

struct order {
	/* Indices of the wanted records: CPU after CPU, within a CPU by time. Then two CPUs at a time are
	 * merged, back and forth between `sorted` and `merged`. */
	VEC(uint32_t) sorted, merged;
	VEC(uint32_t) ends; /* of the runs in `sorted` or `merged` */
	uint32_t *place;    /* each record's index in the merged order, or ORDER_NONE */
	size_t place_cap;
};

/* Merges the wanted records of n_cpus CPUs by time into o->place. Bit n of `wanted`: kind n. times
 * and kinds have an entry for each record, CPU after CPU. *ret_n: the wanted records of known
 * kinds. Returns 0 or -ENOMEM. */
int order_merge(struct order *o, const uint64_t *times, const uint8_t *kinds, uint64_t wanted,
		const struct format_cpu *cpus, size_t n_cpus, size_t *ret_n);
void order_done(struct order *o);

/* Merges n_events events, which lie in w->events after the events of w, into the events of w. Their n_words
 * extra words lie after those of w, and their CPUs after those of w. Both runs of events are sorted by
 * (ts, cpu). If two events have the same ts and cpu, the event of w comes first. *moves: how many events
 * of w may be moved. Subtracts the number of moved events from *moves. Returns 0, -ENOMEM, or -EBADMSG
 * if *moves is too small. After a failure, w is unchanged. */
int order_join(struct window *w, size_t n_events, size_t n_words, uint64_t *moves);

#endif
