/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmdlines.h - reads the command lines of processes in /proc, and writes them as CT_CMDLINE blobs. The
 * kernel side records the command line of each exec, so this module reads only those of processes
 * whose exec was not recorded, and of processes that may have changed their command line (PostgreSQL shows
 * there what a session does).
 *
 * A read of /proc/PID/cmdline waits for a lock on the memory of the process, and so it may wait for as
 * long as the process hangs. So a separate worker does the reading. If this worker is stuck, only
 * command lines are missing from then on.
 */
#ifndef CTRACE_DAEMON_RECORD_CMDLINES_H
#define CTRACE_DAEMON_RECORD_CMDLINES_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/worker.h"

#define CMDLINES_WAITING_MAX 32768 /* processes that wait to be read; further ones are left out */

struct cmdlines;

struct cmdlines_options {
	struct worker *worker;
	/* Takes over what was read (malloc'd): blobs, back to back. Called on the worker's thread. */
	void (*found)(void *arg, void *data, size_t size);
	void *arg;
};

/* NULL: out of memory. */
struct cmdlines *cmdlines_new(const struct cmdlines_options *opt);
/* To be called when the worker has ended. Accepts NULL. */
void cmdlines_free(struct cmdlines *c);
/* The command line of the process tgid is wanted. Drain thread. */
void cmdlines_want(struct cmdlines *c, uint32_t tgid);
/* Posts a job to the worker, if command lines are wanted and no job is under way. Drain thread. */
void cmdlines_round(struct cmdlines *c);

#endif
