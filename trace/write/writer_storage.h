/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writer_storage.h - how the storing of a trace goes, as the store of a writer counts it and the daemon
 * reports it. */
#ifndef CTRACE_TRACE_WRITE_WRITER_STORAGE_H
#define CTRACE_TRACE_WRITE_WRITER_STORAGE_H

#include <stdint.h>

/* Why what was captured does not get onto the disk. */
enum writer_trouble {
	WRITER_FINE,
	WRITER_WRITE, /* segments cannot be written and are lost */
	WRITER_SYNC,  /* they are written, and a power cut may take them */
	WRITER_FILE,  /* the file has gone and cannot be begun anew */
};

/* How the storing goes. */
struct writer_storage {
	enum writer_trouble trouble;
	int error;         /* -errno of it */
	uint64_t since_ns; /* when it began */
	uint64_t busy_ns;  /* since when the disk has not come to the end of a write or a sync; 0: it has */
	uint64_t queued_bytes; /* not written yet */
	uint64_t synced_ns;    /* what was captured before has reached the disk; 0: nothing yet */
	uint64_t lost_segments, lost_records;
	/* of these, what no segment in the file tells of yet: captured since untold_ns (0: there is none) */
	uint64_t untold_records, untold_ns;
	uint64_t failed_syncs; /* the kernel reports an error once: what it was about may never reach the disk
				*/
	uint64_t unsure_from_ns, unsure_to_ns; /* when that was captured, at the last trouble */
	uint64_t begun_anew;                   /* how often the file had gone while it was in use, */
	uint64_t repaired;                     /* or was cut short, and was made whole */
};

#endif
