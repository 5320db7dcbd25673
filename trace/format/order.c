// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/order.h"

#include <stdbool.h>

#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "trace/thresholds.h"

void order_done(struct order *o)
{
	VEC_FREE(&o->sorted);
	VEC_FREE(&o->heads);
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

/* The key is one number, so that a comparison needs no branch. On a tie, the lower CPU comes
 * first. */
static inline unsigned __int128 heap_key(const struct order_head *h)
{
	return (unsigned __int128)h->ts << 32 | h->at;
}

static void heap_down(struct order_head *h, size_t n, size_t i)
{
	struct order_head top = h[i];

	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= n)
			break;
		if (k + 1 < n)
			k += heap_key(&h[k + 1]) < heap_key(&h[k]);
		if (heap_key(&top) < heap_key(&h[k]))
			break;
		h[i] = h[k];
		i = k;
	}
	h[i] = top;
}

int order_merge(struct order *o, const uint64_t *times, const uint8_t *kinds, uint64_t wanted,
		const struct format_cpu *cpus, size_t n_cpus, size_t *ret_n)
{
	uint32_t at = 0, n_sorted = 0, n_out = 0;
	size_t n = 0, total = 0;
	struct order_head *h;

	for (size_t c = 0; c < n_cpus; c++)
		total += cpus[c].n_records;
	if (VEC_RESERVE(&o->sorted, total) || VEC_RESERVE(&o->heads, n_cpus) ||
	    vec_grow((void **)&o->place, &o->place_cap, total, sizeof(*o->place)))
		return -ENOMEM;
	h = o->heads.v;
	for (size_t c = 0; c < n_cpus; c++) {
		uint32_t first = n_sorted, end = at + cpus[c].n_records;

		for (; at < end; at++)
			if (kinds[at] <= CT_KIND_LAST && wanted >> kinds[at] & 1)
				o->sorted.v[n_sorted++] = at;
			else
				o->place[at] = ORDER_NONE;
		if (first == n_sorted)
			continue;
		order_cpu(o->sorted.v + first, n_sorted - first, times);
		h[n++] = (struct order_head){ times[o->sorted.v[first]], first, n_sorted };
	}
	for (size_t i = n; i-- > 0;)
		heap_down(h, n, i);
	while (n) {
		uint32_t r = o->sorted.v[h[0].at];

		o->place[r] = n_out++;
		if (++h[0].at < h[0].end)
			h[0].ts = times[o->sorted.v[h[0].at]];
		else
			h[0] = h[--n];
		heap_down(h, n, 0);
	}
	*ret_n = n_out;
	return 0;
}

static bool event_before(const struct window_event *a, const struct window_event *b)
{
	return a->r.ts < b->r.ts || (a->r.ts == b->r.ts && a->cpu < b->cpu);
}

int order_join(struct window_event *ev, size_t n, size_t total, uint64_t *moves)
{
	_cleanup_free_ struct window_event *tail = NULL;
	size_t lo, out, b = n, n_tail;

	if (!n || n == total || !event_before(&ev[n], &ev[n - 1]))
		return 0;
	lo = BISECT(i, 0, n, event_before(&ev[n], &ev[i]));
	n_tail = n - lo;
	if (n_tail > *moves)
		return -EBADMSG;
	*moves -= n_tail;
	tail = malloc(n_tail * sizeof(*tail));
	if (!tail)
		return -ENOMEM;
	memcpy(tail, ev + lo, n_tail * sizeof(*tail));
	out = lo;
	for (size_t a = 0; a < n_tail;)
		ev[out++] = b < total && event_before(&ev[b], &tail[a]) ? ev[b++] : tail[a++];
	return 0;
}
