/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incidents.h - reads the incidents that the daemon keeps in a directory. NAME.json describes an
 * incident (ctrace.incident/1); NAME.ctr is its snapshot. NAME begins with the time of the report
 * in UTC, so the order of names is the order of time.
 *
 * Only daemon/incident/ writes and removes incidents. Any thread may call these functions.
 */
#ifndef CTRACE_LIB_INCIDENTS_H
#define CTRACE_LIB_INCIDENTS_H

#include <jansson.h>
#include <stddef.h>

#define INCIDENTS_DIR      "hangs" /* in the daemon's state directory */
#define INCIDENTS_SCHEMA   "ctrace.incident/1"
#define INCIDENTS_FILE_MAX (256u << 10)

/*
 * Reads the `max` newest incidents and all pending ones. *ret: a JSON array of the objects in the
 * files, the oldest first; the caller owns a reference. In each object, the member "snapshot"
 * becomes a path that can be opened, or null if the snapshot has been removed. *ret_left_out: the
 * number of incidents that are not in *ret because they are older, plus the number of .json files
 * that are no incident. Returns 0, or -ENOENT if there is no such directory, or -EACCES, -ENOMEM,
 * or another -errno of reading a directory.
 */
int incidents_read(const char *dir, size_t max, json_t **ret, size_t *ret_left_out);

/*
 * Reads the file of one incident; the caller owns a reference. NULL: the file cannot be read, is no
 * regular file, is larger than INCIDENTS_FILE_MAX, or is no JSON.
 */
json_t *incidents_load(int fd);

#endif
