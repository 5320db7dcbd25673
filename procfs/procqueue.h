/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procqueue.h - reads /proc/sysvipc/msg: which process sent the last message to each message queue of System
 * V, and which process received the last one. The file has only the queues of the reader's own IPC namespace,
 * and the process ids of the pid namespace of /proc. One thread at a time for each struct procqueues.
 */
#ifndef CTRACE_PROCFS_PROCQUEUE_H
#define CTRACE_PROCFS_PROCQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"

struct procqueue {
	int32_t id;
	/* process ids; 0: nobody yet, or a process of another pid namespace */
	uint32_t sender, receiver;
};

struct procqueues {
	VEC(struct procqueue) v;
};

/* The caller frees *ret with procqueues_done(). Returns 0, -ENOMEM, or -errno of opening the file. */
int procqueues_read(struct procqueues *ret);
void procqueues_done(struct procqueues *q);
/* Parses a line of /proc/sysvipc/msg. Returns false if it describes no queue. */
bool procqueue_parse(const char *line, struct procqueue *ret);

/* Process pid waits for room in the queue `id`. Returns the process that received from it last, or 0. */
uint32_t procqueues_reader(const struct procqueues *q, int32_t id, uint32_t pid);
/*
 * Process pid waits for a message of the queue `id`. Returns the process that has to answer pid, or 0. This
 * is a process P, other than pid, with two signs:
 * - P sent the last message to the queue `id`.
 * - P received the last message from another queue. The last message to this other queue is from pid.
 *
 * So a process that only consumes messages has no P. It may wait for a message that nobody owes it.
 */
uint32_t procqueues_server(const struct procqueues *q, int32_t id, uint32_t pid);

#endif
