/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.h - what the daemon does after it has noticed a hang:
 * - it takes a snapshot of the time around the hang;
 * - it lets a separate process diagnose the snapshot;
 * - it writes a note about the hang and the diagnosis, beside the snapshot;
 * - it writes a line into the journal.
 *
 * A hang that is noticed while the snapshot of another hang is still to be taken becomes part of
 * the incident of that other hang. There are limits on how often snapshots are taken, and on the
 * room for them. The notes make these limits hold across restarts.
 *
 * Before all other work, the daemon writes a note that is marked as pending. So no hang is
 * forgotten when the daemon ends:
 * - If the daemon is told to end, it takes the pending snapshots at once. These snapshots are
 *   diagnosed after the next start of the daemon.
 * - After a kill, the next daemon finds the note, and takes a snapshot of the records that the
 *   circular trace still has.
 * - After a crash of the machine, the next daemon completes the note with a command that searches
 *   the trace of the earlier boot.
 *
 * All functions run on the main thread, except incidents_note() and incidents_fit(). The worker
 * does the slow work.
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
#define INCIDENTS_OPEN_MAX  8  /* unfinished incidents; a hang that would begin one more gets no snapshot */

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
	/* noticed: hangs; taken: snapshots that were taken; failed: snapshots that failed */
	uint64_t noticed, taken, failed;
	uint64_t limited; /* hangs that got no snapshot because of a limit */
	/* hangs that were lost, because INCIDENTS_NOTED_MAX hangs were noted already */
	uint64_t refused;
	uint64_t removed; /* hangs whose files were removed to make room */
	/* as of the last snapshot: bytes of all files in the directory, and number of hangs with
	 * files there */
	uint64_t bytes, kept;
};

/* Makes the object. Copies the options, but not their strings, which have to live as long as the object.
 * Returns 0 or -errno. */
int incidents_new(sd_event *event, const struct incidents_options *opt, struct incidents **ret);
/* The caller calls this function when the capture has begun. Resumes the incidents that are
 * pending. */
void incidents_begin(struct incidents *is, struct drain *drain);
/* Notes a hang. Use this function as drain_options.hang, with the struct incidents as arg. Never waits. Runs
 * on the drain thread. */
void incidents_note(void *arg, const struct detect_hang *hang);
/* The caller calls this function after worker_stop() and before drain_stop(). Takes the snapshots
 * that are pending, and writes the notes that are due. The next daemon makes the diagnoses that are
 * missing. */
void incidents_finish(struct incidents *is);
/* The caller calls this function after the worker and the drain thread have ended. Accepts NULL. */
void incidents_free(struct incidents *is);
struct incidents_stats incidents_stats(const struct incidents *is);
/* Removes the first elements of list until the list, as compact JSON, has at most `bytes` bytes.
 * Returns the number of removed elements. Any thread may call this function. */
size_t incidents_fit(json_t *list, size_t bytes);

#endif
