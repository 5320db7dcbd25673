/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * withoutarg.h - the argument of --without: what is taken away from a range.
 *
 *	task:TID  process:PID	what it did
 *	object:TEXT	all waits for the objects on the path whose name has TEXT in it
 *	wait:TIME	the wait of the task asked about at that time, or the next one
 *	resource:KIND	all waits of that kind: runnable, lock, ipc, disk, network, timer, queue, fault
 */
#ifndef CTRACE_CLI_INPUT_WITHOUTARG_H
#define CTRACE_CLI_INPUT_WITHOUTARG_H

#include "analysis/whatif/whatif.h"
#include "cli/input/analysis_input.h"
#include "lib/vec.h"

#define WITHOUTARG_MAX 16

struct withoutarg {
	VEC(struct whatif_without) v;
};

/* Adds what arg says; an exit code: what is wrong with it has been said.  task: whose path it is. */
int withoutarg_add(struct withoutarg *w, const struct analysis_input *in, uint32_t task,
		   const struct account *a, const char *arg);
void withoutarg_done(struct withoutarg *w);

#endif
