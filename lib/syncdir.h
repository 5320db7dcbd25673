/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syncdir.h - makes the name of a new file survive a power failure. The function does not sync the
 * file itself. The function waits for the disk. Any thread.
 */
#ifndef CTRACE_LIB_SYNCDIR_H
#define CTRACE_LIB_SYNCDIR_H

/*
 * Syncs the directory that contains path. Returns 0 or -errno. Returns 0 also if the directory
 * cannot be synced for one of two reasons: the caller may not read the directory, or the file
 * system of the directory does not support the sync.
 */
int syncdir_of(const char *path);

#endif
