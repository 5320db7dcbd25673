/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * piece.h - private to analysis/: names pieces of a critical path. Alike pieces of several runs have
 * one name. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_PROFILE_PIECE_H
#define CTRACE_ANALYSIS_PROFILE_PIECE_H

#include "analysis/profile/part.h"
#include "analysis/profile/role.h"

#define PIECE_OBJECT_MAX 192

enum piece_environment {
	PIECE_ENVIRONMENT_CPU,  /* other programs had the CPU */
	PIECE_ENVIRONMENT_IDLE, /* the CPU was idle, or ctrace had it */
	PIECE_ENVIRONMENT_DISK, /* other programs used the disk too */
};

struct piece_name {
	enum part_class class;
	char key[PART_TEXT_MAX];  /* without function; without object if `late` is set */
	char head[PART_TEXT_MAX]; /* the words before the function and the object */
	char function[ROLE_MAX];  /* "": not known */
	char object[PIECE_OBJECT_MAX];
	/* If true, only an inspection of the wait finds `object`, and it may be unknown in another run. So
	 * the object is in profile_part.detail, not in profile_part.key. */
	bool late;
};

/* Names piece x, with the function of its stack if an inspection found one. The piece must be
 * neither a wait for a CPU nor a piece of sums (TIME_SHORT). */
void piece_name(const struct graph *g, const struct path *p, const struct path_piece *x,
		struct piece_name *ret);
/* Like piece_name(), but without a function, and for pieces of two other sorts:
 * - a folded piece, of which only the sums of each kind of time are known. The name is for one of these
 *   sums: that of the kind `time`.
 * - a wait for a CPU, if it is not known which task had the CPU. `time` is TIME_RUNNABLE. */
void piece_name_as(const struct graph *g, const struct path *p, const struct path_piece *x,
		   enum time_kind time, struct piece_name *ret);
/* Names a wait for a CPU. The task `user`, of the same program, had this CPU. */
void piece_name_cpu(const struct graph *g, const struct path *p, const struct path_piece *x, uint32_t user,
		    struct piece_name *ret);
/* Names a wait for a CPU while the CPU quota of the task's group was used up. */
void piece_name_quota(const struct graph *g, const struct path *p, const struct path_piece *x,
		      struct piece_name *ret);
/* Names a time in which no task of this machine worked: in a queue (queued; task: the one that later takes
 * the work), or on the way to another task or to another host (task: GRAPH_NONE). */
void piece_name_passive(const struct graph *g, uint32_t task, uint64_t ts_ns, bool queued,
			struct piece_name *ret);
void piece_name_environment(enum piece_environment what, struct piece_name *ret);

#endif
