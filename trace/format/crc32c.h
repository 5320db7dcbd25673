/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crc32c.h - CRC-32C (Castagnoli), as in iSCSI and ext4.  Any thread. */
#ifndef CTRACE_TRACE_FORMAT_CRC32C_H
#define CTRACE_TRACE_FORMAT_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of the bytes so far, whose checksum is crc, and n more. crc is 0 at the
 * beginning. */
uint32_t crc32c(uint32_t crc, const void *p, size_t n);
/* As crc32c(), with tables in place of the processor's crc32 instruction, for processors that do
 * not have it. */
uint32_t crc32c_portable(uint32_t crc, const void *p, size_t n);

/* Whether a checksum read from a file is right. A build for fuzzing says yes to all: a fuzzer would
 * hardly ever guess a checksum. */
static inline bool crc32c_matches(uint32_t got, uint32_t want)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)got;
	(void)want;
	return true;
#else
	return got == want;
#endif
}

#endif
