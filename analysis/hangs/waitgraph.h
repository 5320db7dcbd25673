/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitgraph.h - the wait-for graph of one moment: its chains, roots and cycles.
 *
 * The caller names nodes by 64-bit ids (a tid, or any other number). An edge says that its tail
 * cannot go on before its head has done something. A node waits for ALL of its heads (the owners of
 * a shared file lock) or for ANY one of them (the tasks at the other ends of the descriptors of a
 * poll). Pure: no I/O, no globals. Only one thread at a time may use a graph.
 *
 * 	waitgraph_new, waitgraph_node..., waitgraph_edge..., waitgraph_solve,
 * 	then the questions; after a further node or edge, call waitgraph_solve() again.
 *
 * All functions take time linear in nodes plus edges, and none is recursive.
 */
#ifndef CTRACE_ANALYSIS_HANGS_WAITGRAPH_H
#define CTRACE_ANALYSIS_HANGS_WAITGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waitgraph;

enum waitgraph_need {
	WAITGRAPH_ANY, /* the node can go on when one of its heads has acted */
	WAITGRAPH_ALL, /* the node can go on when all of its heads have acted */
};

/* How sure it is that the tail of the edge waits for this head, and not for something else. */
enum waitgraph_strength { WAITGRAPH_WEAK, WAITGRAPH_STRONG };

/* One link of a chain or of a cycle: a node, and its edge to the next node. */
struct waitgraph_step {
	uint64_t id;
	uint64_t resource; /* resource of this edge, as given to waitgraph_edge(); 0 in the last step of a
			      chain that does not end in a cycle */
	enum waitgraph_strength strength;
};

struct waitgraph_cycle {
	/* In order, from the smallest id on. The last node waits for the first one. */
	const struct waitgraph_step *steps;
	size_t n_steps;
	size_t n_members; /* the number of nodes in the strongly connected component of the cycle;
			     more than n_steps if several cycles share nodes */
	/* No node outside the cycle can release a node of the cycle, so no node of the cycle will
	 * ever go on. */
	bool closed;
	bool strong; /* every edge in the cycle is strong; a cycle that is closed and strong is a deadlock */
};

struct waitgraph_info {
	uint64_t root_id;   /* id of the last node of waitgraph_chain() */
	size_t depth;       /* the number of links from this node to the root; 0: the node waits for
			       no other node */
	size_t waiters_cnt; /* how many other nodes have chains that go through this node */
	bool cyclic;        /* the chain ends in a cycle and root_id is a member of it */
};

/* Makes an empty graph. Returns NULL if out of memory. waitgraph_free() accepts NULL. */
struct waitgraph *waitgraph_new(void);
void waitgraph_free(struct waitgraph *g);

/*
 * Adds a node, or changes the one with this id. If `open` is true, something outside the graph can
 * release the node too (a time limit, a remote host, a descriptor whose other end is not known).
 * Returns 0 or -ENOMEM.
 */
int waitgraph_node(struct waitgraph *g, uint64_t id, enum waitgraph_need need, bool open);
/*
 * Adds an edge. If a node of the edge is missing, adds it as WAITGRAPH_ANY and not open. `resource`
 * is any number of the caller (an index, an object id). Returns 0 or -ENOMEM.
 *
 * A chain follows only one edge of a node. A strong edge comes before a weak one. Among equally
 * strong edges, an edge that leads out of the cycles of the node comes first (for WAITGRAPH_ALL: an
 * edge that stays inside them). If this does not decide, the chain follows the edge that was added
 * first. So add the likeliest edge first.
 */
int waitgraph_edge(struct waitgraph *g, uint64_t from, uint64_t to, enum waitgraph_strength strength,
		   uint64_t resource);
/* Computes the answers to the questions below. Returns 0 or -ENOMEM. After -ENOMEM, the caller must
 * not ask the questions. */
int waitgraph_solve(struct waitgraph *g);

/*
 * The number of cycles, and one cycle by its index (NULL if there is none). Of several cycles that
 * share nodes, only one is listed. First come the deadlocks, then the other closed cycles, then the
 * cycles that something outside may still break.
 */
size_t waitgraph_cycles_cnt(const struct waitgraph *g);
const struct waitgraph_cycle *waitgraph_cycle(const struct waitgraph *g, size_t idx);

/* Gives the answers for one node. Returns false if there is no such node. */
bool waitgraph_info(const struct waitgraph *g, uint64_t id, struct waitgraph_info *ret);
/*
 * Walks from id along the preferred edges to the root, and writes at most max steps, id first. A
 * chain that runs into a cycle ends before a node would be repeated. Returns the number of steps of
 * the whole chain, which may be more than max. Returns 0 if there is no such node.
 */
size_t waitgraph_chain(const struct waitgraph *g, uint64_t id, struct waitgraph_step *ret_steps, size_t max);

#endif
