/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - asks a running ctraced: one JSON object a line each way over a
 * unix socket; a snapshot's file goes along as a descriptor.
 */
#ifndef CTRACE_CLI_CLIENT_CLIENT_H
#define CTRACE_CLI_CLIENT_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/cli.h"

#define CLIENT_SOCKET     "/run/ctrace/ctraced.sock"
#define CLIENT_ERR_MAX    512
#define CLIENT_ANSWER_MAX (16U << 20)
#define CLIENT_CONNECT_MS 5000 /* while others crowd the socket, a connection waits for so long */

#define CLIENT_SOCKET_HELP "Ask the daemon at this socket (default: " CLIENT_SOCKET ")"

/* The options of a command that prints one answer of the daemon: for cli_parse_into(). */
struct client_options {
	const char *socket;
	bool json;
};
extern const struct cli_option client_options[];

/*
 * Sends request (stays the caller's), and fd with it unless it is -1, and waits for the answer for
 * timeout_ms at most.
 * 0: *ret is the answer, the caller's to release. -ENOENT, -ECONNREFUSED: no daemon there; -EACCES: not
 * allowed; -ETIMEDOUT (no answer, or no connection); -EBADMSG: that was no answer; -EREMOTEIO: the daemon
 * said no; others of the socket. err gets "what: why; what to do".
 */
int client_call(const char *socket_path, const json_t *request, int fd, int timeout_ms, json_t **ret,
		char err[CLIENT_ERR_MAX]);

/* A request that is only its name: {"cmd":cmd}; as client_call(). */
int client_command(const char *socket_path, const char *cmd, int timeout_ms, json_t **ret,
		   char err[CLIENT_ERR_MAX]);

/* For several requests on one connection: the socket, the caller's to close, or -errno as above. */
int client_open(const char *socket_path, char err[CLIENT_ERR_MAX]);
/* As client_call(), on it. */
int client_ask(int sock, const char *socket_path, const json_t *request, int fd, int timeout_ms, json_t **ret,
	       char err[CLIENT_ERR_MAX]);

#endif
