// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/sequence.h"

#include "lib/hash.h"

static int symbol_new(struct sequence *q, uint64_t hash, const char *text, const char *variant, uint32_t *ret)
{
	struct sequence_symbol s = { .text = strndup(text, SEQUENCE_SYMBOL_BYTES),
				     .example = strndup(variant, SEQUENCE_SYMBOL_BYTES) };

	if (!s.text || !s.example || VEC_PUSH(&q->symbols, s)) {
		free(s.text);
		free(s.example);
		return -ENOMEM;
	}
	*ret = (uint32_t)q->symbols.n - 1;
	return map_set(&q->by_text, hash, *ret);
}

static void note_variant(struct sequence_symbol *s, const char *variant)
{
	uint64_t hash = hash_text(HASH_START, variant);

	if (!variant[0])
		return;
	for (uint32_t i = 0; i < s->n_variants; i++)
		if (s->seen[i] == hash)
			return;
	if (s->n_variants < SEQUENCE_VARIANTS)
		s->seen[s->n_variants++] = hash;
}

int sequence_symbol(struct sequence *q, const char *text, const char *variant, uint32_t *ret)
{
	uint64_t hash, known;
	int r = 0;

	if (q->symbols.n >= SEQUENCE_SYMBOLS_MAX &&
	    !map_get(&q->by_text, hash_text(HASH_START, text), &known)) {
		q->refused_symbols++;
		text = "other";
		variant = "";
	}
	hash = hash_text(HASH_START, text);
	while (map_get(&q->by_text, hash, &known) &&
	       strncmp(q->symbols.v[known].text, text, SEQUENCE_SYMBOL_BYTES))
		hash++;
	if (map_get(&q->by_text, hash, &known))
		*ret = (uint32_t)known;
	else
		r = symbol_new(q, hash, text, variant, ret);
	if (!r)
		note_variant(&q->symbols.v[*ret], variant);
	return r;
}

int sequence_begin(struct sequence *q, uint32_t transaction)
{
	if (q->strands.n && q->strands.v[q->strands.n - 1].transaction > transaction)
		return -EINVAL;
	if (q->n_transactions <= transaction)
		q->n_transactions = (size_t)transaction + 1;
	return VEC_PUSH(&q->strands,
			(struct sequence_strand){ .transaction = transaction, .first = q->events.n });
}

int sequence_add(struct sequence *q, uint32_t symbol, uint64_t ns)
{
	if (!q->strands.n || symbol >= q->symbols.n)
		return -EINVAL;
	q->ns += ns;
	if (q->events.n >= SEQUENCE_EVENTS_MAX) {
		q->refused_events++;
		return 0;
	}
	if (VEC_PUSH(&q->events, (struct sequence_event){ .symbol = symbol, .ns = ns }))
		return -ENOMEM;
	q->strands.v[q->strands.n - 1].n++;
	return 0;
}

void sequence_done(struct sequence *q)
{
	for (size_t i = 0; i < q->symbols.n; i++) {
		free(q->symbols.v[i].text);
		free(q->symbols.v[i].example);
	}
	VEC_FREE(&q->symbols);
	VEC_FREE(&q->events);
	VEC_FREE(&q->strands);
	map_done(&q->by_text);
	*q = (struct sequence){ 0 };
}
