/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - what happens to a record after the ring: the recorder checks the record, notes it in the task
 * table, and writes it. Records that cannot be kept are counted and become a CT_GAP record. No kernel
 * interfaces and no threads. Drain thread only, except where stated.
 */
#ifndef CTRACE_DAEMON_RECORD_RECORDER_H
#define CTRACE_DAEMON_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/record/tasks.h"
#include "trace/write/writer.h"

struct detect;

#define RECORDER_TASKS_MAX 131072
#define RECORDER_ERR_MAX   512

struct recorder_options {
	const char *path;
	/* The tasks of these processes get CT_TF_TRACER. 0: there is no such process. */
	uint32_t daemon_tgid; /* the daemon; its children get CT_TF_TRACER too */
	/* The process that started the daemon for one recording. The other children of this process are
	 * recorded as usual. */
	uint32_t starter_tgid;
	struct writer_options writer;
	/* Receives every well-formed CT_RAWSTACK blob. */
	void (*rawstack)(void *arg, uint16_t cpu, const struct ct_rawstack_blob *raw);
	/* Receives every well-formed CT_RAWACCESS blob. */
	void (*rawaccess)(void *arg, const struct ct_rawaccess_blob *raw);
	/* Receives the id of the cgroup of every task that is named; may be NULL. */
	void (*cgroup)(void *arg, uint64_t id);
	/* Asks for the command line of a process (tgid) in /proc; may be NULL. */
	void (*cmdline)(void *arg, uint32_t tgid);
	void *arg;
	struct detect *detect; /* sees every record; may be NULL */
};

struct recorder_stats {
	struct writer_stats writer;
	uint64_t tasks, tasks_refused;
	uint64_t refused; /* records and blobs that were malformed, or for which there was no memory */
	uint64_t lost[CT_LOSS_CAUSES]; /* the same numbers as in the CT_GAP records */
};

struct recorder;

/*
 * Opens or creates the trace file. A trace that cannot be continued is renamed: to PATH.old if its size
 * differs from the wanted size, to PATH.damaged if it has another major version or is no valid trace. A
 * file that already has the new name is replaced. Returns 0; then err has a sentence about the renamed trace,
 * or is empty. Or returns -errno as writer_open(), with a sentence in err (what, why, what to do).
 */
int recorder_new(const struct recorder_options *opt, struct recorder **ret, char err[RECORDER_ERR_MAX]);
/* Frees the recorder without sealing. Accepts NULL. */
void recorder_free(struct recorder *r);
/* True: recorder_new() created the file. If the start fails later, the caller may remove the file. */
bool recorder_created(const struct recorder *r);

/* Takes one blob, or fixed records back to back, in the form that they have in a ring. cpu: the CPU from
 * whose ring they come; 0 for those that the iterators made. */
void recorder_take(struct recorder *r, uint16_t cpu, const void *data, size_t size);
/* Takes records and blobs back to back, as the iterators write them. Stops at the first malformed one. */
void recorder_take_stream(struct recorder *r, const void *data, size_t size);
/* Adds one record that the daemon itself has made. words: as many as CT_KIND_WORDS() of its kind says. */
void recorder_add(struct recorder *r, const struct ct_rec *rec, const uint64_t *words);
/* Writes a stack with names. */
void recorder_stack(struct recorder *r, const struct ct_stack_blob *stack);
/* Writes a CT_GAP: n records of a CPU were lost between first_ns and last_ns. */
void recorder_lost(struct recorder *r, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
		   uint64_t last_ns);

/* The task iterator has found the process tgid with this exec_id. If the recorder does not have the command
 * line of this exec, it asks for the command line. */
void recorder_found(struct recorder *r, uint32_t tgid, uint32_t exec_id, uint64_t now_ns);
/* The task table. Belongs to r. */
struct tasks *recorder_tasks(struct recorder *r);
/* Makes the present states of all tasks the checkpoint with which the file begins. */
void recorder_begin(struct recorder *r, uint64_t now_ns);
/* Seals the open file segment if it is large or old enough, or always if force is set. A segment that is
 * old enough but small stays open; only a copy of it is written (writer_save()). now_ns: the end of the
 * segment; unless force is set, a time before the rings were last emptied. */
void recorder_seal(struct recorder *r, uint64_t now_ns, bool force);
/* Does the same as writer_flush(). Any thread. */
bool recorder_flush(struct recorder *r, uint64_t timeout_ns);
/* Returns the same as writer_storage(). Any thread. */
struct writer_storage recorder_storage(const struct recorder *r);
struct recorder_stats recorder_stats(const struct recorder *r);

#endif
