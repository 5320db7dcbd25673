/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limit.h - says that the time limit of a task ended its wait. One thread. */
#ifndef CTRACE_REPORT_LIMIT_H
#define CTRACE_REPORT_LIMIT_H

#include "analysis/diagnose/diagnosis.h"
#include "trace/words/words.h"

/* Returns true if a time limit of the task of link k ended its wait, or some of its waits. A sleep has no
 * time limit, because it ends at its time. */
bool limit_is_own(const struct link *k);
/* Adds this as a sentence, such as "Its own time limit ended the wait, after 5 s."; or nothing. */
void limit_add(struct words *t, const struct link *k);

#endif
