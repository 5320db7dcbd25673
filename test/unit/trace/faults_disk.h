/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults_disk.h - a disk that fails. Replaces pwrite, fsync, fdatasync, posix_fallocate and
 * ftruncate of the test program. */
#ifndef CTRACE_TEST_FAULTS_DISK_H
#define CTRACE_TEST_FAULTS_DISK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct faults {
	/* How many of a million calls fail, on average. A failed write may write a part. */
	uint32_t rate;
	int error;
	/* The call with this number, counted from 1, fails too. 0: no call. */
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
/* Writes to path a possible state of the watched file after a power cut. */
void faults_power_cut(const char *path);

#endif
