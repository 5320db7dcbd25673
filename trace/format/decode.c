// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/decode.h"

#include <errno.h>
#include <stdbool.h>
#include <zstd.h>

#include "lib/cleanup.h"
#include "lib/cursor.h"
#include "lib/vec.h"
#include "trace/format/limits.h"
#include "trace/format/order.h"
#include "trace/format/predict.h"

typedef VEC(uint8_t) bytes_t;

struct decoder_block {
	struct format_block h; /* h.raw_bytes is 0 if the segment lacks this block */
	const uint8_t *stored;
	const uint8_t *raw;
	bytes_t buf;
};

struct decoder {
	const struct format_segment *h;
	struct decoder_block blocks[FORMAT_BLOCK_TYPES];
	struct cursor varints[FORMAT_BLOCK_TYPES];
	bytes_t planes;
	VEC(uint64_t) times;
	struct order order;
	VEC(struct rank) with_words; /* the places of the wanted records that have extra words */
	struct predict predict;
	ZSTD_DCtx *zstd;
};

struct decoder *decoder_new(void)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->zstd = ZSTD_createDCtx();
	if (!d->zstd) {
		free(d);
		return NULL;
	}
	return d;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(d->blocks); i++)
		VEC_FREE(&d->blocks[i].buf);
	VEC_FREE(&d->planes);
	VEC_FREE(&d->times);
	order_done(&d->order);
	VEC_FREE(&d->with_words);
	ZSTD_freeDCtx(d->zstd);
	free(d);
}

static bool block_sizes_ok(const struct format_block *b)
{
	if (!b->raw_bytes || !b->stored_bytes || (b->width > 1 && b->raw_bytes % b->width))
		return false;
	return b->codec == FORMAT_CODEC_RAW ? b->stored_bytes == b->raw_bytes : b->codec == FORMAT_CODEC_ZSTD;
}

/* Frees the buffers if they have more than 2 * raw_max bytes in sum. Otherwise, each stays as large
 * as the largest block so far. raw_max: the most bytes of the next segment after decompression. */
static void decoder_give_back(struct decoder *d, uint64_t raw_max)
{
	uint64_t kept = d->planes.cap;

	for (size_t i = 0; i < ARRAY_SIZE(d->blocks); i++)
		kept += d->blocks[i].buf.cap;
	if (kept <= 2 * raw_max)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(d->blocks); i++)
		VEC_FREE(&d->blocks[i].buf);
	VEC_FREE(&d->planes);
}

int decoder_begin(struct decoder *d, const struct format_segment *h, const uint8_t *body, size_t n)
{
	struct cursor c = cursor_init(body, n);
	uint64_t raw = 0, raw_max = limits_raw_bytes(n);

	d->h = h;
	decoder_give_back(d, raw_max);
	for (size_t i = 0; i < ARRAY_SIZE(d->blocks); i++) {
		d->blocks[i].h = (struct format_block){ 0 };
		d->blocks[i].raw = NULL;
	}
	while (c.left) {
		struct format_block b;
		const uint8_t *stored;

		cursor_read(&c, &b, sizeof(b));
		stored = cursor_take(&c, ((size_t)b.stored_bytes + 7) & ~(size_t)7);
		if (c.bad)
			return -EBADMSG;
		if (b.type >= FORMAT_BLOCK_TYPES)
			continue;
		raw += b.raw_bytes;
		if (!block_sizes_ok(&b) || !limits_block_ok((enum format_block_type)b.type, b.raw_bytes) ||
		    d->blocks[b.type].h.raw_bytes || raw > raw_max)
			return -EBADMSG;
		d->blocks[b.type].h = b;
		d->blocks[b.type].stored = stored;
	}
	return 0;
}

static int block_unzstd(struct decoder *d, const struct decoder_block *b, bytes_t *to)
{
	size_t n;

	/* A wrong raw_bytes must not make us allocate a large buffer. */
	if (ZSTD_getFrameContentSize(b->stored, b->h.stored_bytes) != b->h.raw_bytes)
		return -EBADMSG;
	if (VEC_RESERVE(to, b->h.raw_bytes + DECODER_SLACK))
		return -ENOMEM;
	n = ZSTD_decompressDCtx(d->zstd, to->v, b->h.raw_bytes, b->stored, b->h.stored_bytes);
	return ZSTD_isError(n) || n != b->h.raw_bytes ? -EBADMSG : 0;
}

