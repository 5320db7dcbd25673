/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect.h - notices hangs in the stream of records, without help from the programs, by the rules
 * CT_HANG_* of abi.h. It reports which task hangs, since when, and by which rule. It does not take
 * a snapshot or make a diagnosis: daemon/incident/ does.
 *
 * Pure: no I/O, no threads, no clock of its own. One thread at a time (the drain thread of the
 * daemon).
 *
 * It learns the habits of each task:
 *   - its idle point, where the task idles again and again: an epoll, a poll, the condition variable or
 *       the socket of a queue
 *   - how long the task has been away from its idle point
 *   - in which kinds of waits the task has ever waited for long
 * No task is judged before its habits have been watched for learn_ns. The habits of a task hold for
 * later tasks of the same name too.
 *
 * How it learns: the idle point of a task is the place of most of those waits in which a task can
 * idle. The majority vote of Boyer and Moore finds it; an epoll, poll or select has more weight
 * than a condition variable or a read. A task is known when it has come back to its idle point 20
 * times, over learn_ns. The longest time away does not include the time in the queue for a CPU. If
 * a task has ever been in a kind of wait for half a second, this kind of wait says nothing about it
 * any more. The detector does not learn from a reported hang before the third one of that name.
 *
 * After records were lost, and while the governor leaves out the reasons of waits, no task is
 * judged until all tasks have been read anew. Disk waits and deadlocks are the exception, because
 * the kernel confirms all that matters there.
 *
 * Limits: max_tasks tasks, DETECT_SOCKETS sockets, DETECT_HABITS names. Tasks without room are
 * counted. A socket or name without room replaces the one that was not used for longest. Cost: 14
 * ns a record and 208 bytes a task; the tables of sockets and names take another 1.3 MiB.
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
#define DETECT_PRIO_IDLE     139            /* priority of a task that runs only if no other task wants to */
#define DETECT_QUIET_NS      30000000000ULL /* no report for so long, if it waits for a reported task */

struct detect;

/* A hang, as the callback gets it. */
struct detect_hang {
	enum ct_hang rule;
	uint32_t tid, tgid;
	char comm[CT_COMM_LEN]; /* 0-terminated */
	uint64_t cgroup_id;
	uint64_t since_ns; /* since when the task hangs; boot time, as found_ns */
	uint64_t found_ns; /* when the detector noticed it */
	uint64_t threshold_ns;
	uint64_t obj;  /* the object that the task waits for; 0: not known, or it does not wait */
	uint32_t peer; /* the first task that it waits for; SERVICE: the silent reader; 0: not known */
	uint16_t nr;   /* its system call; CT_NR_NONE: none */
	uint8_t wait;  /* CT_W_*; CT_W_NONE: the task runs or is runnable */
};

/* The threshold of each rule; 0: the rule is off. */
struct detect_limits {
	uint64_t after_ns[CT_HANG_RULES];
};

/*
 * Other limits for the tasks of one name, or of the control groups whose path matches. Later
 * overrides win over earlier ones.
 */
struct detect_override {
	bool is_cgroup;
	char match[DETECT_MATCH_MAX]; /* fnmatch(3) pattern for a name, or the path of a control group */
	uint32_t set;                 /* bits 1 << CT_HANG_*: the limits that it sets */
	struct detect_limits limits;
};

struct detect_settings {
	struct detect_limits limits;
	uint64_t learn_ns; /* how long the habits of a task are watched before it is judged */
	unsigned n_overrides;
	struct detect_override overrides[DETECT_OVERRIDES_MAX];
};

/* Sets the defaults: LOOP, BUSY, STARVED, DEADLOCK and SERVICE 2 s, DISK 10 s, learning for 60 s. */
void detect_defaults(struct detect_settings *ret);

struct detect_options {
	const struct detect_settings *settings; /* copied */
	uint32_t max_tasks;                     /* 0: 131072 */
	uint32_t own_tgid;                      /* the daemon, which is not judged */
	bool messages;                          /* this machine records CT_SEND and CT_RECV */
	/*
	 * Asks the kernel for the present state of a task, before a hang is reported. Returns 0, or
	 * -ESRCH: the task has gone. NULL: the records are believed. The callee sets wait.aux to
	 * DETECT_PRIO_IDLE for a task of SCHED_IDLE.
	 */
	int (*look)(void *arg, uint32_t tid, struct ct_iter_task *ret);
	void *look_arg;
	void (*hang)(void *arg, const struct detect_hang *hang);
	void *hang_arg;
};

struct detect_stats {
	uint64_t tasks, judged; /* tasks now; those whose habits are known well enough to be judged */
	uint64_t tasks_refused;
	uint64_t found[CT_HANG_RULES];
	uint64_t behind;    /* hangs not reported, because the task waits for a reported one */
	uint64_t withdrawn; /* hangs that the kernel did not confirm */
	uint64_t blind_ns;  /* the time for which no task could be judged, because records were missing */
};

/*
 * Makes a detector. It copies opt and the settings. The arguments of the callbacks have to live as
 * long as the detector. NULL: out of memory.
 */
struct detect *detect_new(const struct detect_options *opt);
/* Accepts NULL. */
void detect_free(struct detect *d);

/*
 * Takes one record, with its words if it has any; or one blob of a correct size. Of the blobs, only
 * CT_TASK, CT_OBJECT and CT_RAWSTACK are used.
 */
void detect_record(struct detect *d, const struct ct_rec *rec, const uint64_t *words);
void detect_blob(struct detect *d, const struct ct_blob *blob);
/* Takes the state of a task as the kernel tells it, at the start or after records were lost. */
void detect_found(struct detect *d, const struct ct_iter_task *found);
/*
 * Ends a round in which detect_found() got all tasks; now_ns: when the round began. From now on
 * earlier losses do not matter. A task that was not found, and of which no record came since, has
 * ended.
 */
void detect_resync(struct detect *d, uint64_t now_ns);
/* Records were lost until ts_ns. No task is judged until detect_resync(). */
void detect_lost(struct detect *d, uint64_t ts_ns);
/*
 * Judges all tasks. The caller calls it several times a second (DETECT_TICK_NS is often enough),
 * after all records older than now_ns. A long time without a call counts as time in which the
 * machine slept.
 */
void detect_tick(struct detect *d, uint64_t now_ns);

/* True: records were lost, and no task is judged before detect_resync(). */
bool detect_is_blind(const struct detect *d);
struct detect_stats detect_stats(const struct detect *d);

#endif
