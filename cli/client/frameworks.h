/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frameworks.h - the frameworks that ctrace knows, and what matches them on this machine now. One
 * thread. */
#ifndef CTRACE_CLI_CLIENT_FRAMEWORKS_H
#define CTRACE_CLI_CLIENT_FRAMEWORKS_H

#include <jansson.h>

/*
 * Reads the descriptions in dir (NULL: only the usual directories), in /etc/ctrace/frameworks, and
 * in ctrace's own directory. Of several descriptions with the same file name, only the first one
 * counts. Then looks for processes that have mapped a file of a framework. Adds to list:
 *
 *   [{"name","description","processes","files":[]}]
 *
 * A description that cannot be read has "error" in place of the last two members. Processes that
 * the user may not look at do not count. Returns 0, or -errno if dir cannot be opened. After an
 * error, list is unchanged.
 */
int frameworks_find(json_t *list, const char *dir);

#endif
