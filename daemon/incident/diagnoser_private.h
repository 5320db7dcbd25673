/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_PRIVATE_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_PRIVATE_H

#include "daemon/incident/diagnoser.h"

/* An answer on the socket. The JSON has no final 0: it ends where the packet ends. */
struct diagnoser_packet {
	uint64_t id;
	char json[DIAGNOSER_ANSWER_MAX];
};

/* Serves questions, in the separate process, until the daemon closes its end of the socket. */
_Noreturn void diagnoser_serve(int sock);

/* Returns the answer (diagnoser.h) about the trace in fd, or {"error":"why"}. NULL: out of memory. */
json_t *diagnoser_answer(int fd, const struct diagnoser_question *q);

#endif
