/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incidents.h - the hangs that the daemon caught, as they lie in a directory:
 * NAME.json says what (ctrace.incident/1), NAME.ctr is the snapshot.  Names begin with the time in UTC, so
 * that their order is that of time.  Any thread.
 */
#ifndef CTRACE_LIB_INCIDENTS_H
#define CTRACE_LIB_INCIDENTS_H

#include <jansson.h>
#include <stddef.h>

#define INCIDENTS_DIR      "hangs" /* in the daemon's state directory */
#define INCIDENTS_SCHEMA   "ctrace.incident/1"
#define INCIDENTS_FILE_MAX (256u << 10)

/*
 * The newest max of them, and all that are pending, oldest first, as a JSON array: the objects of the files,
 * with "snapshot" as a path that can be opened, or null when the snapshot has been removed.  *ret_left_out:
 * older ones, and files that are not what they should be.  0; -ENOENT: there is no such directory; -EACCES;
 * -ENOMEM; others of reading a directory.
 */
int incidents_read(const char *dir, size_t max, json_t **ret, size_t *ret_left_out);

/* What is in the file of one of them; NULL: no regular file, more than INCIDENTS_FILE_MAX, or no JSON. */
json_t *incidents_load(int fd);

#endif
