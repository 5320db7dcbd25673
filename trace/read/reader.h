/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - reads a trace file: a circular file (also while a daemon writes it), a snapshot or a
 * recording. All three have one format.
 *
 * The bytes are hostile: no file can crash the reader or make it use memory out of proportion to
 * the size of the file. One thread at a time for each reader; window_load() may create threads
 * (reader_use_threads()), and ends them before it returns.
 */
#ifndef CTRACE_TRACE_READ_READER_H
#define CTRACE_TRACE_READ_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/format/window.h"

struct decoder;
struct reader;

struct reader_info {
	uint16_t version;
	uint64_t file_bytes;
	uint32_t slot_bytes;
	uint32_t n_slots;
	/* A file goes on after a reboot, and boot time starts again at 0. So the reader looks at
	 * one boot at a time. The field `boot` is the number of this boot: 0 for the newest boot, 1
	 * for the boot before it. */
	uint32_t n_boots, boot;
	uint32_t n_segments;  /* number of segments of the boot `boot` */
	uint32_t n_cut_slots; /* number of slots by which the file is shorter than its header says */
	/* The number of segments that are missing from the boot `boot`, or the number of damaged
	 * segment headers in the file, whichever is larger. It counts segments, not slots. */
	uint32_t n_bad_slots;
	/* All fields below are about the boot `boot`. */
	uint64_t from_ns, to_ns; /* boot time; both are 0 if there is no segment */
	uint64_t first_seq;
	uint64_t used_slots;
	uint64_t records; /* number of records, as the segment headers say */
	uint64_t records_by_kind[64];
	uint64_t lost_by_cause[CT_LOSS_CAUSES];
	struct clock_offsets offsets; /* the offsets of the newest segment */
	uint32_t n_cpus;
	/* owned by the reader; "": not known */
	const char *hooks, *host, *kernel, *machine, *cpu, *governor, *limits;
};

#define READER_ERR_MAX 512
/* Opens a file and finds its segments. A new file, which has no segment yet, is no error. Returns
 * 0, -ENOMEM, or an errno of open(2) or pread(2), such as -ENOENT or -EACCES. Returns -EBADMSG if
 * the file is no trace, if a newer version has written it, or if all segments are damaged or cut
 * off. On failure, err has a sentence that says what failed, why, and in most cases what to do. */
int reader_open(const char *path, struct reader **ret, char err[READER_ERR_MAX]);
/* As reader_open(), but reads from an open descriptor. The caller keeps fd open until
 * reader_free(), and closes it then. name is the file's name for messages. */
int reader_open_fd(int fd, const char *name, struct reader **ret, char err[READER_ERR_MAX]);
void reader_free(struct reader *r);
const struct reader_info *reader_info(const struct reader *r);
/* Selects the boot that is `back` boots before the newest one. Without this call, the newest boot
 * is selected. Returns 0, -ENOMEM, or -ERANGE if the file does not have so many boots. */
int reader_use_boot(struct reader *r, unsigned back);
/* Finds the segments anew, because a daemon has written more of them. Returns 0, -ENOMEM, or
 * another errno of file_index_scan(). On failure, err has a sentence. */
int reader_refresh(struct reader *r, char err[READER_ERR_MAX]);

/*
 * Loads the window [from_ns, to_ns), in boot time and clipped to the file. 0 and UINT64_MAX load
 * all. The caller frees *ret with window_free(). The function reads only the slots that the window
 * needs. It skips and counts segments that are damaged or missing, and adds CT_GAP events for them.
 * A time in which no daemon ran becomes a CT_GAP event too. Returns 0, or one of these errors with
 * a sentence in err:
 * - -ERANGE if the window is empty, lies outside the file, or overlaps no segment (for example,
 *   because it lies between two runs of the daemon);
 * - -EBADMSG if no segment in the window could be read;
 * - -E2BIG if the window has more than max_events events (if max_events is 0: more than 64
 *   million), or if it has more events, or more in its dictionaries, than segments of this size can
 *   have (limits.h);
 * - -ENOMEM.
 */
int window_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, uint64_t max_events, struct window **ret,
		char err[READER_ERR_MAX]);

/* Sets the function that window_load() calls after each segment, with 0..100 percent. fn may be
 * NULL. */
void reader_on_progress(struct reader *r, void (*fn)(void *arg, unsigned percent), void *arg);

/* Lets window_load() decode on up to n threads. Without this call, window_load() creates no
 * threads. The window and the errors do not depend on n. Each thread needs memory for one more
 * segment. */
void reader_use_threads(struct reader *r, unsigned n);

/* Makes window_load() load only records of some kinds. Bit n of `kinds` stands for kind n. If
 * `kinds` is 0, window_load() loads all kinds, as without this call. CT_GAP records may be loaded
 * even if their bit is not set. For missing segments, window_load() always adds CT_GAP events. */
void reader_want_kinds(struct reader *r, uint64_t kinds);

/*
 * For code that copies the file segment by segment. The reader owns everything that the functions
 * below return.
 */
struct reader_file {
	const struct format_file *header;
	const char *name;
	const char *meta; /* the meta data of the newest segment that can be read, or else of the
			     file header */
	size_t meta_bytes;
	struct decoder *decoder; /* the reader's own; call decoder_begin() for each segment */
};
struct reader_file reader_file(const struct reader *r);

/* Clips [*from_ns, *to_ns) to the trace, and finds the segments [*ret_a, *ret_b) that overlap it.
 * If *to_ns is UINT64_MAX, it stays UINT64_MAX. If the window lies in a hole, *ret_b is *ret_a.
 * Returns 0, or -ERANGE with a sentence in err if the window is empty or lies outside the trace. */
int reader_select(const struct reader *r, uint64_t *from_ns, uint64_t *to_ns, size_t *ret_a, size_t *ret_b,
		  char err[READER_ERR_MAX]);

struct reader_segment {
	const struct format_segment *h;
	const uint8_t *bytes; /* header, then body; valid until the next segment is read */
	size_t n;
};
/* Reads segment i, an index as from reader_select(). Returns 0 or -ENOMEM, -ESTALE if the daemon
 * has overwritten the segment meanwhile, or -EBADMSG if the segment is damaged or cannot be
 * read. */
int reader_segment(struct reader *r, size_t i, struct reader_segment *ret);

#endif
