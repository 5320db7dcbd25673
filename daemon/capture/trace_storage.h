/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_storage.h - reports when the trace no longer reaches the disk, and when this trouble is
 * over. Runs on the thread of the event loop, so a slow log does not hold up the capture. */
#ifndef CTRACE_DAEMON_CAPTURE_TRACE_STORAGE_H
#define CTRACE_DAEMON_CAPTURE_TRACE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "trace/write/writer_storage.h"

#define TRACE_STORAGE_TEXT_MAX 512

struct drain;
struct trace_storage;

/* The reported troubles. All zero at the start. */
struct trace_storage_told {
	enum writer_trouble trouble;
	/* since_ns: when the trouble began. lost: how many records were lost before it began. */
	uint64_t since_ns, lost;
	bool stuck;
	uint64_t stuck_ns, stuck_lost;
	uint64_t begun_anew, repaired, failed_syncs;
};

/* Writes the next sentence to report about the trace at path, and updates told. Returns false if
 * there is nothing to report. now_ns: boot time. boot_to_real_ns: wall clock minus boot time. Pure. */
bool trace_storage_next(struct trace_storage_told *told, const struct writer_storage *now, uint64_t now_ns,
			int64_t boot_to_real_ns, const char *path, char text[TRACE_STORAGE_TEXT_MAX]);
/* Returns ok, stuck, unsynced, lost or gone. */
const char *trace_storage_word(const struct writer_storage *s, uint64_t now_ns);

/* Looks at the storage every second. path must live until trace_storage_free(). Returns 0 or
 * -errno. */
int trace_storage_new(sd_event *event, struct drain *drain, const char *path, struct trace_storage **ret);
void trace_storage_free(struct trace_storage *s);

#endif
