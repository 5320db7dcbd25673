/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.h - the daemon's messages. All that the daemon writes to stderr (the journal or a terminal)
 * goes through say(). Exception: a line about a hang that incident_say.c could not send to the
 * journal. Any thread may call say().
 */
#ifndef CTRACE_DAEMON_SAY_H
#define CTRACE_DAEMON_SAY_H

/* Writes "ctraced: MESSAGE" at once and as one line. Newlines and the characters that lib/clean.h
 * rejects appear as escapes, because messages hold names of programs and files. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
