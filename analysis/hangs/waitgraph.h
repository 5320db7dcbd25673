/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitgraph.h - the wait-for graph of one moment: its chains, roots and cycles.
 *
 * The caller names nodes by 64-bit ids (a tid, or any other number).  An edge says that its tail cannot go on
 * before its head has done something.  A node waits for ALL of its heads or for ANY one of them (a mutex has
 * one owner; any descriptor ends a poll).  Pure: no I/O, no globals.  One thread at a time per graph.
 *
 *	waitgraph_new, waitgraph_node..., waitgraph_edge..., waitgraph_solve,
 *	then the questions; after another node or edge, solve again.
 *
 * All is linear in nodes plus edges, and nothing recurses.
 */
#ifndef CTRACE_ANALYSIS_HANGS_WAITGRAPH_H
#define CTRACE_ANALYSIS_HANGS_WAITGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waitgraph;

enum waitgraph_need {
	WAITGRAPH_ANY, /* one head is enough */
	WAITGRAPH_ALL, /* every head has to act */
};

/* How sure it is that the tail waits for this head and not for something else. */
enum waitgraph_strength { WAITGRAPH_WEAK, WAITGRAPH_STRONG };

/* One link of a chain or of a cycle: the node, and the edge by which the next one is reached. */
struct waitgraph_step {
	uint64_t id;
	uint64_t resource; /* as given to waitgraph_edge(); 0 in the last step of a chain */
	enum waitgraph_strength strength;
};

struct waitgraph_cycle {
	/* In order; the last one waits for the first one.  Begins at the smallest id. */
	const struct waitgraph_step *steps;
	size_t n_steps;
	size_t n_members; /* nodes of the strongly connected component; more than n_steps if several cycles
			     share nodes */
	/* No node outside can release one of these: none of them will ever go on. */
	bool closed;
	bool strong; /* every edge in it is strong; closed and strong: a deadlock */
};

struct waitgraph_info {
	uint64_t root_id;   /* the end of waitgraph_chain() */
	size_t depth;       /* links from here to the root; 0: it waits for no node */
	size_t waiters_cnt; /* nodes whose chains go through this one */
	bool cyclic;        /* the chain ends in a cycle and root_id is a member of it */
};

/* NULL: out of memory.  waitgraph_free() accepts NULL. */
struct waitgraph *waitgraph_new(void);
void waitgraph_free(struct waitgraph *g);

/*
 * Adds a node, or changes one that is there.  open: something outside the graph can release it too
 * (a time limit, a remote host, a descriptor whose other end is not known).  0 or -ENOMEM.
 */
int waitgraph_node(struct waitgraph *g, uint64_t id, enum waitgraph_need need, bool open);
/*
 * Adds an edge; nodes that are not there are added as ANY, not open.  resource is the caller's own (an
 * index of a text, an object id).  Of the edges of one node a chain follows a strong one before a weak
 * one, then one that leads out of the circles that the node is in (into them, when it waits for ALL), then
 * the one added first: add the likeliest first.  0 or -ENOMEM.
 */
int waitgraph_edge(struct waitgraph *g, uint64_t from, uint64_t to, enum waitgraph_strength strength,
		   uint64_t resource);
/* Computes what the questions below answer.  0 or -ENOMEM (the questions must not be asked then). */
int waitgraph_solve(struct waitgraph *g);

/*
 * The cycles, at most one for each set of nodes that are knotted together: first the deadlocks, then
 * the other closed ones, then those that somebody outside may yet break.
 */
size_t waitgraph_cycles_cnt(const struct waitgraph *g);
const struct waitgraph_cycle *waitgraph_cycle(const struct waitgraph *g, size_t idx);

/* False when there is no such node. */
bool waitgraph_info(const struct waitgraph *g, uint64_t id, struct waitgraph_info *ret);
/*
 * Walks from id along the preferred edges to the root and writes at most max steps, id first.  A chain that
 * runs into a cycle ends with the last node before one would be repeated.  Returns the number of steps of the
 * whole chain, which may be more than max; 0 when there is no such node.
 */
size_t waitgraph_chain(const struct waitgraph *g, uint64_t id, struct waitgraph_step *ret_steps, size_t max);

#endif
