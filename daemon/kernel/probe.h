/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - the kernel side as user space sees it. The probe loads and attaches the BPF programs,
 * empties the rings, and runs the iterators. If the kernel refuses a program, the probe tries the
 * next program of the same hook, if there is one.
 *
 * probe_open() comes first and probe_free() last. Only one thread (drain) may call probe_consume(),
 * probe_losses() and the functions for the governor. Any thread may call the other functions, also
 * at the same time.
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
	uint64_t ring_bytes; /* size of the ring of each CPU; a power of two */
	/* The hook families that are switched off, such as "-msg,-block"; "": none. See
	 * probe_check_hooks(). */
	const char *hooks;
	bool jobs; /* true: load the programs that report jobs of frameworks; see jobs.h */
	/* true: measure what the call of a BPF program costs, for the governor; false: assume
	 * GOVERN_CALL_NS */
	bool measure;
};

/* One hook, as ctrace doctor and the trace show it. */
struct probe_hook {
	const char *name;    /* for example "sched/switch" */
	const char *how;     /* as in struct hook_prog, such as "tp_btf"; "" if the hook is off */
	const char *why;     /* why the hook is off; "" if it is live */
	const char *without; /* what the trace lacks without this hook */
	bool live;
};

/*
 * Checks a list for probe_options.hooks: each item has to be "-", followed by the name of a hook
 * family. Returns 0, -EINVAL with a sentence in err, or -ENOMEM.
 */
int probe_check_hooks(const char *list, char err[PROBE_ERR_MAX]);

/*
 * Loads and attaches the programs. From then on the rings fill. Returns 0 or -errno. On failure err
 * has a sentence, except perhaps for -ENOMEM. The sentence says what failed, why it failed (no BTF,
 * no privilege, lockdown, ...), and what to do.
 */
int probe_open(const struct probe_options *opt, struct probe **ret, char err[PROBE_ERR_MAX]);
/* Detaches and unloads the programs. Accepts NULL. */
void probe_free(struct probe *p);

/* Returns all hooks. The array belongs to p and does not change. */
const struct probe_hook *probe_hooks(const struct probe *p, size_t *ret_n);
/* Returns the live hooks as a text for the trace: "sched/switch=tp_btf,...". The text belongs to
 * p. */
const char *probe_hooks_text(const struct probe *p);
unsigned probe_cpus(const struct probe *p);

/* Returns a descriptor for epoll. It is readable when a ring is more than half full. The descriptor
 * belongs to p. */
int probe_fd(const struct probe *p);
/* Calls fn with the records and blobs that are in the rings now, CPU by CPU. In each ring,
 * probe_consume() stops at a record that is not complete. Each call of fn gets one blob, or fixed
 * records back to back. data is 8-byte aligned, and valid during the call of fn. Returns the number
 * of records and blobs. */
typedef void (*probe_record_fn)(void *arg, uint16_t cpu, const void *data, size_t size);
long probe_consume(struct probe *p, probe_record_fn fn, void *arg);
/* Returns the largest number of bytes that probe_consume() has found so far in the ring of any one
 * CPU. */
uint64_t probe_ring_high_water(const struct probe *p);

/* Reads how many records one CPU has lost since probe_open(), by cause. Any thread may call it,
 * because only the kernel writes these counters. Returns 0, or -EINVAL if there is no such CPU. */
int probe_lost(const struct probe *p, uint16_t cpu, uint64_t ret[CT_LOSS_CAUSES]);
/* Reports the losses since the last call. Calls fn once for each CPU and cause with a loss.
 * first_ns and last_ns are boot time. Always returns 0. */
typedef void (*probe_loss_fn)(void *arg, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
			      uint64_t last_ns);
int probe_losses(struct probe *p, probe_loss_fn fn, void *arg);

/*
 * Remembers the functions of the kernel that show which interrupt is in progress. The programs need
 * these functions in the steps of the governor in which the hooks of interrupts are detached. The
 * caller calls probe_mark() once for each function of the kernel, in the order of the addresses,
 * and then probe_mark_end(). Without these calls, a wake in these steps does not say which
 * interrupt made the wake.
 */
void probe_mark(struct probe *p, const char *name, uint64_t addr);
void probe_mark_end(struct probe *p);

/* Runs the task iterator over all tasks of the machine. fn gets the tasks without arguments,
 * registers and stacks: these members are 0. Returns 0 or -errno. */
typedef void (*probe_task_fn)(void *arg, const struct ct_iter_task *task);
int probe_read_tasks(struct probe *p, probe_task_fn fn, void *arg);
/*
 * Measures the distance between boot time and the clock of the scheduler. With this distance the
 * programs compute how long a task has waited. The error is about 20 us. The clocks drift apart,
 * and a suspend moves one of them. So the caller calls this function every DRAIN_CLOCK_NS, and in a
 * coarse step at each reading of all tasks. Returns 0 or -errno.
 */
int probe_measure_clock(struct probe *p);
/* Reads one task. Returns 0, -ESRCH if there is no such task, or another -errno. */
int probe_read_task(struct probe *p, uint32_t tid, struct ct_iter_task *ret);
/* Reads the descriptor table of one process as a stream of CT_FD, CT_EPMEMBER and CT_OBJECT (see
 * abi.h). *ret is malloc'd, and the caller frees it. If the table is very large, only its first
 * part is read. Returns 0, -ESRCH if there is no such process, or another -errno. */
int probe_read_files(struct probe *p, uint32_t tgid, void **ret, size_t *ret_bytes);

