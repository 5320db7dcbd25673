/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - takes the records from the rings: checks each record, notes it in the task table,
 * and writes it into the trace. Records that cannot be kept are counted, and become a CT_GAP
 * record. No kernel interfaces and no threads. Drain thread only, except where stated.
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
	/* The tasks of the next two processes get CT_TF_TRACER. 0: there is no such process. */
	uint32_t daemon_tgid; /* the daemon; the tasks of its children get CT_TF_TRACER too */
	/* The process that started the daemon for one recording. The other children of this process
	 * do not get CT_TF_TRACER. */
	uint32_t starter_tgid;
	struct writer_options writer;
	/* Receives every well-formed CT_RAWSTACK blob. */
	void (*rawstack)(void *arg, uint16_t cpu, const struct ct_rawstack_blob *raw);
	/* Receives every well-formed CT_RAWACCESS blob. */
	void (*rawaccess)(void *arg, const struct ct_rawaccess_blob *raw);
	/* Receives the id of the cgroup of each task that has a CT_TASK blob; may be NULL. */
	void (*cgroup)(void *arg, uint64_t id);
	/* Asks for the command line of the process tgid in /proc; may be NULL. */
	void (*cmdline)(void *arg, uint32_t tgid);
	void *arg;
	struct detect *detect; /* gets every fixed record, and most blobs; may be NULL */
};

struct recorder_stats {
	struct writer_stats writer;
	uint64_t tasks, tasks_refused;
	uint64_t refused; /* records and blobs that were malformed, or for which there was no memory */
	uint64_t lost[CT_LOSS_CAUSES]; /* lost records by cause, as in the CT_GAP records */
};

struct recorder;

/*
 * Opens or creates the trace file. If the trace cannot be continued, recorder_new() renames it and
 * creates a new one. The new name is PATH.old if the size of the trace differs from the wanted
 * size. It is PATH.damaged if the file is no valid trace, has another major version, or is no file
 * that the daemon may trust (a link, another user's file). A file that already has the new name is
 * replaced. Returns 0; then err has a sentence about the renamed trace, or is empty. Or returns
 * -errno as writer_open(), with a sentence in err.
 */
int recorder_new(const struct recorder_options *opt, struct recorder **ret, char err[RECORDER_ERR_MAX]);
/* Frees the recorder without sealing the open file segment. Accepts NULL. */
void recorder_free(struct recorder *r);
/* Returns true if there was no file before recorder_new(). In this case, if the start fails later,
 * the caller may remove the file. */
bool recorder_created(const struct recorder *r);

/* Takes one blob, or fixed records back to back, in the form that they have in a ring. cpu: the CPU
 * whose ring had them; 0 for records that come from no ring. */
void recorder_take(struct recorder *r, uint16_t cpu, const void *data, size_t size);
/* Takes records and blobs back to back, as the BPF iterators write them. Stops at the first record
 * or blob that is malformed. */
void recorder_take_stream(struct recorder *r, const void *data, size_t size);
/* Adds one record that the daemon itself has made. words has CT_KIND_WORDS(rec->kind) words. The
 * task table does not see the record. */
void recorder_add(struct recorder *r, const struct ct_rec *rec, const uint64_t *words);
/* Writes a stack with names. */
void recorder_stack(struct recorder *r, const struct ct_stack_blob *stack);
/* Writes a CT_GAP: n records of a CPU were lost between first_ns and last_ns. */
void recorder_lost(struct recorder *r, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
		   uint64_t last_ns);

/* The task iterator has found the process tgid with this exec_id. If the recorder does not have the
 * command line for this exec_id, it asks for the command line. */
void recorder_found(struct recorder *r, uint32_t tgid, uint32_t exec_id, uint64_t now_ns);
/* Returns the task table, which belongs to r. */
struct tasks *recorder_tasks(struct recorder *r);
/* Begins the first file segment. Its checkpoint has the present states of all tasks. */
void recorder_begin(struct recorder *r, uint64_t now_ns);
/* Does nothing until the open file segment has RECORDER_SEAL_BYTES bytes, or the last seal or copy
 * is RECORDER_SEAL_NS old. Then calls writer_save(), which writes a copy of the segment and leaves
 * it open. If writer_save() fails, because the segment is too large for a copy or for another
 * reason, seals the segment. If force is set, seals it in any case. now_ns: the end of the segment.
 * If force is not set, now_ns has to be a time before the rings were last emptied. */
void recorder_seal(struct recorder *r, uint64_t now_ns, bool force);
/* Does the same as writer_flush(). Any thread may call it. */
bool recorder_flush(struct recorder *r, uint64_t timeout_ns);
/* Returns the same as writer_storage(). Any thread may call it. */
struct writer_storage recorder_storage(const struct recorder *r);
struct recorder_stats recorder_stats(const struct recorder *r);

#endif
