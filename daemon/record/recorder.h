/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - what happens to a record once it has left the kernel: checked,
 * noted in the task table, written.  What cannot be kept is counted and becomes a
 * CT_GAP record.  No kernel interfaces and no threads: drain thread only.
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

#define RECORDER_TASKS_MAX  131072
#define RECORDER_SEAL_BYTES (4u << 20)
#define RECORDER_SEAL_NS    800000000ULL /* with the time to notice and to write: less than a second */
#define RECORDER_ERR_MAX    512

struct recorder_options {
	const char *path;
	/* Their tasks get CT_TF_TRACER; 0: no such process. */
	uint32_t daemon_tgid;  /* and its children, which are helpers */
	uint32_t starter_tgid; /* started the daemon for one recording; its other children are what is
				  recorded */
	struct writer_options writer;
	/* gets every CT_RAWSTACK blob */
	void (*rawstack)(void *arg, uint16_t cpu, const struct ct_rawstack_blob *raw);
	/* gets every CT_RAWACCESS blob */
	void (*rawaccess)(void *arg, const struct ct_rawaccess_blob *raw);
	/* is told of the cgroup of every task that is named; may be NULL */
	void (*cgroup)(void *arg, uint64_t id);
	void *arg;
	struct detect *detect; /* takes note of every record; may be NULL */
};

struct recorder_stats {
	struct writer_stats writer;
	uint64_t tasks, tasks_refused;
	uint64_t refused;              /* records and blobs that were malformed or found no memory */
	uint64_t lost[CT_LOSS_CAUSES]; /* as CT_GAP records say */
};

struct recorder;

/*
 * Opens or creates the trace file.  A trace of another size is set aside as PATH.old, one of another major
 * version and what is no trace (any more) as PATH.damaged (what was there by that name is replaced); err then
 * says so, and is else empty.  0, or -errno as writer_open() with a sentence in err (what, why, what to do).
 */
int recorder_new(const struct recorder_options *opt, struct recorder **ret, char err[RECORDER_ERR_MAX]);
/* Seals nothing.  Accepts NULL. */
void recorder_free(struct recorder *r);
/* Whether recorder_new() made the file (and it may be removed when the start fails afterwards). */
bool recorder_created(const struct recorder *r);

/* One blob, or fixed records back to back, as they lie in a ring. */
void recorder_take(struct recorder *r, uint16_t cpu, const void *data, size_t size);
/* Records and blobs back to back, as the iterators write them.  What is malformed ends the stream. */
void recorder_take_stream(struct recorder *r, const void *data, size_t size);
/* One record of the daemon's own making. */
void recorder_add(struct recorder *r, const struct ct_rec *rec, const uint64_t *words);
void recorder_stack(struct recorder *r, const struct ct_stack_blob *stack);
/* n records of a CPU were lost between two times. */
void recorder_lost(struct recorder *r, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
		   uint64_t last_ns);

struct tasks *recorder_tasks(struct recorder *r);
/* Makes the states of now the checkpoint that the file begins with. */
void recorder_begin(struct recorder *r, uint64_t now_ns);
/* Seals when it is time to, or always when force is set.  now_ns: before the rings were drained last. */
void recorder_seal(struct recorder *r, uint64_t now_ns, bool force);
/* Any thread: as writer_flush(). */
bool recorder_flush(struct recorder *r, uint64_t timeout_ns);
/* Any thread: as writer_storage(). */
struct writer_storage recorder_storage(const struct recorder *r);
struct recorder_stats recorder_stats(const struct recorder *r);

#endif
