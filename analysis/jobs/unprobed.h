/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unprobed.h - when the jobs of a framework were not recorded, because the daemon had detached its
 * probes (CT_JOB_OFF). Pure.
 */
#ifndef CTRACE_ANALYSIS_JOBS_UNPROBED_H
#define CTRACE_ANALYSIS_JOBS_UNPROBED_H

#include <stdint.h>

#include "lib/vec.h"
#include "trace/format/window.h"

struct unprobed {
	uint16_t framework; /* ct_job_framework() */
	uint64_t obj;       /* an object with the name of the framework */
	/* to_ns UINT64_MAX: the window has no end of this time */
	uint64_t from_ns, to_ns;
	uint64_t told_ns; /* only inside unprobed_find(): time of its last record */
};
/* sorted by framework, then by from_ns */
typedef VEC(struct unprobed) unprobed_list;

/* The daemon repeats CT_JOB_OFF. So if no repetition follows for UNPROBED_TOLD_NS, the record of the end is
 * lost, and the time ends then. *ret has to be empty before the call. The caller frees ret->v, also after an
 * error. Returns 0 or -ENOMEM. */
int unprobed_find(const struct window *w, unprobed_list *ret);
/* Returns the first such time of the framework that ends after ts_ns, or NULL. */
const struct unprobed *unprobed_after(const unprobed_list *v, uint16_t framework, uint64_t ts_ns);
/* Removes the times that have no part in [from_ns, to_ns). */
void unprobed_keep(unprobed_list *v, uint64_t from_ns, uint64_t to_ns);

#endif
