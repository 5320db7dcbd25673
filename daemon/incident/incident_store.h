/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident_store.h - the directory of the hangs that were caught (lib/incidents.h). A file appears
 * whole or not at all, and stays after a power cut. If the files together have more than
 * size_bytes, some of the hangs are removed (incident_store_trim()). Any thread may call the
 * functions, but only one thread at a time.
 */
#ifndef CTRACE_DAEMON_INCIDENT_INCIDENT_STORE_H
#define CTRACE_DAEMON_INCIDENT_INCIDENT_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INCIDENT_NAME_MAX    64
#define INCIDENT_UID_UNKNOWN UINT32_MAX

struct incident_store {
	char dir[1100];
	uint64_t size_bytes; /* the limit for all files together */
};

/* Makes the name of a hang: "20260131T140312Z-comm-123". real_ns: wall clock time. */
void incident_store_name(char name[INCIDENT_NAME_MAX], uint64_t real_ns, const char *comm, uint32_t tid);
/* Returns the wall clock time in the name of a hang, in nanoseconds. 0: the text is no such name. */
uint64_t incident_store_time(const char *name);
/* Returns the user of the hang that a note (lib/incidents.h) describes, or INCIDENT_UID_UNKNOWN. */
uint32_t incident_store_doc_uid(const json_t *doc);

/* Checks the directory. Returns 0 if the directory can be used or does not exist. Returns -EPERM if
 * the directory or its parent is refused (lib/owned.h), or another -errno. */
int incident_store_check(const struct incident_store *s);
/* Opens the directory, and makes it if it does not exist. Returns a descriptor, or the errors of
 * incident_store_check(). */
int incident_store_open(const struct incident_store *s);
/* Writes text to NAME.json. Returns 0 or -errno. */
int incident_store_sidecar(const struct incident_store *s, const char *name, const char *text);
/* Creates the file that becomes NAME.ctr. The file has a temporary name until incident_store_commit().
 * Returns a descriptor for writing, or -errno. */
int incident_store_create(const struct incident_store *s, const char *name);
/* If keep is true, gives the file of incident_store_create() its final name; otherwise removes the
 * file. Returns 0 or -errno. On failure, removes the file if possible. Does not close fd. */
int incident_store_commit(const struct incident_store *s, const char *name, int fd, bool keep);
/* Opens NAME.ctr for reading. Returns a descriptor or -errno. */
int incident_store_snapshot(const struct incident_store *s, const char *name);

/* bytes: of all files that are left; kept, removed: numbers of hangs. */
struct incident_store_use {
	uint64_t bytes;
	unsigned kept, removed;
};
/*
 * Removes hangs, each with all its files, until the files of the remaining hangs have at most
 * size_bytes together. Never removes the hang `name`, which is new. Each step removes the oldest
 * hang of the user whose hangs then take the most bytes.
 *
 * After the clock was set back, the time in the name of a hang can be more than a day after now_ns
 * (wall clock). Such a hang is removed before the other hangs of its user.
 *
 * Also removes files that were left half-written. So during the call, no other thread may be in
 * incident_store_sidecar(), or between incident_store_create() and incident_store_commit().
 *
 * Returns 0 or -errno; ret is untouched on failure.
 */
int incident_store_trim(const struct incident_store *s, const char *name, uint64_t now_ns,
			struct incident_store_use *ret);

#endif
