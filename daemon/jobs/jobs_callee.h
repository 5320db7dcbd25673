/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_callee.h - the functions that jobs run, where a framework tells only their addresses: each is probed
 * in the process that named it, and nowhere else.  One thread.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_CALLEE_H
#define CTRACE_DAEMON_JOBS_JOBS_CALLEE_H

#include <stddef.h>

#include "daemon/jobs/jobs_probe.h"
#include "daemon/jobs/jobs_spec.h"

#define JOBS_CALLEES_MAX  256 /* functions that jobs run */
#define JOBS_CALLEES_EACH 16  /* of one process */

struct jobs_callees;

int jobs_callees_new(struct jobs_probe *probe, struct jobs_callees **ret);
/* Takes the probes away.  Accepts NULL. */
void jobs_callees_free(struct jobs_callees *c);
/* Probes a function as spec->functions[fn].calls says.  0, also when it is probed already; -ENOSPC: too many;
 * -ESRCH: the process has gone; -ENOENT: the function is not in a file (code made at run time); -errno. */
int jobs_callees_add(struct jobs_callees *c, const struct jobs_spec *spec, size_t fn,
		     const struct job_call *call);
/* Forgets those whose process has ended. */
void jobs_callees_reap(struct jobs_callees *c);
size_t jobs_callees_count(const struct jobs_callees *c);

#endif
