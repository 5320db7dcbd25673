/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quantiles.h - a part of several JSON documents. Any thread. */
#ifndef CTRACE_REPORT_QUANTILES_H
#define CTRACE_REPORT_QUANTILES_H

#include <jansson.h>

#include "analysis/account/quantiles.h"

/* Returns {"p50","p95","p99","max"}, a new reference. NULL: out of memory. */
json_t *render_json_quantiles(const struct quantiles *q);

#endif
