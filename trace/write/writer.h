/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - writes a trace file: fixed size, circular, made of slots.
 *
 * One thread at a time (the daemon's drain thread), but for what says otherwise.
 * Records go into an open segment in memory; writer_seal() encodes it and has it
 * written into the next slots, over the oldest: at once, or in the background by
 * threads of its own (store.h), so that no disk can hold up whoever seals.  The writer keeps the dictionary
 * (tasks, objects, stacks) and puts into every segment the entries that its records refer to, so that a
 * segment can be read without those before it.
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
	const char *hooks;   /* which hooks are live: "sched/switch=tp_btf,..."; stored in the file header's
				segment meta */
	const char *host;    /* uname -n */
	const char *kernel;  /* uname -r */
	const char *machine; /* uname -m */
	uint32_t n_cpus;
	uint32_t max_tasks; /* limits of the dictionary; 0: defaults */
	uint32_t max_objects;
	uint32_t max_stacks;
	const uint8_t *boot_id; /* 16 bytes; NULL: that of the running kernel */
	bool own_dir;           /* path's directory is to be the user's alone: see lib/owned.h */
	bool background;        /* write, and sync every five seconds, on other threads */
};

struct writer_stats {
	/* since open; file_bytes: of the slots written; raw_bytes: of what was sealed */
	uint64_t segments, records, raw_bytes, file_bytes, lost_disk;
	uint64_t newest_seq;
	uint64_t oldest_ns, newest_ns; /* what the file holds of this boot now */
	uint64_t dict_tasks, dict_objects, dict_stacks, dict_evicted;
	struct writer_storage storage;
};

/*
 * Creates path (mode 0600, preallocated), or opens one that is there: then it
 * is recovered and continued after its newest valid segment, and its size stays
 * what it was unless size_bytes differs, in which case -EXDEV is returned and
 * nothing is touched (the caller decides; writer_recreate semantics are not
 * offered: rename the file away).  -EBADMSG: not a ctrace file, one of another major version, one that is
 * damaged beyond use, or one that owned_file() refuses (a link, another user's, ...).  -EPERM: own_dir, and
 * the directory is refused.  -ENOSPC: no room to preallocate; nothing is left behind.  -EBUSY: another writer
 * holds it (flock). err (>= 256 bytes) gets a sentence for the log on failure.
 */
int writer_open(const char *path, const struct writer_options *opt, struct writer **ret, char *err);
/* Seals nothing: call writer_seal() first.  Waits for the disk: writer_flush() says whether it answers.
 * Accepts NULL. */
void writer_free(struct writer *w);

/* Adds one fixed record with its CT_KIND_WORDS words (words may be NULL where there are none).
 * 0, -ENOMEM (also when 32 MiB or a million records are pending: seal earlier), or -EINVAL for a kind it does
 * not know, a CPU beyond 8191 or a time from FORMAT_TIME_MAX on. */
int writer_add(struct writer *w, uint16_t cpu, const struct ct_rec *rec, const uint64_t *words);
/* What the caller knows of records that lie back to back, each with its words. */
struct writer_run {
	uint32_t n;
	uint64_t min_ns, max_ns;
	uint32_t kinds[CT_KIND_LAST + 1]; /* how many of each; none of 0, none of CT_GAP */
};
/* Adds them: all or none.  Their kinds are known and are not looked at again. 0, -ENOMEM or -EINVAL as above.
 */
int writer_add_run(struct writer *w, uint16_t cpu, const uint64_t *run, size_t n_words,
		   const struct writer_run *about);
/* Adds or replaces a dictionary entry: CT_TASK, CT_OBJECT or CT_STACK blob (checked: -EINVAL). */
int writer_blob(struct writer *w, const struct ct_blob *blob);
/* Forgets a task that has exited, at the end of the next segment: late records may still refer to it. */
void writer_forget_task(struct writer *w, uint32_t tid);

/* Raw size of the open segment in bytes: the caller seals at about 4 MiB or after one second. */
size_t writer_pending(const struct writer *w);
/*
 * Encodes and writes the open segment and begins a new one.  states: the state of
 * every known task now, sorted by tid; it becomes the checkpoint at the start of the
 * next segment (the first segment gets what writer_begin() was given).  When it cannot be written (-ENOSPC,
 * -EIO; in the background also later, and -ENOBUFS when too much waits for the disk) the segment is lost,
 * which the next one says (a reader makes a CT_GAP with CT_LOSS_DISK of it); the writer stays usable. An
 * empty segment is written too (it carries the time range and checkpoint).
 */
int writer_seal(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n);
/* Sets the checkpoint of the first segment; before any writer_add. */
int writer_begin(struct writer *w, uint64_t now_ns, const struct window_state *states, size_t n);
/* Waits until what was sealed is in the file (or lost).  False: not within timeout_ns.  Any thread. */
bool writer_flush(struct writer *w, uint64_t timeout_ns);
/* fdatasync of what was written.  Any thread. */
int writer_sync(struct writer *w);
struct writer_stats writer_stats(const struct writer *w);
/* That part of the stats as it is now.  Any thread. */
struct writer_storage writer_storage(const struct writer *w);

#endif
