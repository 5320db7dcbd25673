/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - writes sealed segments, and copies of the open segment, into the file of a writer.
 *
 * In background mode, one thread writes and one syncs, so that a slow disk does not hold up the
 * caller. Segments of up to STORE_QUEUE_BYTES in sum wait in a queue. A segment is lost if it does
 * not fit into the queue, if memory runs out, or if its write fails. The header of the next segment
 * mentions the lost records.
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

/* Opens the file. opt and all that it points to must outlive the store. Returns 0, or an error of
 * writer_open() with a sentence in err. */
int store_open(const struct ringfile_options *opt, bool background, struct store **ret,
	       char err[FILE_INDEX_ERR_MAX]);
/* In background mode, waits until all is written and synced. If the disk does not answer, this takes for
 * ever. So call store_flush() first. If it returns false, do not call store_free(). */
void store_free(struct store *s);
/* Copies a segment of n bytes into the queue. In foreground mode, writes it. h and bytes are as for
 * ringfile_write(). One thread at a time. Returns 0, -ENOMEM, or -ENOBUFS if the queue is full. In
 * foreground mode, also the errors of ringfile_look(), mkdir(2), ringfile_open() and
 * ringfile_write(). After a failure, the records count as lost. */
int store_put(struct store *s, const struct format_segment *h, const uint8_t *bytes, size_t n);
/* As store_put(), but writes a copy of the open segment (ringfile_save()). After a failure, no records count
 * as lost. In background mode, also returns -EAGAIN if the queue is not empty. */
int store_save(struct store *s, const struct format_segment *h, const uint8_t *bytes, size_t n);
/* Counts n_records records since from_ns as lost. Any thread. */
void store_miss(struct store *s, uint64_t from_ns, uint64_t n_records);
/* Waits until all segments taken so far are written or lost. Returns false after timeout_ns. For
 * background mode. Any thread. */
bool store_flush(struct store *s, uint64_t timeout_ns);
/* Syncs if needed. Returns 0, or -errno of dup(2) or fdatasync(2). Any thread. */
int store_sync(struct store *s);

struct store_stats {
	uint64_t newest_seq, oldest_ns, newest_ns;
	uint64_t segments, records, file_bytes;
	bool has_saves;
	struct writer_storage storage;
};
struct store_stats store_stats(struct store *s);

#endif
