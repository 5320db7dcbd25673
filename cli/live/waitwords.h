/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waitwords.h - the tasks and waits of a waitlive in words. Control characters of names are made
 * safe. One thread. */
#ifndef CTRACE_CLI_LIVE_WAITWORDS_H
#define CTRACE_CLI_LIVE_WAITWORDS_H

#include "cli/live/waitlive.h"
#include "trace/words/cmdline.h"

#define WAITWORDS_MAX 640

/* Examples: "comm[pid]", "comm[pid]/thread[tid]". In the container "web": "comm[pid]@web". */
void waitwords_task(const struct waitlive *w, const struct proctask_thread *th, char buf[WAITWORDS_MAX]);
/* Writes " (COMMAND LINE)", or "" if it tells no more than the name of the task. */
void waitwords_cmdline(const struct waitlive *w, const struct proctask_thread *th,
		       char buf[CMDLINE_SHORT_MAX]);
/* Writes the wait of a task that waits for the next link. The name of the next task has to follow. */
void waitwords_wait(const struct waitlive_link *l, char buf[WAITWORDS_MAX]);
/* Writes what the last task of a chain does. */
void waitwords_root(const struct procwait *w, char buf[WAITWORDS_MAX]);
/* Returns for example "DEADLOCK". */
const char *waitwords_cycle(const struct waitlive_chain *c);
/* Prints why waitlive_read() has returned r, which is less than 0. Returns CLI_FAILED. */
int waitwords_failed(int r, const char *command);

#endif
