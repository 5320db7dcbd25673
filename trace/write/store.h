/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - puts sealed segments into the file of a writer, one after the other.
 *
 * In the background it has two threads of its own, one that writes and one that
 * syncs, so that a disk that is slow, frozen or broken holds up nobody: what
 * waits to be written is kept in memory, up to STORE_QUEUE_BYTES, and what is
 * not taken or cannot be written is told by the next segment that can.
 */
#ifndef CTRACE_TRACE_WRITE_STORE_H
#define CTRACE_TRACE_WRITE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/write/ringfile.h"
#include "trace/write/writer_storage.h"

#define STORE_QUEUE_BYTES (16u << 20)
#define STORE_SYNC_NS     5000000000ULL /* what a power cut can take: all that is older has reached the disk */
#define STORE_AGAIN_NS    10000000000ULL /* between two tries to begin a file that has gone anew */
#define STORE_CALM_NS     5000000000ULL  /* a trouble is over when there was none for so long */

struct store;

/* As writer_open(); opt and what it points to have to live as long as the store. */
int store_open(const struct ringfile_options *opt, bool background, struct store **ret,
	       char err[FILE_INDEX_ERR_MAX]);
/* Writes what waits, and closes: may take as long as the disk does (see store_flush).  Accepts NULL. */
void store_free(struct store *s);
/*
 * Takes a segment: n bytes, of which the first sizeof(*h) are filled in from h (as ringfile_write()); they
 * are copied.  One thread.  0; -ENOMEM, -ENOBUFS: not taken, it counts as lost; when not in the background
 * also what ringfile_write() returns.
 */
int store_put(struct store *s, const struct format_segment *h, const uint8_t *bytes, size_t n);
/* n_records captured since from_ns will not be put. */
void store_miss(struct store *s, uint64_t from_ns, uint64_t n_records);
/* Waits until all that was taken so far has been written, or has failed.  False: not within timeout_ns.  Any
 * thread. */
bool store_flush(struct store *s, uint64_t timeout_ns);
/* fdatasync, now.  0 or -errno.  Any thread. */
int store_sync(struct store *s);

struct store_stats {
	uint64_t newest_seq, oldest_ns, newest_ns;
	uint64_t segments, records, file_bytes; /* written */
	struct writer_storage storage;
};
/* Any thread. */
struct store_stats store_stats(struct store *s);

#endif
