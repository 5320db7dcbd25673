/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident_store.h - the directory with the files of incidents (lib/incidents.h). Here, a hang is
 * the files of one incident.
 *
 * A file appears whole or not at all, and stays after a power cut. Any thread may call the
 * functions, but only one at a time may write a file or call incident_store_trim().
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

/* Makes a name such as "20260131T140312Z-comm-123". real_ns: wall clock time. nth: numbers the
 * incidents of this task that have the same time in their names, from 1. From 2 on, the name ends
 * with the number: "-2". */
void incident_store_name(char name[INCIDENT_NAME_MAX], uint64_t real_ns, const char *comm, uint32_t tid,
			 unsigned nth);
/* Returns the wall clock time in the name of a hang, in ns; 0: the text is no such name. */
uint64_t incident_store_time(const char *name);
uint32_t incident_store_doc_uid(const json_t *doc);

/* Returns 0 if the directory can be used or does not exist, -EPERM if lib/owned.h refuses the
 * directory or its parent, or another -errno. */
int incident_store_check(const struct incident_store *s);
/* Makes the directory if it does not exist. Returns a descriptor, or the errors of
 * incident_store_check(). */
int incident_store_open(const struct incident_store *s);
/* Returns true if there is a NAME.json. */
bool incident_store_has(const struct incident_store *s, const char *name);
/* Writes text to NAME.json. Returns 0 or -errno. */
int incident_store_sidecar(const struct incident_store *s, const char *name, const char *text);
/* Writes n bytes to NAME.html. Returns 0 or -errno. */
int incident_store_page(const struct incident_store *s, const char *name, const char *page, size_t n);
/* Removes NAME.html if there is one. An error is ignored. */
void incident_store_drop_page(const struct incident_store *s, const char *name);
/* Creates the snapshot's file with a temporary name. Returns a descriptor for writing, or -errno. */
int incident_store_create(const struct incident_store *s, const char *name);
/* If keep is true, renames the file of incident_store_create() to NAME.ctr. If keep is false, or if
 * the renaming fails, removes the file. Returns 0 or -errno. Does not close fd. */
int incident_store_commit(const struct incident_store *s, const char *name, int fd, bool keep);
int incident_store_snapshot(const struct incident_store *s, const char *name);

struct incident_store_use {
	uint64_t bytes;
	unsigned kept, removed;
};
/*
 * Removes hangs until all files together have at most size_bytes.
 * - Each step removes one hang of the user whose hangs take the most bytes.
 * - Of this user, a hang from the future (the clock was set back) goes first, then the oldest one.
 * - The hangs `names` (n_names of them) are never removed.
 * - Half-written files are removed too, so no other thread may write a file meanwhile.
 *
 * now_ns: wall clock time. Returns 0 or -errno; ret is untouched on failure.
 */
int incident_store_trim(const struct incident_store *s, const char *const *names, size_t n_names,
			uint64_t now_ns, struct incident_store_use *ret);

#endif
