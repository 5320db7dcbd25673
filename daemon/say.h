/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.h - the daemon's messages on stderr (the journal or a terminal). Any thread may call say(). */
#ifndef CTRACE_DAEMON_SAY_H
#define CTRACE_DAEMON_SAY_H

/* Writes "ctraced: MESSAGE" as one line. Escapes newlines and characters that lib/clean.h rejects,
 * because messages have names of programs and files. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* If stderr is a regular file, each message from now on begins with the time (UTC). The journal, and
 * programs that read a log from a pipe, add the time themselves. Call it before there are threads. */
void say_times_to_file(void);

#endif
