/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmdlines.h - reads command lines in /proc, and makes CT_CMDLINE blobs of them. Serves processes
 * without a recorded exec, and inspected processes. An inspected process may have changed its
 * command line (PostgreSQL).
 *
 * A read of /proc/PID/cmdline waits for a lock on the memory of the process, perhaps for ever. So a
 * separate worker reads. If it is stuck, only command lines are missing.
 */
#ifndef CTRACE_DAEMON_RECORD_CMDLINES_H
#define CTRACE_DAEMON_RECORD_CMDLINES_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/worker.h"

/* processes in the queue of this module; further processes are left out */
#define CMDLINES_WAITING_MAX 32768

struct cmdlines;

struct cmdlines_options {
	struct worker *worker;
	/* Takes over CT_CMDLINE blobs (malloc'd), back to back. Called on the worker's thread. */
	void (*found)(void *arg, void *data, size_t size);
	void *arg;
};

struct cmdlines *cmdlines_new(const struct cmdlines_options *opt);
/* Call this after the end of the worker. Accepts NULL. */
void cmdlines_free(struct cmdlines *c);
/* Drain thread only. */
void cmdlines_want(struct cmdlines *c, uint32_t tgid);
/* If no job of this module is under way, posts one that reads the wanted command lines. Drain
 * thread only. */
void cmdlines_round(struct cmdlines *c);

#endif
