// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/read/ahead.h"

#include <pthread.h>

#include "lib/cleanup.h"
#include "trace/read/reader_private.h"

/* The place for one segment, in use until the caller asks for the segment after it. */
struct ahead_slot {
	struct reader_buf buf;
	struct decoder *decoder;
	struct ahead_segment segment;
	bool done;
};

struct ahead {
	const struct reader *r;
	struct ahead_slot *slots;
	size_t n_slots;
	pthread_t *threads;
	size_t n_threads;

	pthread_mutex_t lock; /* protects all members below, and `done` of each slot */
	pthread_cond_t changed;
	size_t begun; /* the number of the first segment that no thread has begun to decode */
	size_t given;
	size_t kept;
	size_t end;
	struct window_part room; /* for the segment `begun` */
	bool stop;
};

/* Decompresses the blocks that collect_dictionary() reads later. Errors are ignored here, because
 * collect_dictionary() gets them again. */
static void ahead_names(struct decoder *d)
{
	static const enum format_block_type types[] = { FORMAT_TASKS, FORMAT_OBJECTS, FORMAT_STACKS };
	const uint8_t *p;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		(void)decoder_block(d, types[i], &p, &n);
}

static void ahead_decode(const struct reader *r, size_t i, const struct decoder_room *room,
			 struct ahead_slot *slot)
{
	const struct format_segment *h = &r->index.segments.v[i].h;
	struct ahead_segment *to = &slot->segment;
	struct reader_segment s;

	*to = (struct ahead_segment){ .h = h, .at = room->to, .decoder = slot->decoder };
	to->err = reader_segment_into(r, i, &slot->buf, &s);
	if (!to->err)
		to->err = decoder_begin(slot->decoder, h, s.bytes + h->header_bytes, h->body_bytes);
	if (!to->err && reader_wants(r, h))
		to->err = decoder_events(slot->decoder, room, &to->got);
	if (!to->err)
		ahead_names(slot->decoder);
}

static void ahead_step(struct ahead *ah)
{
	size_t i = ah->begun++;
	struct ahead_slot *slot = &ah->slots[i % ah->n_slots];
	const struct format_segment *h = &ah->r->index.segments.v[i].h;
	struct decoder_room room = reader_room(ah->r, h);

	room.to = ah->room;
	ah->room.events += room.n_events;
	ah->room.cpus += room.n_events;
	ah->room.words += room.n_words;
	pthread_mutex_unlock(&ah->lock);
	ahead_decode(ah->r, i, &room, slot);
	pthread_mutex_lock(&ah->lock);
	slot->done = true;
	pthread_cond_broadcast(&ah->changed);
}

static void *ahead_main(void *arg)
{
	struct ahead *ah = arg;

	pthread_mutex_lock(&ah->lock);
	while (!ah->stop && ah->begun < ah->end) {
		if (ah->begun < ah->kept + ah->n_slots)
			ahead_step(ah);
		else
			pthread_cond_wait(&ah->changed, &ah->lock);
	}
	pthread_mutex_unlock(&ah->lock);
	return NULL;
}

static int ahead_slots(struct ahead *ah, size_t n)
{
	ah->slots = calloc(n, sizeof(*ah->slots));
	if (!ah->slots)
		return -ENOMEM;
	for (; ah->n_slots < n; ah->n_slots++) {
		ah->slots[ah->n_slots].decoder = decoder_new();
		if (!ah->slots[ah->n_slots].decoder)
			return -ENOMEM;
	}
	return 0;
}

int ahead_new(const struct reader *r, size_t a, size_t b, struct window *w, struct ahead **ret)
{
	size_t n = MIN((size_t)r->n_threads, b - a);
	struct ahead *ah = calloc(1, sizeof(*ah));
	int err;

	if (!ah)
		return -ENOMEM;
	*ah = (struct ahead){
		.r = r, .begun = a, .given = a, .kept = a, .end = b, .room = { w->events, w->cpus, w->words }
	};
	pthread_mutex_init(&ah->lock, NULL);
	pthread_cond_init(&ah->changed, NULL);
	/* one slot more than threads: the caller holds one segment */
	err = ahead_slots(ah, n > 1 ? MIN(n + 1, b - a) : 1);
	if (!err && n > 1)
		ah->threads = calloc(n, sizeof(*ah->threads));
	while (ah->threads && ah->n_threads < n &&
	       !pthread_create(&ah->threads[ah->n_threads], NULL, ahead_main, ah))
		ah->n_threads++;
	if (err)
		ahead_free(ah);
	else
		*ret = ah;
	return err;
}

struct ahead_segment ahead_next(struct ahead *ah)
{
	struct ahead_slot *slot = &ah->slots[ah->given % ah->n_slots];
	struct ahead_segment segment;

	pthread_mutex_lock(&ah->lock);
	if (ah->kept < ah->given) {
		ah->slots[ah->kept % ah->n_slots].done = false;
		ah->kept = ah->given;
		pthread_cond_broadcast(&ah->changed);
	}
	if (!ah->n_threads)
		ahead_step(ah);
	while (!slot->done)
		pthread_cond_wait(&ah->changed, &ah->lock);
	ah->given++;
	segment = slot->segment;
	pthread_mutex_unlock(&ah->lock);
	return segment;
}

void ahead_free(struct ahead *ah)
{
	if (!ah)
		return;
	pthread_mutex_lock(&ah->lock);
	ah->stop = true;
	pthread_cond_broadcast(&ah->changed);
	pthread_mutex_unlock(&ah->lock);
	for (size_t i = 0; i < ah->n_threads; i++)
		pthread_join(ah->threads[i], NULL);
	pthread_cond_destroy(&ah->changed);
	pthread_mutex_destroy(&ah->lock);
	for (size_t i = 0; i < ah->n_slots; i++) {
		decoder_free(ah->slots[i].decoder);
		VEC_FREE(&ah->slots[i].buf);
	}
	free(ah->slots);
	free(ah->threads);
	free(ah);
}
