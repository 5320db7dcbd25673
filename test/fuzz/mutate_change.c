// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/cleanup.h"
#include "test/fuzz/mutate_private.h"

#define CHANGES_MAX 8u
#define RECORDS_MAX 16u

/* SplitMix64. Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014. */
uint64_t mutate_draw(struct mutate *m)
{
	uint64_t z = m->rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

size_t mutate_below(struct mutate *m, size_t n)
{
	return n ? (size_t)(mutate_draw(m) % n) : 0;
}

static uint64_t edge_value(struct mutate *m, uint64_t old, unsigned size)
{
	uint64_t max = size < 8 ? (1ULL << 8 * size) - 1 : UINT64_MAX;
	uint64_t value;

	switch (mutate_below(m, 10)) {
	case 0:
		value = mutate_below(m, 3);
		break;
	case 1:
		value = max - mutate_below(m, 3);
		break;
	case 2:
		value = max / 2 - 1 + mutate_below(m, 4);
		break;
	case 3:
		value = (1ULL << mutate_below(m, 8 * size)) - 1 + mutate_below(m, 3);
		break;
	case 4:
		value = old + 1;
		break;
	case 5:
		value = old - 1;
		break;
	case 6:
		value = old * 2;
		break;
	case 7:
		value = mutate_below(m, 64);
		break;
	case 8:
		value = old ^ 1ULL << mutate_below(m, 8 * size);
		break;
	default:
		value = mutate_draw(m);
	}
	return value & max;
}

static void lie_add(struct mutate *m, struct mutate_lies *lies, struct mutate_lie l)
{
	lies->v[lies->n < MUTATE_LIES_MAX ? lies->n++ : mutate_below(m, MUTATE_LIES_MAX)] = l;
}

static struct mutate_lie lie_at(struct mutate *m, struct mutate_lies *lies, const void *header, size_t at,
				size_t size)
{
	struct mutate_lie l = { .at = (uint16_t)at, .size = (uint8_t)size };
	uint64_t old = 0;

	memcpy(&old, (const uint8_t *)header + at, size);
	l.value = edge_value(m, old, (unsigned)size);
	lie_add(m, lies, l);
	return l;
}

static void lie_in(struct mutate *m, struct mutate_lies *lies, const void *header, size_t from, size_t to)
{
	size_t size = (size_t)1 << mutate_below(m, 4);

	lie_at(m, lies, header, from + mutate_below(m, (to - from) / size) * size, size);
}

#define FIELD(member)                                                                                        \
	{                                                                                                    \
		offsetof(struct format_segment, member), sizeof(((struct format_segment *)0)->member)        \
	}
static const struct {
	uint16_t at;
	uint8_t size;
} segment_fields[] = {
	FIELD(major),           FIELD(header_bytes),    FIELD(seq),
	FIELD(n_slots),         FIELD(flags),           FIELD(begin_ns),
	FIELD(end_ns),          FIELD(min_ns),          FIELD(max_ns),
	FIELD(boot_to_mono_ns), FIELD(boot_to_real_ns), FIELD(body_bytes),
	FIELD(n_records),       FIELD(n_cpus),          FIELD(n_tasks),
	FIELD(n_objects),       FIELD(n_stacks),        FIELD(n_states),
	FIELD(gap_from_ns),     FIELD(gap_records),
};

static void lie_in_segment(struct mutate *m, struct mutate_segment *s)
{
	size_t i = mutate_below(m, ARRAY_SIZE(segment_fields));
	struct mutate_lie l;

	if (!mutate_below(m, 4)) {
		lie_in(m, &s->lies, &s->h, FORMAT_MAGIC_BYTES, offsetof(struct format_segment, reserved));
		return;
	}
	l = lie_at(m, &s->lies, &s->h, segment_fields[i].at, segment_fields[i].size);
	/* For some fields, the reader uses only the value in the last segment. So half of the time,
	 * all segments get the same false value. */
	if (mutate_below(m, 2))
		for (size_t k = 0; k < m->segments.n; k++)
			lie_add(m, &m->segments.v[k].lies, l);
}

struct mutate_segment *mutate_segment(struct mutate *m)
{
	return m->segments.n ? &m->segments.v[mutate_below(m, m->segments.n)] : NULL;
}

static struct mutate_block *any_block(struct mutate *m)
{
	struct mutate_segment *s = mutate_segment(m);

	return s && s->blocks.n ? &s->blocks.v[mutate_below(m, s->blocks.n)] : NULL;
}

static void change_value(struct mutate *m)
{
	struct mutate_block *b = any_block(m);
	size_t size = (size_t)1 << mutate_below(m, 4), at;
	uint64_t value = 0;

	if (!b || b->raw.n < size)
		return;
	at = mutate_below(m, b->raw.n / size) * size;
	memcpy(&value, b->raw.v + at, size);
	value = edge_value(m, value, (unsigned)size);
	memcpy(b->raw.v + at, &value, size);
}

/* Small values are often valid. So three of four new values are chosen below 32. */
static void change_byte(struct mutate *m)
{
	struct mutate_block *b = any_block(m);

	if (b && b->raw.n)
		b->raw.v[mutate_below(m, b->raw.n)] = (uint8_t)mutate_below(m, mutate_below(m, 4) ? 32 : 256);
}

static void change_by(struct mutate *m, mutate_bytes_fn bytes)
{
	struct mutate_block *b = any_block(m);

	if (b && b->raw.n && bytes && !VEC_RESERVE(&b->raw, b->raw.n + 64))
		b->raw.n = MIN(bytes(b->raw.v, b->raw.n, b->raw.n + 64), b->raw.n + 64);
}

static void change_length(struct mutate *m)
{
	struct mutate_block *b = any_block(m);
	size_t n;

	if (!b || !b->raw.n)
		return;
	n = mutate_below(m, 2) ? mutate_below(m, b->raw.n) + 1 : b->raw.n + mutate_below(m, 8) * 8;
	if (VEC_RESERVE(&b->raw, n))
		return;
	for (size_t i = b->raw.n; i < n; i++)
		b->raw.v[i] = b->raw.v[i - b->raw.n];
	b->raw.n = n;
}

static int block_copy(const struct mutate_block *from, struct mutate_block *to)
{
	*to = *from;
	memset(&to->raw, 0, sizeof(to->raw));
	if (VEC_RESERVE(&to->raw, from->raw.n + 1))
		return -ENOMEM;
	memcpy(to->raw.v, from->raw.v, from->raw.n);
	to->raw.n = from->raw.n;
	return 0;
}

static void add_block(struct mutate *m)
{
	struct mutate_segment *s = mutate_segment(m);
	const struct mutate_block *from = any_block(m);
	struct mutate_block b;

	if (!s || !from || s->blocks.n >= MUTATE_BLOCKS_MAX || block_copy(from, &b))
		return;
	if (VEC_PUSH(&s->blocks, b))
		VEC_FREE(&b.raw);
}

static void drop_block(struct mutate *m)
{
	struct mutate_segment *s = mutate_segment(m);
	size_t i;

	if (!s || !s->blocks.n)
		return;
	i = mutate_below(m, s->blocks.n);
	VEC_FREE(&s->blocks.v[i].raw);
	s->blocks.n--;
	memmove(&s->blocks.v[i], &s->blocks.v[i + 1], (s->blocks.n - i) * sizeof(s->blocks.v[0]));
}

static void swap_blocks(struct mutate *m)
{
	struct mutate_segment *s = mutate_segment(m);
	struct mutate_block *b = any_block(m);

	for (size_t i = 0; s && b && i < s->blocks.n; i++)
		if (s->blocks.v[i].h.type == b->h.type) {
			struct mutate_block other = s->blocks.v[i];

			s->blocks.v[i] = *b;
			*b = other;
			return;
		}
}

static void shift(struct mutate_segment *s, uint64_t ns)
{
	s->h.begin_ns += ns;
	s->h.end_ns += ns;
	s->h.min_ns += ns;
	s->h.max_ns += ns;
}

static void add_segment(struct mutate *m)
{
	const struct mutate_segment *from = mutate_segment(m), *newest = from;
	struct mutate_segment s;

	if (!from || m->segments.n >= MUTATE_SEGMENTS_MAX)
		return;
	for (size_t i = 0; i < m->segments.n; i++)
		if (m->segments.v[i].h.seq > newest->h.seq)
			newest = &m->segments.v[i];
	s = (struct mutate_segment){ .h = from->h, .lies = from->lies };
	s.h.seq = newest->h.seq + 1 + (mutate_below(m, 4) ? 0 : mutate_below(m, 3));
	if (!mutate_below(m, 8))
		s.h.boot_id[mutate_below(m, sizeof(s.h.boot_id))]++;
	for (size_t i = 0; i < from->blocks.n; i++) {
		struct mutate_block b;

		if (block_copy(&from->blocks.v[i], &b) || VEC_PUSH(&s.blocks, b))
			break;
	}
	shift(&s, newest->h.end_ns - s.h.begin_ns +
			  (mutate_below(m, 4) ? 0 : mutate_draw(m) >> mutate_below(m, 64)));
	if (VEC_PUSH(&m->segments, s))
		mutate_segment_done(&s);
}

static void drop_segment(struct mutate *m)
{
	size_t i = mutate_below(m, m->segments.n);

	if (m->segments.n < 2)
		return;
	mutate_segment_done(&m->segments.v[i]);
	m->segments.n--;
	memmove(&m->segments.v[i], &m->segments.v[i + 1], (m->segments.n - i) * sizeof(m->segments.v[0]));
}

static void swap_segments(struct mutate *m)
{
	struct mutate_segment *a = mutate_segment(m), *b = mutate_segment(m), s;
	uint64_t seq;

	if (!a)
		return;
	s = *a;
	*a = *b;
	*b = s;
	if (!mutate_below(m, 2))
		return;
	seq = a->h.seq;
	a->h.seq = b->h.seq;
	b->h.seq = seq;
}

static void change_segment(struct mutate *m)
{
	struct mutate_segment *s = mutate_segment(m);

	if (!s)
		return;
	switch (mutate_below(m, 8)) {
	case 0:
		s->h.flags ^= FORMAT_SEGMENT_RESTART;
		break;
	case 1:
		s->h.flags ^= FORMAT_SEGMENT_UNWRITTEN;
		s->h.gap_from_ns = edge_value(m, s->h.begin_ns, 8);
		s->h.gap_records = edge_value(m, 0, 8);
		break;
	case 2:
		shift(s, mutate_draw(m) >> mutate_below(m, 64));
		break;
	case 3:
		shift(s, UINT64_MAX - s->h.end_ns - mutate_below(m, 3));
		break;
	default:
		lie_in_segment(m, s);
	}
}

static void change_codec(struct mutate *m)
{
	struct mutate_block *b = any_block(m);

	if (b)
		b->h.codec ^= FORMAT_CODEC_RAW ^ FORMAT_CODEC_ZSTD;
}

static void change_block_header(struct mutate *m)
{
	struct mutate_block *b = any_block(m);

	if (b)
		lie_in(m, &b->lies, &b->h, 0, offsetof(struct format_block, reserved));
}

static void change_once(struct mutate *m, mutate_bytes_fn bytes)
{
	size_t what = mutate_below(m, 100);

	if (what < 25)
		for (size_t i = mutate_below(m, RECORDS_MAX); i < RECORDS_MAX; i++)
			mutate_record(m);
	else if (what < 45)
		change_value(m);
	else if (what < 57)
		change_byte(m);
	else if (what < 62)
		change_by(m, bytes);
	else if (what < 78)
		change_segment(m);
	else if (what < 82)
		change_length(m);
	else if (what < 85)
		change_block_header(m);
	else if (what < 86)
		change_codec(m);
	else if (what < 88)
		add_block(m);
	else if (what < 90)
		drop_block(m);
	else if (what < 92)
		swap_blocks(m);
	else if (what < 94)
		add_segment(m);
	else if (what < 96)
		drop_segment(m);
	else if (what < 98)
		swap_segments(m);
	else if (what < 99)
		lie_in(m, &m->lies, &m->h, FORMAT_MAGIC_BYTES, offsetof(struct format_file, reserved));
	else
		m->cut = mutate_below(m, 3 * MUTATE_SLOT_BYTES);
}

void mutate_change(struct mutate *m, uint64_t seed, mutate_bytes_fn bytes)
{
	size_t n;

	m->rng = seed;
	n = 1 + mutate_below(m, CHANGES_MAX);
	for (size_t i = 0; i < n; i++)
		change_once(m, bytes);
}
