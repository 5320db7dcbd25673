/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the answers to status and doctor, as doc/protocol.md lists them.  Any thread.
 */
#ifndef CTRACE_DAEMON_SERVICE_REPORT_H
#define CTRACE_DAEMON_SERVICE_REPORT_H

#include <jansson.h>
#include <stdint.h>

#include "daemon/capture/drain.h"
#include "daemon/incident/incident.h"
#include "daemon/jobs/jobs.h"
#include "daemon/kernel/probe.h"

struct report_source {
	struct probe *probe;
	struct drain *drain;
	struct jobs *jobs;
	struct incidents *incidents; /* may be NULL */
	const char *trace;
	uint64_t size_bytes, ring_bytes;
	uint32_t budget_ppm, task_cap;
	unsigned clients;
	uint64_t denied, turned_away, jobs_refused;
	struct worker_stats requests, closing; /* of the clients' worker, and of what closes for it */
};

/* bpf_percent: of one CPU, or negative when it was not measured.  NULL: out of memory. */
json_t *report_status(const struct report_source *src, double bpf_percent);
json_t *report_doctor(struct probe *probe, struct jobs *jobs);

/* Measures for a fifth of a second how much CPU time the programs in the kernel take, in % of one CPU.  The
 * kernel's statistics slow all BPF programs a little while they are on.  0, or -errno when they cannot be
 * had. */
int report_bpf_percent(struct probe *probe, double *ret);

#endif
