/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults_disk.h - a disk that fails, for tests. Replaces pwrite, fsync, fdatasync, posix_fallocate
 * and ftruncate of the program. Notes all writes to one file, for power cuts. */
#ifndef CTRACE_TEST_FAULTS_DISK_H
#define CTRACE_TEST_FAULTS_DISK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct faults {
	/* How many of a million calls fail, on average. A failed write may write a part. */
	uint32_t rate;
	/* The errno of the failing calls, positive. */
	int error;
	/* The call with this number fails too. The first call has the number 1. 0: no call. */
	uint64_t nth;
	uint64_t calls, failed;
	atomic_bool frozen;
	uint64_t rng;
};
extern struct faults faults;

/* Notes all writes to this file. The present content counts as synced. */
void faults_watch(const char *path);
void faults_unwatch(void);
bool faults_dirty(uint64_t at, uint64_t n);
/* Writes to path a possible state of the watched file after a power cut. faults.rng decides for
 * each sector. */
void faults_power_cut(const char *path);

#endif
