/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analyse.h - applies the code of graph/ and analysis/ to a window: timelines, causal graph,
 * slices, critical path, accounting, what-if, diagnosis, hangs, requests, jobs. It checks
 * properties that the results for every window must have, and calls abort() if one of them does not
 * hold.
 */
#ifndef CTRACE_TEST_ANALYSE_H
#define CTRACE_TEST_ANALYSE_H

#include "trace/format/window.h"

void analyse_window(const struct window *w);

#endif
