/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oneshot.h - runs a ctraced for one command. This daemon has a private directory, which is removed at the
 * end. The daemon runs in a session of its own, so the signals of the terminal do not reach it. The daemon
 * ends when ctrace ends. One thread.
 */
#ifndef CTRACE_CLI_CLIENT_ONESHOT_H
#define CTRACE_CLI_CLIENT_ONESHOT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct oneshot;

#define ONESHOT_SIZE_MIN (16ULL << 20)
#define ONESHOT_SIZE_MAX (512ULL << 20) /* the largest size without --size */

/*
 * Starts ctraced and waits until it records.
 * - near: a directory. The daemon keeps its files in /var/tmp or in near. It takes near if two
 *   conditions hold: near has more room than /var/tmp, and the room in /var/tmp is less than four
 *   times size_bytes. If size_bytes is 0, ONESHOT_SIZE_MIN counts instead.
 * - size_bytes: size of the circular trace; 0: ONESHOT_SIZE_MAX, but at most a quarter of the room
 *   in the chosen directory.
 * - frameworks: the frameworks that report jobs, as in ctraced.conf(5).
 *
 * Returns 0, or CLI_FAILED: an error has been printed, and nothing is left behind.
 *
 * Until oneshot_free(), the signals INT, TERM, HUP, QUIT and CHLD are blocked in the caller, so
 * that no signal ends the caller before the directory has been removed. The caller may receive
 * these signals with a signalfd.
 */
int oneshot_start(const char *near, uint64_t size_bytes, const char *frameworks, struct oneshot **ret);
/* Stops the daemon and removes the directory. May be called twice. */
void oneshot_stop(struct oneshot *r);
/* As oneshot_stop(); also restores the signal mask and frees r. Accepts NULL. */
void oneshot_free(struct oneshot *r);

/* The variable that tells a recorded command the path of the daemon's control socket. */
#define ONESHOT_SOCKET_VARIABLE "CTRACE_SOCKET"
/* Path of the daemon's control socket. Belongs to r. */
const char *oneshot_socket(const struct oneshot *r);
/* Path of the circular trace. The trace can be read until oneshot_stop(), also if the daemon has
 * died. */
const char *oneshot_trace(const struct oneshot *r);
/* True: the daemon is alive. Reaps the daemon if it has ended. */
bool oneshot_alive(struct oneshot *r);
/* Copies the end of the daemon's log, at most size - 1 bytes; "" if there is no log. */
void oneshot_log(const struct oneshot *r, char *buf, size_t size);
/* The signal mask from before oneshot_start(), for a program that the caller starts. */
const sigset_t *oneshot_old_mask(const struct oneshot *r);
/* Returns the signals that oneshot_start() blocks. */
sigset_t oneshot_signals(void);

#endif
