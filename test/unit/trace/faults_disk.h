/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults_disk.h - a disk that fails, for tests of code that writes files.
 *
 * A program with this file has its own pwrite, fsync, fdatasync, posix_fallocate and ftruncate.
 * These functions fail if the test says so. They also note all writes to one file, so that the test
 * can make the possible states of this file after a power cut.
 */
#ifndef CTRACE_TEST_FAULTS_DISK_H
#define CTRACE_TEST_FAULTS_DISK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct faults {
	/*
	 * rate: how many of a million calls fail, on average. A failed call sets errno to `error`
	 * (positive). A failed write may have written a part of its bytes.
	 */
	uint32_t rate;
	int error;
	/* The call with this number fails too. The first call has the number 1; 0 is no call. */
	uint64_t nth;
	uint64_t calls, failed; /* how many calls there were, and how many of them failed */
	atomic_bool frozen;     /* while this is set, all calls wait */
	uint64_t rng;
};
extern struct faults faults;

/* Notes all writes to this file from now on. The present content counts as synced. */
void faults_watch(const char *path);
void faults_unwatch(void);
/* Returns whether bytes [at, at + n) of the watched file were written since its last sync. */
bool faults_dirty(uint64_t at, uint64_t n);
/*
 * Writes to path a possible state of the watched file after a power cut now. Each sector is as after one
 * of the writes since the last sync, or as before them; faults.rng decides.
 */
void faults_power_cut(const char *path);

#endif
