/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - asks a running ctraced: one JSON object a line each way over a
 * unix socket; a snapshot's file goes along as a descriptor.
 */
#ifndef CTRACE_CLI_CLIENT_CONTROL_H
#define CTRACE_CLI_CLIENT_CONTROL_H

#include <jansson.h>

#define CONTROL_SOCKET     "/run/ctrace/ctraced.sock"
#define CONTROL_ERR_MAX    512
#define CONTROL_ANSWER_MAX (16U << 20)
#define CONTROL_CONNECT_MS 5000 /* while others crowd the socket, a connection waits for so long */

/*
 * Sends request (stays the caller's), and fd with it unless it is -1, and waits for the answer for
 * timeout_ms at most.
 * 0: *ret is the answer, the caller's to release. -ENOENT, -ECONNREFUSED: no daemon there; -EACCES: not
 * allowed; -ETIMEDOUT (no answer, or no connection); -EBADMSG: that was no answer; -EREMOTEIO: the daemon
 * said no; others of the socket. err gets "what: why; what to do".
 */
int control_call(const char *socket_path, const json_t *request, int fd, int timeout_ms, json_t **ret,
		 char err[CONTROL_ERR_MAX]);

/* A request that is only its name: {"cmd":cmd}; as control_call(). */
int control_command(const char *socket_path, const char *cmd, int timeout_ms, json_t **ret,
		    char err[CONTROL_ERR_MAX]);

/* For several requests on one connection: the socket, the caller's to close, or -errno as above. */
int control_open(const char *socket_path, char err[CONTROL_ERR_MAX]);
/* As control_call(), on it. */
int control_ask(int sock, const char *socket_path, const json_t *request, int fd, int timeout_ms,
		json_t **ret, char err[CONTROL_ERR_MAX]);

#endif
