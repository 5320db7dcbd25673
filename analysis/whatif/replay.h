/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - private to analysis/whatif/: replays a window as if a task, a wait or another thing were not in
 * it. A what-if question says which things to take away. Several threads may ask questions of one struct
 * whatif. */
#ifndef CTRACE_ANALYSIS_WHATIF_REPLAY_H
#define CTRACE_ANALYSIS_WHATIF_REPLAY_H

#include "analysis/whatif/taken.h"

/* n is at most TAKEN_MAX. Sets ret_ns[i] to the time that is saved without all things of v[i]. Returns 0 or
 * -ENOMEM. */
int replay_saved(struct whatif *x, const struct question *v, size_t n, uint64_t *ret_ns);

#endif
