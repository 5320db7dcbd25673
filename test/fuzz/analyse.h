/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analyse.h - applies the code of graph/ and analysis/ to a window. Calls abort() if a result lacks
 * a property that the results for every window must have. */
#ifndef CTRACE_TEST_ANALYSE_H
#define CTRACE_TEST_ANALYSE_H

#include "trace/format/window.h"

void analyse_window(const struct window *w);

#endif
