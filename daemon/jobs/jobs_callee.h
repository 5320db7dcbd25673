/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_callee.h - probes the functions that jobs run, for frameworks that report only addresses.
 * Probes a function only in the process that reported it. Not thread-safe. */
#ifndef CTRACE_DAEMON_JOBS_JOBS_CALLEE_H
#define CTRACE_DAEMON_JOBS_JOBS_CALLEE_H

#include <stddef.h>

#include "daemon/jobs/jobs_probe.h"
#include "daemon/jobs/jobs_spec.h"

#define JOBS_CALLEES_MAX  256
#define JOBS_CALLEES_EACH 16

struct jobs_callees;

int jobs_callees_new(struct jobs_probe *probe, struct jobs_callees **ret);
/* spec_no: number of the description of a framework. Jobs of this framework run functions. Returns
 * how often these functions were called, also in processes that have ended. */
uint64_t jobs_callees_hits(const struct jobs_callees *c, uint32_t spec_no);
/* Returns the CPU time of these hits, in ns. */
uint64_t jobs_callees_cost(const struct jobs_callees *c, uint32_t spec_no);
/* Removes the probes on functions that jobs of this framework run. */
void jobs_callees_drop(struct jobs_callees *c, uint32_t spec_no);
void jobs_callees_free(struct jobs_callees *c);
/*
 * Probes the function at call->function in the process call->tgid. The rule of the probe is from
 * spec->functions[fn].calls. attached: see struct job_rule. Returns 0, also if the function is probed
 * already. Errors:
 * - -ENOSPC: JOBS_CALLEES_MAX functions are probed, or JOBS_CALLEES_EACH of this process
 * - -ESRCH: the process has ended
 * - -ENOENT: the function is in no file (made at run time), or the process just ended
 * - -EBUSY: the process hangs in the kernel (jobs_find_is_held())
 * - -EREMOTE: the file of the function may be on a server
 * - another -errno
 */
int jobs_callees_add(struct jobs_callees *c, const struct jobs_spec *spec, size_t fn, uint8_t attached,
		     const struct job_call *call);
void jobs_callees_reap(struct jobs_callees *c);
size_t jobs_callees_count(const struct jobs_callees *c);

#endif
