/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_storage.h - tells when the trace does not get onto the disk, and when it does
 * again: once each, on the thread of the event loop, so that no log holds up
 * the capture.
 */
#ifndef CTRACE_DAEMON_CAPTURE_TRACE_STORAGE_H
#define CTRACE_DAEMON_CAPTURE_TRACE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "trace/write/writer_storage.h"

#define TRACE_STORAGE_TEXT_MAX 512

struct drain;
struct trace_storage;

/* What was told; zeroed at the start. */
struct trace_storage_told {
	enum writer_trouble trouble;
	uint64_t since_ns, lost; /* of it: when it began, and what had been lost by then */
	bool stuck;
	uint64_t stuck_ns, stuck_lost;
	uint64_t begun_anew, repaired, failed_syncs;
};

/* The next sentence about path that is to be told now, in text; false: none.  Pure. */
bool trace_storage_next(struct trace_storage_told *told, const struct writer_storage *now, uint64_t now_ns,
			int64_t boot_to_real_ns, const char *path, char text[TRACE_STORAGE_TEXT_MAX]);
/* One word for it: ok, stuck, unsynced, lost, gone. */
const char *trace_storage_word(const struct writer_storage *s, uint64_t now_ns);

/* Looks every second; path has to live as long.  0 or -errno. */
int trace_storage_new(sd_event *event, struct drain *drain, const char *path, struct trace_storage **ret);
/* Accepts NULL. */
void trace_storage_free(struct trace_storage *s);

#endif
