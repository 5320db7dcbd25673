/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * piece.h - private to analysis/: the name of a piece of a critical path, so that alike pieces of
 * several runs have one name. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_PROFILE_PIECE_H
#define CTRACE_ANALYSIS_PROFILE_PIECE_H

#include "analysis/profile/part.h"
#include "analysis/profile/role.h"

#define PIECE_OBJECT_MAX 192

struct piece_name {
	enum part_class class;
	char key[PART_TEXT_MAX];  /* without the function, and without an object of `late` */
	char head[PART_TEXT_MAX]; /* the words before the function and the object */
	char function[ROLE_MAX];  /* "": not known */
	char object[PIECE_OBJECT_MAX];
	bool late; /* the object is a detail: only an inspection finds it */
};

/* Names piece x, with the function of its stack if an inspection found one. The piece is no wait
 * for a CPU, and no piece of sums (TIME_SHORT). */
void piece_name(const struct graph *g, const struct path *p, const struct path_piece *x,
		struct piece_name *ret);
/* Names a part of piece x in which its task did something else than x->time says: a part of a
 * folded piece, or a wait for a CPU with no known user. */
void piece_name_as(const struct graph *g, const struct path *p, const struct path_piece *x,
		   enum time_kind time, struct piece_name *ret);
/* Names the wait of piece x for a CPU that `user`, a task of the same program, had. */
void piece_name_cpu(const struct graph *g, const struct path *p, const struct path_piece *x, uint32_t user,
		    struct piece_name *ret);
/* Names time that the machine took. what: "cpu", "idle" or "disk". */
void piece_name_environment(const char *what, struct piece_name *ret);

#endif
