/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_private.h - the declarations that probe.c and all probe_*.c share. */
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
	const char *how; /* NULL: the hook is not live */
	char why[256];   /* why programs of the hook are off: the last reason that was found */
};

struct probe {
	struct ctrace_bpf *skel;
	unsigned n_cpus;
	struct percpu_ring *rings;
	struct hook_state *state; /* one for each entry of hooks_defs */
	struct probe_hook *hooks;
	bool *prog_off; /* for each entry of hooks_progs: true if the program is off */
	struct bpf_link **links;
	struct {
		uint64_t n[CT_LOSS_CAUSES], last_ns[CT_LOSS_CAUSES];
	} * told; /* for each CPU: the losses that probe_losses() has reported so far */
	char text[2048];
	pthread_mutex_t watch_lock;  /* protects the members below, up to watch */
	struct watch_slots *watches; /* the mapped map ct_watches; NULL: it is not mapped yet */
	size_t watches_bytes;
	uint32_t watch_gen;
	struct probe_watch {
		int *fds; /* descriptors of BPF links; each link holds its breakpoint */
		size_t n_fds;
		unsigned cost; /* debug registers that the watch uses; 0: the entry is free */
	} watch[PROBE_WATCHES_MAX];

	struct {
		/* for each entry of hooks_progs: true if the program is loaded, but detached at
		 * present */
		bool *detached;
		double dispatch_ns;
		/* for each kind of program: CPU time of one run; dispatch_ns is the CPU time of the
		 * call itself */
		double mean_ns[GOVERN_KINDS];
		struct govern_cost told[GOVERN_KINDS];
		double cost_ns, n_short;
		uint64_t lost;
		/* the counter of each GOVERN_SLOT at the last probe_cap() for this slot */
		uint64_t left_out[GOVERN_CAPS];
		/* the mapped map ct_capped: GOVERN_WORDS words, one bit for each tid */
		uint64_t *capped;
	} govern; /* only the drain thread uses this member */

	struct {
		uint32_t n;
		/* what, from: the mark and the address of the marked function that was found last.
		 * It is not in the table yet, because its end is not known yet. what is 0 if there
		 * is no such function. */
		uint32_t what;
		uint64_t from;
	} mark; /* the state of probe_mark() */

	/* Each of the two iterators serves one thread at a time, because the BPF programs keep the
	 * request in global variables. */
	pthread_mutex_t iter_tasks_lock, iter_files_lock;
};

/* Returns 1 plus the highest number of a CPU that is on-line or can be switched on. */
unsigned probe_present_cpus(void);
/* These functions map and unmap the map of capped tasks. probe_govern_map() returns 0 or -errno. */
int probe_govern_map(struct probe *p);
void probe_govern_unmap(struct probe *p);
/* Tells the programs how far two clocks are from the clock of the scheduler: boot time (off_ns),
 * and the ticks of the kernel (tick_off_ns). See sched_off_ns and sched_tick_off_ns in struct
 * govern. */
void probe_govern_clock(struct probe *p, uint64_t off_ns, uint64_t tick_off_ns);
/* Measures the CPU time of a call of a program, or assumes it if measure is false. The caller calls
 * this function before the programs are attached. */
void probe_govern_calibrate(struct probe *p, bool measure);
/* Finds out whether the machine has hardware breakpoints: sets a breakpoint in this process and
 * removes it again. Returns 0 if the machine has them; otherwise -errno. */
int probe_watch_try(struct probe *p);
/* Looks for the known reasons why BPF cannot work on this machine: a container, no privilege,
 * lockdown, no type information. Returns 0, or -errno with a sentence in err. */
int probe_check_machine(char err[PROBE_ERR_MAX]);

#endif
