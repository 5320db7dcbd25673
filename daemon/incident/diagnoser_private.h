/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diagnoser_private.h - what the files of the diagnoser share. */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_PRIVATE_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_PRIVATE_H

#include "daemon/incident/diagnoser.h"

/* The answer to a question, as it goes over the socket: one packet, JSON without a final 0. */
struct diagnoser_packet {
	uint64_t id;
	char json[DIAGNOSER_ANSWER_MAX];
};

/* Serves questions from a socket until its other end is closed; in a process of its own. */
_Noreturn void diagnoser_serve(int sock);

/* The answer as diagnoser.h has it, or {"error":"why"}; NULL: out of memory.  Where memory does not suffice
 * for all of the trace, what was before the hang is left out. */
json_t *diagnoser_answer(int fd, const struct diagnoser_question *q);

#endif
