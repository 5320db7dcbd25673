/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.h - what follows when a hang was noticed: a snapshot of the time around
 * it, a diagnosis, a note of both beside the snapshot, a line in the journal.
 *
 * Hangs that are noticed while a snapshot is being waited for become part of it.  How many snapshots are
 * taken is limited, and how much room they have.  What the end of the daemon interrupts is taken up at the
 * next start: the note is there, marked as pending, before anything else is done.  A daemon that is told to
 * end cuts the pending snapshots at once and leaves the diagnoses to the next one.  After a kill the next
 * daemon finds the note and cuts what the circular trace still has.  After a crash of the machine the note
 * says where to look.  The notes also remember the limits on how often across restarts.
 *
 * Main thread, but for incidents_note(); the work is done by the worker.
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

#define INCIDENTS_NOTED_MAX 64              /* hangs noted at once */
#define INCIDENTS_OPEN_MAX  8               /* snapshots in the making */
#define INCIDENTS_SPAN_NS   120000000000ULL /* so much of a hang that is not new is in its snapshot */

struct incidents;

struct incidents_options {
	const char *state_dir; /* the files are in its directory "hangs" */
	const char *trace;
	struct probe *probe;
	struct worker *worker;
	struct diagnoser *diagnoser; /* NULL: nothing is diagnosed */
	uint64_t before_ns, after_ns, size_bytes;
	struct incident_rate rate;
};

struct incidents_stats {
	uint64_t noticed, taken, failed; /* hangs; snapshots, and those that could not be taken */
	uint64_t limited;                /* hangs that were noticed when no more snapshots were allowed */
	uint64_t refused;                /* hangs that found no room in a table */
	uint64_t removed;                /* to make room */
	uint64_t bytes, kept;            /* in the directory, when it was last looked at */
};

/* 0 or -errno.  The strings are to outlive it. */
int incidents_new(sd_event *event, const struct incidents_options *opt, struct incidents **ret);
/* The capture has begun: takes up what is pending. */
void incidents_begin(struct incidents *is, struct drain *drain);
/* For drain_options.hang; arg: the struct incidents.  Never waits.  Drain thread. */
void incidents_note(void *arg, const struct detect_hang *hang);
/* Before the worker ends: has snapshots taken of what waits for one.  Their diagnoses come at the next start.
 */
void incidents_finish(struct incidents *is);
/* After the worker and the drain thread have ended.  Accepts NULL. */
void incidents_free(struct incidents *is);
struct incidents_stats incidents_stats(const struct incidents *is);
/* Removes the first of list until the rest of it is no more than bytes of compact JSON: how many.  Any
 * thread. */
size_t incidents_fit(json_t *list, size_t bytes);

#endif
