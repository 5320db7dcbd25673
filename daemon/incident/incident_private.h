/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_private.h - shared by incident.c, incident_doc.c and incident_say.c. A sidecar is the
 * note NAME.json next to the snapshot NAME.ctr. The page is NAME.html. */
#ifndef CTRACE_DAEMON_INCIDENT_INCIDENT_PRIVATE_H
#define CTRACE_DAEMON_INCIDENT_INCIDENT_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/incident/incident.h"
#include "daemon/incident/incident_store.h"
#include "detect/detect.h"

#define INCIDENT_HANGS_MAX 32
#define INCIDENT_WHY_MAX   640
#define INCIDENT_BOOT_LEN  36

enum incident_state {
	INCIDENT_COLLECTS, /* waits until due_ns, then a snapshot is taken */
	INCIDENT_CUTS,
	INCIDENT_CUT,
	INCIDENT_ASKS,
	INCIDENT_ANSWERED, /* the diagnosis, or the reason why there is none, is known and not written */
	INCIDENT_WRITES,
	INCIDENT_DIAGNOSED, /* the diagnosis is written; the question for a page is not asked yet */
	INCIDENT_DRAWS,
	INCIDENT_DRAWN, /* the page, or the reason why there is none, is known and not written */
	INCIDENT_KEEPS,
	INCIDENT_DONE,
};

/* Hangs that one snapshot shows. The first one gives the incident its name. */
struct incident {
	struct incident *next;
	struct incidents *owner;
	enum incident_state state;
	bool begun; /* an earlier run of the daemon began this incident */
	char name[INCIDENT_NAME_MAX];
	char boot_id[INCIDENT_BOOT_LEN + 1];
	struct detect_hang hangs[INCIDENT_HANGS_MAX];
	unsigned n_hangs, hangs_refused;
	/* If `begun` is set: the hangs as the sidecar of the earlier run has them, with all fields. `hangs`
	 * then has only some of the fields. If `begun` is not set: NULL. */
	json_t *told;
	uint32_t uid;     /* user of the first hang, or INCIDENT_UID_UNKNOWN */
	unsigned limited; /* since the previous incident: hangs that got no snapshot */
	uint64_t found_real_ns, due_ns;
	uint64_t from_ns, to_ns, bytes;
	bool has_snapshot, has_page;
	bool trimmed; /* `use` is the result of incident_store_trim() */
	/* the incidents whose files stay at the trim after the page: those that are open */
	char stay[INCIDENTS_OPEN_MAX][INCIDENT_NAME_MAX];
	size_t n_stay;
	struct incident_store_use use;
	json_t *diagnosis;
	char *page; /* page_bytes bytes, until they are in the file; NULL: no page */
	size_t page_bytes;
	/* why the snapshot, the diagnosis or the page is missing; "": nothing is missing */
	char why[INCIDENT_WHY_MAX];
	char path[1200], page_path[1200]; /* of the snapshot, and of the page */
};

/* Returns the text of the sidecar, which the caller frees. pending: the incident is not complete.
 * NULL: out of memory. */
char *incident_doc(const struct incident *in, bool pending);
/* Returns 0, or -EINVAL if doc is no sidecar or if its incident is complete. The caller releases
 * ret->told and ret->diagnosis. */
int incident_doc_read(json_t *doc, struct incident *ret);
/* answer: from the process that diagnosed the snapshot. The answer may be hostile, so only the
 * parts with the right form are copied. The caller releases the copy. NULL: a needed part is
 * missing. */
json_t *incident_doc_diagnosis(json_t *answer);

/* Returns a line: what hung, why, and what to do next. The caller frees it. NULL: out of memory. */
char *incident_say_text(const struct incident *in);
__attribute__((format(printf, 3, 4))) void incident_say_field(FILE *f, const char *name, const char *fmt,
							      ...);
/* Sends n bytes to the journal's socket at path. Never waits. Returns 0, -EAGAIN if the journal is
 * full, or another -errno. */
int incident_say_send(const char *path, const char *entry, size_t n);
/* Writes incident_say_text() with fields to the journal. Also writes the text to stderr, if stderr is
 * not the journal or the journal refuses the entry. */
void incident_say(const struct incident *in);
/* Writes to the journal where the page is, or why there is none. If neither is known, writes nothing. */
void incident_say_page(const struct incident *in);
/* As incident_say(), but without the fields of a hang. priority: LOG_*. */
__attribute__((format(printf, 2, 3))) void incident_say_plain(int priority, const char *fmt, ...);

#endif
