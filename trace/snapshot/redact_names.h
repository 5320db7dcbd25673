/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact_names.h - replaces a private name by a short keyed hash. Without the key, nobody can check
 * whether a guessed name has this hash. These stay as they are:
 * - names of kernel threads, and of ctrace's programs and threads;
 * - names of block devices: "sda" and "/dev/sda", but not "/dev/mapper/x" or any other path with a
 *   further directory;
 * - names of character devices anywhere below /dev;
 * - names of anonymous inodes;
 * - functions of the kernel and of the C and C++ libraries;
 * - loopback addresses, and addresses of zeroes only;
 * - ports, numbers, times.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_TRACE_SNAPSHOT_REDACT_NAMES_H
#define CTRACE_TRACE_SNAPSHOT_REDACT_NAMES_H

#include <stdbool.h>

#include "ctrace/abi.h"
#include "lib/siphash.h"

#define REDACT_FRAME_MAX 128

/* The result is for example "p-1a2b3c4d". */
void redact_comm(const struct siphash_key *key, char comm[CT_COMM_LEN]);
bool redact_is_own(const char comm[CT_COMM_LEN]);
/* Replaces each component of a path, as in "/1a2b3c4d/5e6f7a8b". Each "/", a component "...", and a
 * leading "@" of a component stay. Reads at most CT_OBJ_NAME_MAX bytes. Writes at most size - 1
 * bytes and a 0. If the result is longer, buf gets "..." and its end. Returns the length. */
size_t redact_path(const struct siphash_key *key, const char *path, size_t len, char *buf, size_t size);
/* The result is from 240.0.0.0/4 or 100::/64, which no host has. Loopback addresses, zeroes, and
 * the prefix of ::ffff:0:0/96 stay. addr has 16 bytes; an IPv4 address is in the first 4. Addresses
 * of other families become zeroes. */
void redact_address(const struct siphash_key *key, uint16_t family, uint8_t addr[16]);
void redact_frame(const struct siphash_key *key, const char *frame, char buf[REDACT_FRAME_MAX]);
/* Replaces a name of len bytes by 8 hexadecimal digits and a 0. */
void redact_word(const struct siphash_key *key, const char *word, size_t len, char buf[9]);

#endif
