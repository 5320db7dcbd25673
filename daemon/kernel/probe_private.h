/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_private.h - what the files of the probe share: probe.c and all probe_*.c. */
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
	char why[256];   /* why programs of the hook are off: the reason for the last of them */
};

struct probe {
	struct ctrace_bpf *skel;
	unsigned n_cpus;
	struct percpu_ring *rings;
	struct hook_state *state; /* one for each entry of hooks_defs */
	struct probe_hook *hooks;
	bool *prog_off; /* one for each entry of hooks_progs */
	struct bpf_link **links;
	struct {
		uint64_t n[CT_LOSS_CAUSES], last_ns[CT_LOSS_CAUSES];
	} * told; /* for each CPU: losses that probe_losses() has reported */
	char text[2048];
	pthread_mutex_t watch_lock;  /* protects the members below, up to watch */
	struct watch_slots *watches; /* the map ct_watches; NULL: not mapped yet */
	size_t watches_bytes;
	uint32_t watch_gen;
	struct probe_watch {
		int *fds; /* descriptors of links; each link holds its breakpoint */
		size_t n_fds;
		unsigned cost; /* debug registers that the watch uses; 0: the entry is free */
	} watch[PROBE_WATCHES_MAX];

	struct {
		/* one for each entry of hooks_progs: the program is detached while the step lasts */
		bool *detached;
		double dispatch_ns;
		double mean_ns[GOVERN_KINDS]; /* CPU time of one run, without that of the call itself */
		struct govern_cost told[GOVERN_KINDS];
		double cost_ns, n_short;
		uint64_t lost;
		uint64_t left_out[GOVERN_CAPS]; /* the counters of each GOVERN_SLOT at the last probe_cap() */
		uint64_t *capped; /* the map ct_capped: GOVERN_WORDS words, one bit for each tid */
	} govern;                 /* for the drain thread only */

	struct {
		uint32_t n;
		/* The mark and the address of the function whose end is not known yet. what 0: there is no
		 * such function. */
		uint32_t what;
		uint64_t from;
	} mark; /* for probe_mark() */

	/* Each of the two iterators serves one thread at a time: the request is in variables of the BPF
	 * programs. */
	pthread_mutex_t iter_tasks_lock, iter_files_lock;
};

/* The highest number of a CPU that is there, or can be switched on, plus 1. */
unsigned probe_present_cpus(void);
/* Maps and unmaps the map of capped tasks. Returns 0 or -errno. */
int probe_govern_map(struct probe *p);
void probe_govern_unmap(struct probe *p);
/* Tells the programs how far two other clocks are from the clock of the scheduler: boot time (off_ns) and the
 * ticks (tick_off_ns). See sched_off_ns and sched_tick_off_ns in struct govern. */
void probe_govern_clock(struct probe *p, uint64_t off_ns, uint64_t tick_off_ns);
/* Measures (or assumes) what it costs to call a program. To be called before the programs are attached. */
void probe_govern_calibrate(struct probe *p, bool measure);
/* Sets a breakpoint in this process and removes it again, to see whether the machine has hardware
 * breakpoints. Returns 0 or -errno. */
int probe_watch_try(struct probe *p);
/* Looks for what is known to stop BPF: no privilege, lockdown, no type information. Returns 0, or -errno
 * with a sentence in err. */
int probe_check_machine(char err[PROBE_ERR_MAX]);

#endif
