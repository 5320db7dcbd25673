/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diagnoser_private.h - declarations that the files of the diagnoser share. */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_PRIVATE_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_PRIVATE_H

#include "daemon/incident/diagnoser.h"

/* An answer on the socket. The JSON has no final 0: it ends where the packet ends. */
struct diagnoser_packet {
	uint64_t id;
	char json[DIAGNOSER_ANSWER_MAX];
};

/* Serves questions until the daemon closes its end of the socket. Runs in the separate process. */
_Noreturn void diagnoser_serve(int sock);

/* Diagnoses the trace in fd. Returns the answer as in diagnoser.h, or {"error":"why"}. NULL: out
 * of memory. */
json_t *diagnoser_answer(int fd, const struct diagnoser_question *q);

#endif
