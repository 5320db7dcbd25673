// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/encode.h"

#include <stdbool.h>
#include <zstd.h>

#include "lib/cleanup.h"
#include "trace/format/intern.h"
#include "trace/format/predict.h"
#include "trace/thresholds.h"

#define COL_FIRST FORMAT_COL_KIND
#define COL_LAST  FORMAT_COL_X1
/* words: so far ahead of a record, its memory is fetched. The CPU cannot do this by itself, because each
 * record says where the next one begins. */
#define ENCODE_AHEAD 192

typedef VEC(uint8_t) bytes_t;

struct kept_block {
	bytes_t content, block;
};

struct encoder {
	struct predict predict;
	/* One row is the eight contexts of a task. rows[i]: this segment may have used row i, or wakees[i].
	 * Only these are cleared. */
	uint8_t rows[PREDICT_WAKEES];
	struct intern tids, objs;
	VEC(uint32_t) tids32;
	VEC(uint64_t) x_objs;
	VEC(uint64_t) x_stacks;
	bytes_t cols[COL_LAST + 1];
	bytes_t out;
	bytes_t planes;
	size_t raw_bytes;
	size_t plain_max; /* see encoder_plain() */
	bool plain;       /* blocks are stored without compression, and not kept */
	/* The newest block of each type, except columns and blocks above ENCODE_KEEP_BYTES. If the next
	 * segment or copy has the same content in a block of this type, the encoder takes the kept block,
	 * and does not compress the content again. */
	struct kept_block kept[FORMAT_BLOCK_TYPES];
	ZSTD_CCtx *zstd;
};

struct encoder *encoder_new(void)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->zstd = ZSTD_createCCtx();
	if (!e->zstd) {
		free(e);
		return NULL;
	}
	return e;
}

void encoder_free(struct encoder *e)
{
	if (!e)
		return;
	intern_done(&e->tids);
	intern_done(&e->objs);
	VEC_FREE(&e->tids32);
	VEC_FREE(&e->x_objs);
	VEC_FREE(&e->x_stacks);
	for (size_t i = 0; i < ARRAY_SIZE(e->cols); i++)
		VEC_FREE(&e->cols[i]);
	for (size_t i = 0; i < ARRAY_SIZE(e->kept); i++) {
		VEC_FREE(&e->kept[i].content);
		VEC_FREE(&e->kept[i].block);
	}
	VEC_FREE(&e->out);
	VEC_FREE(&e->planes);
	ZSTD_freeCCtx(e->zstd);
	free(e);
}

void encode_kind_info(uint8_t kind_info[FORMAT_KINDS])
{
	memset(kind_info, 0, FORMAT_KINDS);
	for (unsigned k = 1; k <= CT_KIND_LAST; k++)
		kind_info[k] = CT_KIND_WORDS(k);
	kind_info[CT_SWITCH] |= FORMAT_KIND_SWITCH | FORMAT_KIND_PEER_TID;
	kind_info[CT_WAKE] |= FORMAT_KIND_WAKE | FORMAT_KIND_PEER_TID;
	kind_info[CT_WAKE_NEW] |= FORMAT_KIND_WAKE | FORMAT_KIND_PEER_TID;
	kind_info[CT_FUTEX] |= FORMAT_KIND_PEER_TID;
	kind_info[CT_FORK] |= FORMAT_KIND_PEER_TID;
	kind_info[CT_EXEC] |= FORMAT_KIND_PEER_TID;
	kind_info[CT_SIGNAL] |= FORMAT_KIND_PEER_TID;
}

_Static_assert(PREDICT_WAKEES == PREDICT_CONTEXTS / 8, "encoder.rows");

static void predict_clear(struct encoder *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(e->rows); i++) {
		if (!e->rows[i])
			continue;
		memset(&e->predict.contexts[i * 8], 0, 8 * sizeof(*e->predict.contexts));
		e->predict.wakees[i] = 0;
	}
	memset(e->rows, 0, sizeof(e->rows));
	e->predict.cur = 0;
}

int encoder_begin(struct encoder *e, size_t head_bytes)
{
	predict_clear(e);
	intern_clear(&e->tids);
	intern_clear(&e->objs);
	e->tids32.n = e->x_objs.n = e->x_stacks.n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(e->cols); i++)
		e->cols[i].n = 0;
	e->raw_bytes = 0;
	e->plain_max = 0;
	if (VEC_RESERVE(&e->out, head_bytes + sizeof(struct format_block)))
		return -ENOMEM;
	memset(e->out.v, 0, head_bytes);
	e->out.n = head_bytes;
	return 0;
}

void encoder_plain(struct encoder *e, size_t max_bytes)
{
	e->plain_max = max_bytes;
}

/* Byte b of item i goes to b * n + i: high bytes are nearly the same, and compress well
 * together. */
