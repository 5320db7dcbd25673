/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.h - what the daemon does after it has noticed a hang: it takes a snapshot of the time around the
 * hang and has it diagnosed. It writes a note of both beside the snapshot, and a line into the journal.
 *
 * A hang that is noticed while a snapshot is waiting to be taken becomes part of the same incident. There are
 * limits on how often snapshots are taken and on the room for them; the notes make these limits hold across
 * restarts.
 *
 * No hang is forgotten when the daemon ends: before all other work, the daemon writes a note that is marked
 * as pending.
 * - If the daemon is told to end, it takes the pending snapshots at once. The next daemon has them
 *   diagnosed.
 * - After a kill, the next daemon finds the note and takes what the circular trace still has.
 * - After a crash of the machine, the note says where to look.
 *
 * Main thread, except for incidents_note(). The worker does the slow work.
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

#define INCIDENTS_NOTED_MAX 64 /* noted hangs that wait for the main thread */
#define INCIDENTS_OPEN_MAX  8  /* snapshots that are being made at a time */

struct incidents;

struct incidents_options {
	const char *state_dir; /* the files are in its subdirectory "hangs" */
	const char *trace;
	struct probe *probe;
	struct worker *worker;
	struct diagnoser *diagnoser; /* NULL: no hang is diagnosed */
	uint64_t before_ns, after_ns, size_bytes;
	struct incident_rate rate;
};

struct incidents_stats {
	uint64_t noticed, taken, failed; /* hangs; snapshots; snapshots that could not be taken */
	uint64_t limited;                /* hangs that got no snapshot because of a limit */
	uint64_t refused;                /* hangs for which a table had no room */
	uint64_t removed;                /* hangs whose files were removed to make room */
	uint64_t bytes, kept;            /* bytes and hangs in the directory at the last look */
};

/* Makes the object. Takes copies of the options, but not of the strings, which have to live as long. Returns
 * 0 or -errno. */
int incidents_new(sd_event *event, const struct incidents_options *opt, struct incidents **ret);
/* To be called when the capture has begun. Resumes the incidents that are pending. */
void incidents_begin(struct incidents *is, struct drain *drain);
/* Notes a hang. For drain_options.hang; arg: the struct incidents. Never waits. Drain thread. */
void incidents_note(void *arg, const struct detect_hang *hang);
/* To be called after worker_stop() and before drain_stop(). Takes the snapshots that are pending, and writes
 * the notes that are due. Diagnoses that are missing come at the next start. */
void incidents_finish(struct incidents *is);
/* To be called after the worker and the drain thread have ended. Accepts NULL. */
void incidents_free(struct incidents *is);
struct incidents_stats incidents_stats(const struct incidents *is);
/* Removes the first elements of list until the rest is at most bytes long as compact JSON. Returns how many
 * were removed. Any thread. */
size_t incidents_fit(json_t *list, size_t bytes);

#endif
