/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the answers to the requests "status" and "doctor", as doc/protocol.md lists them. Any
 * thread may call the functions.
 */
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
	uint32_t budget_ppm, task_cap; /* the settings at the start of the daemon */
	unsigned clients;
	uint64_t denied, turned_away, jobs_refused;
	/* requests: the clients' worker; closing: the worker that closes descriptors */
	struct worker_stats requests, closing;
};

/* Each function makes an answer. The caller owns the reference. NULL: out of memory. bpf_percent:
 * CPU time of the BPF programs in % of one CPU; negative: it was not measured. */
json_t *report_status(const struct report_source *src, double bpf_percent);
json_t *report_doctor(struct probe *probe, struct jobs *jobs);

/* Measures for 0.2 s how much CPU time the BPF programs take. *ret is in % of one CPU. During the
 * measurement, the kernel's statistics slow all BPF programs a little. Returns 0, or -errno if
 * there are no statistics. */
int report_bpf_percent(struct probe *probe, double *ret);

#endif