/*
 * Reads how much unread data a socket has: data that it has received, and that no task has read
 * yet. For an established TCP connection *ret becomes a number of bytes, for a unix socket a number
 * of buffers. Never waits for another read of descriptors. Returns 0, -EBUSY if another read goes
 * on, or another -errno. Returns -ENOENT if the process does not have this socket, or if the socket
 * is of another kind. Always fails on kernels before 6.1, because they cannot do this cheaply.
 */
int probe_read_unread(struct probe *p, uint32_t tgid, uint64_t sock, uint64_t *ret);

/* The parts of the probe that report jobs (see jobs_probe.h): the programs for the entry and for
 * the return of a function, the map of their rules, and the ring buffer with the functions that
 * jobs run. */
struct bpf_program;
struct probe_jobs {
	const struct bpf_program *entry, *ret;
	int rules_fd, calls_fd;
};
/* Fills in *ret. The programs and descriptors in *ret still belong to p. Returns 0, or -EOPNOTSUPP
 * if the probe was opened without jobs, or this kernel refused the programs. */
int probe_jobs(const struct probe *p, struct probe_jobs *ret);

/*
 * Hardware watchpoints. There are PROBE_WATCHES_MAX debug registers. A watch for writes takes one
 * register. A watch for reads and writes takes two. The accesses of all threads of the process
 * become CT_RAWACCESS blobs. bpf/watch.bpf.c says which accesses are left out.
 */
#define PROBE_WATCHES_MAX 4
struct probe_watch_options {
	uint32_t tgid;
	uint64_t addr; /* a multiple of len */
	uint32_t len;  /* 1, 2, 4 or 8 */
	bool reads;
	uint64_t value; /* the present value of the variable */
};
/* Opens a watch. *ret_watch becomes its number for the functions below. Returns 0, or -errno with a
 * sentence in err. */
int probe_watch_open(struct probe *p, const struct probe_watch_options *opt, unsigned *ret_watch,
		     char err[PROBE_ERR_MAX]);
/* Closes a watch. Does nothing if the watch is not open. */
void probe_watch_close(struct probe *p, unsigned watch);
/* Returns how many accesses of the watch were not recorded, because WATCH_PER_S or WATCH_SAME_AGAIN
 * (ctrace/watchslot.h) left them out. The watch has to be open. Does not wait for another watch
 * that is being opened. */
uint64_t probe_watch_refused(const struct probe *p, unsigned watch);

/* *ret_ns becomes the CPU time of all programs so far. The kernel counts this time only while a
 * process has a BPF_STATS_RUN_TIME descriptor open, or while the sysctl kernel.bpf_stats_enabled is
 * 1. Returns 0 or -errno. */
int probe_run_time(struct probe *p, uint64_t *ret_ns);

/*
 * The functions from here on are for the governor. Only the thread of probe_consume() may call
 * them.
 */
/* Returns an estimate of the CPU time in nanoseconds that the programs have cost so far. The
 * programs count all their runs, and measure the time of some of these runs. */
uint64_t probe_cost_ns(struct probe *p);
/* Returns the CPU time in nanoseconds that the programs have spent, in coarse steps, on waits that
 * are too short for a record. */
uint64_t probe_short_ns(const struct probe *p);
/* Returns an estimate of the CPU time in nanoseconds that the waits of probe_short_ns() would have
 * cost in the step CT_SHED_HOOKS. This is the time of the programs and of the drain thread. */
uint64_t probe_whole_cost_ns(const struct probe *p);
/* Returns false if this kernel cannot do the step CT_SHED_COARSE. */
bool probe_can_be_coarse(const struct probe *p);
/*
 * Changes the step. probe_shed_begin() attaches the programs of the step. Returns 0, or -errno if
 * some programs could not be attached; the caller may try again later. probe_shed_end() then
 * detaches the programs that do not belong to the step. Between the two calls, the programs of both
 * steps record.
 */
int probe_shed_begin(struct probe *p, enum ct_shed step);
void probe_shed_end(struct probe *p, enum ct_shed step);
/* probe_pause() stops all records at once. probe_pause_detach() then detaches the programs, so that
 * not even a call of a program costs CPU time. */
void probe_pause(struct probe *p);
void probe_pause_detach(struct probe *p);
/* Attaches the programs again, and lets them record everything that the present step allows.
 * Returns 0 or -errno. After -errno nothing is recorded yet, and the caller may try again. */
int probe_resume(struct probe *p);
/* Caps a task. Records that are only about capped tasks are left out; bpf/caps.h has the
 * exceptions. */
void probe_cap(struct probe *p, uint32_t tid);
/* Ends the cap of a task. Returns how many records were left out since probe_cap(). If another
 * capped task has the same GOVERN_SLOT, the records of that task count too. */
uint64_t probe_uncap(struct probe *p, uint32_t tid);
/*
 * Caps each task of the group (govern_group()) at its next record. The programs then write a
 * CT_SHED about the task. The children of such a task are capped too. Returns false if
 * GOVERN_GROUPS groups are capped already.
 */
bool probe_cap_group(struct probe *p, uint64_t group);
/* Ends the caps of all groups: from now on no further task is capped because of its group. The
 * tasks that are capped already stay capped until probe_uncap(). */
void probe_uncap_groups(struct probe *p);
/* Returns the first capped task with tid >= from, or 0 if there is none. To walk in order of tids,
 * the caller passes the last tid + 1 as from. */
uint32_t probe_capped_next(const struct probe *p, uint32_t from);
/* Tells the programs that no task is capped any more. So they need not check. */
void probe_caps_over(struct probe *p);
/* probe_left_out() returns how many records the caps of tasks and groups have left out so far.
 * probe_passed_ns() returns the CPU time in nanoseconds that the programs needed to leave out these
 * records. */
uint64_t probe_left_out(struct probe *p);
uint64_t probe_passed_ns(struct probe *p);

#endif
