/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pager.h - sends stdout through a pager: $CTRACE_PAGER, else $PAGER, else `less`. Each variable has a
 * program and its arguments, with spaces between; a shell does not read the variable. If CTRACE_PAGER is
 * empty, there is no pager. An empty PAGER counts as not set. */
#ifndef CTRACE_CLI_SHEET_PAGER_H
#define CTRACE_CLI_SHEET_PAGER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct pager {
	pid_t pid;
	int terminal_fd;
	struct sigaction on_int, on_quit;
};

/* From here on, stdout leads to the pager, and Ctrl-C ends neither ctrace nor the output. Returns false if
 * there is no pager, or if it cannot be started. Then nothing has changed. */
bool pager_begin(struct pager *p);
/* As pager_begin(), but only if stdout is a terminal. For a command whose output is too long to collect in a
 * sheet: it prints while the pager shows the begin, and stops after cli_output_broken(). */
bool pager_begin_long(struct pager *p);
/* Waits until the pager ends. After it, stdout is the terminal again. */
void pager_end(struct pager *p);

#endif
