/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.h - private to report/view/: the first lines of the page: the task to blame, the victim, and how
 * sure this is; and a sentence about each link of the chain. As in words.h, names in struct words are not
 * cleaned before words_take(). Any thread. */
#ifndef CTRACE_REPORT_VIEW_SUMMARY_H
#define CTRACE_REPORT_VIEW_SUMMARY_H

#include "report/view/view.h"
#include "trace/words/words.h"

/* Adds what the last task of the chain did, or the tasks that wait for each other. */
void summary_add_blame(struct words *t, const struct diagnosis *d);
/* Adds how long the victim waited, and for what. All of it is certain. Ends without a full stop. */
void summary_add_victim(struct words *t, const struct graph *g, const struct diagnosis *d);
/* Adds how much of the chain is certain. */
void summary_add_sure(struct words *t, const struct diagnosis *d);
/* Adds sentences about link i, whose task waits for the task of link `next`: how long, and why. */
void summary_add_link(struct words *t, const struct diagnosis *d, size_t i, size_t next);
/* Returns true if records show that the task of link i waited for the task of the next link. */
bool summary_is_certain(const struct diagnosis *d, size_t i);

#endif
