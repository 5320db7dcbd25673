/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - tells the kernel how large arrays use memory, and which process to kill first if memory runs
 * out. Filling a large array with small pages takes many page faults. Any thread.
 */
#ifndef CTRACE_LIB_MEMORY_H
#define CTRACE_LIB_MEMORY_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/cleanup.h"

/* bytes: a smaller array gets no large pages, because they would waste much of its memory. The kernel's
 * choice stays for it. */
#define HUGE_FROM (8u << 20)
#define HUGE_PAGE (2u << 20)

/* For the whole large pages within the n bytes at p. The kernel may ignore the request. */
static inline void huge_request(void *p, size_t n, int request)
{
	uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + n) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (to > from)
		(void)madvise((void *)from, to - from, request);
}

/* Call it before you fill the n bytes at p. */
static inline void huge_advise(void *p, size_t n)
{
	if (n >= HUGE_FROM)
		huge_request(p, n, MADV_HUGEPAGE);
}

/* Gives the whole large pages within the n bytes at p back to the kernel. The bytes lose their values. */
static inline void huge_give_back(void *p, size_t n)
{
	huge_request(p, n, MADV_DONTNEED);
}

/* If memory runs out, the kernel kills this process before any useful program. */
static inline void oom_first(void)
{
	_cleanup_close_ int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "500", 3);
}

#endif
