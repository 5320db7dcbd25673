/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults_disk.h - a disk that fails, for tests of what writes files.
 *
 * Whoever links this has pwrite, fsync, fdatasync, posix_fallocate and ftruncate
 * replaced: they fail when they are told to, and what is written to the one file
 * that is watched is noted, so that it can be seen as it may be after a power cut.
 */
#ifndef CTRACE_TEST_FAULTS_DISK_H
#define CTRACE_TEST_FAULTS_DISK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct faults {
	/* of a million calls so many fail, with this (positive) error; a write may do a part of it before */
	uint32_t rate;
	int error;
	/* the call with this number fails, counted from 1; 0: none */
	uint64_t nth;
	uint64_t calls, failed; /* counted */
	atomic_bool frozen;     /* who writes or syncs waits until it is not */
	uint64_t rng;
};
extern struct faults faults;

/* Notes what is written to this file from now on; what is there now has reached the disk. */
void faults_watch(const char *path);
void faults_unwatch(void);
/* Whether bytes of [at, at + n) were written since the last sync. */
bool faults_dirty(uint64_t at, uint64_t n);
/* Makes path what the watched file may be after a power cut now: each sector has what any of the writes since
 * the last sync left there, or what was there before; which of them is drawn from faults.rng. */
void faults_power_cut(const char *path);

#endif
