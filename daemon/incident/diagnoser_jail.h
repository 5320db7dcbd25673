/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diagnoser_jail.h - takes privileges away for good from a process that reads hostile bytes, and
 * from its children. */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_JAIL_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_JAIL_H

#include <stdint.h>

/*
 * Confines the calling process:
 * - All descriptors except keep_fd are closed. Descriptors 0 to 2 then lead to /dev/null.
 * - The process ends when its parent ends.
 * - If the process ran as root and may change its user, it runs as nobody, without groups.
 * - The process has no capabilities.
 * - The process may only make the system calls that diagnoser_jail.c lists. None of them opens a
 *   path or runs another program.
 * Returns 0 or -errno.
 */
int diagnoser_jail(int keep_fd);
/* For a child of a process that has called diagnoser_jail(). Limits memory and CPU time, and the size of a
 * file to *file_bytes. Then *file_bytes is the limit that holds: it is lower if the process had a lower one.
 * A write above it fails with EFBIG. Leaves only the system calls for a diagnosis. Returns 0 or -errno. */
int diagnoser_jail_child(uint64_t *file_bytes);

#endif
