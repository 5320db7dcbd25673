/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oneshot.h - a ctraced of our own, for one command: in a private directory
 * that goes away with it, deaf to the terminal's signals, gone when we die.
 */
#ifndef CTRACE_CLI_CLIENT_ONESHOT_H
#define CTRACE_CLI_CLIENT_ONESHOT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct oneshot;

#define ONESHOT_SIZE_MIN (16ULL << 20)
#define ONESHOT_SIZE_MAX (512ULL << 20) /* unless asked for more */

/*
 * Starts ctraced and waits until it records.  near: a path on whose file system it may keep its files when
 * /var/tmp is no good.  size_bytes: of its circular trace; 0: ONESHOT_SIZE_MAX, but no more than a quarter
 * of what is free.  frameworks: whose jobs are to be reported, as in ctraced.conf(5).  0 or CLI_FAILED (said;
 * nothing is left behind).
 *
 * From here to oneshot_free() the signals INT, TERM, HUP, QUIT and CHLD are blocked in the caller, so that
 * nothing ends it before the directory has been removed; it may fetch them with a signalfd.
 */
int oneshot_start(const char *near, uint64_t size_bytes, const char *frameworks, struct oneshot **ret);
/* Stops the daemon and removes the directory; may be called twice. */
void oneshot_stop(struct oneshot *r);
/* Stops as well, and restores the signal mask. Accepts NULL. */
void oneshot_free(struct oneshot *r);

const char *oneshot_socket(const struct oneshot *r);
/* Its circular trace; readable also when the daemon has died. */
const char *oneshot_trace(const struct oneshot *r);
/* Whether the daemon lives (reaps it when not). */
bool oneshot_alive(struct oneshot *r);
/* The last lines that the daemon wrote to its log, at most size - 1 bytes; "" when none. */
void oneshot_log(const struct oneshot *r, char *buf, size_t size);
/* The mask that was in force before, for a program that the caller starts. */
const sigset_t *oneshot_old_mask(const struct oneshot *r);
/* The signals that are blocked. */
sigset_t oneshot_signals(void);

#endif
