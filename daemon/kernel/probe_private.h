/* SPDX-License-Identifier: GPL-2.0-or-later */
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
	char why[256];
};

struct probe {
	struct ctrace_bpf *skel;
	unsigned n_cpus;
	struct percpu_ring *rings;
	struct hook_state *state;
	struct probe_hook *hooks;
	bool *prog_off;
	struct bpf_link **links;
	struct {
		uint64_t n[CT_LOSS_COUNTED], last_ns[CT_LOSS_COUNTED];
	} * told;
	char text[2048];
	pthread_mutex_t watch_lock;  /* protects the members below, up to watch */
	struct watch_slots *watches; /* the mapped ct_watches; NULL: not mapped yet */
	size_t watches_bytes;
	uint32_t watch_gen;
	struct probe_watch {
		int *fds;
		size_t n_fds;
		unsigned cost; /* debug registers of the watch; 0: the entry is free */
	} watch[PROBE_WATCHES_MAX];

	struct {
		/* for each entry of hooks_progs: the program is loaded, but detached at present */
		bool *detached;
		double dispatch_ns;
		/* CPU time of one run of each kind of program, without the call (dispatch_ns) */
		double mean_ns[GOVERN_KINDS];
		struct govern_cost told[GOVERN_KINDS];
		double cost_ns, n_short;
		uint64_t lost;
		uint64_t left_out[GOVERN_CAPS];
		uint64_t *capped;
	} govern; /* only for the drain thread */

	struct {
		uint32_t n;
		/* The function of mark_functions (probe_marks.c) whose end is not known yet. If
		 * `what` is 0, there is no such function. */
		uint32_t what;
		uint64_t from;
	} mark;

	/* Global variables of the BPF programs say what an iterator reads. So each iterator serves
	 * one thread at a time. */
	pthread_mutex_t iter_tasks_lock, iter_files_lock;
};

/* Returns 1 + the highest number of a CPU that is on-line or can be switched on. */
unsigned probe_present_cpus(void);
int probe_govern_map(struct probe *p);
void probe_govern_unmap(struct probe *p);
void probe_govern_clock(struct probe *p, uint64_t off_ns, uint64_t tick_off_ns);
/* Measures the CPU time of calling a BPF program; measure false: assumes GOVERN_CALL_NS. Call it
 * before the programs are attached. */
void probe_govern_calibrate(struct probe *p, bool measure);
/* Sets a breakpoint in this process, tests whether it fires, and removes it. Returns -ENXIO if it does
 * not fire, or another -errno if it cannot be set. */
int probe_watch_try(struct probe *p);
/* Finds the known reasons why BPF cannot work: a container, no privilege, lockdown, no type
 * information. Returns 0, or -errno with a sentence in err. */
int probe_check_machine(char err[PROBE_ERR_MAX]);

#endif
