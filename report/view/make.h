/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make.h - from a diagnosis to the data of its page. One thread. */
#ifndef CTRACE_REPORT_VIEW_MAKE_H
#define CTRACE_REPORT_VIEW_MAKE_H

#include <jansson.h>

#include "report/view/view.h"

/* Finds the critical path of the victim, draws the picture, and sets *ret to the data of the page
 * (data.h), a new reference. v->path and v->picture need not be set. Returns 0, or -errno of the
 * path or of the picture. */
int view_make(const struct view *v, json_t **ret);

#endif
