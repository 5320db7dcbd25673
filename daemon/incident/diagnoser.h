/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnoser.h - has a snapshot diagnosed by a process of its own: what is in a
 * trace was named by any program of the machine, and to look through it takes
 * memory and time.
 *
 * The process is forked before the daemon has threads or anything of value open. It gives up all privileges
 * (diagnoser_jail.h), and has a child of its own answer each question, so that one that crashes, leaks or
 * takes too long costs that answer alone.  When the process itself is gone there are no answers until the
 * daemon is started again: by then the daemon may neither fork nor change who it is.
 *
 * The answer is that of `ctrace diagnose` for the time from when the task began to hang until it was back in
 * its loop, or until the end of the snapshot.
 *
 * Main thread only.
 */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_H

#include <jansson.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#define DIAGNOSER_ANSWER_MAX 60000 /* bytes of JSON */
#define DIAGNOSER_MEMORY     (512ULL << 20)
#define DIAGNOSER_CPU_S      10 /* of CPU time for a question */
#define DIAGNOSER_WALL_S     60 /* and on a machine that has no time for it */

/* Why did this task hang?  Times are boot time. */
struct diagnoser_question {
	uint64_t id;
	uint64_t since_ns, found_ns;
	uint32_t tid;
	uint32_t rule; /* CT_HANG_* */
};

struct diagnoser;

/*
 * answer: {"text","verdict","cause","confidence":words as in
 * ctrace.diagnosis/1,"lasts":bool,"from_ns","to_ns" of what was looked
 * at,"root_cause":{"pid","tid","comm","text"},"chain":[{"pid","tid","comm","edge"}]}; it stays the
 * diagnoser's.  NULL: there is none, and why is a sentence.
 */
typedef void (*diagnoser_answer_fn)(void *arg, json_t *answer, const char *why);

/* Forks the process; before there are threads. 0 or -errno. */
int diagnoser_new(struct diagnoser **ret);
/* The answers come from this event loop.  0 or -errno. */
int diagnoser_attach(struct diagnoser *d, sd_event *event);
/* Ends the process; an answer that is due does not come any more.  Accepts NULL. */
void diagnoser_free(struct diagnoser *d);

/* Asks about the trace fd, which stays the caller's. 0: fn will be called; -EBUSY: one question at a time; or
 * -errno: there is no such process any more.  q->id is not used. */
int diagnoser_ask(struct diagnoser *d, int fd, const struct diagnoser_question *q, diagnoser_answer_fn fn,
		  void *arg);

#endif
