/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect.h - notices hangs in the stream of records, with no help from the
 * programs: the rules CT_HANG_* of abi.h.  Says who hangs, since when and by which rule; what follows from
 * that (a snapshot, a diagnosis) is not its business.
 *
 * Pure: no I/O, no threads, no clock of its own.  One thread at a time (the daemon's drain thread).
 *
 * It learns what each task is used to: its idle point, where it waits again and again (an epoll, a poll, the
 * condition variable or the socket of a queue), how long it has been away from there, and in which kinds of
 * waits it has ever waited for long.  Nobody is judged before that has been watched for learn_ns.  What one
 * task has shown holds for later ones of the same name.
 *
 * How it learns: the place where a task idles is the place of most of its waits that can be idle ones (the
 * majority vote of Boyer and Moore; an epoll, poll or select weighs more than a condition variable or a
 * read). A task that has come back there 20 times, over learn_ns, is known.  The longest time away is kept
 * without the time in the queue for a CPU.  A kind of wait in which a task has ever been for half a second
 * says nothing of it any more.  A hang that was reported is not learnt from before the third time.
 *
 * After records were lost, and while the governor leaves out what is waited for, no task is judged until all
 * tasks have been read anew.  Stuck disks and deadlocks are the exception: the kernel confirms all that
 * matters.
 *
 * Limits: max_tasks tasks, DETECT_SOCKETS sockets, DETECT_HABITS names; what finds no room is counted (tasks)
 * or replaces what was not used for longest.  Cost: 14 ns a record, 208 bytes a task; the tables of sockets
 * and names take another 1.3 MiB.
 */
#ifndef CTRACE_DETECT_DETECT_H
#define CTRACE_DETECT_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_OVERRIDES_MAX 64
#define DETECT_MATCH_MAX     128
#define DETECT_TICK_NS       200000000ULL
#define DETECT_PRIO_IDLE     139            /* the priority of who is to run only when nobody else wants to */
#define DETECT_QUIET_NS      30000000000ULL /* who hangs behind a reported one is not reported for so long */

struct detect;

/* A hang, as it is handed on. */
struct detect_hang {
	enum ct_hang rule;
	uint32_t tid, tgid;
	char comm[CT_COMM_LEN]; /* 0-terminated */
	uint64_t cgroup_id;
	uint64_t since_ns; /* since when it hangs; boot time, as found_ns */
	uint64_t found_ns; /* when it was noticed */
	uint64_t threshold_ns;
	uint64_t obj;  /* what it waits for; 0: not known, or it does not wait */
	uint32_t peer; /* the first task that it waits for; SERVICE: who does not read; 0: not known */
	uint16_t nr;   /* its system call; CT_NR_NONE: none */
	uint8_t wait;  /* CT_W_*; CT_W_NONE: it runs or wants to run */
};

/* The time after which each rule speaks up; 0: never. */
struct detect_limits {
	uint64_t after_ns[CT_HANG_RULES];
};

/* Other limits for the tasks of one name, or of the cgroups whose path matches.  Later ones win. */
struct detect_override {
	bool is_cgroup;
	char match[DETECT_MATCH_MAX]; /* a name, or a glob over the path of a cgroup; both as fnmatch(3) */
	uint32_t set;                 /* bits 1 << CT_HANG_*: which limits it sets */
	struct detect_limits limits;
};

struct detect_settings {
	struct detect_limits limits;
	uint64_t learn_ns; /* how long a task's habits are watched before it is judged */
	unsigned n_overrides;
	struct detect_override overrides[DETECT_OVERRIDES_MAX];
};

/* The defaults: LOOP, BUSY, STARVED, DEADLOCK and SERVICE after 2 s, DISK after 10 s, learning for a minute.
 */
void detect_defaults(struct detect_settings *ret);

struct detect_options {
	const struct detect_settings *settings; /* copied */
	uint32_t max_tasks;                     /* 0: 131072 */
	uint32_t own_tgid;                      /* the daemon: not judged */
	bool messages;                          /* CT_SEND and CT_RECV are recorded on this machine */
	/*
	 * Asked before a hang is told: does the kernel say the same of this task now?  -ESRCH: it has gone.
	 * May be NULL: what the records say is believed.  wait.aux is to be DETECT_PRIO_IDLE for one of
	 * SCHED_IDLE.
	 */
	int (*look)(void *arg, uint32_t tid, struct ct_iter_task *ret);
	void *look_arg;
	void (*hang)(void *arg, const struct detect_hang *hang);
	void *hang_arg;
};

struct detect_stats {
	uint64_t tasks, judged; /* known now; of those with habits that are known well enough */
	uint64_t tasks_refused;
	uint64_t found[CT_HANG_RULES];
	uint64_t behind;    /* hangs not told because they wait for one that was */
	uint64_t withdrawn; /* hangs that the kernel, when asked, did not confirm */
	uint64_t blind_ns;  /* for how long, in all, records were missing, so that nobody was judged */
};

/* NULL: out of memory. */
struct detect *detect_new(const struct detect_options *opt);
/* Accepts NULL. */
void detect_free(struct detect *d);

/* Takes note of a record (with its words, where it has any); of a blob, whose size fits: CT_TASK, CT_OBJECT,
 * CT_RAWSTACK, others are ignored. */
void detect_record(struct detect *d, const struct ct_rec *rec, const uint64_t *words);
void detect_blob(struct detect *d, const struct ct_blob *blob);
/* Takes note of what the kernel says of a task, at the start or after records were lost. */
void detect_found(struct detect *d, const struct ct_iter_task *found);
/* All tasks have been told by detect_found(), in a round that began at now_ns: what was lost before no longer
 * matters, and who was not found and not heard of since has ended. */
void detect_resync(struct detect *d, uint64_t now_ns);
/* Records were lost until ts_ns: nobody is judged until detect_resync(). */
void detect_lost(struct detect *d, uint64_t ts_ns);
/* Judges all tasks.  To be called several times a second (DETECT_TICK_NS is often enough), when all records
 * older than now_ns have been given; a long time without a call is taken for a machine that slept. */
void detect_tick(struct detect *d, uint64_t now_ns);

/* Records were lost, and nobody is judged before detect_resync(). */
bool detect_is_blind(const struct detect *d);
struct detect_stats detect_stats(const struct detect *d);

#endif