int decoder_block(struct decoder *d, enum format_block_type type, const uint8_t **ret_p, size_t *ret_n)
{
	struct decoder_block *b = &d->blocks[type];
	size_t width = b->h.width, n = width > 1 ? b->h.raw_bytes / width : 0;
	const uint8_t *from = b->stored;

	if (!b->raw && b->h.raw_bytes) {
		if (b->h.codec == FORMAT_CODEC_ZSTD) {
			bytes_t *to = width > 1 ? &d->planes : &b->buf;
			int err = block_unzstd(d, b, to);

			if (err)
				return err;
			from = to->v;
		}
		if (width > 1) {
			if (VEC_RESERVE(&b->buf, b->h.raw_bytes + DECODER_SLACK))
				return -ENOMEM;
			for (size_t k = 0; k < width; k++)
				for (size_t i = 0; i < n; i++)
					b->buf.v[i * width + k] = from[k * n + i];
			from = b->buf.v;
		}
		b->raw = from;
	}
	*ret_p = b->raw;
	*ret_n = b->h.raw_bytes;
	return 0;
}

static int block_exact(struct decoder *d, int type, size_t n, size_t size, const uint8_t **ret_p)
{
	size_t bytes;
	int err = decoder_block(d, (enum format_block_type)type, ret_p, &bytes);

	if (err)
		return err;
	return bytes == n * size ? 0 : -EBADMSG;
}

/* Each of the first len planes has one byte of the difference between two times. Nearly all
 * differences have at most three bytes. To avoid a branch, three bytes are always read. Such a read
 * may go one byte beyond a plane (DECODER_SLACK). */
static inline uint64_t take_time(const uint8_t **plane, unsigned len)
{
	static const uint32_t keep[] = { 0, 0xff, 0xffff, 0xffffff };
	uint64_t z = (uint64_t)*plane[0] | (uint64_t)*plane[1] << 8 | (uint64_t)*plane[2] << 16;

	z &= keep[MIN(len, 3u)];
	plane[0] += len > 0;
	plane[1] += len > 1;
	plane[2] += len > 2;
	for (unsigned k = 3; k < len; k++)
		z |= (uint64_t)*plane[k]++ << (8 * k);
	return z;
}

static int decode_times(struct decoder *d, const struct format_cpu *cpus, size_t n_cpus)
{
	static const uint8_t none;
	const uint8_t *len, *plane[8];
	size_t longer[9] = { 0 }, n = d->h->n_records, at = 0;
	bool ok = true;
	int err = block_exact(d, FORMAT_COL_TLEN, n, 1, &len);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (len[i] > 8)
			return -EBADMSG;
		longer[len[i]]++;
	}
	for (int k = 7; k >= 0; k--) {
		longer[k] += longer[k + 1];
		err = block_exact(d, FORMAT_COL_T0 + k, longer[k + 1], 1, &plane[k]);
		if (err)
			return err;
		if (!plane[k])
			plane[k] = &none;
	}
	if (VEC_RESERVE(&d->times, n))
		return -ENOMEM;
	for (size_t c = 0; c < n_cpus; c++) {
		uint64_t t = d->h->begin_ns;

		for (size_t end = at + cpus[c].n_records; at < end; at++) {
			t += predict_unzigzag(take_time(plane, len[at]));
			d->times.v[at] = t;
			ok &= limits_ts_ok(d->h, t);
		}
	}
	return ok ? 0 : -EBADMSG;
}

struct columns {
	/* decode_columns() checks the sizes, so that the loop over the records need not. */
	const uint8_t *kind, *mask, *state, *wait, *flags, *nr, *aux;
	const uint8_t *tids, *objs;
	size_t n_tids, n_objs;
};

static int decode_columns(struct decoder *d, struct columns *c)
{
	static const struct {
		int type;
		uint8_t bit;
		uint8_t size;
	} fixed[] = {
		{ FORMAT_COL_STATE, 2, 1 }, { FORMAT_COL_WAIT, 3, 1 }, { FORMAT_COL_FLAGS, 4, 1 },
		{ FORMAT_COL_NR, 5, 2 },    { FORMAT_COL_AUX, 6, 2 },
	};
	static const int varints[] = { FORMAT_COL_TID, FORMAT_COL_PEER, FORMAT_COL_COUNT,
				       FORMAT_COL_OBJ, FORMAT_COL_X0,   FORMAT_COL_X1 };
	const uint8_t **to[] = { &c->state, &c->wait, &c->flags, &c->nr, &c->aux };
	size_t masks[256] = { 0 }, n = d->h->n_records;
	int err = block_exact(d, FORMAT_COL_KIND, n, 1, &c->kind);

	if (!err)
		err = block_exact(d, FORMAT_COL_MASK, n, 1, &c->mask);
	for (size_t i = 0; !err && i < n; i++)
		masks[c->mask[i]]++;
	for (size_t f = 0; !err && f < ARRAY_SIZE(fixed); f++) {
		size_t count = 0;

		for (unsigned m = 0; m < 256; m++)
			if (m >> fixed[f].bit & 1)
				count += masks[m];
		err = block_exact(d, fixed[f].type, count, fixed[f].size, to[f]);
	}
	for (size_t f = 0; !err && f < ARRAY_SIZE(varints); f++) {
		const uint8_t *p;
		size_t bytes;

		err = decoder_block(d, (enum format_block_type)varints[f], &p, &bytes);
		d->varints[varints[f]] = cursor_init(p, err ? 0 : bytes);
	}
	if (!err)
		err = decoder_block(d, FORMAT_TIDS, &c->tids, &c->n_tids);
	if (!err)
		err = decoder_block(d, FORMAT_OBJS, &c->objs, &c->n_objs);
	c->n_tids /= sizeof(uint32_t);
	c->n_objs /= sizeof(uint64_t);
	return err;
}

