/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - the full-screen form of `ctrace top`, with ncurses. One thread. */
#ifndef CTRACE_CLI_TOP_SCREEN_H
#define CTRACE_CLI_TOP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/top/lines.h"

struct screen;

enum screen_key {
	SCREEN_NONE, /* the time is over, or the screen has dealt with the key */
	SCREEN_QUIT,
	SCREEN_SORT,
	SCREEN_VIEW, /* trees or services */
	SCREEN_FREEZE,
	SCREEN_FILTER,   /* screen_filter() has a new text */
	SCREEN_DIAGNOSE, /* of the task screen_tid() */
};

/* Returns 0, or an exit code after a printed error. On success, the caller calls screen_free(). */
int screen_new(struct screen **ret);
/* Restores the terminal. Accepts NULL. */
void screen_free(struct screen *s);

/* head: lines above the list; footer: the last line of the screen. */
void screen_draw(struct screen *s, const char *const *head, unsigned n_head, const struct top_lines *list,
		 const char *footer);
enum screen_key screen_wait(struct screen *s, int timeout_ms);
const char *screen_filter(const struct screen *s);
/* Returns the task of the selected line; 0: none. */
uint32_t screen_tid(const struct screen *s);

/* Gives the terminal to another program, and takes it back. */
void screen_leave(struct screen *s);
void screen_return(struct screen *s);

#endif
