/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syncdir.h - makes the name of a new file outlast a power cut.  Any thread; waits for the disk. */
#ifndef CTRACE_LIB_SYNCDIR_H
#define CTRACE_LIB_SYNCDIR_H

/* Syncs the directory that path is in.  0 or -errno; 0 also where that cannot be asked for: the directory may
 * not be read, or its file system does not know it. */
int syncdir_of(const char *path);

#endif
