/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writer_storage.h - says whether the trace reaches the disk. */
#ifndef CTRACE_TRACE_WRITE_WRITER_STORAGE_H
#define CTRACE_TRACE_WRITE_WRITER_STORAGE_H

#include <stdint.h>

enum writer_trouble {
	WRITER_FINE,
	WRITER_WRITE,
	WRITER_SYNC, /* written but not synced: a power cut may destroy segments */
	WRITER_FILE,
};

/* Times are boot time. */
struct writer_storage {
	enum writer_trouble trouble;
	int error; /* -errno of the trouble */
	uint64_t since_ns;
	uint64_t busy_ns; /* when the present write or sync began, or 0 */
	uint64_t queued_bytes;
	/* All records in the file from before this time are synced; 0: none yet. */
	uint64_t synced_ns;
	uint64_t lost_segments, lost_records;
	/* Lost records that no segment in the file mentions yet. All are from untold_ns or later.
	 * If there are none, untold_ns is 0. */
	uint64_t untold_records, untold_ns;
	uint64_t failed_syncs;
	/* Records in this range may never reach the disk, even if a later sync succeeds. The newest
	 * series of failed syncs sets the range. */
	uint64_t unsure_from_ns, unsure_to_ns;
	uint64_t begun_anew;
	uint64_t repaired;
};

#endif