static int encoder_planes(struct encoder *e, const uint8_t *data, size_t n, unsigned width)
{
	if (VEC_RESERVE(&e->planes, n * width))
		return -ENOMEM;
	for (unsigned b = 0; b < width; b++)
		for (size_t i = 0; i < n; i++)
			e->planes.v[b * n + i] = data[i * width + b];
	return 0;
}

static void block_take(struct encoder *e, const struct kept_block *k)
{
	memcpy(e->out.v + e->out.n, k->block.v, k->block.n);
	e->out.n += k->block.n;
}

static bool block_again(struct encoder *e, const struct kept_block *k, const void *data, size_t raw)
{
	if (k->content.n != raw || memcmp(k->content.v, data, raw))
		return false;
	block_take(e, k);
	return true;
}

static void block_keep(struct kept_block *k, const void *data, size_t raw, const uint8_t *block, size_t n)
{
	k->content.n = k->block.n = 0;
	if (raw > ENCODE_KEEP_BYTES || VEC_RESERVE(&k->content, raw) || VEC_RESERVE(&k->block, n))
		return;
	memcpy(k->content.v, data, raw);
	memcpy(k->block.v, block, n);
	k->content.n = raw;
	k->block.n = n;
}

int encoder_block(struct encoder *e, enum format_block_type type, const void *data, size_t n, unsigned width)
{
	struct format_block h = { .type = type, .width = width > 1 ? width : 0 };
	size_t raw = n * width, bound = ZSTD_COMPRESSBOUND(raw) + 8, stored;
	struct kept_block *k = !e->plain && (type < COL_FIRST || type > COL_LAST) ? &e->kept[type] : NULL;
	const void *content = data;
	uint8_t *to;

	if (!n)
		return 0;
	if (n > FORMAT_RAW_MAX / width || raw > FORMAT_RAW_MAX - e->raw_bytes)
		return -EFBIG;
	e->raw_bytes += raw;
	if (VEC_RESERVE(&e->out, e->out.n + sizeof(h) + bound))
		return -ENOMEM;
	if (k && block_again(e, k, content, raw))
		return 0;
	if (width > 1) {
		if (encoder_planes(e, data, n, width))
			return -ENOMEM;
		data = e->planes.v;
	}
	to = e->out.v + e->out.n + sizeof(h);
	stored = e->plain || raw < ZSTD_MIN_BYTES
			 ? raw
			 : ZSTD_compressCCtx(e->zstd, to, bound, data, raw, ZSTD_LEVEL);
	if (ZSTD_isError(stored))
		return -ENOMEM;
	h.codec = FORMAT_CODEC_ZSTD;
	if (stored >= raw) {
		h.codec = FORMAT_CODEC_RAW;
		stored = raw;
		memcpy(to, data, raw);
	}
	h.raw_bytes = (uint32_t)raw;
	h.stored_bytes = (uint32_t)stored;
	memcpy(to - sizeof(h), &h, sizeof(h));
	memset(to + stored, 0, -stored & 7);
	stored += -stored & 7;
	e->out.n += sizeof(h) + stored;
	if (k)
		block_keep(k, content, raw, to - sizeof(h), sizeof(h) + stored);
	return 0;
}

bool encoder_again(struct encoder *e, enum format_block_type type)
{
	const struct kept_block *k = &e->kept[type];

	if (!k->content.n || k->content.n > FORMAT_RAW_MAX - e->raw_bytes ||
	    VEC_RESERVE(&e->out, e->out.n + k->block.n))
		return false;
	e->raw_bytes += k->content.n;
	block_take(e, k);
	return true;
}

static int cols_reserve(struct encoder *e, size_t n)
{
	for (int c = COL_FIRST; c <= COL_LAST; c++) {
		size_t max = n + 1;

		if (c == FORMAT_COL_TID || c == FORMAT_COL_PEER || c == FORMAT_COL_COUNT ||
		    c == FORMAT_COL_OBJ)
			max = n * 5;
		else if (c == FORMAT_COL_X0 || c == FORMAT_COL_X1)
			max = n * 10;
		else if (c == FORMAT_COL_NR || c == FORMAT_COL_AUX)
			max = n * 2;
		if (VEC_RESERVE(&e->cols[c], e->cols[c].n + max))
			return -ENOMEM;
	}
	return 0;
}

static inline void put_byte(struct encoder *e, int c, uint8_t v)
{
	e->cols[c].v[e->cols[c].n++] = v;
}

static inline void put_u16(struct encoder *e, int c, uint16_t v)
{
	memcpy(e->cols[c].v + e->cols[c].n, &v, 2);
	e->cols[c].n += 2;
}

static inline void put_varint(struct encoder *e, int c, uint64_t v)
{
	uint8_t *p = e->cols[c].v + e->cols[c].n;

	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)v | 0x80;
	*p++ = (uint8_t)v;
	e->cols[c].n = (size_t)(p - e->cols[c].v);
}

