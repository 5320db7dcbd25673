/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.h - sums up the time of tasks by stack.
 *
 * The sums are in a tree of frames. A path from the root begins with a frame for the name of the
 * task. The frames of a recorded stack follow, outermost first, without their offsets. A frame in
 * square brackets is a state or a resource.
 *
 *   offcpu  time in which the task waited, or was ready and had no CPU
 *           shop; main; read_row; k:futex_wait; [futex]
 *   blame   time in which the task waited. Above the stack of the waiter: what the task to blame
 *           (graph/wake/blame.h) did in this time
 *           shop; main; read_row; [futex]; writer; main; fsync; [disk]
 *   oncpu   time in which the task ran. A sample stands for the time since the sample before it, or since the
 *           run began. The last sample of a run also stands for the rest of the run. A run lasts until the
 *           task waits
 *           shop; main; compute
 *
 * Only an inspected wait has a stack, and only a long run has samples. Other time has the frame
 * "[no stack]" or "[no sample]".
 *
 * Pure; one thread at a time for each struct flame.
 */
#ifndef CTRACE_ANALYSIS_FLAME_FLAME_H
#define CTRACE_ANALYSIS_FLAME_FLAME_H

#include "graph/timeline/graph.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "trace/words/texts.h"

/* Limits. NODES: the nodes of one tree. DEPTH: the frames of a stack, enough for two stacks of a
 * trace. WAIT_STEPS: the intervals of the task to blame that are looked at for one wait. STEPS: the
 * sum of these intervals over all waits. */
#define FLAME_NODES      (1u << 20)
#define FLAME_DEPTH      2200
#define FLAME_WAIT_STEPS (1u << 16)
#define FLAME_STEPS      (1ull << 28)

enum flame_kind { FLAME_OFFCPU, FLAME_BLAME, FLAME_ONCPU, FLAME_KINDS };
const char *flame_kind_name(enum flame_kind kind);
/* Returns FLAME_KINDS for an unknown name. */
enum flame_kind flame_kind_of(const char *name);

enum flame_what { FLAME_TASK, FLAME_FUNCTION, FLAME_KERNEL, FLAME_STATE };

struct flame_node {
	uint64_t self_ns;
	uint32_t parent; /* less than the node's own index; of the root: 0 */
	uint32_t frame;  /* number in flame.frames */
	uint8_t what;    /* enum flame_what */
	bool other;      /* the frame belongs to the task to blame */
	uint16_t depth;  /* root: 0 */
};

struct flame_sample {
	uint64_t ns;
	uint32_t node;
};

struct flame {
	struct texts frames;
	VEC(struct flame_node) nodes; /* nodes.v[0] is the root, which has no frame */
	struct map children;
	uint64_t total_ns; /* the sum of all self_ns */
	uint64_t steps;
	/* The number of frames that a limit left out, plus the number of waits that a limit cut short.
	 * Their time counts in the frame below. */
	uint64_t refused;
	/* If keep is set, flame_add() also appends each addition, in order of time. */
	bool keep;
	VEC(struct flame_sample) samples;
};

/* Returns 0 or -ENOMEM. The caller calls flame_done() in both cases. */
int flame_init(struct flame *f);
void flame_done(struct flame *f);
/* Adds the time of the task in [from_ns, to_ns). Returns 0 or -ENOMEM. */
int flame_add(struct flame *f, const struct graph *g, enum flame_kind kind, uint32_t task, uint64_t from_ns,
	      uint64_t to_ns);
/* Returns the text of a frame, as it is in the trace: it may have any bytes. */
static inline const char *flame_text(const struct flame *f, uint32_t node)
{
	return f->frames.v.v[f->nodes.v[node].frame];
}

/* For collect.c. Returns the child of `node` with this text. If there is no room, counts that in
 * `refused` and returns `node`. Returns GRAPH_NONE if there is no memory. */
uint32_t flame_child(struct flame *f, uint32_t node, const char *text, enum flame_what what, bool other);
int flame_time(struct flame *f, uint32_t node, uint64_t ns);

#endif
