// SPDX-License-Identifier: GPL-2.0-or-later
/* A column lacks the values that the format predicts (doc/format.md). To change such a value, the
 * code sets a bit in the record's mask, and adds an item to the column. */
#include <string.h>

#include "lib/cleanup.h"
#include "test/fuzz/mutate_private.h"

static const struct {
	uint8_t mask;
	uint8_t size;
	uint16_t column;
} fields[] = {
	{ FORMAT_MASK_TID, 1, FORMAT_COL_TID },   { FORMAT_MASK_STATE, 1, FORMAT_COL_STATE },
	{ FORMAT_MASK_WAIT, 1, FORMAT_COL_WAIT }, { FORMAT_MASK_FLAGS, 1, FORMAT_COL_FLAGS },
	{ FORMAT_MASK_NR, 2, FORMAT_COL_NR },     { FORMAT_MASK_AUX, 2, FORMAT_COL_AUX },
	{ FORMAT_MASK_OBJ, 1, FORMAT_COL_OBJ },
};

static struct mutate_block *block_of(struct mutate_segment *s, uint16_t type)
{
	for (size_t i = 0; i < s->blocks.n; i++)
		if (s->blocks.v[i].h.type == type)
			return &s->blocks.v[i];
	return NULL;
}

static int insert(struct mutate *m, struct mutate_block *b, size_t i, size_t size)
{
	uint64_t value = mutate_below(m, 24);

	if (i * size > b->raw.n || VEC_RESERVE(&b->raw, b->raw.n + size))
		return -ENOMEM;
	memmove(b->raw.v + (i + 1) * size, b->raw.v + i * size, b->raw.n - i * size);
	memcpy(b->raw.v + i * size, &value, size);
	b->raw.n += size;
	return 0;
}

static void change_field(struct mutate *m, struct mutate_segment *s, struct mutate_block *masks,
			 size_t record)
{
	size_t f = mutate_below(m, ARRAY_SIZE(fields)), size = fields[f].size, item = 0;
	struct mutate_block *b = block_of(s, fields[f].column);
	uint64_t value = mutate_below(m, 24);

	if (!b)
		return;
	for (size_t i = 0; i < record; i++)
		item += (masks->raw.v[i] & fields[f].mask) != 0;
	if (masks->raw.v[record] & fields[f].mask) {
		if ((item + 1) * size <= b->raw.n)
			memcpy(b->raw.v + item * size, &value, size);
	} else if (!insert(m, b, item, size)) {
		masks->raw.v[record] |= fields[f].mask;
	}
}

/* The new kind has as many words as the old kind, and the same meaning of `peer`. So the columns
 * still fit. */
static void change_kind(struct mutate *m, struct mutate_segment *s, uint8_t *kind)
{
	uint8_t to = (uint8_t)(1 + mutate_below(m, CT_KIND_LAST));

	if (*kind < FORMAT_KINDS &&
	    !((s->h.kind_info[*kind] ^ s->h.kind_info[to]) & (FORMAT_KIND_WORDS | FORMAT_KIND_PEER_TID)))
		*kind = to;
}

void mutate_record(struct mutate *m)
{
	struct mutate_segment *s = mutate_segment(m);
	struct mutate_block *kinds = s ? block_of(s, FORMAT_COL_KIND) : NULL;
	struct mutate_block *masks = s ? block_of(s, FORMAT_COL_MASK) : NULL;
	size_t i;

	if (!kinds || !masks || !kinds->raw.n || kinds->raw.n != masks->raw.n)
		return;
	i = mutate_below(m, kinds->raw.n);
	if (mutate_below(m, 4))
		change_field(m, s, masks, i);
	else
		change_kind(m, s, &kinds->raw.v[i]);
}
