/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bisect.h - binary search in anything sorted. Any thread. */
#ifndef CTRACE_LIB_BISECT_H
#define CTRACE_LIB_BISECT_H

/*
 * Returns the first i in [from, to) for which the expression pred is true, or `to`. The macro
 * declares i. If pred is true for an i, it must be true for all later ones. from <= to. For
 * example, BISECT(i, 0, n, key < v[i]) - 1 is the index of the last item that is not greater than
 * key.
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
