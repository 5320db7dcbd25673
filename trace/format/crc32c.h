/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crc32c.h - CRC-32C (Castagnoli), as in iSCSI and ext4. Any thread. */
#ifndef CTRACE_TRACE_FORMAT_CRC32C_H
#define CTRACE_TRACE_FORMAT_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Continues the checksum crc with n bytes. For the first bytes, crc is 0. */
uint32_t crc32c(uint32_t crc, const void *p, size_t n);
/* As crc32c(), but without the instruction of SSE 4.2. */
uint32_t crc32c_portable(uint32_t crc, const void *p, size_t n);

/* In a fuzzing build, always returns true: a fuzzer hardly ever guesses a checksum. */
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
