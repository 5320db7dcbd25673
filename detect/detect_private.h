/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_private.h - the state of a detector, private to detect/. One thread at a time.
 */
#ifndef CTRACE_DETECT_DETECT_PRIVATE_H
#define CTRACE_DETECT_DETECT_PRIVATE_H

#include "ctrace/fields.h"
#include "detect/detect.h"
#include "detect/detect_habit.h"
#include "detect/detect_socket.h"
#include "detect/detect_task.h"
#include "detect/thresholds.h"
#include "lib/map.h"

#define DETECT_REPORTS 32

struct detect_report {
	/* root: the end of the chain of waits from tid (judge_root()) */
	uint32_t tid, root;
	enum ct_hang rule;
	uint64_t ns;
};

#define DETECT_DYING 64
/* A crash that was looked at. ns: time of the last record about the crash. ended: this record was
 * about the end of the process. */
struct detect_dying {
	uint32_t tgid;
	bool ended;
	uint64_t ns;
};

/* A fatal signal, or (is_exit) the end of a process by a signal. tgid: 0 if the task had no name yet. */
#define DETECT_ENDS 64
struct detect_end {
	uint64_t ns, cgroup_id;
	uint64_t named_ns; /* when the task got its name, tgid, uid and cgroup */
	uint32_t tid, tgid, uid;
	bool is_exit;
	bool waited; /* a detect_tick() has come after this record */
	char comm[CT_COMM_LEN];
};

/* A call that reports an exception or an error without a handler (CT_CALL_*). tgid 0: an empty entry. */
#define DETECT_RAISED 64
struct detect_raised {
	uint64_t ns, cgroup_id;
	/* when the process ended with an exit status other than 0, or the thread ended; 0: not yet */
	uint64_t failed_ns;
	uint32_t tid, tgid, uid;
	uint32_t thread; /* the thread that ends, while its process goes on; 0: the process ends */
	char comm[CT_COMM_LEN];
};

/* The end of a process with an exit status other than 0, or the end of a thread by itself. */
#define DETECT_ENDED 64
struct detect_ended {
	uint64_t ns;
	uint32_t id; /* pid, or tid of the thread */
};
#define DETECT_CALLS   3
#define DETECT_UNNAMED 16

struct detect {
	struct detect_options opt;
	struct detect_settings set;
	struct detect_tasks tasks;
	struct detect_habits habits;
	struct detect_sockets sockets;
	/* id of a control group -> bits 1 << i: set.overrides[i] matches its path */
	struct map cgroups;
	uint64_t min_ns;     /* the shortest limit of all rules and overrides */
	uint64_t patient_ns; /* a wait of at least this time is long (PATIENT_SHARE) */
	uint64_t now_ns;
	/* Before this time, records are missing, or the machine slept. Only DISK and DEADLOCK count
	 * time before it. */
	uint64_t floor_ns;
	uint64_t slept_ns; /* up to this time, the machine slept or no tick came */
	uint64_t lost_ns;  /* records were lost up to this time; 0: none since the last resync */
	uint32_t lacks;    /* CT_LACK_*: the records that are left out now */
	uint64_t coarse_end_ns;
	struct detect_report reports[DETECT_REPORTS];
	unsigned n_reports;
	struct detect_dying dying[DETECT_DYING]; /* a new entry replaces the oldest one */
	unsigned n_dying;
	/* An end is reported at the second tick after its record. Before this tick, the record that names
	 * the task may be missing, because it comes through the ring of another CPU. */
	struct detect_end ends[DETECT_ENDS];
	unsigned n_ends;
	uint64_t calls[DETECT_CALLS]; /* the objects of CT_CALL_EXCEPTION, CT_CALL_FATAL, CT_CALL_ERROR */
	struct detect_raised raised[DETECT_RAISED];
	unsigned n_raised, raised_next;
	/* failed: processes; ended: threads. A new entry replaces the oldest one. */
	struct detect_ended failed[DETECT_ENDED], ended[DETECT_ENDED];
	unsigned failed_next, ended_next;
	/* Calls of tasks whose record with the name comes later, through another ring. They are looked at
	 * again at the next tick. */
	struct ct_rec unnamed[DETECT_UNNAMED];
	unsigned n_unnamed;
	struct detect_stats stats;
};

