/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - loads and attaches the BPF programs, empties the rings, and runs the iterators. Callers
 * between probe_open() and probe_free():
 * - the drain thread: probe_consume(), probe_losses() and the functions for the governor
 * - the main thread: probe_mark() and probe_mark_end()
 * - any thread: the other functions
 */
#ifndef CTRACE_DAEMON_KERNEL_PROBE_H
#define CTRACE_DAEMON_KERNEL_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define PROBE_ERR_MAX 512

struct probe;

struct probe_options {
	uint64_t ring_bytes; /* for each CPU; a power of two */
	/* Families of hooks (hooks.h) to switch off, such as "-msg,-block". "": none. */
	const char *hooks;
	bool jobs; /* load the programs that report jobs; see jobs.h */
	/* measure the cost of calling a BPF program; false: assume GOVERN_CALL_NS */
	bool measure;
};

struct probe_hook {
	const char *name;
	const char *how;
	const char *why;
	const char *without;
	bool live;
};

/* Checks probe_options.hooks. Returns 0, -EINVAL with a sentence in err, or -ENOMEM. */
int probe_check_hooks(const char *list, char err[PROBE_ERR_MAX]);

/* Loads and attaches the programs. Returns 0, or -errno with a sentence in err (perhaps not for -ENOMEM). */
int probe_open(const struct probe_options *opt, struct probe **ret, char err[PROBE_ERR_MAX]);
void probe_free(struct probe *p);

/* Returns all hooks. The array belongs to p and does not change. */
const struct probe_hook *probe_hooks(const struct probe *p, size_t *ret_n);
const char *probe_hooks_text(const struct probe *p);
unsigned probe_cpus(const struct probe *p);

/* Returns p's descriptor for epoll, readable when a ring is more than half full. */
int probe_fd(const struct probe *p);
/* probe_consume() calls fn as percpu_ring_consume() does. */
typedef void (*probe_record_fn)(void *arg, uint16_t cpu, const void *data, size_t size);
long probe_consume(struct probe *p, probe_record_fn fn, void *arg);
uint64_t probe_ring_high_water(const struct probe *p);

/* Reads how many records one CPU has lost since probe_open(). Returns 0, or -EINVAL: no such CPU. */
int probe_lost(const struct probe *p, uint16_t cpu, uint64_t ret[CT_LOSS_COUNTED]);
/* Returns how many crashes have no stack, because too many tasks crashed within a second. */
uint64_t probe_crashes_limited(const struct probe *p);
/* Calls fn for each CPU and cause with a loss since the last call. Times are boot time. Returns 0. */
typedef void (*probe_loss_fn)(void *arg, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
			      uint64_t last_ns);
int probe_losses(struct probe *p, probe_loss_fn fn, void *arg);

/*
 * Remembers which functions of the kernel belong to which interrupt. In some steps of the governor,
 * most hooks of interrupts are detached, and these functions show which interrupt wakes a task.
 * Call probe_mark() for each function of the kernel, in order of addresses, then probe_mark_end().
 */
void probe_mark(struct probe *p, const char *name, uint64_t addr);
void probe_mark_end(struct probe *p);

/* Reads all tasks. In the structures that fn gets, the arguments, registers and stacks are 0.
 * Returns 0 or -errno. */
typedef void (*probe_task_fn)(void *arg, const struct ct_iter_task *task);
int probe_read_tasks(struct probe *p, probe_task_fn fn, void *arg);
/*
 * Measures the distance between boot time and the scheduler's clock. The programs need the distance
 * for the length of waits. The clocks drift, so call this every DRAIN_CLOCK_NS. In a coarse step,
 * also call this at each reading of all tasks. Returns 0 or -errno.
 */
int probe_measure_clock(struct probe *p);
int probe_read_task(struct probe *p, uint32_t tid, struct ct_iter_task *ret);
/* Reads the descriptor table of a process as a stream of CT_FD, CT_EPMEMBER and CT_OBJECT (abi.h).
 * Only the first part of a very large table is read. The caller frees *ret with free(). Returns 0,
 * -ESRCH if there is no such process, or another -errno. */
int probe_read_files(struct probe *p, uint32_t tgid, void **ret, size_t *ret_bytes);

/*
 * Reads how much unread data a socket has: bytes for an established TCP connection, buffers for a
 * unix socket. Never waits for another read of descriptors. Before kernel 6.1, this read would not
 * be cheap, so it always fails. Returns 0 or -errno, for example:
 * - -EBUSY: another read goes on
 * - -ENOENT: the process does not have this socket, or it is of another kind
 */
int probe_read_unread(struct probe *p, uint32_t tgid, uint64_t sock, uint64_t *ret);

