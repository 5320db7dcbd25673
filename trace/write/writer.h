/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - writes a trace file: fixed size, circular, made of slots.
 *
 * Records go into an open segment in memory. writer_seal() encodes this segment, and writes it into
 * the next slots, over the oldest segments. In the background mode (store.h), threads of the writer
 * do the writing, so that no disk holds up the caller. writer_save() writes a copy of a segment
 * that stays open. So on a quiet machine a segment can stay open until it nearly fills a slot, or
 * is as old as WRITER_OPEN_NS. The writer keeps the dictionary (tasks, command lines, objects,
 * stacks). The writer puts into every segment the entries to which the records and states of the
 * segment refer. So each segment can be read without the segments before it.
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
	uint64_t size_bytes; /* size of the whole file; rounded down to slots; at least 4 MiB */
	const char *hooks;   /* the live hooks, as "sched/switch=tp_btf,..."; stored in the meta
				data */
	const char *host;    /* uname -n */
	const char *kernel;  /* uname -r */
	const char *machine; /* uname -m */
	/* facts about the machine; NULL or "": not known, and not stored */
	const char *cpu;      /* the model of the CPU */
	const char *governor; /* of the frequency of the CPUs */
	const char *limits;   /* of the control group of the daemon, in words */
	uint32_t n_cpus;
	uint32_t max_tasks; /* limits of the dictionary; 0 stands for the default */
	uint32_t max_objects;
	uint32_t max_stacks;
	const uint8_t *boot_id; /* 16 bytes; NULL stands for the boot id of the running kernel */
	bool own_dir;           /* refuse a directory that another user owns or may write to
				   (lib/owned.h) */
	bool background;        /* threads of the writer write the segments, and sync every 5 s */
};

struct writer_stats {
	/* Sums since the writer was opened. raw_bytes is the size of the sealed segments before
	 * encoding. file_bytes is the size of their slots in the file. lost_disk is the number of
	 * records that were lost on the way to the file. */
	uint64_t segments, records, raw_bytes, file_bytes, lost_disk;
	uint64_t newest_seq;
	uint64_t oldest_ns, newest_ns; /* the part of this boot's time that the file covers now */
	uint64_t dict_tasks, dict_objects, dict_stacks, dict_evicted;
	struct writer_storage storage;
};

/*
 * Opens the trace file at path. If there is none, creates one (mode 0600, preallocated). If there
 * is one, recovers it and continues after its newest valid segment. Returns 0, or on failure writes
 * a sentence for the log to err (>= 256 bytes) and returns:
 * - -EXDEV if the file has another size than size_bytes. The function does not change this file,
 *   and the caller may rename it.
 * - -EBADMSG if the file is no trace, is of another major version, is damaged beyond use, or is
 *   refused by owned_file() (for example a link, or a file of another user).
 * - -EPERM if own_dir is set, and another user owns the directory or may write to it.
 * - -ENOSPC if there is no room to preallocate the file. The function removes the file again.
 * - -EBUSY if another writer has the lock of the file (flock(2)).
 * - -EINVAL if size_bytes is out of range, or the meta data is too long.
 * - -ENOMEM, and other errnos of the system calls.
 */
int writer_open(const char *path, const struct writer_options *opt, struct writer **ret, char *err);
/* Frees the writer. It does not seal the open segment, so the caller calls writer_seal() first. In
 * the background mode, the function waits for the disk. To find out whether the disk answers, the
 * caller can call writer_flush() first. Accepts NULL. */
void writer_free(struct writer *w);

/* Adds one fixed record with its CT_KIND_WORDS words. If there are none, words may be NULL. Returns
 * 0. Returns -ENOMEM if memory runs out, or if the open segment would have more than 32 MiB or
 * FORMAT_RECORDS_MAX records (the caller seals earlier). Returns -EINVAL for an unknown kind, for a
 * CPU of FORMAT_CPUS_MAX or higher, or for a time of FORMAT_TIME_MAX or later. */
