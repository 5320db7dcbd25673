// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/make.h"

#include <errno.h>

#include "analysis/picture/make.h"
#include "lib/cleanup.h"
#include "report/thresholds.h"
#include "report/view/data.h"

static int make_picture(const struct view *v, const struct path *path, struct picture **ret)
{
	const struct diagnosis *d = v->diagnosis;
	const struct window *w = v->g->w;
	uint64_t margin = (d->to_ns - d->from_ns) / VIEW_MARGIN;
	uint64_t from_ns = MAX(w->from_ns, d->from_ns > margin ? d->from_ns - margin : 0);
	uint64_t end_ns = MIN(w->to_ns, w->file_to_ns), to_ns = MIN(end_ns, d->to_ns + margin);

	return picture_make(v->g, d, path, MIN(from_ns, d->from_ns), MAX(to_ns, d->to_ns), ret);
}

int view_make(const struct view *v, json_t **ret)
{
	const struct diagnosis *d = v->diagnosis;
	struct picture *picture = NULL;
	struct view all = *v;
	struct path *path = NULL;
	json_t *data = NULL;
	int r = path_walk(v->g, d->chain[0].task, d->from_ns, d->to_ns, &path);

	if (!r)
		r = make_picture(v, path, &picture);
	if (!r) {
		all.path = path;
		all.picture = picture;
		data = view_data(&all);
		r = data ? 0 : -ENOMEM;
	}
	picture_free(picture);
	path_free(path);
	if (!r)
		*ret = data;
	return r;
}
