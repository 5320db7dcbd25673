/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inputs.h - the inputs of a window (key presses, button presses, ...), and the last update of the
 * display that each of them caused.
 *
 * The work for an input begins when a program takes the event. It goes on until the thread takes the
 * next event or idles, and in the threads and processes that this work wakes, by strong edges of the causal
 * graph. It does not go on in the display server. An update is a send to a display server (X11 or Wayland):
 * - of a program whose framework reports when it draws (CT_IF_DRAWS): the send of what it drew
 * - of any other program: each send
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_INPUTS_INPUTS_H
#define CTRACE_ANALYSIS_INPUTS_INPUTS_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

struct input {
	uint64_t from_ns;  /* when it happened, by the clock of the display server; if unknown, taken_ns */
	uint64_t taken_ns; /* when the program took the event */
	uint64_t shown_ns; /* when the last update was sent; 0: no update is known */
	uint32_t task;     /* the task that took the event */
	uint32_t sender;   /* the task that sent the update, or GRAPH_NONE */
	uint8_t what;      /* enum ct_input */
	/* The work for the input may go on after the end of the window, or records of it are missing. */
	bool open;
	/* The update was sent together with the work for another event that was taken in between, so this
	 * input may have caused no part of it. */
	bool shared;
};
typedef VEC(struct input) input_list;

/* Finds the inputs that were taken in the window, in order of time. kinds: 1 << enum ct_input of each kind
 * that is wanted. The graph must not be lean. The caller frees *ret with VEC_FREE(), also after an error.
 * Returns 0, -ENOMEM or -E2BIG. */
int inputs_find(const struct graph *g, uint32_t kinds, input_list *ret);

#endif
