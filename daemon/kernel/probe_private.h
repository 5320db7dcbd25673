/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_private.h - what the files of the probe share: probe.c, probe_machine.c, probe_iter.c. */
#ifndef CTRACE_DAEMON_KERNEL_PROBE_PRIVATE_H
#define CTRACE_DAEMON_KERNEL_PROBE_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ctrace/cpu.h"
#include "ctrace/watchslot.h"
#include "ctrace.skel.h"
#include "daemon/kernel/hooks.h"
#include "daemon/kernel/probe.h"
#include "daemon/kernel/percpu_ring.h"

struct hook_state {
	const char *how; /* NULL: not live */
	char why[256];   /* of the last program that is off */
};

struct probe {
	struct ctrace_bpf *skel;
	unsigned n_cpus;
	struct percpu_ring *rings;
	struct hook_state *state; /* by hooks_defs */
	struct probe_hook *hooks;
	bool *prog_off; /* by hooks_progs */
	struct bpf_link **links;
	struct {
		uint64_t n[CT_LOSS_CAUSES], last_ns[CT_LOSS_CAUSES];
	} * told; /* losses told so far, by CPU */
	char text[2048];
	pthread_mutex_t watch_lock;  /* of what follows */
	struct watch_slots *watches; /* the map ct_watches; NULL: not mapped yet */
	size_t watches_bytes;
	uint32_t watch_gen;
	struct probe_watch {
		int *fds; /* links; each holds its breakpoint */
		size_t n_fds;
		unsigned cost; /* debug registers; 0: free */
	} watch[PROBE_WATCHES_MAX];

	struct {
		bool *detached; /* by hooks_progs: for as long as a step lasts */
		double dispatch_ns;
		double mean_ns[GOVERN_KINDS]; /* of a run, without the call */
		struct govern_cost told[GOVERN_KINDS];
		double cost_ns;
		uint64_t lost;
		uint64_t left_out[GOVERN_CAPS]; /* what the counters said when the slot was taken */
		uint64_t *capped;               /* the map ct_capped, GOVERN_WORDS of it */
	} govern;                               /* drain thread */

	/* one reading of an iterator at a time: what it is to do is in variables of its own */
	pthread_mutex_t iter_tasks_lock, iter_files_lock;
};

/* The number of CPUs that are there, or can be switched on: highest number + 1. */
unsigned probe_present_cpus(void);
/* The map of capped tasks.  0 or -errno. */
int probe_govern_map(struct probe *p);
void probe_govern_unmap(struct probe *p);
/* Measures (or assumes) what it costs to call a program; before the programs are attached. */
void probe_govern_calibrate(struct probe *p, bool measure);
/* Sets a breakpoint on this process and takes it away again. 0 or -errno. */
int probe_watch_try(struct probe *p);
/* Finds what is known to stop BPF: privilege, lockdown, no type information. 0, or -errno and a sentence. */
int probe_check_machine(char err[PROBE_ERR_MAX]);

#endif
