/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.h - the steps after the daemon has noticed a hang:
 * - the daemon takes a snapshot of the time around the hang;
 * - a separate process diagnoses the snapshot;
 * - the daemon writes a note about hang and diagnosis beside the snapshot, and a line into the
 *   journal.
 *
 * Hangs that are noticed before the snapshot of an incident is taken belong to this incident.
 * Snapshots are limited in rate and in room, also across restarts.
 *
 * Before the snapshot, the daemon writes a pending note, so that the incident is not forgotten:
 * - If the daemon is told to end, it takes the pending snapshots at once. The next daemon diagnoses
 *   them.
 * - After a kill, the next daemon takes a snapshot of what the circular trace still has.
 * - After a crash of the machine, the next daemon completes the note with a command that searches
 *   the trace of the earlier boot.
 *
 * Main thread only, except incidents_note() and incidents_fit(). The worker does the slow work.
 */
#ifndef CTRACE_DAEMON_INCIDENT_INCIDENT_H
#define CTRACE_DAEMON_INCIDENT_INCIDENT_H

#include <jansson.h>
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
};

struct incidents_stats {
	/* noticed: hangs. taken, failed: snapshots. */
	uint64_t noticed, taken, failed;
	uint64_t limited;
	/* hangs lost because INCIDENTS_NOTED_MAX hangs waited for the main thread */
	uint64_t refused;
	uint64_t removed;
	/* Both figures are as of the last snapshot. bytes: the size of the files of all hangs.
	 * kept: hangs with files. */
	uint64_t bytes, kept;
};

/* The strings of opt have to live as long as the object. Returns 0 or -errno. */
int incidents_new(sd_event *event, const struct incidents_options *opt, struct incidents **ret);
/* Call this when the capture has begun. Resumes the pending incidents. */
void incidents_begin(struct incidents *is, struct drain *drain);
/* For drain_options.hang, with the struct incidents as arg. Never waits. Drain thread. */
void incidents_note(void *arg, const struct detect_hang *hang);
/* Call this after worker_stop() and before drain_stop(). Takes the pending snapshots, and writes
 * the notes that are due. The next daemon makes the missing diagnoses. */
void incidents_finish(struct incidents *is);
/* Call this after the worker and the drain thread have ended. Accepts NULL. */
void incidents_free(struct incidents *is);
struct incidents_stats incidents_stats(const struct incidents *is);
/* Removes the first elements until the list has at most `bytes` bytes as compact JSON. Returns how
 * many it removed. Any thread. */
size_t incidents_fit(json_t *list, size_t bytes);

#endif
