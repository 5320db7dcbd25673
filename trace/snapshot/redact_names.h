/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact_names.h - what a name becomes that is nobody else's business: a short keyed hash.  The same name
 * becomes the same hash under one key, so that what belongs together still does; without the key nobody can
 * try names.
 *
 * Kept: the names of kernel threads and of ctrace's own, of disks, of devices below /dev and of anonymous
 * inodes, of the kernel's functions and those of the C and C++ libraries; loopback addresses; ports, numbers,
 * times.
 */
#ifndef CTRACE_TRACE_SNAPSHOT_REDACT_NAMES_H
#define CTRACE_TRACE_SNAPSHOT_REDACT_NAMES_H

#include <stdbool.h>

#include "ctrace/abi.h"
#include "lib/siphash.h"

#define REDACT_FRAME_MAX 128

/* "p-1a2b3c4d" */
void redact_comm(const struct siphash_key *key, char comm[CT_COMM_LEN]);
/* Whether it is the name of a program or thread of the tracer. */
bool redact_is_own(const char comm[CT_COMM_LEN]);
/* Each component of a path by itself: "/1a2b3c4d/5e6f7a8b"; what a leading "...", "@" or "/" says stays.
 * Returns the length; at most size - 1, of a path that is longer the end is kept. */
size_t redact_path(const struct siphash_key *key, const char *path, size_t len, char *buf, size_t size);
/* An address of 16 bytes (IPv4 in the first 4): 240.0.0.0/4 and 100::/64 are nobody's. */
void redact_address(const struct siphash_key *key, uint16_t family, uint8_t addr[16]);
/* A frame of a stack, "function+0x12 (module)". */
void redact_frame(const struct siphash_key *key, const char *frame, char buf[REDACT_FRAME_MAX]);
/* Any other name: 8 hexadecimal digits, and the 0. */
void redact_word(const struct siphash_key *key, const char *word, size_t len, char buf[9]);

#endif
