// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/picture/parts.h"
#include "analysis/picture/thin.h"
#include "lib/cleanup.h"

/* longest() looks at only this many pieces of a group. Only short pieces are joined, and the group ends
 * before it is long (thin.h). So a wrong result is about a small part of the path. */
#define ROUTE_LOOKS 64

static uint64_t length(const void *arg, size_t i)
{
	const struct path_piece *x = &((const struct path *)arg)->pieces[i];

	return x->to_ns - x->from_ns;
}

/* Finds the task that has the most time in the pieces [i, end). Returns the first of these pieces
 * that belongs to this task. */
static const struct path_piece *longest(const struct path *path, size_t i, size_t end)
{
	const struct path_piece *best = &path->pieces[i];
	uint64_t best_ns = 0;

	for (size_t k = i; k < MIN(end, i + ROUTE_LOOKS); k++) {
		uint32_t task = path->frames[path->pieces[k].frame].task;
		uint64_t ns = 0;

		for (size_t m = i; m < MIN(end, i + ROUTE_LOOKS); m++)
			if (path->frames[path->pieces[m].frame].task == task)
				ns += length(path, m);
		if (ns > best_ns) {
			best_ns = ns;
			best = &path->pieces[k];
		}
	}
	return best;
}

int route_fill(const struct path *path, struct picture *p)
{
	int r = 0;

	p->route_finest_ns = thin_finest(length, path, path->n_pieces, PICTURE_ROUTE);
	for (size_t i = 0, end; i < path->n_pieces && !r; i = end) {
		const struct path_piece *x;
		const struct path_frame *f;

		end = thin_group(length, path, path->n_pieces, i, p->route_finest_ns);
		x = longest(path, i, end);
		f = &path->frames[x->frame];
		r = VEC_PUSH(&p->route, (struct route_piece){
						.from_ns = path->pieces[i].from_ns,
						.to_ns = path->pieces[end - 1].to_ns,
						.task = f->task,
						.interval = x->interval,
						.n = (uint32_t)(end - i),
						.time = x->time,
						.edge = f->depth ? f->blame.edge : 0,
						.strength = f->depth ? f->blame.strength : 0,
						.resource = f->depth ? (uint8_t)f->blame.kind : 0,
					});
	}
	return r;
}
