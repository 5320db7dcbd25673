/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cleanup.h - scope guards: a marked variable is released at the end of its scope. Any thread. */
#ifndef CTRACE_LIB_CLEANUP_H
#define CTRACE_LIB_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

static inline void cleanup_free_p(void *p)
{
	free(*(void **)p);
}
static inline void cleanup_close_p(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
static inline void cleanup_fclose_p(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_   _cleanup_(cleanup_free_p)
#define _cleanup_close_  _cleanup_(cleanup_close_p)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose_p)

/* Takes the value out of a marked variable, so that the guard does not release it. */
#define TAKE_PTR(p)                                                                                          \
	({                                                                                                   \
		typeof(p) _t = (p);                                                                          \
		(p) = NULL;                                                                                  \
		_t;                                                                                          \
	})
#define TAKE_FD(fd)                                                                                          \
	({                                                                                                   \
		int _t = (fd);                                                                               \
		(fd) = -1;                                                                                   \
		_t;                                                                                          \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)                                                                                            \
	({                                                                                                   \
		typeof(a) _a = (a);                                                                          \
		typeof(b) _b = (b);                                                                          \
		_a < _b ? _a : _b;                                                                           \
	})
#define MAX(a, b)                                                                                            \
	({                                                                                                   \
		typeof(a) _a = (a);                                                                          \
		typeof(b) _b = (b);                                                                          \
		_a > _b ? _a : _b;                                                                           \
	})

#endif
