/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * withoutarg.h - the argument of --without: the thing that a what-if question takes away.
 *
 *   task:TID  process:PID  the times of this task or process, except its waits for other tasks
 *   object:TEXT            all waits for each object that is on the path and has TEXT in its name
 *   wait:TIME              the wait of the analysed task at this time, or else its next wait
 *   resource:KIND          all waits of this kind: runnable, lock, ipc, disk, network, timer,
 *                          queue, fault
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

/* task: the task whose path is analysed. a: the account of this path. Prints its errors and returns
 * an exit code. */
int withoutarg_add(struct withoutarg *w, const struct analysis_input *in, uint32_t task,
		   const struct account *a, const char *arg);
void withoutarg_done(struct withoutarg *w);

#endif
