/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syncdir.h - makes the name of a new file survive a power failure. Does not sync the file itself.
 * Waits for the disk. Any thread.
 */
#ifndef CTRACE_LIB_SYNCDIR_H
#define CTRACE_LIB_SYNCDIR_H

/*
 * Syncs the directory that contains path. Returns 0 or -errno. Returns 0 also if the caller may not
 * read the directory, or if its file system cannot sync it.
 */
int syncdir_of(const char *path);

#endif
