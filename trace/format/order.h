/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - merges the records of the CPUs by time.  Those of one CPU come
 * nearly sorted: a record that an interrupt wrote may be later than the one
 * behind it.
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
	VEC(uint32_t) sorted; /* per CPU: its records by time */
	uint32_t *place; /* of every record: its place in the order, ORDER_NONE where the kind is not known */
	size_t place_cap;
	VEC(struct order_head) heads;
};
struct order_head {
	uint64_t ts;
	uint32_t at, end; /* in sorted */
};

/* times and kinds: of all the records, CPU after CPU.  Fills o->place; *ret_n: how many have one.
 * 0 or -ENOMEM. */
int order_merge(struct order *o, const uint64_t *times, const uint8_t *kinds, const struct format_cpu *cpus,
		size_t n_cpus, size_t *ret_n);
void order_done(struct order *o);

/* ev[0, n) and ev[n, total) are sorted by (ts, cpu); merges them in place, the former first where equal.
 * *moves: how many of the former may still be moved, by this call and those to come; a join is quick when the
 * two overlap by little.  0; -ENOMEM, -EBADMSG (too many moves): unchanged. */
int order_join(struct window_event *ev, size_t n, size_t total, uint64_t *moves);

#endif