/* The BPF programs and maps for the report of jobs (jobs_probe.h). All belong to the struct probe. */
struct bpf_program;
struct probe_jobs {
	const struct bpf_program *entry, *ret;
	const struct bpf_program *text; /* for rules with JOB_TEXT; NULL: not loaded */
	int rules_fd, hits_fd, switch_fd, calls_fd;
};
/* Returns 0, or -EOPNOTSUPP if the programs that report jobs are not loaded. */
int probe_jobs(const struct probe *p, struct probe_jobs *ret);

/*
 * Hardware watchpoints. A watch for writes takes one of the PROBE_WATCHES_MAX debug registers, a
 * watch for reads and writes takes two. Recorded accesses become CT_RAWACCESS blobs.
 */
#define PROBE_WATCHES_MAX 4
struct probe_watch_options {
	uint32_t tgid;
	uint64_t addr; /* a multiple of len */
	uint32_t len;  /* 1, 2, 4 or 8 */
	bool reads;
	uint64_t value;
};
/* The kernel takes some 10 ms to open the first perf event of a task, because it waits for the other CPUs.
 * So another thread calls this function while probe_open() loads the BPF programs. Returns the
 * descriptor of a perf event, to be closed after probe_open(), or -errno. */
int probe_watch_prepare(void);
/* *ret_watch: the number of the watch. Returns 0, or -errno with a sentence in err. */
int probe_watch_open(struct probe *p, const struct probe_watch_options *opt, unsigned *ret_watch,
		     char err[PROBE_ERR_MAX]);
void probe_watch_close(struct probe *p, unsigned watch);
/* Returns how many accesses the limits WATCH_PER_S and WATCH_SAME_AGAIN (ctrace/watchslot.h) left
 * out. The watch has to be open. */
uint64_t probe_watch_refused(const struct probe *p, unsigned watch);

/* Reads the CPU time of all programs. The kernel counts it only while a process has a
 * BPF_STATS_RUN_TIME descriptor, or the sysctl kernel.bpf_stats_enabled is 1. Returns 0 or
 * -errno. */
int probe_run_time(struct probe *p, uint64_t *ret_ns);

/* The functions from here on are for the governor. */
/* Estimates the CPU time of the programs so far. Only some runs are timed. */
uint64_t probe_cost_ns(struct probe *p);
/* In a coarse step, the programs run for short waits, but do not record them. Returns an estimate
 * of the CPU time of these runs so far. */
uint64_t probe_short_ns(const struct probe *p);
/* Returns an estimate of the CPU time that the short waits in coarse steps would have cost so far, if
 * they had been recorded as in the step CT_SHED_HOOKS. Includes the CPU time that the drain thread would
 * have needed for their records. */
uint64_t probe_whole_cost_ns(const struct probe *p);
bool probe_can_be_coarse(const struct probe *p);
/* The governor changes its step with two calls. probe_shed_begin() attaches the programs that only
 * the new step needs. probe_shed_end() detaches the programs that only the old step needs. In
 * between, the programs of both steps record. probe_shed_begin() returns 0, or -errno if a program
 * could not be attached. After -errno, the caller may try again. */
int probe_shed_begin(struct probe *p, enum ct_shed step);
void probe_shed_end(struct probe *p, enum ct_shed step);
/* probe_pause() stops all records at once. probe_pause_detach() then detaches the programs. */
void probe_pause(struct probe *p);
void probe_pause_detach(struct probe *p);
/* Returns 0 or -errno. After -errno nothing is recorded, and the caller may try again. */
int probe_resume(struct probe *p);
/* Caps a task. A record is left out if all tasks of the record are capped. Exceptions:
 * bpf/caps.h. */
void probe_cap(struct probe *p, uint32_t tid);
/* Ends the cap of a task. Returns how many of its records were left out since probe_cap(). Capped
 * tasks with the same GOVERN_SLOT share one count. */
uint64_t probe_uncap(struct probe *p, uint32_t tid);
/* Caps a group (govern_group()). Each task is capped at its next record, with a CT_SHED. Each new child
 * is capped at its fork, without a CT_SHED. Returns false if GOVERN_GROUPS groups are capped already. */
bool probe_cap_group(struct probe *p, uint64_t group);
/* Ends the caps of all groups. Capped tasks stay capped until probe_uncap(). */
void probe_uncap_groups(struct probe *p);
uint32_t probe_capped_next(const struct probe *p, uint32_t from);
/* Call this when no task and no group is capped. The programs then check no caps. */
void probe_caps_over(struct probe *p);
/* Returns how many records the caps have left out so far. */
uint64_t probe_left_out(struct probe *p);
/* Estimates the programs' CPU time for events that caps leave out. */
uint64_t probe_passed_ns(struct probe *p);

#endif