static inline uint64_t take_varint(struct cursor *c)
{
	if (c->left && *c->p < 0x80 && !c->bad) {
		c->left--;
		return *c->p++;
	}
	return cursor_varint(c);
}

static inline uint32_t take_tid(struct decoder *d, const struct columns *c, int col)
{
	uint64_t i = take_varint(&d->varints[col]);
	uint32_t tid;

	if (i >= c->n_tids) {
		d->varints[col].bad = true;
		return 0;
	}
	memcpy(&tid, c->tids + i * sizeof(tid), sizeof(tid));
	return tid;
}

static inline uint64_t take_obj(struct decoder *d, const struct columns *c)
{
	uint64_t i = take_varint(&d->varints[FORMAT_COL_OBJ]), obj;

	if (i >= c->n_objs) {
		d->varints[FORMAT_COL_OBJ].bad = true;
		return 0;
	}
	memcpy(&obj, c->objs + i * sizeof(obj), sizeof(obj));
	return obj;
}

static inline uint16_t take_u16(const uint8_t **p)
{
	uint16_t v;

	memcpy(&v, *p, sizeof(v));
	*p += sizeof(v);
	return v;
}

static inline struct predict_context *decode_record(struct decoder *d, struct columns *c, uint8_t kind,
						    uint8_t mask, uint8_t info, uint32_t *ret_tid)
{
	struct predict *p = &d->predict;
	uint32_t tid = mask & FORMAT_MASK_TID ? take_tid(d, c, FORMAT_COL_TID) : predict_tid(p, info);
	struct predict_context *x = predict_context(p, tid, kind);

	if (!(mask & FORMAT_MASK_PEER))
		x->peer = predict_peer(p, x, info);
	else if (info & FORMAT_KIND_PEER_TID)
		x->peer = take_tid(d, c, FORMAT_COL_PEER);
	else
		x->peer = (uint32_t)take_varint(&d->varints[FORMAT_COL_COUNT]);
	if (mask & FORMAT_MASK_STATE)
		x->state = *c->state++;
	if (mask & FORMAT_MASK_WAIT)
		x->wait = *c->wait++;
	if (mask & FORMAT_MASK_FLAGS)
		x->flags = *c->flags++;
	if (mask & FORMAT_MASK_NR)
		x->nr = take_u16(&c->nr);
	if (mask & FORMAT_MASK_AUX)
		x->aux = take_u16(&c->aux);
	if (mask & FORMAT_MASK_OBJ)
		x->obj = take_obj(d, c);
	for (unsigned k = 0; k < (info & FORMAT_KIND_WORDS); k++)
		x->x[k] += predict_unzigzag(take_varint(&d->varints[FORMAT_COL_X0 + k]));
	predict_next(p, info, tid, x->peer);
	*ret_tid = tid;
	return x;
}

/* Finds in which order the words must be for the merged records. */
static int decode_rank(struct decoder *d, const uint8_t *kinds, const struct decoder_room *room,
		       struct decoder_got *got)
{
	size_t blocks = RANK_BLOCKS(got->n_events);

	if (got->n_events > room->n_events)
		return -EBADMSG;
	if (VEC_RESERVE(&d->with_words, blocks))
		return -ENOMEM;
	memset(d->with_words.v, 0, blocks * sizeof(*d->with_words.v));
	for (size_t i = 0; i < d->h->n_records; i++)
		if (CT_KIND_WORDS(kinds[i]) && d->order.place[i] != ORDER_NONE)
			rank_add(d->with_words.v, d->order.place[i]);
	got->n_words = rank_count(d->with_words.v, blocks);
	return got->n_words > room->n_words ? -EBADMSG : 0;
}

