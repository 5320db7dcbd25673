// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <zstd.h>

#include "lib/cleanup.h"
#include "test/fuzz/mutate_private.h"
#include "trace/format/crc32c.h"

static int block_fill(struct mutate_block *b, const uint8_t *stored)
{
	unsigned long long n = b->h.stored_bytes;

	if (b->h.codec == FORMAT_CODEC_ZSTD)
		n = ZSTD_getFrameContentSize(stored, b->h.stored_bytes);
	if (n > MUTATE_BYTES_MAX || VEC_RESERVE(&b->raw, (size_t)n + 1))
		return -EBADMSG;
	if (b->h.codec != FORMAT_CODEC_ZSTD)
		memcpy(b->raw.v, stored, (size_t)n);
	else if (ZSTD_decompress(b->raw.v, (size_t)n, stored, b->h.stored_bytes) != n)
		return -EBADMSG;
	b->raw.n = (size_t)n;
	b->h.codec = FORMAT_CODEC_RAW;
	return 0;
}

static void segment_fill(struct mutate_segment *s, const uint8_t *p, size_t n)
{
	struct mutate_block b = { 0 };

	while (n >= sizeof(b.h) && s->blocks.n < MUTATE_BLOCKS_MAX) {
		size_t padded;

		b = (struct mutate_block){ 0 };
		memcpy(&b.h, p, sizeof(b.h));
		padded = ((size_t)b.h.stored_bytes + 7) & ~(size_t)7;
		if (padded > n - sizeof(b.h))
			return;
		if (block_fill(&b, p + sizeof(b.h)) || VEC_PUSH(&s->blocks, b)) {
			VEC_FREE(&b.raw);
			return;
		}
		p += sizeof(b.h) + padded;
		n -= sizeof(b.h) + padded;
	}
}

void mutate_segment_done(struct mutate_segment *s)
{
	for (size_t i = 0; i < s->blocks.n; i++)
		VEC_FREE(&s->blocks.v[i].raw);
	VEC_FREE(&s->blocks);
}

static void fill_segments(struct mutate *m, const uint8_t *p, size_t n)
{
	size_t slot = m->h.slot_bytes;

	if (slot < FORMAT_SLOT_BYTES_MIN)
		slot = MUTATE_SLOT_BYTES;
	for (size_t at = slot; at + sizeof(struct format_segment) <= n && m->segments.n < MUTATE_SEGMENTS_MAX;
	     at += slot) {
		struct mutate_segment s = { 0 };

		if (memcmp(p + at, FORMAT_SEGMENT_MAGIC, FORMAT_MAGIC_BYTES))
			continue;
		memcpy(&s.h, p + at, sizeof(s.h));
		segment_fill(&s, p + at + sizeof(s.h), MIN(n - at - sizeof(s.h), (size_t)s.h.body_bytes));
		if (VEC_PUSH(&m->segments, s))
			mutate_segment_done(&s);
	}
}

struct mutate *mutate_new(const uint8_t *p, size_t n)
{
	struct mutate *m = calloc(1, sizeof(*m));

	if (!m || n < sizeof(m->h)) {
		free(m);
		return NULL;
	}
	memcpy(&m->h, p, sizeof(m->h));
	m->meta.n = MIN((size_t)m->h.meta_bytes, n - sizeof(m->h));
	m->meta.n = MIN(m->meta.n, (size_t)MUTATE_SLOT_BYTES - sizeof(m->h));
	if (memcmp(p, FORMAT_FILE_MAGIC, FORMAT_MAGIC_BYTES) || VEC_RESERVE(&m->meta, m->meta.n + 1)) {
		free(m);
		return NULL;
	}
	memcpy(m->meta.v, p + sizeof(m->h), m->meta.n);
	fill_segments(m, p, n);
	return m;
}

void mutate_free(struct mutate *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->segments.n; i++)
		mutate_segment_done(&m->segments.v[i]);
	VEC_FREE(&m->segments);
	VEC_FREE(&m->meta);
	free(m);
}

static void lies_tell(const struct mutate_lies *lies, uint8_t *header)
{
	for (unsigned i = 0; i < lies->n; i++)
		memcpy(header + lies->v[i].at, &lies->v[i].value, lies->v[i].size);
}

/* Compression can make a block larger. */
static size_t block_room(const struct mutate_block *b)
{
	return sizeof(b->h) + ZSTD_compressBound(b->raw.n) + 8;
}

static size_t block_store(const struct mutate_block *b, uint8_t *to)
{
	struct format_block h = b->h;
	size_t n = b->raw.n, padded;

	if (h.codec == FORMAT_CODEC_ZSTD)
		n = ZSTD_compress(to + sizeof(h), ZSTD_compressBound(n), b->raw.v, n, 1);
	else
		memcpy(to + sizeof(h), b->raw.v, n);
	padded = (n + 7) & ~(size_t)7;
	memset(to + sizeof(h) + n, 0, padded - n);
	h.raw_bytes = (uint32_t)b->raw.n;
	h.stored_bytes = (uint32_t)n;
	memcpy(to, &h, sizeof(h));
	lies_tell(&b->lies, to);
	return sizeof(h) + padded;
}

static size_t segment_store(const struct mutate *m, const struct mutate_segment *s, uint8_t *to, size_t size)
{
	struct format_segment h = s->h;
	size_t n = sizeof(h), slots;

	for (size_t i = 0; i < s->blocks.n; i++) {
		if (n + block_room(&s->blocks.v[i]) > size)
			return 0;
		n += block_store(&s->blocks.v[i], to + n);
	}
	slots = (n + MUTATE_SLOT_BYTES - 1) / MUTATE_SLOT_BYTES;
	if (slots * MUTATE_SLOT_BYTES > size)
		return 0;
	memset(to + n, 0, slots * MUTATE_SLOT_BYTES - n);
	h.file_id = m->h.file_id;
	h.header_bytes = sizeof(h);
	h.body_bytes = (uint32_t)(n - sizeof(h));
	h.n_slots = (uint32_t)slots;
	memcpy(to, &h, sizeof(h));
	lies_tell(&s->lies, to);
	memcpy(&h, to, sizeof(h));
	h.body_crc = crc32c(0, to + sizeof(h), n - sizeof(h));
	h.crc = 0;
	h.crc = crc32c(0, &h, sizeof(h));
	memcpy(to, &h, sizeof(h));
	return slots * MUTATE_SLOT_BYTES;
}

size_t mutate_store(const struct mutate *m, uint8_t *to, size_t size)
{
	struct format_file h = m->h;
	size_t n = MUTATE_SLOT_BYTES, used = sizeof(h) + m->meta.n;

	if (size < n)
		return 0;
	for (size_t i = 0; i < m->segments.n; i++) {
		size_t k = segment_store(m, &m->segments.v[i], to + n, size - n);

		if (!k)
			return 0;
		n += k;
	}
	h.header_bytes = sizeof(h);
	h.slot_bytes = MUTATE_SLOT_BYTES;
	h.n_slots = (uint32_t)MAX(n / MUTATE_SLOT_BYTES - 1, (size_t)1);
	h.meta_bytes = (uint32_t)m->meta.n;
	memset(to, 0, MUTATE_SLOT_BYTES);
	memcpy(to, &h, sizeof(h));
	memcpy(to + sizeof(h), m->meta.v, m->meta.n);
	lies_tell(&m->lies, to);
	memset(to + offsetof(struct format_file, crc), 0, sizeof(h.crc));
	h.crc = crc32c(0, to, used);
	memcpy(to + offsetof(struct format_file, crc), &h.crc, sizeof(h.crc));
	return m->cut < n ? n - m->cut : n;
}
