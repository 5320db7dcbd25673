/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact_names.h - replaces a private name by a short keyed hash. Under one key, the same name
 * always gets the same hash. So a reader still sees which records are about the same task or file.
 * Without the key, nobody can compute the hashes of likely names and compare.
 *
 * These stay as they are:
 * - names of kernel threads, and of ctrace's own programs and threads;
 * - names of disks, of devices below /dev, and of anonymous inodes;
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

/* Replaces the name of a task by a text such as "p-1a2b3c4d". */
void redact_comm(const struct siphash_key *key, char comm[CT_COMM_LEN]);
/* Returns whether comm is the name of one of ctrace's programs or threads. */
bool redact_is_own(const char comm[CT_COMM_LEN]);
/* Replaces each component of a path separately. The result is for example "/1a2b3c4d/5e6f7a8b".
 * Each "/", a component "...", and an "@" at the start of a component stay, because they show what
 * kind of name this is. Reads at most CT_OBJ_NAME_MAX bytes of the path. Writes at most size - 1
 * bytes and a 0. If the result is longer, writes only its end, behind "...". Returns the number of
 * bytes written, without the 0. */
size_t redact_path(const struct siphash_key *key, const char *path, size_t len, char *buf, size_t size);
/* Replaces an address by an address from 240.0.0.0/4 or 100::/64, which no host has. Addresses of
 * loopback, and addresses of zeroes only, stay. addr has 16 bytes; an IPv4 address is in the first
 * 4. An address of any other family becomes zeroes. */
void redact_address(const struct siphash_key *key, uint16_t family, uint8_t addr[16]);
/* Redacts a frame of a stack, "function+0x12 (module)", from frame to buf. */
void redact_frame(const struct siphash_key *key, const char *frame, char buf[REDACT_FRAME_MAX]);
/* Replaces any other name, of len bytes, by 8 hexadecimal digits and a final 0. */
void redact_word(const struct siphash_key *key, const char *word, size_t len, char buf[9]);

#endif
