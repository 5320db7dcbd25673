/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect.h - the detector: notices hangs in the stream of records, by the rules CT_HANG_* of abi.h.
 * Pure. Only one thread at a time may use a detector. All times are boot time.
 *
 * The detector learns these habits of each task:
 * - the idle point: the place where the task waits for its next work, again and again
 * - the longest time away from the idle point, without the time in the queue for a CPU
 * - the kinds of waits in which the task has waited for long (PATIENT_SHARE); LOOP does not report
 *   such waits
 * - the longest time in the queue for a CPU
 *
 * All habits except the idle point also hold for other tasks of the same name (LEARN_NAME_TIMES).
 * For each name, the detector also learns the longest wait for a disk. The times of the first
 * TOLD_HABIT reported hangs of a name do not become habits.
 *
 * A task is known if it has returned to its idle point RETURNS_MIN times, and the first return was
 * at least learn_ns ago.
 * - LOOP and BUSY judge only known tasks.
 * - SERVICE judges a socket if its reader has received RECEIVES_MIN messages, and was watched for
 *   learn_ns.
 * - STARVED judges a task that was watched for a part of learn_ns (LEARN_STARVED_SHARE).
 * - DISK and DEADLOCK need no habits.
 * - CRASH has no limit in time: its after_ns is 0 (off) or 1 (on). It reports processes that end by a
 *   signal whose default action is to dump core: at most CRASHES_PER_TICK at each tick.
 *
 * Special cases:
 * - In a coarse stretch (CT_LACK_SWITCHES), only long waits and long times in the queue
 *   for a CPU are judged.
 * - Without recorded messages (CT_LACK_MESSAGES), SERVICE asks the kernel whether a socket has
 *   unread bytes, and BUSY does not judge.
 * - After lost records, only DISK, DEADLOCK and CRASH judge, until all tasks are read again.
 *
 * Cost: some 13 ns for a record, 216 bytes for a task, 1.5 MiB for the tables of sockets and names.
 */
#ifndef CTRACE_DETECT_DETECT_H
#define CTRACE_DETECT_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_OVERRIDES_MAX 64
#define DETECT_MATCH_MAX     128
#define DETECT_PRIO_IDLE     139 /* the priority of a SCHED_IDLE task */

struct detect;

struct detect_hang {
	enum ct_hang rule;
	uint32_t tid, tgid;
	char comm[CT_COMM_LEN];
	uint64_t cgroup_id;
	uint64_t since_ns;
	uint64_t found_ns;
	uint64_t threshold_ns;
	uint64_t obj; /* for which the task waits; 0: not known, or no wait */
	/* the task that can end the wait; SERVICE: the task that does not read; 0: not known */
	uint32_t peer;
	uint16_t nr;
	uint8_t wait; /* CT_W_*; CT_W_NONE: the task runs or is runnable */
	/* CRASH: the real user of the process. The other rules do not set it. */
	uint32_t uid;
};

struct detect_limits {
	uint64_t after_ns[CT_HANG_RULES]; /* 0: the rule is off */
};

/* Other limits, for tasks or control groups that match a pattern. A later override wins. */
struct detect_override {
	bool is_cgroup;
	char match[DETECT_MATCH_MAX]; /* fnmatch(3): a name, or the path of a control group */
	uint32_t set;                 /* bits 1 << CT_HANG_*: the limits to set */
	struct detect_limits limits;
};

struct detect_settings {
	struct detect_limits limits;
	/* LOOP, BUSY and SERVICE judge a task after its habits were watched for this time. STARVED
	 * judges after 1/LEARN_STARVED_SHARE of this time. */
	uint64_t learn_ns;
	unsigned n_overrides;
	struct detect_override overrides[DETECT_OVERRIDES_MAX];
};

void detect_defaults(struct detect_settings *ret);

struct detect_options {
	const struct detect_settings *settings;
	uint32_t max_tasks; /* 0: 131072 */
	uint32_t own_tgid;
	bool messages; /* this machine records CT_SEND and CT_RECV */
	/*
	 * Asks the kernel for the state of a task before a hang is reported. ret->wait.aux:
	 * priority (120 + nice), or DETECT_PRIO_IDLE. Returns 0 or -errno (-ESRCH: the task has
	 * ended). Without an answer (any other -errno, or look is NULL), the hang is reported,
	 * unless records are missing.
	 */
	int (*look)(void *arg, uint32_t tid, struct ct_iter_task *ret);
	/* For SERVICE while messages are not recorded; may be NULL. *ret: 0 if the socket has no unread
	 * data. Returns 0, -EBUSY to be asked again soon, or another -errno. */
	int (*unread)(void *arg, uint32_t tgid, uint64_t sock, uint64_t *ret);
	void *look_arg;
	void (*hang)(void *arg, const struct detect_hang *hang);
	void *hang_arg;
};

struct detect_stats {
	/* tasks: the number of tasks in the table. A task that has ended stays for DEAD_KEPT_NS.
	 * judged: the number of known tasks at the last tick. LOOP and BUSY judge only known tasks
	 * (see the top of this file). */
	uint64_t tasks, judged;
	uint64_t tasks_refused;
	uint64_t found[CT_HANG_RULES];
	/* hangs that were not reported, because one with the same cause was reported */
	uint64_t behind;
	/* crashes that were not reported, because too many processes crashed at the same time */
	uint64_t crashes_refused;
	/* hangs that were not reported, because the kernel did not confirm the state */
	uint64_t withdrawn;
	/* how long records were missing that LOOP, BUSY and STARVED need */
	uint64_t blind_ns;
};

/* Copies opt and the settings. Borrows the callbacks' arguments until detect_free(). NULL: no memory. */
struct detect *detect_new(const struct detect_options *opt);
void detect_free(struct detect *d);

void detect_record(struct detect *d, const struct ct_rec *rec, const uint64_t *words);
/* Uses only the blobs CT_TASK, CT_OBJECT and CT_RAWSTACK. A CT_RAWSTACK has to be complete. */
void detect_blob(struct detect *d, const struct ct_blob *blob);
/* Sets the state of a task from the kernel: at the start, and after lost records. */
void detect_found(struct detect *d, const struct ct_iter_task *found);
/*
 * Ends a round of detect_found() for all tasks. now_ns: when the round began. A task has ended if
 * it was not found and has no record from now_ns or later. If no records were lost after now_ns,
 * all rules judge again (see detect_lost()).
 */
void detect_resync(struct detect *d, uint64_t now_ns);
/* Records were lost, up to ts_ns. Until detect_resync(), only DISK, DEADLOCK and CRASH judge. */
void detect_lost(struct detect *d, uint64_t ts_ns);
/*
 * Call it about every DETECT_TICK_NS, after all records older than now_ns. After DETECT_GAP_NS
 * without a call, the detector assumes that the machine slept.
 */
void detect_tick(struct detect *d, uint64_t now_ns);

/* Returns true if records were lost, and no detect_resync() has followed. */
bool detect_is_blind(const struct detect *d);
struct detect_stats detect_stats(const struct detect *d);

#endif
