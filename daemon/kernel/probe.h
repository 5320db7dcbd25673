/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - the kernel side seen from user space: loads and attaches the BPF
 * programs with fall-back, empties the rings, runs the iterators.
 *
 * probe_consume() and probe_losses() are for one thread (drain); the rest may be called from any
 * thread, also at the same time, except that probe_open() comes first and probe_free() last.
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
	uint64_t ring_bytes; /* of each CPU, a power of two */
	const char *hooks; /* "-msg,-block": families switched off; "" : all on. An unknown family: -EINVAL */
	bool jobs;         /* frameworks are to report their jobs; see jobs.h */
	bool measure;      /* what a program costs is to be exact: there is a budget */
};

/* One hook, as doctor and the trace tell of it. */
struct probe_hook {
	const char *name;    /* "sched/switch" */
	const char *how;     /* "tp_btf", "raw_tp", "perf", ...; "" when it is off */
	const char *why;     /* why it is off, "" when live */
	const char *without; /* what is missing without it */
	bool live;
};

/*
 * Checks a list for probe_options.hooks. 0; -EINVAL with a sentence in err if an item is not "-" and the name
 * of a hook family; or -ENOMEM.
 */
int probe_check_hooks(const char *list, char err[PROBE_ERR_MAX]);

/*
 * Loads and attaches.  0, or -errno with a sentence in err (no BTF, no privilege, lockdown, ...: what, why,
 * what to do).  From here on the rings fill.
 */
int probe_open(const struct probe_options *opt, struct probe **ret, char err[PROBE_ERR_MAX]);
void probe_free(struct probe *p);

/* All hooks; the array is the probe's and does not change. */
const struct probe_hook *probe_hooks(const struct probe *p, size_t *ret_n);
/* "sched/switch=tp_btf,...": the live ones, for the trace. */
const char *probe_hooks_text(const struct probe *p);
unsigned probe_cpus(const struct probe *p);

/* A descriptor to wait on, readable when a ring is filled to its wake-up level. */
int probe_fd(const struct probe *p);
/* Hands over all that is in the rings by now, CPU by CPU: a blob, or fixed records back to back; data is
 * valid during the call and 8-byte aligned. Returns how many records, or -errno. */
typedef void (*probe_record_fn)(void *arg, uint16_t cpu, const void *data, size_t size);
long probe_consume(struct probe *p, probe_record_fn fn, void *arg);
/* The largest fill of any ring seen by probe_consume(), in bytes. */
uint64_t probe_ring_high_water(const struct probe *p);

/* How many records one CPU has lost since the start, by cause.  Any thread: only the kernel writes these
 * counters.  The times beside them are reset by probe_losses() and belong to its thread.  0 or -EINVAL. */
int probe_lost(const struct probe *p, uint16_t cpu, uint64_t ret[CT_LOSS_CAUSES]);
/* Tells what was lost since the last call: once for each CPU and cause with a loss. */
typedef void (*probe_loss_fn)(void *arg, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
			      uint64_t last_ns);
int probe_losses(struct probe *p, probe_loss_fn fn, void *arg);

/* Runs the task iterator over all tasks (threads) of the machine; arguments, registers and stacks are left 0.
 * 0 or -errno. */
typedef void (*probe_task_fn)(void *arg, const struct ct_iter_task *task);
int probe_read_tasks(struct probe *p, probe_task_fn fn, void *arg);
/* One task; 0, -ESRCH, -errno. */
int probe_read_task(struct probe *p, uint32_t tid, struct ct_iter_task *ret);
/* The descriptor table of one process as a stream of CT_FD, CT_EPMEMBER and CT_OBJECT (see abi.h), malloc'd;
 * of a very large one the first part.
 * 0, -ESRCH, -errno. */
int probe_read_files(struct probe *p, uint32_t tgid, void **ret, size_t *ret_bytes);

/* What reports jobs: the programs for the start and for the return of a function, the map of their rules and
 * the ring buffer of the functions that jobs run (see jobs_probe.h). */
struct bpf_program;
struct probe_jobs {
	const struct bpf_program *entry, *ret;
	int rules_fd, calls_fd;
};
/* All of it stays the probe's.  0; -EOPNOTSUPP: the probe was opened without jobs, or this kernel refused the
 * programs. */
int probe_jobs(const struct probe *p, struct probe_jobs *ret);

/*
 * Hardware watchpoints: PROBE_WATCHES_MAX debug registers; a watch for reads takes two.  Every access of any
 * thread of the process becomes a CT_RAWACCESS.
 */
#define PROBE_WATCHES_MAX 4
struct probe_watch_options {
	uint32_t tgid;
	uint64_t addr; /* a multiple of len */
	uint32_t len;  /* 1, 2, 4 or 8 */
	bool reads;
	uint64_t value; /* what it holds now */
};
/* 0, or -errno and a sentence in err (what, why, what to do); *ret_watch: for the others. */
int probe_watch_open(struct probe *p, const struct probe_watch_options *opt, unsigned *ret_watch,
		     char err[PROBE_ERR_MAX]);
/* Accepts one that is not open. */
void probe_watch_close(struct probe *p, unsigned watch);
/* How many accesses were not recorded, because they were too many.  Of one that is open; never waits for one
 * that is being opened. */
uint64_t probe_watch_refused(const struct probe *p, unsigned watch);

/* CPU time of all programs so far in ns, counted only while a BPF_STATS_RUN_TIME descriptor is open. 0 or
 * -errno. */
int probe_run_time(struct probe *p, uint64_t *ret_ns);

/*
 * For the governor; one thread, that of probe_consume().
 */
/* What the programs have cost so far, in ns of CPU time: from a count of their runs, and the time that some
 * of them took. */
uint64_t probe_cost_ns(struct probe *p);
/* Leaves out what belongs to a step and those before it; PAUSE is the same as WAITS here.  -errno when what
 * was detached could not be attached again; to be tried again then. */
int probe_shed(struct probe *p, enum ct_shed step);
/* Records nothing from now on; then detaches the programs, so that not even calling them costs. */
void probe_pause(struct probe *p);
void probe_pause_detach(struct probe *p);
/* 0 and all is recorded again, or -errno and it may be tried again. */
int probe_resume(struct probe *p);
/* Leaves out the records that are about capped tasks alone. */
void probe_cap(struct probe *p, uint32_t tid);
/* Returns how many records of it were left out. */
uint64_t probe_uncap(struct probe *p, uint32_t tid);
/*
 * Caps each task of the group (govern_group()) at its next record, with a CT_SHED that says so, and those born to
 * them.  False: GOVERN_GROUPS are capped already.
 */
bool probe_cap_group(struct probe *p, uint64_t group);
/* No more tasks are capped by their group; those that are stay so, each until probe_uncap(). */
void probe_uncap_groups(struct probe *p);
/* The first capped task with tid >= from (for a walk in order: from = tid + 1), 0: there is none. */
uint32_t probe_capped_next(const struct probe *p, uint32_t from);
/* Nobody is capped any more: the programs need not look. */
void probe_caps_over(struct probe *p);
/* How many records were left out so far, and what it cost to pass over the events of capped tasks. */
uint64_t probe_left_out(struct probe *p);
uint64_t probe_passed_ns(struct probe *p);

#endif
