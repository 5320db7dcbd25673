/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.h - private to analysis/picture/: the steps of picture_make(). Each returns 0 or -ENOMEM. */
#ifndef CTRACE_ANALYSIS_PICTURE_PARTS_H
#define CTRACE_ANALYSIS_PICTURE_PARTS_H

#include "analysis/picture/picture.h"

/* Fills p->lanes with tasks, without their spans. */
int lanes_choose(const struct graph *g, const struct diagnosis *d, const struct path *path,
		 struct picture *p);
/* Fills the spans and blames of a lane. */
int spans_fill(const struct graph *g, const struct diagnosis *d, const struct path *path, struct picture *p,
	       struct lane *l);
int route_fill(const struct path *path, struct picture *p);
int stretches_fill(const struct graph *g, struct picture *p);

#endif
