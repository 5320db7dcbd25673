/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnoser.h - passes a snapshot to a separate process, which diagnoses the snapshot. The process
 * is separate for two reasons: any program of the machine may have put its bytes into the snapshot,
 * and the analysis takes memory and time.
 *
 * The daemon forks the process before the daemon has threads or has opened anything of value. The
 * process gives up all privileges (diagnoser_jail.h). The process forks a child for each question,
 * so a child that crashes, leaks or takes too long costs only one answer. If the process itself
 * ends, there are no answers until the daemon is started again, because the daemon has given up the
 * right to fork.
 *
 * The answer is the answer of `ctrace diagnose` for the time of the hang. This time begins with the
 * hang. It ends when the hang is over, or with the snapshot. For most rules, a hang is over when
 * the task is back in its event loop.
 *
 * All functions run on the main thread.
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
 * Receives the answer, or NULL and a sentence that says why there is none. The answer is valid only during
 * the call. The answer is an object:
 *   text, verdict, cause, confidence   as in ctrace.diagnosis/1 (doc/json.md)
 *   lasts                              boolean: the task still hangs at the end of the snapshot
 *   from_ns, to_ns                     the time that was analysed (boot time)
 *   root_cause                         {pid, tid, comm, text}
 *   chain                              [{pid, tid, comm, edge, and if known: cgroup, container}]
 */
typedef void (*diagnoser_answer_fn)(void *arg, json_t *answer, const char *why);

/* Forks the process. The daemon calls this function before it starts threads. Returns 0 or
 * -errno. */
int diagnoser_new(struct diagnoser **ret);
/* Delivers the answers through this event loop. Returns 0 or -errno. */
int diagnoser_attach(struct diagnoser *d, sd_event *event);
/* Ends the process. If a question is open, the function fn of this question is not called. Accepts
 * NULL. */
void diagnoser_free(struct diagnoser *d);

/* Asks about the trace in fd. The caller still closes fd. The function sets the id of the question
 * itself, and ignores q->id. Returns 0: fn will be called once, unless diagnoser_free() comes
 * first. Returns -EBUSY if another question is open, -ESRCH if the process has ended, or another
 * -errno. */
int diagnoser_ask(struct diagnoser *d, int fd, const struct diagnoser_question *q, diagnoser_answer_fn fn,
		  void *arg);

#endif
