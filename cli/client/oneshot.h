/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oneshot.h - runs a ctraced for this ctrace alone, in a private directory that is removed at the
 * end. The daemon has a session of its own, without the signals of the terminal. The daemon ends
 * when ctrace ends. One thread.
 */
#ifndef CTRACE_CLI_CLIENT_ONESHOT_H
#define CTRACE_CLI_CLIENT_ONESHOT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct oneshot;

#define ONESHOT_SIZE_MIN (16ULL << 20)
#define ONESHOT_SIZE_MAX (512ULL << 20)

/*
 * Starts ctraced and waits until it records. Returns 0, or CLI_FAILED after a printed error.
 * - near: a directory. It is used if it has more room than /var/tmp, and /var/tmp has too little room:
 *   less than 4 * size_bytes, or 4 * ONESHOT_SIZE_MIN if size_bytes is 0.
 * - size_bytes: size of the circular trace; 0: ONESHOT_SIZE_MAX, but at most a quarter of the room.
 * - frameworks: the frameworks that report jobs, as in ctraced.conf(5).
 *
 * Until oneshot_free(), INT, TERM, HUP, QUIT and CHLD are blocked in the caller, so that none of them ends
 * the caller before the directory is removed. A signalfd can receive them.
 */
int oneshot_start(const char *near, uint64_t size_bytes, const char *frameworks, struct oneshot **ret);
/* Kills the daemon and removes the directory. May be called twice. */
void oneshot_stop(struct oneshot *r);
/* As oneshot_stop(); also restores the signal mask. Accepts NULL. */
void oneshot_free(struct oneshot *r);

const char *oneshot_socket(const struct oneshot *r);
/* The path of the circular trace, which can be read until oneshot_stop(), even if the daemon has died. */
const char *oneshot_trace(const struct oneshot *r);
bool oneshot_alive(struct oneshot *r);
/* Copies the end of the daemon's log, at most size - 1 bytes. "": no log, or an empty one. */
void oneshot_log(const struct oneshot *r, char *buf, size_t size);
const sigset_t *oneshot_old_mask(const struct oneshot *r);
sigset_t oneshot_signals(void);

#endif
