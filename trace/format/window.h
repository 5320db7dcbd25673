/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - a part of a trace in memory: the input of graph/ and analysis/.
 *
 * A window consists of plain arrays. window_load() (trace/read/reader.h) fills a window; a test may
 * fill a window by hand. After that, only graph_build_lean() changes the window. While that
 * function does not run, several threads may read the window.
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

/* One record without its extra words. A trace may have many millions of records, and few of them
 * have extra words. So the extra words are in an array of their own. window_words() returns
 * them. */
struct window_event {
	struct ct_rec r;
	uint32_t words; /* index into window.words; 0 if the record has no extra words */
	uint16_t cpu;
	uint16_t pad;
};
_Static_assert(sizeof(struct window_event) == 40, "window_event");

/* The extra words of one record. CT_KIND_WORDS() says how many of them a kind of record has. */
struct window_words {
	uint64_t x[2];
};

/* A record together with its extra words, for code that makes records. */
struct window_record {
	struct ct_rec r;
	uint64_t x[2];
	uint16_t cpu;
	uint16_t pad[3];
};

/* The identity of a task, valid from ts_ns until the next entry with the same tid. The kernel
 * reuses tids, so start_ns tells two tasks with the same tid apart. */
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

/* The command line of a process, from ts_ns until the next entry with the same tgid. */
struct window_cmdline {
	uint64_t ts_ns;
	uint32_t tgid;
	const char *text; /* in the form of ct_cmdline_blob.text; "" if it is not known; owned by
			     the window */
};

struct window_object {
	uint64_t id;
	uint64_t ts_ns; /* when this entry was made; of all entries of an id, the newest is kept */
	uint64_t ino;
	uint64_t peer;
	uint64_t x;
	uint32_t tid; /* a task that was seen to use the object */
	uint32_t dev;
	uint32_t fs_magic;
	uint16_t family;
	uint16_t type;
	uint8_t protocol;
	uint8_t state;
	uint16_t lport, rport;
	uint32_t netns;
	uint8_t laddr[16], raddr[16];
	const char *name; /* "" if the object has no name; owned by the window */
};

struct window_stack {
	uint64_t id;
	uint16_t n_frames;
	const char **frames; /* innermost first; owned by the window */
};

/* The state of a task at the moment of a checkpoint. */
struct window_state {
	struct ct_rec last; /* the fields are as in a CT_SWITCH record: ts is the begin of the
			       state; state, wait, flags, nr and obj describe the wait */
	uint32_t owner; /* the owner of the futex for which the task waits, as the field peer of CT_FUTEX */
	uint8_t run;    /* WINDOW_RUN_* */
	uint8_t pad[3];
	uint16_t cpu; /* the CPU on which the task runs or ran last; FORMAT_CPU_NONE if it is not
			 known */
	uint16_t pad2;
};
enum {
	WINDOW_RUN_BLOCKED = FORMAT_RUN_BLOCKED,
	WINDOW_RUN_RUNNABLE = FORMAT_RUN_RUNNABLE,
	WINDOW_RUN_RUNNING = FORMAT_RUN_RUNNING,
	WINDOW_RUN_CAPPED, /* the state is not known; see FORMAT_STATE_CAPPED */
	WINDOW_RUN_FOLDED, /* see FORMAT_STATE_FOLDED */
};

/* The state of every known task at the time ns, after a gap that began at from_ns. The gap is a
 * CT_GAP of all CPUs with the cause CT_LOSS_SLOT, CT_LOSS_DISK, CT_LOSS_DOWN or CT_LOSS_SHED. The
 * states from before the gap are no longer valid. There may be records in the gap, because a daemon
 * that starts may record events before its first checkpoint. */
struct window_resync {
	uint64_t from_ns, ns;
	struct window_state *states; /* sorted by tid */
	size_t n_states;
};

struct window {
	/* The time that the caller of window_load() wants, clipped to the file. If the caller gave
	 * UINT64_MAX as the end, to_ns stays UINT64_MAX. events and states begin at the last
	 * checkpoint that is not later than from_ns. */
	uint64_t from_ns, to_ns;
	/* The time that the file covers in the selected boot (reader_use_boot()). */
	uint64_t file_from_ns, file_to_ns;
	struct clock_offsets offsets; /* the offsets that were in force at to_ns */
	uint32_t n_cpus;
	enum machine
		machine; /* the machine that recorded the trace; the records have its system call numbers */

	struct window_event *events; /* sorted by (ts, cpu, order within the CPU) */
	size_t n_events;
	struct window_words *words; /* words[0] is zero, for the events that have no words */
	struct window_task *tasks;  /* sorted by (tid, ts_ns) */
	size_t n_tasks;
	struct window_cmdline *cmdlines; /* sorted by (tgid, ts_ns) */
	size_t n_cmdlines;
	struct window_object *objects; /* sorted by id; each id once */
	size_t n_objects;
	struct window_stack *stacks; /* sorted by id */
	size_t n_stacks;
	/* The state of every known task at state_ns, sorted by tid. state_ns is not later than the
	 * first event. */
	struct window_state *states;
	size_t n_states;
	uint64_t state_ns;

	struct window_resync *resyncs; /* sorted by ns; they do not overlap */
	size_t n_resyncs;

	uint64_t lost_records; /* number of lost records in all CT_GAP events of the window */
	/* The number of segments that could not be read, plus the number of holes between segments.
	 * Each such segment or hole lies in a CT_GAP event with the cause CT_LOSS_SLOT. */
	uint32_t skipped_slots;

	void *arena; /* owns the names and frames; private to trace/ */
};

/* Returns the two extra words of an event. Both are 0 if the event has none. */
static inline const uint64_t *window_words(const struct window *w, const struct window_event *e)
{
	return w->words[e->words].x;
}
/* Returns an event together with its extra words. */
struct window_record window_record(const struct window *w, const struct window_event *e);
/* Returns the entry of tid that was valid at ts_ns. If ts_ns is earlier than all entries of tid,
 * returns the first entry. Returns NULL if the tid is not known. */
const struct window_task *window_task_at(const struct window *w, uint32_t tid, uint64_t ts_ns);
/* As window_task_at(). For each time in [*ret_from_ns, *ret_to_ns), window_task_at() returns the
 * same entry. If the result is NULL, *ret_from_ns and *ret_to_ns are unchanged. */
const struct window_task *window_task_span(const struct window *w, uint32_t tid, uint64_t ts_ns,
					   uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* Returns the command line that the process of the task tid had at ts_ns, in the form of
 * ct_cmdline_blob.text. Returns "" if it is not known, for example for a kernel thread, or in a
 * trace of a version before 1.6. */
const char *window_cmdline(const struct window *w, uint32_t tid, uint64_t ts_ns);
/* As window_cmdline(). *ret_since_ns is the time from which on the process has this command line,
 * as far as is known, or 0 if the command line is not known. */
const char *window_cmdline_since(const struct window *w, uint32_t tid, uint64_t ts_ns,
				 uint64_t *ret_since_ns);
const struct window_object *window_object(const struct window *w, uint64_t id);
/* Returns true if both objects have the same name, or both have none. */
bool window_object_same_name(const struct window_object *a, const struct window_object *b);
const struct window_stack *window_stack(const struct window *w, uint64_t id);
/* Returns the index of the first event with ts >= ts_ns, or w->n_events if there is none. */
size_t window_lower_bound(const struct window *w, uint64_t ts_ns);
/* Frees the window and all that it owns. Accepts NULL and half-built windows. */
void window_free(struct window *w);

#endif
