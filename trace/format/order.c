// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/order.h"

#include <stdbool.h>

#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "trace/thresholds.h"

void order_done(struct order *o)
{
	VEC_FREE(&o->sorted);
	VEC_FREE(&o->merged);
	VEC_FREE(&o->ends);
	free(o->place);
	*o = (struct order){ 0 };
}

static int by_time(const void *a, const void *b, void *times)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t *t = times;

	if (t[x] != t[y])
		return t[x] < t[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void order_cpu(uint32_t *v, size_t n, const uint64_t *times)
{
	uint64_t moves = (uint64_t)n * MOVES_PER_RECORD + 64;

	for (size_t i = 1; i < n; i++) {
		uint32_t x = v[i];
		size_t k = i;

		for (; k && times[v[k - 1]] > times[x] && moves; k--, moves--)
			v[k] = v[k - 1];
		v[k] = x;
		if (!moves) {
			qsort_r(v, n, sizeof(*v), by_time, (void *)times);
			return;
		}
	}
}

/* Merges two runs that are sorted by time. On a tie, the record of the first run comes first. The loop has no
 * branch that depends on a time, because the CPU could not predict it. */
static void merge_two(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, const uint64_t *times,
		      uint32_t *to)
{
	const uint32_t *a_end = a + n_a, *b_end = b + n_b;

	while (a < a_end && b < b_end) {
		bool second = times[*b] < times[*a];

		*to++ = second ? *b : *a;
		b += second;
		a += !second;
	}
	while (a < a_end)
		*to++ = *a++;
	while (b < b_end)
		*to++ = *b++;
}

/* Run k ends before from[ends[k]]. Merges each two of the n runs, from the first one on, into one run of
 * `to`. Returns the number of runs in `to`, and changes `ends` to their ends. */
static size_t merge_pairs(const uint32_t *from, uint32_t *ends, size_t n, const uint64_t *times, uint32_t *to)
{
	size_t n_out = 0;
	uint32_t at = 0;

	for (size_t k = 0; k < n; k += 2) {
		uint32_t middle = ends[k], end = k + 1 < n ? ends[k + 1] : middle;

		merge_two(from + at, middle - at, from + middle, end - middle, times, to + at);
		ends[n_out++] = at = end;
	}
	return n_out;
}

int order_merge(struct order *o, const uint64_t *times, const uint8_t *kinds, uint64_t wanted,
		const struct format_cpu *cpus, size_t n_cpus, size_t *ret_n)
{
	uint32_t at = 0, n_sorted = 0, *from, *to, *swap;
	size_t n = 0, total = 0;

	for (size_t c = 0; c < n_cpus; c++)
		total += cpus[c].n_records;
	if (VEC_RESERVE(&o->sorted, total) || VEC_RESERVE(&o->merged, total) ||
	    VEC_RESERVE(&o->ends, n_cpus) ||
	    vec_grow((void **)&o->place, &o->place_cap, total, sizeof(*o->place)))
		return -ENOMEM;
	from = o->sorted.v;
	to = o->merged.v;
	for (size_t c = 0; c < n_cpus; c++) {
		uint32_t first = n_sorted, end = at + cpus[c].n_records;

		for (; at < end; at++)
			if (kinds[at] <= CT_KIND_LAST && wanted >> kinds[at] & 1)
				from[n_sorted++] = at;
			else
				o->place[at] = ORDER_NONE;
		if (first == n_sorted)
			continue;
		order_cpu(from + first, n_sorted - first, times);
		o->ends.v[n++] = n_sorted;
	}
	while (n > 1) {
		n = merge_pairs(from, o->ends.v, n, times, to);
		swap = from;
		from = to;
		to = swap;
	}
	for (uint32_t i = 0; i < n_sorted; i++)
		o->place[from[i]] = i;
	*ret_n = n_sorted;
	return 0;
}

static bool event_before(const struct window_event *a, uint16_t a_cpu, const struct window_event *b,
			 uint16_t b_cpu)
{
	return a->r.ts < b->r.ts || (a->r.ts == b->r.ts && a_cpu < b_cpu);
}

static bool event_before_at(const struct window *w, size_t a, size_t b)
{
	return event_before(&w->events[a], w->cpus[a], &w->events[b], w->cpus[b]);
}

static void part_move(struct window_part *to, struct window_part *from)
{
	if (CT_KIND_WORDS(from->events->r.kind))
		*to->words++ = *from->words++;
	*to->events++ = *from->events++;
	*to->cpus++ = *from->cpus++;
}

static int part_copy(const struct window_part *from, size_t n_events, size_t n_words, struct window_part *ret)
{
	ret->events = malloc(n_events * sizeof(*ret->events));
	ret->cpus = malloc(n_events * sizeof(*ret->cpus));
	ret->words = malloc((n_words + 1) * sizeof(*ret->words));
	if (!ret->events || !ret->cpus || !ret->words)
		return -ENOMEM;
	memcpy(ret->events, from->events, n_events * sizeof(*ret->events));
	memcpy(ret->cpus, from->cpus, n_events * sizeof(*ret->cpus));
	memcpy(ret->words, from->words, n_words * sizeof(*ret->words));
	return 0;
}

static void part_free(struct window_part *p)
{
	free(p->events);
	free(p->cpus);
	free(p->words);
}

/* `from`: index of the first event of w that comes after an added event. n_words: the words of the events of
 * w from there on. */
static int order_join_from(struct window *w, size_t from, size_t n_words, size_t n_added)
{
	_cleanup_(part_free) struct window_part tail = { 0 };
	struct window_part out = { w->events + from, w->cpus + from, w->words + w->n_words - n_words };
	struct window_part added = { w->events + w->n_events, w->cpus + w->n_events, w->words + w->n_words };
	size_t n = w->n_events - from;
	struct window_part next;

	if (part_copy(&out, n, n_words, &tail))
		return -ENOMEM;
	next = tail;
	while (next.events < tail.events + n)
		if (added.events < w->events + w->n_events + n_added &&
		    event_before(added.events, *added.cpus, next.events, *next.cpus))
			part_move(&out, &added);
		else
			part_move(&out, &next);
	return 0;
}

int order_join(struct window *w, size_t n_events, size_t n_words, uint64_t *moves)
{
	size_t n = w->n_events, n_tail_words = 0, from = n;

	if (n && n_events && event_before_at(w, n, n - 1))
		from = BISECT(i, 0, n, event_before_at(w, n, i));
	if (n - from > *moves)
		return -EBADMSG;
	for (size_t i = from; i < n; i++)
		n_tail_words += CT_KIND_WORDS(w->events[i].r.kind) != 0;
	if (from < n && order_join_from(w, from, n_tail_words, n_events))
		return -ENOMEM;
	*moves -= n - from;
	w->n_events += n_events;
	w->n_words += n_words;
	return 0;
}
