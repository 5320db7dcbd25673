/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * predict.h - predicts the fields of the next record. Encoder and decoder predict alike, so the
 * encoder leaves out a field that has the predicted value.
 *
 * The tables are zero at the start of a segment. Records come CPU after CPU. If several tasks
 * share an entry, the predictions are wrong more often, and records take more bytes. Decoding stays
 * right.
 */
#ifndef CTRACE_TRACE_FORMAT_PREDICT_H
#define CTRACE_TRACE_FORMAT_PREDICT_H

#include <stdint.h>

#include "ctrace/abi.h"
#include "ctrace/format.h"

#define PREDICT_CONTEXTS 16384u
#define PREDICT_WAKEES   2048u

/* The last record of one task and one kind. Kinds with the same low 3 bits share an entry. */
struct predict_context {
	uint64_t obj;
	uint64_t x[2];
	uint32_t peer;
	uint16_t nr;
	uint16_t aux;
	uint8_t state;
	uint8_t wait;
	uint8_t flags;
};

struct predict {
	struct predict_context contexts[PREDICT_CONTEXTS];
	uint32_t wakees[PREDICT_WAKEES]; /* [waker % PREDICT_WAKEES]: the waker's last wakee */
	uint32_t cur; /* the task that runs; reset to 0 where the records of the next CPU begin */
};

static inline struct predict_context *predict_context(struct predict *p, uint32_t tid, uint8_t kind)
{
	return &p->contexts[(tid << 3 ^ (kind & 7)) % PREDICT_CONTEXTS];
}

static inline uint32_t predict_tid(const struct predict *p, uint8_t info)
{
	return info & FORMAT_KIND_WAKE ? p->wakees[p->cur % PREDICT_WAKEES] : p->cur;
}

static inline uint32_t predict_peer(const struct predict *p, const struct predict_context *c, uint8_t info)
{
	return info & FORMAT_KIND_WAKE ? p->cur : c->peer;
}

/* Call this after each record. It does not update the predict_context of the record: the caller does. */
static inline void predict_next(struct predict *p, uint8_t info, uint32_t tid, uint32_t peer)
{
	if (info & FORMAT_KIND_WAKE)
		p->wakees[p->cur % PREDICT_WAKEES] = tid;
	if (info & FORMAT_KIND_SWITCH)
		p->cur = peer;
}

static inline uint64_t predict_zigzag(uint64_t d)
{
	return d << 1 ^ (uint64_t)((int64_t)d >> 63);
}

static inline uint64_t predict_unzigzag(uint64_t z)
{
	return z >> 1 ^ -(z & 1);
}

#endif