static inline uint64_t detect_max(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t m = a > b ? a : b;

	return m > c ? m : c;
}

static inline uint64_t detect_ran_ns(const struct detect_task *t, uint64_t now_ns)
{
	uint64_t from_ns = detect_max(t->since_ns, t->progress_ns, 0);

	return t->ran_ns + (t->run == DETECT_RUNNING && now_ns > from_ns ? now_ns - from_ns : 0);
}

void detect_limits_of(const struct detect *d, const struct detect_task *t, struct detect_limits *ret);
void detect_limits_init(struct detect *d);
void detect_limits_cgroup(struct detect *d, const struct ct_object_blob *o);

/* Returns NULL if the task is not in the table, or has ended. */
struct detect_task *detect_task_find(struct detect *d, uint32_t tid);
/* As detect_task_find(), but makes a missing entry. If the task ended before ts, another task has
 * the tid now, so the entry is reset. NULL: the task ended at ts or later, tid is 0, or there is no
 * room. */
struct detect_task *detect_task_touch(struct detect *d, uint32_t tid, uint64_t ts);
void detect_wait_ends(struct detect *d, struct detect_task *t, uint64_t ts);
void detect_queue_ends(struct detect *d, struct detect_task *t, uint64_t ts);
/* The caller has set the fields about the wait. is_whole: the records show all waits of the task,
 * not only the long ones. Only then may this wait change the idle point, the place where the task
 * waits for its next work (detect.h). */
void detect_wait_begins(struct detect *d, struct detect_task *t, uint64_t ts, bool is_whole);
/* run: DETECT_RUNNABLE or DETECT_UNKNOWN */
void detect_set_awake(struct detect_task *t, enum detect_run run, uint64_t ts);
/* Called if records may be missing. From now on, it is not known since when the task is away from
 * its idle point. Its times on the CPU and in the queue begin anew at ts. */
void detect_forget(struct detect_task *t, uint64_t ts);

void detect_coarse_step(struct detect *d, bool begins, uint64_t ts);
/* since_ns: when the state began (the first word of the CT_FOUND) */
void detect_coarse_found(struct detect *d, const struct ct_rec *rec, uint64_t since_ns);
void detect_coarse_fold(struct detect_task *t, uint64_t ts);

static inline bool detect_is_coarse(const struct detect *d)
{
	return d->lacks & CT_LACK_SWITCHES;
}

void detect_adopt(struct detect *d, struct detect_task *t, const struct ct_iter_task *found, uint64_t ts_ns);
void detect_judge(struct detect *d, uint64_t now_ns);

/* Called for each CT_SIGDELIVER. */
void detect_crash_signal(struct detect *d, const struct ct_rec *rec);
/* Called for each CT_EXIT, before the task counts as ended. */
void detect_crash_exit(struct detect *d, const struct ct_rec *rec);
/* Called for each CT_TASK. */
void detect_crash_name(struct detect *d, const struct ct_task_blob *b);
void detect_crash_report(struct detect *d, uint64_t now_ns);

/* Called for each CT_OBJECT. */
void detect_exception_name(struct detect *d, const struct ct_object_blob *o);
/* Called for each CT_MARK. */
void detect_exception_call(struct detect *d, const struct ct_rec *rec);
/* Called when the task of a CT_SWITCH begins to wait, while n_raised is not 0. */
void detect_exception_wait(struct detect *d, const struct ct_rec *rec);
/* The process executes another program, or a new process has this id. */
void detect_exception_anew(struct detect *d, uint32_t tgid, uint64_t ts);
/* Called for each CT_EXIT. */
void detect_exception_exit(struct detect *d, const struct ct_rec *rec);
void detect_exception_report(struct detect *d, uint64_t now_ns);

#endif
