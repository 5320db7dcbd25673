/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - a part of a trace in memory: the input of graph/ and analysis/.
 *
 * A window is plain arrays. window_load() (trace/read/reader.h) fills it, or a test by hand. After
 * that it does not change, and several threads may read it.
 */
#ifndef CTRACE_TRACE_FORMAT_WINDOW_H
#define CTRACE_TRACE_FORMAT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "ctrace/format.h"
#include "lib/clock.h"
#include "trace/format/machine.h"

/* One fixed record.  x[] is 0 where the kind has no extra words. */
struct window_event {
	struct ct_rec r;
	uint64_t x[2];
	uint16_t cpu;
	uint16_t pad[3];
};

/* The identity of a task from ts_ns on, until the next entry of the same tid. The kernel reuses
 * tids: start_ns tells two tasks with one tid apart. */
struct window_task {
	uint64_t ts_ns;
	uint32_t tid;
	uint32_t tgid;
	uint32_t ppid;
	uint32_t uid;
	uint32_t pidns;
	uint8_t flags; /* CT_TF_* */
	uint64_t cgroup_id;
	uint64_t start_ns;
	char comm[CT_COMM_LEN]; /* always 0-terminated */
};

struct window_object {
	uint64_t id;
	uint64_t ts_ns; /* when the daemon learned this; the newest entry of an id is kept */
	uint64_t ino;
	uint64_t peer;
	uint64_t x;
	uint32_t tid; /* a task seen using it */
	uint32_t dev;
	uint32_t fs_magic;
	uint16_t family;
	uint16_t type;
	uint8_t protocol;
	uint8_t state;
	uint16_t lport, rport;
	uint32_t netns;
	uint8_t laddr[16], raddr[16];
	const char *name; /* "" when it has none; owned by the window */
};

struct window_stack {
	uint64_t id;
	uint16_t n_frames;
	const char **frames; /* innermost first; owned by the window */
};

/* The state of a task at the moment of a checkpoint. */
struct window_state {
	struct ct_rec last; /* as in a CT_SWITCH record; ts: since when; state, wait, flags, nr, obj: what the
			       task waits for */
	uint32_t owner;     /* of the futex that the task waits for, as peer of CT_FUTEX */
	uint8_t run;        /* WINDOW_RUN_* */
	uint8_t pad[3];
	uint16_t cpu; /* on which the task runs or ran last; FORMAT_CPU_NONE: not known */
	uint16_t pad2;
};
enum {
	WINDOW_RUN_BLOCKED = FORMAT_RUN_BLOCKED,
	WINDOW_RUN_RUNNABLE = FORMAT_RUN_RUNNABLE,
	WINDOW_RUN_RUNNING = FORMAT_RUN_RUNNING,
	WINDOW_RUN_CAPPED, /* state not known: see FORMAT_STATE_CAPPED */
};

/* The state of every known task at ns, behind an interval without knowledge that began at from_ns.
 * The interval is a CT_GAP of all CPUs with the cause CT_LOSS_SLOT, CT_LOSS_DISK, CT_LOSS_DOWN or
 * CT_LOSS_SHED. The states from before the interval are no longer valid. A daemon that starts may
 * have records from just before its first checkpoint. */
struct window_resync {
	uint64_t from_ns, ns;
	struct window_state *states; /* by tid */
	size_t n_states;
};

struct window {
	/* The time that the caller wants. events and states begin earlier, at the last checkpoint
	 * before from_ns. */
	uint64_t from_ns, to_ns;
	/* The time that the whole file covers. */
	uint64_t file_from_ns, file_to_ns;
	struct clock_offsets offsets; /* those in force at to_ns */
	uint32_t n_cpus;
	enum machine
		machine; /* the machine that recorded the trace: its system call numbers are in the records */

	struct window_event *events; /* by (ts, cpu, order within the CPU) */
	size_t n_events;
	struct window_task *tasks; /* by (tid, ts_ns) */
	size_t n_tasks;
	struct window_object *objects; /* by id, one each */
	size_t n_objects;
	struct window_stack *stacks; /* by id */
	size_t n_stacks;
	/* State of every known task at state_ns (<= first event), by tid. */
	struct window_state *states;
	size_t n_states;
	uint64_t state_ns;

	struct window_resync *resyncs; /* by ns; they do not overlap */
	size_t n_resyncs;

	uint64_t lost_records;  /* sum over the CT_GAP events in the window */
	uint32_t skipped_slots; /* file segments that are damaged or missing; each run of them is also a
				   CT_GAP event of cause CT_LOSS_SLOT */

	void *arena; /* owner of names and frames; private to trace/ */
};

/* The entry of tid that was valid at ts_ns; the first one if ts_ns is earlier than all. NULL: the
 * tid is not known. */
const struct window_task *window_task_at(const struct window *w, uint32_t tid, uint64_t ts_ns);
/* As window_task_at(), which gives the same entry from *ret_from_ns until *ret_to_ns. NULL: the two are
 * unchanged. */
const struct window_task *window_task_span(const struct window *w, uint32_t tid, uint64_t ts_ns,
					   uint64_t *ret_from_ns, uint64_t *ret_to_ns);
const struct window_object *window_object(const struct window *w, uint64_t id);
const struct window_stack *window_stack(const struct window *w, uint64_t id);
/* The index of the first event with ts >= ts_ns; n_events if there is none. */
size_t window_lower_bound(const struct window *w, uint64_t ts_ns);
/* Frees the window and all that it owns. Accepts NULL and half-built windows. */
void window_free(struct window *w);

#endif
