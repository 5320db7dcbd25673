/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_meter.h - decides which frameworks may have probes (jobs_auto.h), switches off the others, and writes
 * this into the trace. With "frameworks = auto", this is the work of a thread of its own.
 *
 * The kernel may let the thread *jobs* wait for long when it attaches or detaches a probe. The thread of the
 * meter does neither. It tells the BPF programs to return at once (enum job_switch), and the thread *jobs*
 * detaches the probes when it can. So the cost stays limited while an attachment hangs.
 *
 * Any thread may call the functions.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_METER_H
#define CTRACE_DAEMON_JOBS_JOBS_METER_H

#include "daemon/jobs/jobs_auto.h"
#include "daemon/jobs/jobs_load.h"
#include "daemon/jobs/jobs_probe.h"

struct jobs_meter;

struct jobs_meter_options {
	struct jobs_probe *probe;       /* borrowed until jobs_meter_free() */
	const struct jobs_specs *specs; /* borrowed, too */
	uint32_t budget_ppm;
	int wake_fd; /* an eventfd that is written to after a decision */
	/* Takes a stream of records for the trace, and the ownership of data: drain_post(). */
	void (*post)(void *arg, void *data, size_t size);
	void *arg;
};

/* Returns 0 or -errno. At first, all frameworks are on. */
int jobs_meter_new(const struct jobs_meter_options *opt, struct jobs_meter **ret);
void jobs_meter_free(struct jobs_meter *m);

/* Sets the budget of which the probes may take a part (JOBS_AUTO_SHARE); 0: no limit. */
void jobs_meter_budget(struct jobs_meter *m, uint32_t budget_ppm);
double jobs_meter_limit_ppm(struct jobs_meter *m);

/* Returns what is decided about a framework. If `times` has changed, its probes have to be detached. If `off`
 * is false, they may be attached again. */
struct jobs_auto jobs_meter_of(struct jobs_meter *m, uint32_t spec);
/* The probes of the framework are attached for the first time, or again. `times`: jobs_auto.times before the
 * attaching. If the framework was switched off since then, does nothing. */
void jobs_meter_attached(struct jobs_meter *m, uint32_t spec, uint64_t times);

#endif
