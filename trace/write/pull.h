/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pull.h - gathers the dictionary entries that one segment needs: those its
 * records and states refer to, and one step on from there: the process and the
 * parent of a task, the other end of an object and a task that uses it.
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
	struct dict *tasks, *objects, *stacks;
	uint64_t number; /* of the segment; marks the entries that are in it */
	struct pull_out out_tasks, out_objects, out_stacks;
};

/* Begins a segment with nothing in it. */
void pull_begin(struct pull *p, struct dict *tasks, struct dict *objects, struct dict *stacks);
void pull_done(struct pull *p);
/* Each puts an entry in once; nothing when the dictionary does not have it.  Out of memory: see pull_error().
 */
void pull_task(struct pull *p, uint64_t tid);
void pull_object(struct pull *p, uint64_t id);
void pull_stack(struct pull *p, uint64_t id);
/* Puts in a blob that is not (or no longer) in a dictionary. */
void pull_blob(struct pull_out *out, const struct ct_blob *blob);
/* 0, or -ENOMEM when an entry could not be put in since pull_begin(). */
int pull_error(const struct pull *p);

#endif
