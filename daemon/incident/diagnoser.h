/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnoser.h - has a snapshot diagnosed by a separate process. This is because any program of the machine
 * may have put its bytes into the snapshot, and because the analysis takes memory and time.
 *
 * The daemon forks the process before it has threads or has opened anything of value. The process gives up
 * all privileges (diagnoser_jail.h). It forks a child for each question, so a child that crashes, leaks or
 * takes too long costs only one answer. If the process itself ends, there are no answers until the daemon is
 * started again: the daemon may not fork any more by then.
 *
 * The answer is that of `ctrace diagnose` for the time of the hang: from its beginning until the task was
 * back in its loop, or until the end of the snapshot.
 *
 * Main thread only.
 */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_H

#include <jansson.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#define DIAGNOSER_ANSWER_MAX 60000 /* bytes of JSON */

/* The question why a task hung. Times are boot time. */
struct diagnoser_question {
	uint64_t id;
	uint64_t since_ns, found_ns;
	uint32_t tid;
	uint32_t rule; /* CT_HANG_* */
};

struct diagnoser;

/*
 * Receives the answer: {"text","verdict","cause","confidence":words as in
 * ctrace.diagnosis/1,"lasts":bool,"from_ns","to_ns" of the time that was
 * analysed,"root_cause":{"pid","tid","comm","text"},"chain":[{"pid","tid","comm","edge"}]}. It is valid
 * during the call and stays the diagnoser's. NULL: there is no answer, and why is a sentence.
 */
typedef void (*diagnoser_answer_fn)(void *arg, json_t *answer, const char *why);

/* Forks the process. To be called before the daemon has threads. Returns 0 or -errno. */
int diagnoser_new(struct diagnoser **ret);
/* Has the answers delivered by this event loop. Returns 0 or -errno. */
int diagnoser_attach(struct diagnoser *d, sd_event *event);
/* Ends the process. An open question gets no answer. Accepts NULL. */
void diagnoser_free(struct diagnoser *d);

/* Asks about the trace in fd, which stays the caller's. q->id is not used. Returns 0: fn will be called
 * once; -EBUSY: another question is open; -ESRCH: the process has ended; or -errno. */
int diagnoser_ask(struct diagnoser *d, int fd, const struct diagnoser_question *q, diagnoser_answer_fn fn,
		  void *arg);

#endif
