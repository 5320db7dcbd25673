/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pull.h - gathers the dictionary entries that one segment needs. These are the entries to which
 * the records and states of the segment refer, and the neighbours of these entries. The neighbours
 * of a task are its process, its parent, its command line and its control group. The neighbours of
 * an object are its other end and a task that uses it. One thread at a time.
 */
#ifndef CTRACE_TRACE_WRITE_PULL_H
#define CTRACE_TRACE_WRITE_PULL_H

#include "trace/write/dict.h"

struct pull_out {
	VEC(uint8_t) bytes; /* blobs, back to back */
	uint32_t n;
	int error;
};

struct pull {
	struct dict *tasks, *cmdlines, *objects, *stacks;
	/* Each pull_begin() takes the next number. Entries that are in the segment have this number
	 * in dict_entry.put. The number is not the seq of the segment, because each copy of an open
	 * segment has a number too. */
	uint64_t number;
	struct pull_out out_tasks, out_objects, out_stacks; /* out_tasks has the command lines too */
};

/* Begins a segment without entries. The dictionaries must live until the last call for the
 * segment. */
void pull_begin(struct pull *p, struct dict *tasks, struct dict *cmdlines, struct dict *objects,
		struct dict *stacks);
void pull_done(struct pull *p);
/* The next three functions add one entry and its neighbours. These functions leave out entries that
 * the segment has already, and entries that the dictionary does not have. If an allocation fails,
 * pull_error() says so. */
void pull_task(struct pull *p, uint64_t tid);
void pull_object(struct pull *p, uint64_t id);
void pull_stack(struct pull *p, uint64_t id);
/* Adds a blob that was never in a dictionary, or is no longer in a dictionary. */
void pull_blob(struct pull_out *out, const struct ct_blob *blob);
/* Returns 0, or -ENOMEM if an entry since pull_begin() could not be added. */
int pull_error(const struct pull *p);

#endif
