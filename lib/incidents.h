/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incidents.h - reads the incidents that the daemon keeps in a directory: NAME.json
 * (ctrace.incident/1), its snapshot NAME.ctr and perhaps its page NAME.html. NAME begins with the time of the
 * report in UTC, so names are in the order of time. Only daemon/incident/ writes and removes incidents. Any
 * thread.
 */
#ifndef CTRACE_LIB_INCIDENTS_H
#define CTRACE_LIB_INCIDENTS_H

#include <jansson.h>
#include <stddef.h>

#define INCIDENTS_DIR      "hangs" /* in the daemon's state directory */
#define INCIDENTS_SCHEMA   "ctrace.incident/1"
#define INCIDENTS_FILE_MAX (256u << 10)

/*
 * Reads the incidents in the `max` newest .json files. From older files, reads only incidents that
 * are not complete yet ("pending": true). *ret is a JSON array, the oldest first; the caller owns a
 * reference. "snapshot" and "view" (the page) become paths, or null if there is no such file. *ret_left_out:
 * the number of .json files that are not in *ret. Returns 0, -ENOENT if there is no such directory, -ENOMEM,
 * or -errno of reading the directory.
 */
int incidents_read(const char *dir, size_t max, json_t **ret, size_t *ret_left_out);

/*
 * Reads a JSON file. The caller owns a reference. NULL: out of memory, or the file cannot be read,
 * is not regular, is larger than INCIDENTS_FILE_MAX, or is no JSON.
 */
json_t *incidents_load(int fd);

#endif
