/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmdlines.h - reads the command lines of processes in /proc, and makes CT_CMDLINE blobs of them.
 * The kernel side records the command line at each exec. This module reads the command lines of
 * other processes: a process whose exec was not recorded, a forked process whose parent has no
 * recorded command line, and an inspected process, which may have changed its command line
 * (PostgreSQL shows there what a session does).
 *
 * A read of /proc/PID/cmdline waits for a lock on the memory of the process. So the read may wait
 * for as long as the process hangs, and a separate worker does it. If this worker is stuck, only
 * command lines are missing from then on.
 */
#ifndef CTRACE_DAEMON_RECORD_CMDLINES_H
#define CTRACE_DAEMON_RECORD_CMDLINES_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/worker.h"

/* the most processes whose command lines wait to be read; further processes are left out */
#define CMDLINES_WAITING_MAX 32768

struct cmdlines;

struct cmdlines_options {
	struct worker *worker;
	/* Takes over the CT_CMDLINE blobs (malloc'd), which lie back to back. Called on the
	 * worker's thread. */
	void (*found)(void *arg, void *data, size_t size);
	void *arg;
};

/* Returns NULL if there is no memory. */
struct cmdlines *cmdlines_new(const struct cmdlines_options *opt);
/* Call this function when the worker has ended. Accepts NULL. */
void cmdlines_free(struct cmdlines *c);
/* Asks for the command line of the process tgid. Drain thread only. */
void cmdlines_want(struct cmdlines *c, uint32_t tgid);
/* Posts a job to the worker, if command lines are wanted and no job is under way. Drain thread
 * only. */
void cmdlines_round(struct cmdlines *c);

#endif
