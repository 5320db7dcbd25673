/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder.h - checks each record from the rings, notes it in the task table, and writes it into
 * the trace. Records that cannot be kept become a CT_GAP. Drain thread only, except where
 * stated. */
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
	/* The tasks of the daemon and of its descendants get CT_TF_TRACER. 0: no process. */
	uint32_t daemon_tgid;
	/* The process that started the daemon for one recording. Its tasks get CT_TF_TRACER, those
	 * of its other children do not. 0: no process. */
	uint32_t starter_tgid;
	struct writer_options writer;
	/* Called with every well-formed CT_RAWSTACK, CT_RAWACCESS, CT_RAWCRASH or CT_RAWJOB. rawcrash and
	 * rawjob may be NULL. */
	void (*rawstack)(void *arg, uint16_t cpu, const struct ct_rawstack_blob *raw);
	void (*rawaccess)(void *arg, const struct ct_rawaccess_blob *raw);
	void (*rawcrash)(void *arg, const struct ct_rawcrash_blob *raw);
	void (*rawjob)(void *arg, const struct ct_rawjob_blob *raw);
	/* Called with the cgroup of each CT_TASK blob. May be NULL. */
	void (*cgroup)(void *arg, uint64_t id);
	/* Called for a task whose CPU quota is used up, or that waits for memory. May be NULL. */
	void (*limited)(void *arg, uint32_t tid, uint64_t ts_ns);
	/* Asks for a command line in /proc. May be NULL. */
	void (*cmdline)(void *arg, uint32_t tgid);
	void *arg;
	struct detect *detect; /* gets every fixed record and most blobs; may be NULL */
};

struct recorder_stats {
	struct writer_stats writer;
	uint64_t tasks, tasks_refused;
	uint64_t refused;
	uint64_t lost[CT_LOSS_CAUSES];
};

struct recorder;

/*
 * Opens or creates the trace file. If the trace cannot be continued, renames it (replacing an older
 * file) and creates a new one:
 * - PATH.old: the trace does not have the wanted size
 * - PATH.damaged: the file is no valid trace, is of another major version, or must not be trusted
 *   (a link, another user's file)
 *
 * Returns 0, or -errno with a sentence in err (perhaps not after -ENOMEM). With 0, err has a
 * sentence about the renamed trace, or "".
 */
int recorder_new(const struct recorder_options *opt, struct recorder **ret, char err[RECORDER_ERR_MAX]);
void recorder_free(struct recorder *r);
/* Returns true if there was no file before recorder_new(). Then a failed start may remove the file. */
bool recorder_created(const struct recorder *r);

/* Takes one blob, or fixed records back to back. cpu: of the ring; 0 for data from no ring. */
void recorder_take(struct recorder *r, uint16_t cpu, const void *data, size_t size);
void recorder_take_stream(struct recorder *r, const void *data, size_t size);
/* Adds a record of the daemon, with CT_KIND_WORDS(rec->kind) words. The task table does not see
 * it. */
void recorder_add(struct recorder *r, const struct ct_rec *rec, const uint64_t *words);
void recorder_stack(struct recorder *r, const struct ct_stack_blob *stack);
void recorder_lost(struct recorder *r, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
		   uint64_t last_ns);

/* Call this when the task iterator has found this process. Asks for the command line of the
 * process, unless the command line of this exec_id is known or was asked for. */
void recorder_found(struct recorder *r, uint32_t tgid, uint32_t exec_id, uint64_t now_ns);
struct tasks *recorder_tasks(struct recorder *r);
void recorder_begin(struct recorder *r, uint64_t now_ns);
/*
 * With force, seals the open file segment (writer_seal()). Without force:
 * - Does nothing if the file segment has fewer than RECORDER_SEAL_BYTES, and the last seal or save
 *   is less than RECORDER_SEAL_NS ago.
 * - Otherwise calls writer_save(), and seals only if writer_save() fails.
 *
 * now_ns becomes the end of the file segment. Without force, now_ns must be a time before the rings
 * were last emptied.
 */
void recorder_seal(struct recorder *r, uint64_t now_ns, bool force);
/* As writer_flush(). Any thread may call it. */
bool recorder_flush(struct recorder *r, uint64_t timeout_ns);
/* As writer_storage(). Any thread may call it. */
struct writer_storage recorder_storage(const struct recorder *r);
struct recorder_stats recorder_stats(const struct recorder *r);

#endif
