/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - merges the records of all CPUs by time. The records of one CPU are nearly sorted by
 * time. Only if an interrupt writes a record, the record behind it may have an earlier time. One
 * thread at a time.
 */
#ifndef CTRACE_TRACE_FORMAT_ORDER_H
#define CTRACE_TRACE_FORMAT_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "lib/vec.h"
#include "trace/format/window.h"

#define ORDER_NONE UINT32_MAX

struct order {
	VEC(uint32_t)
	sorted;          /* indices of the wanted records: CPU after CPU, and sorted by time
			    for each CPU */
	uint32_t *place; /* for each record its index in the merged order, or ORDER_NONE if the
			    record is not wanted */
	size_t place_cap;
	VEC(struct order_head) heads;
};
struct order_head {
	uint64_t ts;
	uint32_t at, end; /* indices into `sorted`: the next record of the CPU, and the end of the CPU */
};

/* Merges the wanted records of n_cpus CPUs, and fills o->place. A record is wanted if `wanted` has
 * the bit of its kind (bit n: kind n), and if this version knows the kind. times and kinds have an
 * entry for each record: first for all records of cpus[0], then for all records of cpus[1], and so
 * on. *ret_n is the number of wanted records. Returns 0 or -ENOMEM. */
int order_merge(struct order *o, const uint64_t *times, const uint8_t *kinds, uint64_t wanted,
		const struct format_cpu *cpus, size_t n_cpus, size_t *ret_n);
void order_done(struct order *o);

/* Merges two parts in place: ev[0, n) and ev[n, total), each of them sorted by (ts, cpu). Of two
 * events with the same ts and cpu, the event from the first part stays first. The call may move at
 * most *moves events of the first part, and subtracts the number of moved events from *moves. The
 * call is fast if the two parts overlap by few events. Returns 0, -ENOMEM, or -EBADMSG if more than
 * *moves moves are needed. After a failure, ev is unchanged. After -EBADMSG, *moves is unchanged
 * too. */
int order_join(struct window_event *ev, size_t n, size_t total, uint64_t *moves);

#endif
