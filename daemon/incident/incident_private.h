/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_private.h - declarations that the files of incident.h share. A sidecar is the note NAME.json
 * beside the snapshot NAME.ctr. */
#ifndef CTRACE_DAEMON_INCIDENT_INCIDENT_PRIVATE_H
#define CTRACE_DAEMON_INCIDENT_INCIDENT_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/incident/incident_store.h"
#include "detect/detect.h"

#define INCIDENT_HANGS_MAX 32 /* the most hangs that one incident lists */
#define INCIDENT_WHY_MAX   640
#define INCIDENT_BOOT_LEN  36

enum incident_state {
	INCIDENT_COLLECTS, /* waits until due_ns, then a snapshot is taken */
	INCIDENT_CUTS,     /* the worker takes the snapshot */
	INCIDENT_CUT,      /* the snapshot is taken; the diagnosis has not begun */
	INCIDENT_ASKS,
	INCIDENT_ANSWERED, /* the sidecar has to be written */
	INCIDENT_WRITES,   /* the worker writes the sidecar */
	INCIDENT_DONE,
};

/* One or several hangs that one snapshot shows. The incident is named after the first hang. */
struct incident {
	struct incident *next;
	struct incidents *owner;
	enum incident_state state;
	bool begun; /* an earlier run of the daemon began this incident */
	char name[INCIDENT_NAME_MAX];
	char boot_id[INCIDENT_BOOT_LEN + 1];
	struct detect_hang hangs[INCIDENT_HANGS_MAX];
	unsigned n_hangs, hangs_refused;
	/* The hangs from a sidecar of an earlier run, as JSON: a sidecar has more about a hang than
	 * struct detect_hang can hold. NULL: this run noticed the hangs. */
	json_t *told;
	uint32_t uid;     /* user of the first hang, or INCIDENT_UID_UNKNOWN */
	unsigned limited; /* hangs without a snapshot between the previous incident and this one */
	uint64_t found_real_ns, due_ns;
	uint64_t from_ns, to_ns, bytes; /* the window (boot time) and the size of the snapshot */
	bool has_snapshot;
	bool trimmed; /* incident_store_trim() ran after the snapshot; `use` is its result */
	struct incident_store_use use;
	json_t *diagnosis; /* NULL: there is none */
	/* a sentence that says why the snapshot or the diagnosis is missing; "": nothing is
	 * missing */
	char why[INCIDENT_WHY_MAX];
	char path[1200]; /* path of the snapshot */
};

/* Makes the text of the sidecar. The caller frees the text. pending: the incident is not complete
 * yet. NULL: out of memory. */
char *incident_doc(const struct incident *in, bool pending);
/* Reads a sidecar of an earlier run. Returns 0, or -EINVAL if doc is no sidecar or if its incident
 * is complete. The caller releases ret->told. */
int incident_doc_read(json_t *doc, struct incident *ret);
/* Copies the parts of an answer of the diagnoser that have the right form. The answer may be
 * hostile. The caller releases the copy. NULL: a part that is needed is missing. */
json_t *incident_doc_diagnosis(json_t *answer);

/* Makes the line for people: what hung, why, and what to do next. The caller frees the text. NULL:
 * out of memory. */
char *incident_say_text(const struct incident *in);
/* Writes one field of an entry in the journal's native protocol. */
__attribute__((format(printf, 3, 4))) void incident_say_field(FILE *f, const char *name, const char *fmt,
							      ...);
/* Sends an entry of n bytes to the journal's socket at path. Never waits. Returns 0, or -EAGAIN if
 * the journal takes no more entries now, or another -errno. */
int incident_say_send(const char *path, const char *entry, size_t n);
/* Writes the line about a hang to the journal, with fields. Writes the line to stderr too if stderr
 * is not the journal, or if the journal does not take the line. */
void incident_say(const struct incident *in);
/* Writes a line without the fields of a hang, to the journal and to stderr as incident_say() does.
 * priority: LOG_*. */
__attribute__((format(printf, 2, 3))) void incident_say_plain(int priority, const char *fmt, ...);

#endif
