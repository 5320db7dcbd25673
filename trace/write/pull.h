/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pull.h - gathers the dictionary entries that one segment needs: those of its records and states,
 * and their neighbours.
 * - The neighbours of a task are its process, parent, command line and control group.
 * - The neighbours of an object are its other end, and a task that uses the object.
 *
 * One thread at a time.
 */
#ifndef CTRACE_TRACE_WRITE_PULL_H
#define CTRACE_TRACE_WRITE_PULL_H

#include "trace/write/dict.h"

struct pull_out {
	VEC(uint8_t) bytes;
	uint32_t n;
	int error;
	bool same; /* nothing was added since pull_again() */
};

struct pull {
	struct dict *tasks, *cmdlines, *objects, *stacks;
	/* the number of this segment; each entry in the segment gets it as dict_entry.put */
	uint64_t number;
	uint64_t stacks_number; /* as number, for stacks */
	uint64_t changes;       /* the changes of the dictionaries (dict.changes) up to pull_begin() */
	struct pull_out out_tasks, out_objects, out_stacks;
};

/* The dictionaries must outlive the other calls. */
void pull_init(struct pull *p, struct dict *tasks, struct dict *cmdlines, struct dict *objects,
	       struct dict *stacks);
void pull_done(struct pull *p);
/* Begins a segment. */
void pull_begin(struct pull *p);
/* Goes on with the segment, for its next copy: what is in it, except stacks, need not be added again. Returns
 * false, and does nothing, if what was added may be out of date: then the caller calls pull_begin(). */
bool pull_again(struct pull *p);
/* These three add an entry and its neighbours: see the top of this file. A stack has no neighbours.
 * They skip entries that are unknown, or already in the segment. */
void pull_task(struct pull *p, uint64_t tid);
void pull_object(struct pull *p, uint64_t id);
void pull_stack(struct pull *p, uint64_t id);
void pull_blob(struct pull_out *out, const struct ct_blob *blob);
int pull_error(const struct pull *p);

#endif
