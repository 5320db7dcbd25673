/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident_store.h - the directory of the hangs that were caught (lib/incidents.h): files appear whole or not
 * at all, and stay after a power cut; the oldest go when there are too many.  Any thread, one at a time.
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
	uint64_t size_bytes; /* of all files together */
};

/* A name for the hang of that time: "20260131T140312Z-comm-123". */
void incident_store_name(char name[INCIDENT_NAME_MAX], uint64_t real_ns, const char *comm, uint32_t tid);
/* The time in such a name; 0 when it is none. */
uint64_t incident_store_time(const char *name);
/* Whose hang a note (lib/incidents.h) tells of; INCIDENT_UID_UNKNOWN. */
uint32_t incident_store_doc_uid(const json_t *doc);

/* 0: the directory is missing, or can be used; -EPERM: it, or the one that it is in, is refused
 * (lib/owned.h); -errno. */
int incident_store_check(const struct incident_store *s);
/* The directory, which is made when it is missing: a descriptor, or -errno as incident_store_check(). */
int incident_store_open(const struct incident_store *s);
/* Writes NAME.json. 0 or -errno. */
int incident_store_sidecar(const struct incident_store *s, const char *name, const char *text);
/* NAME.ctr, under another name until incident_store_commit(): a descriptor to be written to, or -errno. */
int incident_store_create(const struct incident_store *s, const char *name);
/* The file that fd is gets its name, 0; or goes (keep false), or -errno and goes.  Does not close fd. */
int incident_store_commit(const struct incident_store *s, const char *name, int fd, bool keep);
/* NAME.ctr for reading: a descriptor or -errno. */
int incident_store_snapshot(const struct incident_store *s, const char *name);

struct incident_store_use {
	uint64_t bytes;
	unsigned kept, removed;
};
/* Removes the oldest until the rest fits, but not the one of that name, which is new; and what an end in the
 * midst of writing left, thus not while another thread is in incident_store_sidecar() or has a file created.
 * What is from more than a day after now_ns (wall clock) goes first: the clock was set back.  0 or -errno. */
int incident_store_trim(const struct incident_store *s, const char *name, uint64_t now_ns,
			struct incident_store_use *ret);

#endif
