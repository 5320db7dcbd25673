/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - writes a trace file: fixed size, circular, made of slots. One thread at a time (the
 * daemon's drain thread), except for functions marked "any thread".
 *
 * Records go into an open segment in memory. writer_seal() writes the open segment over the oldest
 * segments of the file. writer_save() writes a copy of the open segment, so that the segment can
 * stay open for long on a quiet machine. Each segment has all dictionary entries that it needs.
 */
#ifndef CTRACE_TRACE_WRITE_WRITER_H
#define CTRACE_TRACE_WRITE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "trace/format/window.h"
#include "trace/write/writer_storage.h"

struct writer;

struct writer_options {
	uint64_t size_bytes; /* of the whole file; rounded down to slots; at least 4 MiB */
	const char *hooks;   /* the live hooks: "sched/switch=tp_btf,..." */
	const char *host;
	const char *kernel;
	const char *machine;
	/* facts about the machine; NULL or "": not known, and not stored */
	const char *cpu;
	const char *governor; /* the frequency governor of the first CPU */
	const char *limits;   /* the limits of the daemon's control group, in words */
	uint32_t n_cpus;
	uint32_t max_tasks; /* limits of the dictionary; 0: the default */
	uint32_t max_objects;
	uint32_t max_stacks;
	const uint8_t *boot_id; /* 16 bytes; NULL: that of the running kernel */
	bool own_dir;           /* refuse a directory of another user (lib/owned.h) */
	bool background;        /* the writer has threads that write, and that sync every 5 s */
};

struct writer_stats {
	/* Sums since writer_open(). raw_bytes: before encoding. file_bytes: of all slots of sealed
	 * segments. lost_disk: records lost on the way to the file. */
	uint64_t segments, records, raw_bytes, file_bytes, lost_disk;
	uint64_t newest_seq;
	uint64_t oldest_ns, newest_ns;
	uint64_t dict_tasks, dict_objects, dict_stacks, dict_evicted;
	struct writer_storage storage;
};

/*
 * Opens the trace file at path. The next segment goes after the newest one of the file. Creates the
 * file if it is missing (mode 0600, preallocated). Returns 0, or one of these errors with a
 * sentence in err (>= 256 bytes):
 * - -EXDEV: the file has another size; it is unchanged, and may be renamed.
 * - -EBADMSG: no trace, another major version, too damaged, or refused by owned_file().
 * - -EPERM: own_dir, and another user owns the directory or may write to it.
 * - -ENOSPC: no room to preallocate; a new file is removed again.
 * - -EBUSY: another writer has locked the file (flock(2)).
 * - -EINVAL: size_bytes is out of range, or the meta data is too long.
 * - -ENOMEM, and other errnos of system calls.
 */
int writer_open(const char *path, const struct writer_options *opt, struct writer **ret, char *err);
/* Does not seal the open segment. In background mode, waits until all sealed segments are on the disk,
 * without a limit of time. To wait with a limit, call writer_flush() first. */
void writer_free(struct writer *w);

/*
 * Adds a record with its CT_KIND_WORDS words. If the kind has none, `words` may be NULL. Returns:
 * - 0;
 * - -ENOMEM: also if the segment would have more than 32 MiB or FORMAT_RECORDS_MAX records;
 * - -EINVAL: unknown kind, missing words, CPU >= FORMAT_CPUS_MAX, or time >= FORMAT_TIME_MAX.
 */
int writer_add(struct writer *w, uint16_t cpu, const struct ct_rec *rec, const uint64_t *words);
/* A run is an array of records back to back, each with its words. */
struct writer_run {
	uint32_t n;
	uint64_t min_ns, max_ns;
	uint32_t kinds[CT_KIND_LAST + 1]; /* number of records of each kind; [0] and [CT_GAP] are 0 */
};
/* Adds all records of a run, which has n_words 64-bit words. After a failure, no record is added.
 * Does not check the kinds. Returns as writer_add(). */
int writer_add_run(struct writer *w, uint16_t cpu, const uint64_t *run, size_t n_words,
		   const struct writer_run *about);
/* Takes a copy of a CT_TASK, CT_CMDLINE, CT_OBJECT or CT_STACK. blob->size bytes must be readable.
 * Returns 0, -ENOMEM, or -EINVAL if the blob is not valid. */
int writer_blob(struct writer *w, const struct ct_blob *blob);
/* Returns the command line, or NULL. Valid until the next writer_blob() or writer_seal(). */
const struct ct_cmdline_blob *writer_cmdline(const struct writer *w, uint32_t tgid);
/* Call this when a task has exited. The dictionary keeps its entry for one more segment, because
 * records of the task may come late. */
void writer_forget_task(struct writer *w, uint32_t tid);

/* Returns the bytes of the open segment before encoding, without the checkpoint. The caller seals
 * at about 4 MiB, and saves about once a second. */
size_t writer_pending(const struct writer *w);
/*
 * Encodes and writes the open segment, even without records, and begins a new one. `states`: the
 * present states of the n known tasks, sorted by tid, for the checkpoint of the new segment.
 *
 * Returns 0, -ENOMEM, or -EFBIG if the segment is too large. In foreground mode, also errnos of the
 * write. In background mode, also -ENOBUFS if the queue is full (STORE_QUEUE_BYTES). In this mode, 0
 * means only that the segment is in the queue: its write may still fail. Readers see a CT_GAP with
 * CT_LOSS_DISK for a segment that is not written. The writer stays usable.
 */
int writer_seal(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n);
/*
 * Writes a copy of the open segment into a slot for copies. Returns 0, -EAGAIN if the disk is slow,
 * an error of writer_seal(), or -EFBIG in these cases:
 * - the segment is as old as WRITER_OPEN_NS;
 * - its copy does not fit into a slot, or is not likely to;
 * - the file has no slots for copies now;
 * - writer_begin() was not called.
 *
 * After a failure, the caller seals.
 */
int writer_save(struct writer *w, uint64_t now_ns);
/* Begins the first segment, before any writer_add(). `states`: as in writer_seal(). Returns 0 or
 * -ENOMEM. */
int writer_begin(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n);
/* Waits until every sealed segment is in the file or lost. Returns false after timeout_ns. For
 * background mode. Any thread. */
bool writer_flush(struct writer *w, uint64_t timeout_ns);
/* Returns 0, or an errno of dup(2) or fdatasync(2). Any thread. */
int writer_sync(struct writer *w);
struct writer_stats writer_stats(const struct writer *w);
/* Any thread. */
struct writer_storage writer_storage(const struct writer *w);

#endif
