/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - a part of a trace in memory: the input of graph/ and analysis/. The window owns all
 * that its members point to.
 *
 * window_load() (trace/read/reader.h) or a test fills a window. After that, only graph_build_lean() and
 * graph_build_frugal() change it. Several threads may read a window that no function changes.
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
#include "trace/format/rank.h"

/* One record. window_cpu() and window_words() return its CPU and its extra words. Both find them by the
 * place of the event in window.events, so they do not work for a copy of an event. */
struct window_event {
	struct ct_rec r;
};
_Static_assert(sizeof(struct window_event) == 32, "window_event");

struct window_words {
	uint64_t x[2];
};

/* Where some events are, in order, each with its CPU. `words`: the extra words of all those events that
 * have some (CT_KIND_WORDS), in the same order. */
struct window_part {
	struct window_event *events;
	uint16_t *cpus;
	struct window_words *words;
};

/* A record with its extra words, for code that makes records. */
struct window_record {
	struct ct_rec r;
	uint64_t x[2];
	uint16_t cpu;
	uint16_t pad[3];
};

/* A task, valid from ts_ns to the next entry with the same tid. The kernel reuses tids: start_ns
 * tells tasks apart. */
struct window_task {
	uint64_t ts_ns;
	uint32_t tid;
	uint32_t tgid;
	uint32_t ppid;
	uint32_t uid;
	uint32_t pidns;
	uint8_t flags;
	uint64_t cgroup_id;
	uint64_t start_ns;
	char comm[CT_COMM_LEN];
};

/* The command line of a process, valid from ts_ns to the next entry with the same tgid. */
struct window_cmdline {
	uint64_t ts_ns;
	uint32_t tgid;
	const char *text; /* as ct_cmdline_blob.text; "" if not known */
};

struct window_object {
	uint64_t id;
	uint64_t ts_ns; /* the time of this entry; only the newest entry of an id is kept */
	/* a TCP socket: the time of the newest entry that says that the connection is not made yet; or 0 */
	uint64_t connecting_ns;
	uint64_t ino;
	uint64_t peer;
	uint64_t x;
	uint32_t tid;
	uint32_t dev;
	uint32_t fs_magic;
	uint16_t family;
	uint16_t type;
	uint8_t protocol;
	uint8_t state;
	uint16_t lport, rport;
	uint32_t netns;
	uint8_t laddr[16], raddr[16];
	const char *name;
};

struct window_stack {
	uint64_t id;
	uint16_t n_frames;
	const char **frames; /* innermost first */
};

struct window_state {
	struct ct_rec last; /* as a CT_SWITCH record; ts: when the state began */
	uint32_t owner;     /* the owner of the futex for which the task waits, as in CT_FUTEX.peer */
	uint8_t run;
	uint8_t pad[3];
	uint16_t cpu; /* where the task runs or ran last, or FORMAT_CPU_NONE */
	uint16_t pad2;
};
enum {
	WINDOW_RUN_BLOCKED = FORMAT_RUN_BLOCKED,
	WINDOW_RUN_RUNNABLE = FORMAT_RUN_RUNNABLE,
	WINDOW_RUN_RUNNING = FORMAT_RUN_RUNNING,
	WINDOW_RUN_CAPPED, /* the state is not known; see FORMAT_STATE_CAPPED */
	WINDOW_RUN_FOLDED,
};

/* The states of all known tasks at ns, after a gap from from_ns to ns. Earlier states are no longer
 * valid. The gap may have records: a new daemon records events before its first checkpoint. */
struct window_resync {
	uint64_t from_ns, ns;
	struct window_state *states;
	size_t n_states;
};

struct window {
	/* The wanted time, clipped to the file. A to_ns of UINT64_MAX is not clipped. events and
	 * states begin with the first file segment that was read. This segment usually begins
	 * before from_ns. */
	uint64_t from_ns, to_ns;
	uint64_t file_from_ns, file_to_ns;
	struct clock_offsets offsets;
	uint32_t n_cpus;
	enum machine machine;

	struct window_event *events; /* sorted by (ts, cpu, order within the CPU) */
	size_t n_events;
	/* For window_cpu() and window_words(); `cpus` and `words` are as in struct window_part. */
	uint16_t *cpus;
	struct window_words *words;
	size_t n_words;
	struct rank *with_words; /* the indices of the events that have extra words */
	/* Counts of the loaded events. graph_build_lean() drops events, and does not change these counts.
	 * n_changes: how often a task may change its state. A CT_SWITCH may change the states of two tasks.
	 * CT_WAKE, CT_FORK and CT_FOUND may change the state of one. */
	size_t n_switches, n_changes;

