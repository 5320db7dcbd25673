/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analyse.h - does with a window all that works on windows: timelines, causal
 * graph, slices, critical path, accounting, what-if, diagnosis.  What must hold
 * of every window is checked: abort() where it does not.
 */
#ifndef CTRACE_TEST_ANALYSE_H
#define CTRACE_TEST_ANALYSE_H

#include "trace/format/window.h"

void analyse_window(const struct window *w);

#endif
