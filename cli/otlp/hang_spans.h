/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hang_spans.h - private to cli/otlp: the spans of hangs, with links to the spans of the requests and hangs
 * that they wait for. One thread. */
#ifndef CTRACE_CLI_OTLP_HANG_SPANS_H
#define CTRACE_CLI_OTLP_HANG_SPANS_H

#include "analysis/hangs/hangs.h"
#include "analysis/requests/services.h"
#include "cli/otlp/batch.h"
#include "cli/otlp/contexts.h"

void hang_spans_put(struct batch *b, const struct services *s, const struct contexts *c,
		    const struct hangs *h);

#endif
