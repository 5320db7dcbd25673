/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - the answers to the requests "status" and "doctor" (doc/protocol.md). Only the main
 * thread calls report_status(). Any thread may call the other functions. */
#ifndef CTRACE_DAEMON_SERVICE_REPORT_H
#define CTRACE_DAEMON_SERVICE_REPORT_H

#include <jansson.h>
#include <stdint.h>

#include "daemon/capture/drain.h"
#include "daemon/incident/incident.h"
#include "daemon/jobs/jobs.h"
#include "daemon/record/marks.h"
#include "daemon/kernel/probe.h"

struct report_source {
	struct probe *probe;
	struct drain *drain;
	const struct marks *marks;
	struct jobs *jobs;
	struct incidents *incidents; /* may be NULL */
	const char *trace;
	uint64_t size_bytes, ring_bytes;
	uint32_t budget_ppm, task_cap;
	unsigned clients;
	uint64_t denied, turned_away, jobs_refused;
	/* requests: statistics of the clients' worker. closing: statistics of the worker
	 * `closer`. */
	struct worker_stats requests, closing;
};

/* The caller owns the reference. NULL: out of memory. bpf_percent: CPU time of the BPF programs, in
 * % of one CPU; negative: not measured. */
json_t *report_status(const struct report_source *src, double bpf_percent);
json_t *report_doctor(struct probe *probe, struct jobs *jobs);

/* Measures the CPU time of the BPF programs for 0.2 s, in % of one CPU. The kernel's statistics
 * slow all BPF programs meanwhile. Returns 0, or -errno if there are no statistics. */
int report_bpf_percent(struct probe *probe, double *ret);

#endif
