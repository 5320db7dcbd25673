/* SPDX-License-Identifier: GPL-2.0-or-later */
/* huge.h - large arrays in large pages: else much of the time to fill one goes into page faults. */
#ifndef CTRACE_LIB_HUGE_H
#define CTRACE_LIB_HUGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* From this size on an array is worth it: what large pages waste is little beside it. */
#define HUGE_FROM (8u << 20)
#define HUGE_PAGE (2u << 20)

/* The n bytes at p, which are about to be filled.  Advice: it may do nothing. */
static inline void huge_advise(void *p, size_t n)
{
	uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + n) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (n >= HUGE_FROM && to > from)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

#endif
