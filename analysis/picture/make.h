/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make.h - makes the picture of a diagnosis. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_PICTURE_MAKE_H
#define CTRACE_ANALYSIS_PICTURE_MAKE_H

#include "analysis/picture/picture.h"

/* path: the critical path of the victim of d. The caller frees *ret with picture_free(). Returns 0
 * or -ENOMEM. */
int picture_make(const struct graph *g, const struct diagnosis *d, const struct path *path, uint64_t from_ns,
		 uint64_t to_ns, struct picture **ret);

#endif
