/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writer_storage.h - says whether the trace reaches the disk. The store of a writer fills in struct
 * writer_storage, and the daemon reports it. */
#ifndef CTRACE_TRACE_WRITE_WRITER_STORAGE_H
#define CTRACE_TRACE_WRITE_WRITER_STORAGE_H

#include <stdint.h>

/* Says whether captured records reach the disk, and if they do not, why. */
enum writer_trouble {
	WRITER_FINE,
	WRITER_WRITE, /* segments cannot be written and are lost */
	WRITER_SYNC,  /* segments are written but cannot be synced; a power cut may destroy them */
	WRITER_FILE,  /* the file was removed and cannot be created again */
};

/* Times are boot time. */
struct writer_storage {
	enum writer_trouble trouble;
	int error;             /* -errno of the trouble */
	uint64_t since_ns;     /* when the trouble began */
	uint64_t busy_ns;      /* when the present write or sync began, or 0 if there is none */
	uint64_t queued_bytes; /* bytes of segments that wait to be written */
	uint64_t synced_ns;    /* all records captured before this time are on the disk; 0 if none
				  are yet */
	uint64_t lost_segments, lost_records;
	/* untold_records is the number of lost records that no segment in the file mentions yet.
	 * These records were captured at untold_ns or later. If there are no such records,
	 * untold_ns is 0. */
	uint64_t untold_records, untold_ns;
	uint64_t failed_syncs; /* how often fdatasync() failed */
	/* The newest series of failed syncs. Records captured between these times may never reach
	 * the disk, even if a later sync succeeds: the kernel reports such an error only once. */
	uint64_t unsure_from_ns, unsure_to_ns;
	uint64_t begun_anew; /* how often the file was created again, because it was removed or replaced */
	uint64_t repaired;   /* how often the file was truncated, and was repaired */
};

#endif