	struct window_task *tasks; /* sorted by (tid, ts_ns) */
	size_t n_tasks;
	struct window_cmdline *cmdlines; /* sorted by (tgid, ts_ns) */
	size_t n_cmdlines;
	struct window_object *objects; /* sorted by id; each id once */
	size_t n_objects;
	struct window_stack *stacks; /* sorted by id */
	size_t n_stacks;
	/* The state of each known task at state_ns, sorted by tid. No event is earlier than state_ns. */
	struct window_state *states;
	size_t n_states;
	uint64_t state_ns;

	struct window_resync *resyncs; /* in an undamaged file, sorted by ns, and without overlap */
	size_t n_resyncs;

	uint64_t lost_records;
	/* Segments that could not be read, plus holes between segments. CT_GAP records with
	 * CT_LOSS_SLOT cover all of them. */
	uint32_t skipped_slots;

	void *arena;
};

/* e must be an event in w->events. */
static inline uint16_t window_cpu(const struct window *w, const struct window_event *e)
{
	return w->cpus[e - w->events];
}
/* e must be an event in w->events. Returns two words, which are 0 if the event has none. */
static inline const uint64_t *window_words(const struct window *w, const struct window_event *e)
{
	static const uint64_t none[2];
	size_t i = (size_t)(e - w->events);

	return rank_has(w->with_words, i) ? w->words[rank_below(w->with_words, i)].x : none;
}
/* Returns the index of the first event from i on that has extra words, or w->n_events. Such events are rare.
 * So for a kind that has words, this is much faster than to look at each event. */
static inline size_t window_next_words(const struct window *w, size_t i)
{
	return rank_next(w->with_words, i, w->n_events);
}
struct window_record window_record(const struct window *w, const struct window_event *e);
/* Returns the entry of tid at ts_ns, or else its first entry, or NULL if tid is not known. */
const struct window_task *window_task_at(const struct window *w, uint32_t tid, uint64_t ts_ns);
/* As window_task_at(). For each time in [*ret_from_ns, *ret_to_ns), window_task_at() returns the same entry.
 * If the result is NULL, *ret_from_ns and *ret_to_ns stay unchanged. */
const struct window_task *window_task_span(const struct window *w, uint32_t tid, uint64_t ts_ns,
					   uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* Returns the command line of the task's process, as in ct_cmdline_blob.text. "" if not known, as
 * for kernel threads and in traces before version 1.6. */
const char *window_cmdline(const struct window *w, uint32_t tid, uint64_t ts_ns);
/* *ret_since_ns: the time of the first record of this command line, or 0 if none is known. */
const char *window_cmdline_since(const struct window *w, uint32_t tid, uint64_t ts_ns,
				 uint64_t *ret_since_ns);
const struct window_object *window_object(const struct window *w, uint64_t id);
bool window_object_same_name(const struct window_object *a, const struct window_object *b);
const struct window_stack *window_stack(const struct window *w, uint64_t id);
size_t window_lower_bound(const struct window *w, uint64_t ts_ns);

/* Makes w->with_words, and sets w->n_words, w->n_switches and w->n_changes. Call it once, after the other
 * arrays of the events and w->n_events have their final values. Returns 0 or -ENOMEM. */
int window_index(struct window *w);
/* To drop events without extra words: call window_keep() for each event from the first to the last, then
 * window_shrink(). window_keep() moves the event `from` to the index `to`, which is the number of events
 * that are kept so far. To drop this event, use the same `to` again for the next one. After
 * window_keep(), window_cpu() and window_words() work for events up to `to`, and not for later ones. */
static inline void window_keep(struct window *w, size_t from, size_t to)
{
	w->events[to] = w->events[from];
	w->cpus[to] = w->cpus[from];
	rank_append(w->with_words, to, CT_KIND_WORDS(w->events[to].r.kind));
}
void window_shrink(struct window *w, size_t n_events);
/* Gives memory of the events [from, to) back: their whole large pages, which then hold zeros. `from`: at
 * least the number of events that are kept so far. `to`: at most the next event for window_keep(). */
void window_give_back(struct window *w, size_t from, size_t to);
/* Frees the CPUs of the events. Call it if window_cpu() and window_keep() are not needed any more. */
void window_drop_cpus(struct window *w);
void window_free(struct window *w);

#endif
