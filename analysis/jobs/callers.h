/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers.h - puts call stacks into clusters: stacks of one cluster differ so little that they count as one
 * caller. As in DiagDroid (queues.h), the distance of two stacks is their edit distance, and single linkage
 * makes the clusters: a stack belongs to a cluster if it is near to one stack of the cluster.
 *
 * Two stacks are near if all of this is true:
 * - One stack is the other one with at most CALLERS_EDITS further frame. A replaced frame counts as two
 * edits: a frame less and a frame more. So stacks with another function in one place are not near.
 * - The stacks have the same frames up to the first function of the program itself, and in any case the same
 *   CALLERS_INNER innermost frames.
 *
 * A frame is a function: the place within the function does not count. A function, or several in a row, that
 * call themselves again count once.
 *
 * A stack may lack its outermost frames. It belongs to a cluster only if exactly one cluster has a stack that
 * begins in the same way.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_JOBS_CALLERS_H
#define CTRACE_ANALYSIS_JOBS_CALLERS_H

#include "trace/format/window.h"

/* stacks: n different ids, each of a stack in w. Sets ret[i] to the number of the cluster of stacks[i]; the
 * numbers begin at 0. Returns the number of clusters, or -ENOMEM. The time is O(n), with a large factor for
 * the frames of a stack. */
int64_t callers_find(const struct window *w, const uint64_t *stacks, size_t n, uint32_t *ret);

#endif
