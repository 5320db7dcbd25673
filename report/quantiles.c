// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/quantiles.h"

json_t *render_json_quantiles(const struct quantiles *q)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "p50", (json_int_t)q->p50, "p95", (json_int_t)q->p95, "p99",
			 (json_int_t)q->p99, "max", (json_int_t)q->max);
}
