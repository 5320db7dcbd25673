/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.h - the daemon's messages: all that it writes to stderr, which is the journal or a terminal, goes
 * through here.  Any thread.
 */
#ifndef CTRACE_DAEMON_SAY_H
#define CTRACE_DAEMON_SAY_H

/* Writes "ctraced: MESSAGE" at once and as one line: what lib/clean.h does not let pass, and newlines, are
 * shown as escapes, because messages hold names of programs and files. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
