/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - writes sealed segments, and copies of the open segment, into the file of a writer, one
 * after the other.
 *
 * In the background mode, the store has two threads of its own: one thread writes, the other one
 * syncs. So a slow, frozen or broken disk does not hold up the caller. Up to STORE_QUEUE_BYTES of
 * segments wait in memory. If this queue has no room for a segment, or if the write of the segment
 * fails, the segment is lost. The header of the next segment that is written mentions the loss.
 */
#ifndef CTRACE_TRACE_WRITE_STORE_H
#define CTRACE_TRACE_WRITE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/write/ringfile.h"
#include "trace/write/writer_storage.h"

struct store;

/* Opens the file. Returns 0, or an error as writer_open() with a sentence in err. opt and
 * everything that it points to must live as long as the store. */
int store_open(const struct ringfile_options *opt, bool background, struct store **ret,
	       char err[FILE_INDEX_ERR_MAX]);
/* In the background mode, writes the segments that still wait, and syncs the file. Closes the file
 * and frees the store. This may take as long as the disk needs. A caller that must not wait calls
 * store_flush() first, to find out whether the disk answers. Accepts NULL. */
void store_free(struct store *s);
/*
 * Takes a copy of a segment of n bytes. The header, made from h, replaces the first sizeof(*h)
 * bytes, as in ringfile_write(). One thread at a time. Returns 0, or -ENOMEM or -ENOBUFS if the
 * segment was not taken and its records count as lost. In the foreground mode, also returns the
 * errors of ringfile_write().
 */
int store_put(struct store *s, const struct format_segment *h, const uint8_t *bytes, size_t n);
/*
 * Takes a copy of the open segment, as store_put(), for ringfile_save(). Returns 0, -ENOMEM,
 * -EAGAIN if segments already wait for a slow disk, or -ENOBUFS if the queue is full. In the
 * foreground mode, also returns the errors of ringfile_save(). After a failure, no records count as
 * lost.
 */
int store_save(struct store *s, const struct format_segment *h, const uint8_t *bytes, size_t n);
/* Notes that n_records records, which were captured from from_ns on, were lost before they came to
 * store_put(). Any thread. */
void store_miss(struct store *s, uint64_t from_ns, uint64_t n_records);
/* Waits until every segment that was taken so far is written or lost. Returns false if timeout_ns
 * passes before that. For the background mode. Any thread. */
bool store_flush(struct store *s, uint64_t timeout_ns);
/* Syncs the file now if there is anything to sync. Returns 0, or -errno of dup(2) or
 * fdatasync(2). Any thread. */
int store_sync(struct store *s);

struct store_stats {
	uint64_t newest_seq, oldest_ns, newest_ns;
	/* Sums over everything that was written. file_bytes counts sealed segments, but not copies
	 * of open segments. */
	uint64_t segments, records, file_bytes;
	bool has_saves; /* the file has slots for copies of the open segment */
	struct writer_storage storage;
};
/* Any thread. */
struct store_stats store_stats(struct store *s);

#endif