static inline size_t record_words(const uint64_t *p, const uint8_t *kind_info)
{
	return 4 + (kind_info[(uint8_t)p[1]] & FORMAT_KIND_WORDS);
}

static void encode_times(struct encoder *e, const struct encode_stream *s, uint64_t last,
			 const uint8_t *kind_info)
{
	bytes_t *cols = e->cols;
	uint8_t *len = cols[FORMAT_COL_TLEN].v + cols[FORMAT_COL_TLEN].n;
	uint8_t *t0 = cols[FORMAT_COL_T0].v + cols[FORMAT_COL_T0].n;
	uint8_t *t1 = cols[FORMAT_COL_T0 + 1].v + cols[FORMAT_COL_T0 + 1].n;
	uint8_t *t2 = cols[FORMAT_COL_T0 + 2].v + cols[FORMAT_COL_T0 + 2].n;
	const uint64_t *p = s->raw;

	for (uint32_t i = 0; i < s->n_records; i++, p += record_words(p, kind_info)) {
		uint64_t z = predict_zigzag(p[0] - last);
		unsigned n = z ? (unsigned)(71 - __builtin_clzll(z)) / 8 : 0;

		__builtin_prefetch(p + ENCODE_AHEAD);
		last = p[0];
		*len++ = (uint8_t)n;
		*t0 = (uint8_t)z;
		t0 += n > 0;
		*t1 = (uint8_t)(z >> 8);
		t1 += n > 1;
		*t2 = (uint8_t)(z >> 16);
		t2 += n > 2;
		for (unsigned k = 3; k < n; k++)
			put_byte(e, FORMAT_COL_T0 + (int)k, (uint8_t)(z >> (8 * k)));
	}
	cols[FORMAT_COL_TLEN].n = (size_t)(len - cols[FORMAT_COL_TLEN].v);
	cols[FORMAT_COL_T0].n = (size_t)(t0 - cols[FORMAT_COL_T0].v);
	cols[FORMAT_COL_T0 + 1].n = (size_t)(t1 - cols[FORMAT_COL_T0 + 1].v);
	cols[FORMAT_COL_T0 + 2].n = (size_t)(t2 - cols[FORMAT_COL_T0 + 2].v);
}

static int encode_fields(struct encoder *e, const struct ct_rec *r, uint8_t mask, uint8_t info)
{
	uint32_t i;

	if (mask & FORMAT_MASK_TID) {
		if (intern(&e->tids, r->tid, &i))
			return -ENOMEM;
		put_varint(e, FORMAT_COL_TID, i);
	}
	if (mask & FORMAT_MASK_PEER) {
		if (!(info & FORMAT_KIND_PEER_TID)) {
			put_varint(e, FORMAT_COL_COUNT, r->peer);
		} else {
			if (intern(&e->tids, r->peer, &i))
				return -ENOMEM;
			put_varint(e, FORMAT_COL_PEER, i);
		}
	}
	if (mask & FORMAT_MASK_STATE)
		put_byte(e, FORMAT_COL_STATE, r->state);
	if (mask & FORMAT_MASK_WAIT)
		put_byte(e, FORMAT_COL_WAIT, r->wait);
	if (mask & FORMAT_MASK_FLAGS)
		put_byte(e, FORMAT_COL_FLAGS, r->flags);
	if (mask & FORMAT_MASK_NR)
		put_u16(e, FORMAT_COL_NR, r->nr);
	if (mask & FORMAT_MASK_AUX)
		put_u16(e, FORMAT_COL_AUX, r->aux);
	if (mask & FORMAT_MASK_OBJ) {
		if (intern(&e->objs, r->obj, &i))
			return -ENOMEM;
		put_varint(e, FORMAT_COL_OBJ, i);
	}
	return 0;
}

static int encode_words(struct encoder *e, struct predict_context *c, uint8_t kind, const uint64_t *x,
			unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		put_varint(e, FORMAT_COL_X0 + (int)k, predict_zigzag(x[k] - c->x[k]));
		c->x[k] = x[k];
	}
	if ((kind == CT_SAMPLE || kind == CT_VISIT) && x[0])
		return VEC_PUSH(&e->x_stacks, x[0]);
	if ((kind == CT_ACCESS || kind == CT_JOB_STACK) && x[1])
		return VEC_PUSH(&e->x_stacks, x[1]);
	if (kind == CT_EPMEMBER && x[0])
		return VEC_PUSH(&e->x_objs, x[0]);
	if ((kind == CT_BLK_ISSUE || kind == CT_BLK_DONE) && x[1])
		return VEC_PUSH(&e->x_objs, x[1]);
	return 0;
}

