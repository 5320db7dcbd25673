/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitgraph.h - the wait-for graph of one moment: its chains, roots and cycles.
 *
 * An edge says that its tail cannot go on before its head has done something. A node waits for ALL
 * of its heads, or for ANY one of them. The caller names nodes by 64-bit ids, such as tids.
 *
 * Pure. Only one thread at a time may use a graph. All functions take time linear in nodes plus
 * edges, and none is recursive.
 */
#ifndef CTRACE_ANALYSIS_HANGS_WAITGRAPH_H
#define CTRACE_ANALYSIS_HANGS_WAITGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waitgraph;

enum waitgraph_need {
	WAITGRAPH_ANY,
	WAITGRAPH_ALL,
};

enum waitgraph_strength { WAITGRAPH_WEAK, WAITGRAPH_STRONG };

struct waitgraph_step {
	uint64_t id;
	uint64_t resource;
	enum waitgraph_strength strength;
};

/* A cycle. Its component is all nodes that wait for each other, directly or through other nodes. */
struct waitgraph_cycle {
	/* Each node waits for the next one, and the last for the first. The first node has the
	 * smallest id of the component. */
	const struct waitgraph_step *steps;
	size_t n_steps;
	/* The nodes in the component: more than n_steps if cycles share nodes. */
	size_t n_members;
	/* No node outside the cycle can release a node of the cycle. */
	bool closed;
	bool strong; /* every edge is strong; a cycle that is closed and strong is a deadlock */
};

struct waitgraph_info {
	uint64_t root_id;
	size_t depth;
	size_t waiters_cnt; /* how many other nodes have chains through this node */
	bool cyclic;
};

/* Returns NULL if out of memory. */
struct waitgraph *waitgraph_new(void);
void waitgraph_free(struct waitgraph *g);

/* Adds a node, or changes the one with this id. open: something outside the graph, such as a time
 * limit, can release the node too. Returns 0 or -ENOMEM. */
int waitgraph_node(struct waitgraph *g, uint64_t id, enum waitgraph_need need, bool open);
/*
 * Adds an edge. Adds a missing node as WAITGRAPH_ANY and not open. `resource` is any number of the
 * caller. Returns 0 or -ENOMEM.
 *
 * A chain follows one edge of each node. These criteria choose the edge, in this order:
 * - a strong edge;
 * - for WAITGRAPH_ANY, an edge that leaves the cycles of the node; for WAITGRAPH_ALL, an edge that
 *   stays inside them;
 * - the edge that was added first.
 */
int waitgraph_edge(struct waitgraph *g, uint64_t from, uint64_t to, enum waitgraph_strength strength,
		   uint64_t resource);
/* Call this before the questions below, and again after a change. Returns 0 or -ENOMEM. */
int waitgraph_solve(struct waitgraph *g);

/* Of several cycles that share nodes, only one is listed. Deadlocks come first, then other closed
 * cycles, then the rest. waitgraph_cycle() returns NULL beyond the last one. */
size_t waitgraph_cycles_cnt(const struct waitgraph *g);
const struct waitgraph_cycle *waitgraph_cycle(const struct waitgraph *g, size_t idx);

/* Returns false if there is no such node. */
bool waitgraph_info(const struct waitgraph *g, uint64_t id, struct waitgraph_info *ret);
/* Writes at most max steps of the chain, id first. A chain ends before a node would be repeated.
 * Returns the number of steps of the whole chain; 0: there is no such node. */
size_t waitgraph_chain(const struct waitgraph *g, uint64_t id, struct waitgraph_step *ret_steps, size_t max);

#endif
