// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/write/dict.h"

void dict_init(struct dict *d, size_t max, size_t max_bytes)
{
	*d = (struct dict){ .max = max, .max_bytes = max_bytes };
}

void dict_done(struct dict *d)
{
	for (size_t i = 0; i < d->entries.n; i++)
		free(d->entries.v[i].blob);
	VEC_FREE(&d->entries);
	VEC_FREE(&d->free);
	map_done(&d->index);
}

struct dict_entry *dict_get(const struct dict *d, uint64_t key)
{
	uint64_t i;

	return map_get(&d->index, key, &i) ? &d->entries.v[i] : NULL;
}

static void dict_release(struct dict *d, struct dict_entry *e)
{
	map_del(&d->index, e->key);
	d->changes++;
	d->bytes -= e->blob->size;
	d->n--;
	free(e->blob);
	*e = (struct dict_entry){ 0 };
	d->free.v[d->free.n++] = (size_t)(e - d->entries.v);
}

void dict_del(struct dict *d, uint64_t key)
{
	struct dict_entry *e = dict_get(d, key);

	if (e)
		dict_release(d, e);
}

/* The clock algorithm. A new entry starts as not used, but takes a place that the hand has just
 * passed. So the new entry stays until the hand has passed all other entries. */
static void dict_evict(struct dict *d)
{
	for (;;) {
		struct dict_entry *e = &d->entries.v[d->hand];

		d->hand = (d->hand + 1) % d->entries.n;
		if (e->blob && !e->used) {
			dict_release(d, e);
			d->evicted++;
			return;
		}
		e->used = false;
	}
}

static int dict_place(struct dict *d, size_t *ret_i)
{
	if (!d->free.n) {
		if (VEC_RESERVE(&d->free, d->entries.n + 1) ||
		    VEC_PUSH(&d->entries, (struct dict_entry){ 0 }))
			return -ENOMEM;
		d->free.v[d->free.n++] = d->entries.n - 1;
	}
	*ret_i = d->free.v[d->free.n - 1];
	return 0;
}

int dict_set(struct dict *d, uint64_t key, const struct ct_blob *blob)
{
	struct dict_entry *e = dict_get(d, key);
	struct ct_blob *copy = malloc(blob->size);
	size_t i;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, blob, blob->size);
	if (!e) {
		while (d->n && (d->n >= d->max || d->bytes + blob->size > d->max_bytes))
			dict_evict(d);
		if (dict_place(d, &i) || map_set(&d->index, key, i)) {
			free(copy);
			return -ENOMEM;
		}
		d->free.n--;
		e = &d->entries.v[i];
		d->n++;
	} else {
		d->bytes -= e->blob->size;
		free(e->blob);
	}
	d->bytes += copy->size;
	d->changes++;
	*e = (struct dict_entry){ .key = key, .blob = copy, .put = e->put, .used = e->used };
	return 0;
}
