/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_private.h - what the files of incident.h share. */
#ifndef CTRACE_DAEMON_INCIDENT_INCIDENT_PRIVATE_H
#define CTRACE_DAEMON_INCIDENT_INCIDENT_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/incident/incident_store.h"
#include "detect/detect.h"

#define INCIDENT_HANGS_MAX 32 /* told of in one incident */
#define INCIDENT_WHY_MAX   640
#define INCIDENT_BOOT_LEN  36

enum incident_state {
	INCIDENT_COLLECTS, /* until due_ns; then there is a snapshot */
	INCIDENT_CUTS,     /* on the worker */
	INCIDENT_CUT,      /* to be diagnosed */
	INCIDENT_ASKS,
	INCIDENT_ANSWERED, /* to be written */
	INCIDENT_WRITES,   /* on the worker */
	INCIDENT_DONE,
};

/* One or more hangs that one snapshot shows; the first is the one that it is named after. */
struct incident {
	struct incident *next;
	struct incidents *owner;
	enum incident_state state;
	bool begun; /* it has been told to the disk that it is there */
	char name[INCIDENT_NAME_MAX];
	char boot_id[INCIDENT_BOOT_LEN + 1];
	struct detect_hang hangs[INCIDENT_HANGS_MAX];
	unsigned n_hangs, hangs_refused;
	json_t *told; /* read back from a note: what it says of the hangs, more than hangs holds; or NULL */
	uint32_t uid; /* of the first, or INCIDENT_UID_UNKNOWN */
	unsigned limited; /* hangs before it that got no snapshot */
	uint64_t found_real_ns, due_ns;
	uint64_t from_ns, to_ns, bytes; /* of the snapshot */
	bool has_snapshot;
	bool trimmed; /* after the snapshot; then use is set */
	struct incident_store_use use;
	json_t *diagnosis;          /* NULL: none */
	char why[INCIDENT_WHY_MAX]; /* there is no snapshot, or no diagnosis; "": there are */
	char path[1200];            /* of the snapshot */
};

/* The sidecar's text (malloc'd); pending: it is not complete.  NULL: out of memory. */
char *incident_doc(const struct incident *in, bool pending);
/* What a sidecar says; 0, -EINVAL: it is none, or complete.  ret->told is to be released. */
int incident_doc_read(json_t *doc, struct incident *ret);
/* Takes over what is as it should be of an answer of the diagnoser, which is not believed to be; NULL:
 * nothing. */
json_t *incident_doc_diagnosis(json_t *answer);

/* The line for people: what hung, why, and what to do next (malloc'd). NULL: out of memory. */
char *incident_say_text(const struct incident *in);
/* One field of an entry in the journal's native protocol. */
__attribute__((format(printf, 3, 4))) void incident_say_field(FILE *f, const char *name, const char *fmt,
							      ...);
/* Hands an entry to the socket of the journal; never waits.  0; -EAGAIN: it takes no more now; -errno. */
int incident_say_send(const char *path, const char *entry, size_t n);
/* To the journal with fields, and to stderr where that is not the journal. */
void incident_say(const struct incident *in);
/* A line about something else. */
__attribute__((format(printf, 2, 3))) void incident_say_plain(int priority, const char *fmt, ...);

#endif