static int encode_stream(struct encoder *e, const struct encode_stream *s, const uint8_t *kind_info)
{
	struct predict *pr = &e->predict;
	const uint64_t *p = s->raw;

	pr->cur = 0;
	for (uint32_t i = 0; i < s->n_records; i++) {
		const struct ct_rec *r = (const struct ct_rec *)p;
		uint8_t info = kind_info[r->kind];
		struct predict_context *c = predict_context(pr, r->tid, r->kind);
		uint8_t mask =
			(uint8_t)((r->tid != predict_tid(pr, info)) * FORMAT_MASK_TID |
				  (r->peer != predict_peer(pr, c, info)) * FORMAT_MASK_PEER |
				  (r->state != c->state) * FORMAT_MASK_STATE |
				  (r->wait != c->wait) * FORMAT_MASK_WAIT |
				  (r->flags != c->flags) * FORMAT_MASK_FLAGS |
				  (r->nr != c->nr) * FORMAT_MASK_NR | (r->aux != c->aux) * FORMAT_MASK_AUX |
				  (r->obj != c->obj) * FORMAT_MASK_OBJ);

		e->rows[r->tid % ARRAY_SIZE(e->rows)] = 1;
		put_byte(e, FORMAT_COL_KIND, r->kind);
		put_byte(e, FORMAT_COL_MASK, mask);
		if (mask && encode_fields(e, r, mask, info))
			return -ENOMEM;
		c->obj = r->obj;
		c->peer = r->peer;
		c->nr = r->nr;
		c->aux = r->aux;
		c->state = r->state;
		c->wait = r->wait;
		c->flags = r->flags;
		if (info & FORMAT_KIND_WORDS && encode_words(e, c, r->kind, p + 4, info & FORMAT_KIND_WORDS))
			return -ENOMEM;
		if (info & FORMAT_KIND_WAKE)
			e->rows[pr->cur % ARRAY_SIZE(e->rows)] = 1;
		predict_next(pr, info, r->tid, r->peer);
		p += record_words(p, kind_info);
	}
	return 0;
}

static size_t records_bytes(const struct encoder *e)
{
	size_t n = e->tids.values.n * 4 + e->objs.values.n * 8;

	for (int c = COL_FIRST; c <= COL_LAST; c++)
		n += e->cols[c].n;
	return n;
}

static int encode_cpus(struct encoder *e, const struct encode_stream *streams, size_t n)
{
	_cleanup_free_ struct format_cpu *cpus = calloc(n, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		cpus[i] = (struct format_cpu){ .cpu = streams[i].cpu,
					       .n_records = streams[i].n_records,
					       .min_ns = streams[i].min_ns,
					       .max_ns = streams[i].max_ns };
	return encoder_block(e, FORMAT_CPUS, cpus, n, sizeof(*cpus));
}

static int encode_blocks(struct encoder *e, const struct encode_stream *streams, size_t n)
{
	int err = encode_cpus(e, streams, n);

	if (!err)
		err = encoder_block(e, FORMAT_TIDS, e->tids32.v, e->tids32.n, 4);
	if (!err)
		err = encoder_block(e, FORMAT_OBJS, e->objs.values.v, e->objs.values.n, 8);
	for (int c = COL_FIRST; !err && c <= COL_LAST; c++)
		err = encoder_block(e, (enum format_block_type)c, e->cols[c].v, e->cols[c].n, 1);
	return err;
}

int encoder_records(struct encoder *e, const struct encode_stream *streams, size_t n, uint64_t begin_ns,
		    const uint8_t kind_info[FORMAT_KINDS])
{
	int err;

	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (cols_reserve(e, streams[i].n_records))
			return -ENOMEM;
		encode_times(e, &streams[i], begin_ns, kind_info);
		err = encode_stream(e, &streams[i], kind_info);
		if (err)
			return err;
	}
	if (VEC_RESERVE(&e->tids32, e->tids.values.n))
		return -ENOMEM;
	for (size_t i = 0; i < e->tids.values.n; i++)
		e->tids32.v[e->tids32.n++] = (uint32_t)e->tids.values.v[i];
	e->plain = records_bytes(e) <= e->plain_max;
	err = encode_blocks(e, streams, n);
	e->plain = false;
	return err;
}

struct encode_refs encoder_refs(const struct encoder *e)
{
	return (struct encode_refs){
		.tids = e->tids32.v,
		.n_tids = e->tids32.n,
		.objs = e->objs.values.v,
		.n_objs = e->objs.values.n,
		.x_objs = e->x_objs.v,
		.n_x_objs = e->x_objs.n,
		.x_stacks = e->x_stacks.v,
		.n_x_stacks = e->x_stacks.n,
	};
}

uint8_t *encoder_bytes(struct encoder *e, size_t *ret_n)
{
	*ret_n = e->out.n;
	return e->out.v;
}
