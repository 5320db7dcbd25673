/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bisect.h - search in what is sorted. */
#ifndef CTRACE_LIB_BISECT_H
#define CTRACE_LIB_BISECT_H

/*
 * The first index in [from, to) for which pred holds, to when it holds for none.  pred is an expression of
 * the variable i, which the macro declares; it holds for every index behind one for which it holds.  from <=
 * to; i and the result have the type of to.  So BISECT(i, 0, n, key < v[i]) - 1 is the last that is not above
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
