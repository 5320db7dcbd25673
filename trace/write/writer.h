/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - writes a trace file: fixed size, circular, made of slots.
 *
 * Records go into an open segment in memory. writer_seal() encodes this segment, and writes it into
 * the next slots, over the oldest segments. In the background mode (store.h), threads of the writer
 * do the writing, so that no disk holds up the caller. writer_save() writes a copy of a segment
 * that stays open. So on a quiet machine a segment can stay open until it nearly fills a slot, or
 * is as old as WRITER_OPEN_NS. The writer keeps the dictionary (tasks, command lines, objects, stacks). The
 * writer puts into every segment the entries to which the records and states of the segment refer. So each
 * segment can be read without the segments before it.
 *
 * One thread at a time (the daemon's drain thread), except for the functions marked "any thread".
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
	const char *hooks;   /* which hooks are live: "sched/switch=tp_btf,..."; stored in the meta data */
	const char *host;    /* uname -n */
	const char *kernel;  /* uname -r */
	const char *machine; /* uname -m */
	uint32_t n_cpus;
	uint32_t max_tasks; /* limits of the dictionary; 0: defaults */
	uint32_t max_objects;
	uint32_t max_stacks;
	const uint8_t *boot_id; /* 16 bytes; NULL: that of the running kernel */
	bool own_dir;           /* refuse a directory that another user owns or may write (lib/owned.h) */
	bool background;        /* threads of its own write, and sync every five seconds */
};

struct writer_stats {
	/* Sums since the writer was opened. raw_bytes: size of the sealed segments before encoding.
	 * file_bytes: size of the slots that they take in the file. lost_disk: lost records. */
	uint64_t segments, records, raw_bytes, file_bytes, lost_disk;
	uint64_t newest_seq;
	uint64_t oldest_ns, newest_ns; /* the time that the file covers now, of this boot */
	uint64_t dict_tasks, dict_objects, dict_stacks, dict_evicted;
	struct writer_storage storage;
};

/*
 * Opens the trace file at path. If there is none, creates one (mode 0600, preallocated). If there
 * is one, recovers it and continues after its newest valid segment. Returns 0, or on failure writes a
 * sentence for the log to err (>= 256 bytes) and returns:
 * - -EXDEV: the file has another size than size_bytes. The function does not change this file; the
 *   caller may rename it.
 * - -EBADMSG: not a trace, of another major version, damaged beyond use, or refused by owned_file()
 *   (a link, another user's file, ...).
 * - -EPERM: own_dir is set, and another user owns the directory or may write it.
 * - -ENOSPC: no room to preallocate. Nothing is left behind.
 * - -EBUSY: another writer has the lock of the file (flock(2)).
 * - -EINVAL: size_bytes is out of range, or the meta data is too long.
 * - -ENOMEM, and other errnos of the system calls.
 */
int writer_open(const char *path, const struct writer_options *opt, struct writer **ret, char *err);
/* Frees the writer without sealing the open segment, so call writer_seal() first. In the background
 * mode, the function waits for the disk: writer_flush() says whether the disk answers. Accepts
 * NULL. */
void writer_free(struct writer *w);

/* Adds one fixed record with its CT_KIND_WORDS words (words may be NULL if there are none). 0;
 * -ENOMEM: out of memory, or 32 MiB or a million records are pending (the caller seals earlier);
 * -EINVAL: an unknown kind, a CPU beyond 8191, or a time of FORMAT_TIME_MAX or later. */
int writer_add(struct writer *w, uint16_t cpu, const struct ct_rec *rec, const uint64_t *words);
/* The summary of a run: records that lie back to back, each with its words. */
struct writer_run {
	uint32_t n;
	uint64_t min_ns, max_ns;
	uint32_t kinds[CT_KIND_LAST + 1]; /* how many of each kind; [0] and [CT_GAP] are 0 */
};
/* Adds all records of a run of n_words, or none. The caller has checked the kinds of the records;
 * this function does not check them again. 0, -ENOMEM or -EINVAL as writer_add(). */
int writer_add_run(struct writer *w, uint16_t cpu, const uint64_t *run, size_t n_words,
		   const struct writer_run *about);
/* Adds or replaces a dictionary entry, a copy of a CT_TASK, CT_CMDLINE, CT_OBJECT or CT_STACK blob.
 * blob->size bytes are readable. 0, -ENOMEM, or -EINVAL: the blob is not valid. */
int writer_blob(struct writer *w, const struct ct_blob *blob);
/* The newest CT_CMDLINE of the process, valid until the next writer_blob() or writer_seal(). NULL: there is
 * none. */
const struct ct_cmdline_blob *writer_cmdline(const struct writer *w, uint32_t tgid);
/* Tells the writer that a task has exited. The writer removes the entry of the task at the end of the
 * next segment, because late records may still refer to the task. */
void writer_forget_task(struct writer *w, uint32_t tid);

/* The size of the open segment before encoding, in bytes, without the checkpoint. The caller seals
 * at about 4 MiB. About once a second the caller calls writer_save(), and seals if writer_save()
 * fails. */
size_t writer_pending(const struct writer *w);
/*
 * Encodes and writes the open segment, and begins a new one. An empty segment is written too: it
 * has a time range and a checkpoint.
 *
 * states: the n states of every known task now, sorted by tid. These states become the checkpoint
 * of the next segment. (The checkpoint of the first segment is that of writer_begin().)
 *
 * 0; -ENOMEM; -EFBIG: the segment is too large. In the foreground mode also -ENOSPC, -EIO and other
 * errnos of the write. In the background mode also -ENOBUFS: too much waits for the disk already.
 * In the background mode, 0 does not mean that the segment is in the file: the write comes later,
 * and may fail. If the segment cannot be written, it is lost. The next segment that is written
 * mentions the loss, and readers see a CT_GAP with CT_LOSS_DISK. The writer stays usable.
 */
int writer_seal(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n);
/*
 * Writes a copy of the open segment into a slot for copies. The segment stays open. So the records up
 * to now are in the file, and no sealed segment is overwritten.
 *
 * 0. -EFBIG: the segment is as old as WRITER_OPEN_NS; or its copy does not fit into a slot, or
 * probably will not; or the file has no slots for copies now; or writer_begin() was not called. -EAGAIN:
 * the disk is slow. Or the errnos of writer_seal(). After a failure the caller calls writer_seal().
 */
int writer_save(struct writer *w, uint64_t now_ns);
/* Begins the first segment, at now_ns and with a checkpoint as for writer_seal(). Before any
 * writer_add(). 0 or -ENOMEM. */
int writer_begin(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n);
/* For the background mode: waits until every sealed segment is in the file or lost. False:
 * timeout_ns has passed before that. Any thread. */
bool writer_flush(struct writer *w, uint64_t timeout_ns);
/* Syncs the written segments (fdatasync(2)). 0 or -errno. Any thread. */
int writer_sync(struct writer *w);
struct writer_stats writer_stats(const struct writer *w);
/* The part `storage` of the stats, as it is now. Any thread. */
struct writer_storage writer_storage(const struct writer *w);

#endif
