/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnoser.h - passes a snapshot to a separate process, which diagnoses it. The snapshot may have
 * hostile bytes from any program of the machine, and the analysis takes memory and time.
 *
 * The daemon forks the process before it has threads or anything of value. The process gives up all
 * privileges (diagnoser_jail.h), and forks a child for each question: a crash costs only one answer.
 * If the process itself ends, there are no answers until the daemon starts again.
 *
 * The answer is that of `ctrace diagnose` for the time of the hang. A question can also ask for the page
 * of `ctrace view` about the hang. The process writes it into memory that the daemon shares with it. Main
 * thread only.
 */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_H

#include <jansson.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#define DIAGNOSER_ANSWER_MAX 60000 /* bytes of JSON */
#define DIAGNOSER_TRACE_MAX  80

/* Times are boot time. */
struct diagnoser_question {
	uint64_t id;
	uint64_t since_ns, found_ns;
	uint32_t tid;
	uint32_t rule;
	/* The most bytes of the page. 0: no page is wanted. A page cannot be about a crash. */
	uint64_t page_bytes;
	char trace[DIAGNOSER_TRACE_MAX]; /* the name of the snapshot, for the page */
};

struct diagnoser;

/*
 * Receives the answer, or NULL and a sentence that says why there is none. The answer is valid only
 * during the call. The answer is an object:
 *   text, verdict, cause, confidence   as in ctrace.diagnosis/1 (doc/json.md)
 *   lasts                              boolean: the task still hangs at the end of the snapshot
 *   from_ns, to_ns                     the time that was analysed (boot time)
 *   root_cause                         {pid, tid, comm, text}
 *   chain                              [{pid, tid, comm, edge, and if known: cgroup, container}]
 */
typedef void (*diagnoser_answer_fn)(void *arg, json_t *answer, const char *why);

/* Only in a diagnoser_answer_fn and before the next diagnoser_ask(), if the question asked for a page and
 * there is an answer. *ret has the page, which the caller frees. Returns 0, -ENOMEM, or -EBADMSG if the
 * process wrote no valid page. */
int diagnoser_take_page(struct diagnoser *d, char **ret, size_t *ret_n);

/* Forks the process. Call this before the daemon starts threads. Returns 0 or -errno. */
int diagnoser_new(struct diagnoser **ret);
int diagnoser_attach(struct diagnoser *d, sd_event *event);
/* Ends the process. The fn of an open question is not called. Accepts NULL. */
void diagnoser_free(struct diagnoser *d);

/*
 * Asks about the trace in fd. The caller still closes fd. q->id need not be set. Returns:
 * - 0: fn will be called once, unless diagnoser_free() comes first
 * - -EBUSY: another question is open
 * - -ESRCH: the process has ended
 * - another -errno
 */
int diagnoser_ask(struct diagnoser *d, int fd, const struct diagnoser_question *q, diagnoser_answer_fn fn,
		  void *arg);

#endif
