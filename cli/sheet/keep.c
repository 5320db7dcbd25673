// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sheet/keep.h"

static size_t count(const struct keep_line *v, size_t n, enum line_kind kind, uint32_t group)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += !v[i].dropped && v[i].kind == kind && v[i].group == group;
	return k;
}

/* Returns a line of the group with the most lines of this kind; n: there is no such line. */
static size_t largest_group(const struct keep_line *v, size_t n, enum line_kind kind)
{
	size_t best = n, most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = v[i].dropped || v[i].kind != kind ? 0 : count(v, n, kind, v[i].group);

		if (k > most) {
			most = k;
			best = i;
		}
	}
	return best;
}

/* Returns the rows that become free; 0: there is no line of this kind. */
static size_t drop_one(struct keep_line *v, size_t n, enum line_kind kind)
{
	size_t first = largest_group(v, n, kind), last = first;

	if (first == n)
		return 0;
	for (size_t i = first; i < n; i++)
		if (!v[i].dropped && v[i].kind == kind && v[i].group == v[first].group)
			last = i;
	v[last].dropped = true;
	/* the first line of a group of details is its heading */
	if (kind != LINE_DETAIL || last == first || count(v, n, kind, v[first].group) > 1)
		return v[last].rows;
	v[first].dropped = true;
	return v[first].rows + v[last].rows;
}

size_t keep_lines(struct keep_line *v, size_t n, size_t rows)
{
	size_t all = 0, dropped = 0;

	for (size_t i = 0; i < n; i++)
		all += v[i].rows;
	for (enum line_kind kind = 0; kind < LINE_KEEP; kind++) {
		size_t freed = 1;

		while (all > rows && freed) {
			freed = drop_one(v, n, kind);
			all -= freed;
		}
	}
	for (size_t i = 0; i < n; i++)
		dropped += v[i].dropped;
	return dropped;
}
