/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * huge.h - asks for large pages for large arrays. With small pages, page faults take much of the
 * time to fill such an array. Any thread.
 */
#ifndef CTRACE_LIB_HUGE_H
#define CTRACE_LIB_HUGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* The smallest array for which to ask. Large pages waste little memory beside this size. */
#define HUGE_FROM (8u << 20)
#define HUGE_PAGE (2u << 20)

/* Asks for large pages for the n bytes at p, before they are filled. The kernel may ignore it. */
static inline void huge_advise(void *p, size_t n)
{
	uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + n) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (n >= HUGE_FROM && to > from)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

#endif
