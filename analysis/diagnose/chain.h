/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - private to analysis/: builds a chain of tasks from a critical path. breakdown.h divides
 * the time of a task into groups, such as its waits for one other task. branch.h chooses one group.
 * If this group is the waits for another task, that task is the next link. Otherwise the chain ends.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_CHAIN_H
#define CTRACE_ANALYSIS_DIAGNOSE_CHAIN_H

#include "analysis/diagnose/diagnosis.h"
#include "lib/vec.h"

enum chain_end { END_RUNNING, END_RUNNABLE, END_FOLDED, END_LEAF, END_CYCLE, END_UNKNOWN };

struct chain {
	VEC(struct link) links;
	VEC(struct choice) choices;
	enum chain_end end;
	struct blame leaf;
	struct enders rivals; /* of the last link: the tasks that could end its wait, if there are several */
	VEC(struct path_piece) cpu_waits; /* END_RUNNING, END_RUNNABLE: when the last task waited for a CPU */
	uint32_t last_frame;
	/* in_last[f]: frame f belongs to the link that chain_build() adds next. */
	bool *in_last;
	struct diagnose_options options;
	size_t asked;
	bool refused;
};

/* Builds the chain of a path. If `options` is NULL, there are no rules and no questions. Returns 0
 * or -ENOMEM. The caller calls chain_done() in both cases. */
int chain_build(const struct graph *g, const struct path *p, const struct diagnose_options *options,
		struct chain *ret);
void chain_done(struct chain *c);
/* Moves how the chain `from` ends to the chain `to`: end, leaf and cpu_waits. */
void chain_take_end(struct chain *to, struct chain *from);
/* Appends a link for `task` to the chain. The new link has the times of the link before it. `edge` and
 * `strength` say how the link before it depends on `task`. Returns 0 or -ENOMEM. */
int chain_append(const struct graph *g, struct chain *c, uint32_t task, enum edge_kind edge,
		 enum edge_strength strength);
/* Drops the links from links.v[n] on. n: at least 1 */
void chain_cut(struct chain *c, size_t n);
/* Returns true if the chain has a choice that neither a rule nor a person decided. */
bool chain_has_open_choice(const struct chain *c);
/* Returns true if a link from index `from` on is of this task. */
bool chain_has_task(const struct chain *c, size_t from, uint32_t task);
/* Returns true if any link but the last one has an edge of this kind. */
bool chain_has_edge(const struct chain *c, enum edge_kind kind);
/* Returns true if link i of the n links waits for a lock. */
bool chain_waits_for_lock(const struct link *links, size_t n, size_t i);
/* Returns true if one of the n links waits for a lock. */
bool chain_has_lock(const struct link *links, size_t n);
/* Returns true if the task of the link owned no lock of the kernel for most of the time. It waits in a call
 * in which no task owns one: the kernel takes no lock before such a wait, or has released all. Or it runs,
 * and its samples show that it runs in user mode. */
bool chain_holds_no_kernel_lock(const struct graph *g, const struct link *k);
/* Returns true if the link waits for a process of its own database: graph/wake/title.h, title_helper(). */
bool chain_awaits_helper(const struct link *k);
/* Returns true if every link but the last one waits for the end of a task, or for a vfork child. */
bool chain_only_children(const struct chain *c);
/* Returns true if the last link waits for a disk, or for a network file system. */
bool chain_waits_for_files(const struct chain *c);
/* Returns true if the link is one wait, and its own stack shows that it is a sleep of Java. */
bool chain_sleeps_in_java(const struct graph *g, const struct link *k);
/* Returns true if the stack of the link shows that the task waits because its file system is frozen. */
bool chain_awaits_thaw(const struct graph *g, const struct link *k);
/* Returns true if the stack of the link shows that the task sleeps because fork() has failed. */
bool chain_retries_fork(const struct graph *g, const struct link *k);
/* Returns the bytes of all messages that were received on the object of link k in the time of the link, and
 * sets *ret_messages to their number. */
uint64_t chain_received(const struct graph *g, const struct link *k, size_t *ret_messages);

#endif