int writer_add(struct writer *w, uint16_t cpu, const struct ct_rec *rec, const uint64_t *words);
/* The summary of a run. A run is an array of records that lie back to back, each with its words. */
struct writer_run {
	uint32_t n;
	uint64_t min_ns, max_ns;
	uint32_t kinds[CT_KIND_LAST + 1]; /* number of records of each kind; [0] and [CT_GAP] are 0 */
};
/* Adds all records of a run of n_words 64-bit words, or none of them. The caller has checked the
 * kinds of the records, and this function does not check them again. Returns 0, -ENOMEM or -EINVAL
 * as writer_add() does. */
int writer_add_run(struct writer *w, uint16_t cpu, const uint64_t *run, size_t n_words,
		   const struct writer_run *about);
/* Adds or replaces a dictionary entry. The entry is a copy of a CT_TASK, CT_CMDLINE, CT_OBJECT or
 * CT_STACK blob. The caller has made sure that blob->size bytes are readable. Returns 0, -ENOMEM,
 * or -EINVAL if the blob is not valid. */
int writer_blob(struct writer *w, const struct ct_blob *blob);
/* Returns the newest CT_CMDLINE of the process, or NULL if there is none. The result is valid until
 * the next writer_blob() or writer_seal(). */
const struct ct_cmdline_blob *writer_cmdline(const struct writer *w, uint32_t tgid);
/* Tells the writer that a task has exited. The writer removes the entry of the task at the end of
 * the next segment, because late records may still refer to the task. */
void writer_forget_task(struct writer *w, uint32_t tid);

/* Returns the size of the open segment before encoding, in bytes, without the checkpoint. The
 * caller seals at about 4 MiB. About once a second the caller calls writer_save(), and seals if
 * writer_save() fails. */
size_t writer_pending(const struct writer *w);
/*
 * Encodes and writes the open segment, and begins a new one. A segment without records is written
 * too, because it has a time range and a checkpoint.
 *
 * `states` has the present states of the n known tasks, sorted by tid. These states become the
 * checkpoint of the next segment. The checkpoint of the first segment comes from writer_begin().
 *
 * Returns 0, -ENOMEM, or -EFBIG if the segment is too large for the format or for the file. In the
 * foreground mode, also returns errnos of the write, such as -ENOSPC or -EIO. In the background
 * mode, also returns -ENOBUFS if the segments that wait for the disk would have more than
 * STORE_QUEUE_BYTES. In the background mode, a later write may still fail after the function has
 * returned 0. If the segment cannot be written, it is lost. The next segment that is written
 * mentions the loss, and readers see a CT_GAP with CT_LOSS_DISK. The writer stays usable.
 */
int writer_seal(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n);
/*
 * Writes a copy of the open segment into a slot for copies. The segment stays open. So the records
 * up to now are in the file, and no sealed segment is overwritten.
 *
 * Returns 0, -EAGAIN if the disk is slow, or an error as writer_seal(). Returns -EFBIG in these
 * cases:
 * - the segment is as old as WRITER_OPEN_NS;
 * - its copy does not fit into a slot, or is expected not to fit;
 * - the file has no slots for copies now;
 * - writer_begin() was not called.
 *
 * After a failure the caller calls writer_seal().
 */
int writer_save(struct writer *w, uint64_t now_ns);
/* Begins the first segment at now_ns. `states` becomes its checkpoint, as in writer_seal(). The
 * caller calls this before any writer_add(). Returns 0 or -ENOMEM. */
int writer_begin(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n);
/* For the background mode. Waits until every sealed segment is in the file or lost. Returns false
 * if timeout_ns passes before that. Any thread. */
bool writer_flush(struct writer *w, uint64_t timeout_ns);
/* Syncs the written segments. Returns 0, or an errno of dup(2) or fdatasync(2). Any thread. */
int writer_sync(struct writer *w);
struct writer_stats writer_stats(const struct writer *w);
/* Returns the present `storage` part of the stats. Any thread. */
struct writer_storage writer_storage(const struct writer *w);

#endif
