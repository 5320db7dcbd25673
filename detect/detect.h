/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect.h - the detector: notices hangs in the stream of records, by the rules CT_HANG_* of abi.h.
 * The detector needs no help from the traced programs. The detector reports which task hangs, since
 * when, and by which rule. The detector takes no snapshot and makes no diagnosis: daemon/incident/
 * does this.
 *
 * Pure: no I/O, no threads, no clock of its own. Only one thread at a time may use a detector: in
 * the daemon, this is the drain thread. All times are boot time.
 *
 * The detector learns the habits of each task:
 * - its idle point: the place where the task waits for its next work, again and again. The idle
 *   point is an epoll, a poll, or the condition variable or the socket of a queue.
 * - the longest time that the task was away from its idle point
 * - the kinds of waits in which the task has ever waited for long
 *
 * The rules LOOP, BUSY and SERVICE judge a task only after its habits have been watched for
 * learn_ns (a setting). The rule STARVED needs a part of this time (LEARN_STARVED_SHARE). DISK and
 * DEADLOCK need none. The habits of a task also hold for later tasks of the same name.
 *
 * How the detector learns:
 * - Of the waits in which a task can idle, most are at one place: its idle point. The majority vote
 *   of Boyer and Moore finds this place. A wait that is typical of an event loop (epoll, poll,
 *   select, io_uring, accept, signal) has more votes than a condition variable or a read.
 * - A task is known if it has come back to its idle point RETURNS_MIN times, and if learn_ns have
 *   passed since the first time.
 * - The longest time away does not include the time in the queue for a CPU.
 * - If a task has ever been in a kind of wait for long (by default half a second, see
 *   PATIENT_SHARE), the rule LOOP does not report a wait of this kind for this task.
 * - The time away in a reported hang, and the kind of the reported wait, are not learned before the
 *   third report about tasks of that name.
 *
 * In a coarse stretch (CT_LACK_SWITCHES of fields.h), the records show only long waits, and long
 * times in the queue of a CPU. The rules judge only such waits and times. A task is not
 * judged while it runs, or waits only briefly.
 *
 * While messages are not recorded (CT_LACK_MESSAGES), the rule SERVICE asks the kernel whether
 * there are unread bytes. The rule judges only a reader that stays in one wait all the time, and so
 * reads nothing.
 *
 * After records were lost, no task is judged until the daemon has read the states of all tasks
 * again. The rules DISK and DEADLOCK are the exception, because the kernel confirms the state of
 * the task before a report.
 *
 * Limits: max_tasks tasks, DETECT_SOCKETS sockets, DETECT_HABITS names. If there is no room for a
 * task, the task is not judged, and is counted. If there is no room for a socket or a name, it
 * replaces another one that was not used for long. Cost: 14 ns for a record and 208 bytes for a
 * task; the tables of sockets and names take another 1.5 MiB.
 */
#ifndef CTRACE_DETECT_DETECT_H
#define CTRACE_DETECT_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_OVERRIDES_MAX 64
#define DETECT_MATCH_MAX     128
#define DETECT_PRIO_IDLE     139 /* priority of a SCHED_IDLE task, which runs only on an idle CPU */

struct detect;

/* A hang, as the callback receives it. */
struct detect_hang {
	enum ct_hang rule;
	uint32_t tid, tgid;
	char comm[CT_COMM_LEN]; /* 0-terminated */
	uint64_t cgroup_id;
	uint64_t since_ns; /* the task hangs since this time; boot time, like found_ns */
	uint64_t found_ns; /* when the detector noticed it */
	uint64_t threshold_ns;
	uint64_t obj; /* the object that the task waits for; 0: not known, or the task does not wait */
	/* The task that can end the wait of the hung task. For the rule SERVICE: the task that does not
	 * read from the other end of the socket. 0: not known. */
	uint32_t peer;
	uint16_t nr;  /* the system call in which the task is; CT_NR_NONE: none */
	uint8_t wait; /* CT_W_*; CT_W_NONE: the task runs or is runnable */
};

/* The thresholds of all rules. 0: the rule is off. */
struct detect_limits {
	uint64_t after_ns[CT_HANG_RULES];
};

/*
 * Other limits for the tasks whose name matches a pattern, or for the tasks of the control groups
 * whose path matches a pattern. A later override wins over an earlier one.
 */