static bool decode_words(const struct decoder *d, const struct decoder_room *room, uint32_t place,
			 uint8_t kind, const uint64_t x[2])
{
	struct window_words *to = &room->to.words[rank_below(d->with_words.v, place)];

	memcpy(to->x, x, sizeof(to->x));
	return limits_words_ok(kind, to->x);
}

static int decode_fields(struct decoder *d, struct columns *c, const struct format_cpu *cpus, size_t n_cpus,
			 const struct decoder_room *room)
{
	bool ok = true;
	size_t at = 0;

	memset(&d->predict, 0, sizeof(d->predict));
	for (size_t k = 0; k < n_cpus; k++) {
		d->predict.cur = 0;
		for (size_t end = at + cpus[k].n_records; at < end; at++) {
			uint8_t kind = c->kind[at], info = d->h->kind_info[kind];
			uint32_t tid, to = d->order.place[at];
			const struct predict_context *x = decode_record(d, c, kind, c->mask[at], info, &tid);

			if (to == ORDER_NONE)
				continue;
			room->to.events[to] = (struct window_event){ .r = { .ts = d->times.v[at],
									    .kind = kind,
									    .state = x->state,
									    .wait = x->wait,
									    .flags = x->flags,
									    .tid = tid,
									    .peer = x->peer,
									    .nr = x->nr,
									    .aux = x->aux,
									    .obj = x->obj } };
			room->to.cpus[to] = cpus[k].cpu;
			if (CT_KIND_WORDS(kind))
				ok &= decode_words(d, room, to, kind, x->x);
		}
	}
	for (int col = FORMAT_COL_TID; col <= FORMAT_COL_X1; col++)
		if (d->varints[col].bad || d->varints[col].left)
			return -EBADMSG;
	return ok ? 0 : -EBADMSG;
}

static int decode_check(const struct decoder *d, const struct format_cpu *cpus, size_t n_cpus,
			const uint8_t *kinds)
{
	if (!limits_cpus_ok(d->h, cpus, n_cpus))
		return -EBADMSG;
	for (size_t i = 0; i < d->h->n_records; i++)
		if (!kinds[i] || kinds[i] >= FORMAT_KINDS)
			return -EBADMSG;
	for (size_t i = 0; i < FORMAT_KINDS; i++)
		if ((d->h->kind_info[i] & FORMAT_KIND_WORDS) > 2)
			return -EBADMSG;
	for (unsigned k = 1; k <= CT_KIND_LAST; k++)
		if (d->h->kinds[k] && (d->h->kind_info[k] & FORMAT_KIND_WORDS) != CT_KIND_WORDS(k))
			return -EBADMSG;
	return 0;
}

void decoder_count(const struct format_segment *h, uint64_t kinds, size_t *ret_events, size_t *ret_words)
{
	size_t events = 0, words = 0;

	for (unsigned k = 1; k <= CT_KIND_LAST; k++) {
		if (!(kinds >> k & 1))
			continue;
		events += h->kinds[k];
		words += CT_KIND_WORDS(k) ? h->kinds[k] : 0;
	}
	*ret_events = MIN(events, (size_t)h->n_records);
	*ret_words = MIN(words, (size_t)h->n_records);
}

int decoder_events(struct decoder *d, const struct decoder_room *room, struct decoder_got *ret)
{
	_cleanup_free_ struct format_cpu *cpus = NULL;
	struct columns c = { 0 };
	struct decoder_got got;
	const uint8_t *p;
	size_t bytes, n_cpus;
	int err = decoder_block(d, FORMAT_CPUS, &p, &bytes);

	if (err)
		return err;
	n_cpus = bytes / sizeof(*cpus);
	cpus = malloc(bytes + 1);
	if (!cpus)
		return -ENOMEM;
	if (n_cpus)
		memcpy(cpus, p, n_cpus * sizeof(*cpus));
	err = decode_columns(d, &c);
	if (!err)
		err = decode_check(d, cpus, n_cpus, c.kind);
	if (!err)
		err = decode_times(d, cpus, n_cpus);
	if (!err)
		err = order_merge(&d->order, d->times.v, c.kind, room->kinds, cpus, n_cpus, &got.n_events);
	if (!err)
		err = decode_rank(d, c.kind, room, &got);
	if (!err)
		err = decode_fields(d, &c, cpus, n_cpus, room);
	if (err)
		return err;
	got.n_cpus = n_cpus ? cpus[n_cpus - 1].cpu + 1u : 0;
	*ret = got;
	return 0;
}
