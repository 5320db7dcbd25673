/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults_disk.h - a disk that fails, for tests of code that writes files.
 *
 * A program with this file has its own pwrite, fsync, fdatasync, posix_fallocate and ftruncate.
 * They fail if the test says so. They also note all writes to one file, so that the test can make
 * the possible states of this file after a power cut.
 */
#ifndef CTRACE_TEST_FAULTS_DISK_H
#define CTRACE_TEST_FAULTS_DISK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct faults {
	/*
	 * Of a million calls so many fail, with the (positive) errno in `error`. A write that fails
	 * may have written a part.
	 */
	uint32_t rate;
	int error;
	/* The call with this number fails. The first call has the number 1; 0: no call fails. */
	uint64_t nth;
	uint64_t calls, failed; /* how many calls there were, and how many of them failed */
	atomic_bool frozen;     /* while this is set, writes and syncs wait */
	uint64_t rng;
};
extern struct faults faults;

/* Notes all writes to this file from now on. The present content counts as synced. */
void faults_watch(const char *path);
void faults_unwatch(void);
/* Whether bytes of [at, at + n) were written since the last sync. */
bool faults_dirty(uint64_t at, uint64_t n);
/*
 * Makes path a possible state of the noted file after a power cut now. Each sector is as after one
 * of the writes since the last sync, or as before them; faults.rng decides.
 */
void faults_power_cut(const char *path);

#endif
