/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.h - the steps after the daemon has noticed a hang:
 * - the daemon takes a snapshot of the time around the hang;
 * - a separate process diagnoses the snapshot;
 * - the daemon writes a note about the hang and the diagnosis into a file beside the snapshot, and a
 *   line into the journal;
 * - if the option `view` is set, the separate process makes a page of the snapshot. The daemon writes
 *   the page into a file, and then the note and a line again. If the page fails, the note of before
 *   stays or is completed without a page.
 *
 * An incident has one snapshot. A hang that is noticed before this snapshot is taken joins the
 * incident. The rate and the disk space of the snapshots are limited, also across restarts.
 *
 * Before the snapshot, the daemon writes the note with the mark "pending". If a page is to follow, the
 * note keeps the mark until then. So the incident is not forgotten if the daemon ends early:
 * - If the daemon is told to end, it takes the pending snapshots at once. The next daemon diagnoses
 *   them.
 * - After a kill, the next daemon takes a snapshot of what the circular trace still has.
 * - If a pending note has a diagnosis, the next daemon keeps it, and asks only for the page.
 * - After a crash of the machine, the next daemon takes no snapshot. It completes the note, which
 *   then names a command that searches the trace of the earlier boot.
 *
 * Main thread only, except incidents_note() and incidents_fit(). The worker does the slow work.
 */
#ifndef CTRACE_DAEMON_INCIDENT_INCIDENT_H
#define CTRACE_DAEMON_INCIDENT_INCIDENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "daemon/incident/diagnoser.h"
#include "daemon/capture/drain.h"
#include "daemon/config/incident_rate.h"
#include "daemon/worker.h"
#include "detect/detect.h"

#define INCIDENTS_NOTED_MAX 64
#define INCIDENTS_OPEN_MAX  8 /* unfinished incidents */

struct incidents;

struct incidents_options {
	const char *state_dir; /* the files are in its subdirectory "hangs" */
	const char *trace;
	struct probe *probe;
	struct worker *worker;
	struct diagnoser *diagnoser;
	uint64_t before_ns, after_ns, size_bytes;
	struct incident_rate rate;
	bool view; /* make a page of each hang (not of a crash) */
};

struct incidents_stats {
	/* noticed: number of hangs. taken, failed: number of snapshots. */
	uint64_t noticed, taken, failed;
	uint64_t limited;
	/* hangs lost because INCIDENTS_NOTED_MAX hangs waited for the main thread */
	uint64_t refused;
	uint64_t removed;
	/* bytes: size of the files of all incidents. kept: number of incidents with files. Both
	 * members are from the time of the last snapshot. */
	uint64_t bytes, kept;
};

/* The strings of opt have to live until incidents_free(). Returns 0 or -errno. */
int incidents_new(sd_event *event, const struct incidents_options *opt, struct incidents **ret);
/* Call this when the capture has begun. Resumes the pending incidents. */
void incidents_begin(struct incidents *is, struct drain *drain);
/* The callback drain_options.hang; arg is the struct incidents. Drain thread only. Never waits. */
void incidents_note(void *arg, const struct detect_hang *hang);
/* Call this after worker_stop() and before drain_stop(). Takes the pending snapshots, and completes
 * the notes of incidents whose diagnosis is over. The next daemon makes the missing diagnoses and
 * pages. */
void incidents_finish(struct incidents *is);
/* Call this after the worker and the drain thread have ended. Accepts NULL. */
void incidents_free(struct incidents *is);
struct incidents_stats incidents_stats(const struct incidents *is);
/* Removes the first elements until the list has at most `bytes` bytes as compact JSON. Returns how
 * many it removed. Any thread. */
size_t incidents_fit(json_t *list, size_t bytes);

#endif
