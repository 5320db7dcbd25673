/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bisect.h - binary search in anything sorted. Any thread. */
#ifndef CTRACE_LIB_BISECT_H
#define CTRACE_LIB_BISECT_H

/*
 * Returns the first index i in [from, to) for which pred is true, or `to`. pred is an expression
 * with i, which the macro declares with the type of `to`. If pred is true for an index, it must be
 * true for all later indices. from <= to. For example, BISECT(i, 0, n, key < v[i]) - 1 is the last
 * item that is not greater than key.
 */
#define BISECT(i, from, to, pred)                                                                            \
	({                                                                                                   \
		typeof((to) + 0) first_##i = (from), behind_##i = (to);                                      \
		while (first_##i < behind_##i) {                                                             \
			typeof((to) + 0) i = first_##i + (behind_##i - first_##i) / 2;                       \
			if (pred)                                                                            \
				behind_##i = i;                                                              \
			else                                                                                 \
				first_##i = i + 1;                                                           \
		}                                                                                            \
		first_##i;                                                                                   \
	})

#endif