struct detect_override {
	bool is_cgroup;
	char match[DETECT_MATCH_MAX]; /* fnmatch(3) pattern for a name, or for the path of a control group */
	uint32_t set;                 /* bits 1 << CT_HANG_*: the limits that the override sets */
	struct detect_limits limits;
};

struct detect_settings {
	struct detect_limits limits;
	/* the rules LOOP, BUSY and SERVICE judge a task after its habits were watched for this
	 * time; STARVED needs a part of it */
	uint64_t learn_ns;
	unsigned n_overrides;
	struct detect_override overrides[DETECT_OVERRIDES_MAX];
};

/* Sets the defaults, which are in thresholds.h. */
void detect_defaults(struct detect_settings *ret);

struct detect_options {
	const struct detect_settings *settings; /* copied */
	uint32_t max_tasks;                     /* the largest number of tasks; 0: 131072 */
	uint32_t own_tgid;                      /* the tgid of the daemon, which is not judged */
	bool messages;                          /* this machine records CT_SEND and CT_RECV */
	/*
	 * Asks the kernel for the present state of a task before a hang is reported. If the task is
	 * a SCHED_IDLE task, the callee puts DETECT_PRIO_IDLE into wait.aux, in place of the
	 * priority. Returns 0, or -ESRCH if the task has ended, or another -errno if the task
	 * cannot be read. If the task cannot be read, or if look is NULL, the detector trusts the
	 * records, and reports the hang. But if records are missing, it does not report the hang.
	 */
	int (*look)(void *arg, uint32_t tid, struct ct_iter_task *ret);
	/*
	 * Asks the kernel how much data a socket of a process has received that no task has read.
	 * *ret becomes 0 if there is none, else a number without a unit. The rule SERVICE needs
	 * this while messages are not recorded. Returns 0, or -EBUSY if the detector shall ask
	 * again soon, or another -errno if the number is not known. If unread is NULL, the number
	 * is never known.
	 */
	int (*unread)(void *arg, uint32_t tgid, uint64_t sock, uint64_t *ret);
	void *look_arg; /* for look() and unread() */
	void (*hang)(void *arg, const struct detect_hang *hang);
	void *hang_arg;
};

struct detect_stats {
	/* tasks: the present tasks; judged: those of them that are known (see the top of this
	 * file) */
	uint64_t tasks, judged;
	uint64_t tasks_refused;
	uint64_t found[CT_HANG_RULES];
	/* hangs that were not reported, because a hang with the same cause was reported */
	uint64_t behind;
	uint64_t withdrawn; /* hangs that the kernel did not confirm */
	/* for how long only the rules DISK and DEADLOCK judged tasks, because records were
	 * missing */
	uint64_t blind_ns;
};

/*
 * Makes a detector. Copies opt and the settings. The arguments of the callbacks are borrowed until
 * detect_free(). NULL: out of memory.
 */
struct detect *detect_new(const struct detect_options *opt);
/* Accepts NULL. */
void detect_free(struct detect *d);

/*
 * detect_record() takes one record, with its words if it has any. detect_blob() takes one blob; it uses
 * only CT_TASK, CT_OBJECT and CT_RAWSTACK, and the caller makes sure that a CT_RAWSTACK is complete.
 */
void detect_record(struct detect *d, const struct ct_rec *rec, const uint64_t *words);
void detect_blob(struct detect *d, const struct ct_blob *blob);
/* Sets the state of a task to the state that the kernel gives for it. Used at the start, and after records
 * were lost. */
void detect_found(struct detect *d, const struct ct_iter_task *found);
/*
 * Ends a round in which detect_found() was called for all tasks. now_ns: when the round began. If no records
 * were lost after now_ns, tasks are judged again. If the round did not find a task, and the known state of
 * the task is older than now_ns, the task has ended.
 */
void detect_resync(struct detect *d, uint64_t now_ns);
/* Notes that records were lost until ts_ns. Until detect_resync() is called, only the rules DISK and DEADLOCK
 * judge tasks. */
void detect_lost(struct detect *d, uint64_t ts_ns);
/*
 * Judges all tasks. The caller calls this function about every DETECT_TICK_NS (several times a
 * second). Before each call, the caller passes on all records older than now_ns. If DETECT_GAP_NS
 * passes without a call, the detector assumes that the machine slept.
 */
void detect_tick(struct detect *d, uint64_t now_ns);

/* True: records were lost. Until detect_resync() is called, only the rules DISK and DEADLOCK judge tasks. */
bool detect_is_blind(const struct detect *d);
struct detect_stats detect_stats(const struct detect *d);

#endif
