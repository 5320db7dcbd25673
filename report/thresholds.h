/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide what the page of a hang shows.
 *
 * In the comments, "Lower:" says what is worse with a smaller number, and "Higher:" what is worse with
 * a larger number.
 */
#ifndef CTRACE_REPORT_THRESHOLDS_H
#define CTRACE_REPORT_THRESHOLDS_H

#include "lib/clock.h"

/* 1/n of the window of the diagnosis: the picture of `ctrace view` begins this much earlier, and ends
 * this much later. Lower n: the hang is smaller in the picture. Higher n: the begin and the end of
 * the hang are harder to see. */
#define VIEW_MARGIN 20
/* records: `ctrace view` looks for requests and jobs in a trace of at most this size. Lower: the
 * page of a larger trace has no tables of requests and jobs. Higher: more time and memory.
 * Evidence: with 8.3 M records of a busy machine, the search takes 1 s and 400 MB. */
#define VIEW_TABLES_RECORDS 5000000ULL
/* ns: If the user gives a moment, the command looks at this much before and after it. Lower:
 * only a part of a long hang is seen. Higher: more to load. */
#define LOAD_AROUND_NS (60 * NSEC_PER_SEC)

#endif
