/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_random.h - random windows, for properties that hold for every window. */
#ifndef CTRACE_TEST_WINDOW_RANDOM_H
#define CTRACE_TEST_WINDOW_RANDOM_H

#include "test/unit/trace/window_make.h"

#define RANDOM_TASKS 8

static inline uint32_t random_below(uint32_t *s, uint32_t n)
{
	*s = *s * 1664525u + 1013904223u;
	return (*s >> 8) % n;
}

static inline void random_event(struct make *m, uint32_t *s, uint64_t ms)
{
	const uint64_t objs[] = { CT_OBJ_ID(CT_OBJ_PIPE, 77), CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000),
				  CT_OBJ_ID(CT_OBJ_SOCK, 5), CT_OBJ_ID(CT_OBJ_BLOCKDEV, 3), 0 };
	uint32_t a = 1 + random_below(s, RANDOM_TASKS), b = random_below(s, RANDOM_TASKS + 1);
	uint64_t obj = objs[random_below(s, 5)];
	uint16_t cpu = (uint16_t)random_below(s, 2);
	struct window_record *e;

	switch (random_below(s, 6)) {
	case 0:
	case 1:
		make_switch(m, ms, cpu, a - random_below(s, 2), b,
			    (enum ct_wait)random_below(s, CT_W_YIELD + 1), obj);
		break;
	case 2:
	case 3:
		e = make_wake(m, ms, cpu, a, b, obj);
		e->r.state = (uint8_t)random_below(s, 6);
		e->r.flags = (uint8_t)random_below(s, 32);
		break;
	case 4:
		make_event(m, ms * MS, 0, CT_FUTEX, a, b)->r.obj = objs[1];
		break;
	default:
		e = make_event(m, ms * MS, 0, (enum ct_kind)(CT_FORK + random_below(s, 16)), a, b);
		e->r.obj = obj;
	}
}

static inline uint64_t random_window(struct make *m, uint32_t *s)
{
	uint32_t n = 50 + random_below(s, 400);
	uint64_t ms = 0;

	for (uint32_t tid = 1; tid <= RANDOM_TASKS; tid++)
		make_task(m, tid, 1 + tid / 2, 1, "t");
	for (uint32_t i = 0; i < n; i++) {
		ms += random_below(s, 3);
		random_event(m, s, ms);
	}
	return ms + 10;
}

#endif
