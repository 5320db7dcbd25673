/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ahead.h - reads and decodes the segments of one window on several threads, and hands them over
 * one after the other. The result does not depend on the number of threads.
 *
 * The caller's thread owns the struct ahead. The other threads live at most from ahead_new() to
 * ahead_free(). They read the struct reader without a lock, so the struct reader must not change in
 * this time. If the reader allows only one thread (reader_use_threads()), if there is only one
 * segment, or if no thread can be created, ahead_next() does the work itself.
 */
#ifndef CTRACE_TRACE_READ_AHEAD_H
#define CTRACE_TRACE_READ_AHEAD_H

#include "trace/read/reader.h"

struct ahead;

struct ahead_segment {
	int err; /* 0, or an error of reader_segment(), decoder_begin() or decoder_events() */
	const struct format_segment *h;
	/* The fields below are valid if err is 0. */
	struct window_event *events; /* sorted as from decoder_events() */
	size_t n_events;
	uint32_t n_cpus;
	struct decoder *decoder; /* begun with this segment */
};

/* Begins to read the segments [a, b). The caller has allocated w->events and w->words, with as much
 * room as reader_room() returns for all these segments together. w->words has one more entry, at
 * index 0, for the events that have no words. The events and words of a segment lie behind the room
 * of the segment before it. Returns 0 or -ENOMEM. */
int ahead_new(const struct reader *r, size_t a, size_t b, struct window *w, struct ahead **ret);
/* Returns the next segment. The caller calls this at most b - a times. The result is valid until
 * the next call. The caller may move events, but only into the room of this segment and of those
 * before it. */
struct ahead_segment ahead_next(struct ahead *ah);
/* Ends the threads. Accepts NULL. */
void ahead_free(struct ahead *ah);

#endif
