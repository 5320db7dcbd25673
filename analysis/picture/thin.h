/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thin.h - joins neighbours in a list of ranges of time, until the list is short enough to draw.
 * Only ranges shorter than `finest_ns` are joined, and a joined group ends when it is that long.
 * The ranges follow each other without gaps. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_PICTURE_THIN_H
#define CTRACE_ANALYSIS_PICTURE_THIN_H

#include <stddef.h>
#include <stdint.h>

/* The range is never joined with others. */
#define THIN_KEEP UINT64_MAX

/* Returns the length of range i in ns, or THIN_KEEP. */
typedef uint64_t (*thin_length_fn)(const void *arg, size_t i);

/* Returns a finest_ns with which thin_group() makes at most `max` groups of the n ranges. If too
 * many ranges are THIN_KEEP, there is no such finest_ns. Then returns a finest_ns with which
 * thin_group() makes as few groups as possible. */
uint64_t thin_finest(thin_length_fn length, const void *arg, size_t n, size_t max);
/* Returns the end of the group that begins with range i, i < n. */
size_t thin_group(thin_length_fn length, const void *arg, size_t n, size_t i, uint64_t finest_ns);

#endif
