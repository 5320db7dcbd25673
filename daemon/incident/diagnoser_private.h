/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_PRIVATE_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_PRIVATE_H

#include <stdbool.h>

#include "analysis/diagnose/diagnosis.h"
#include "daemon/incident/diagnoser.h"

/* The descriptors of a question: the trace and, if a page is wanted, the memory for the page. */
#define DIAGNOSER_FDS 2

/* An answer on the socket. The JSON has no final 0: it ends where the packet ends. */
struct diagnoser_packet {
	uint64_t id;
	char json[DIAGNOSER_ANSWER_MAX];
};

/* Serves questions, in the separate process, until the daemon closes its end of the socket. */
_Noreturn void diagnoser_serve(int sock);

/* Returns the answer (diagnoser.h) about the trace in fd, or {"error":"why"}. NULL: out of memory. If
 * page_fd is not -1, also writes the page there, of at most q->page_bytes bytes. */
json_t *diagnoser_answer(int fd, int page_fd, const struct diagnoser_question *q);

#define DIAGNOSER_WHY_MAX 256
/* Returns the CPU time that the process has used. */
uint64_t diagnoser_cpu_ns(void);
/* Writes the page about the diagnosis d. tables: see struct view. begun_ns: diagnoser_cpu_ns() when this try
 * began, for the limit of the search for other hangs. Returns 0; -ENOMEM, and then fd is still
 * open and nothing was written; or another -errno. why: a sentence for the last case. */
int diagnoser_page(int fd, const struct graph *g, const struct diagnosis *d,
		   const struct diagnoser_question *q, bool tables, uint64_t begun_ns,
		   char why[DIAGNOSER_WHY_MAX]);

#endif
