/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.h - asks a running ctraced over a unix socket (doc/protocol.md). A request for a snapshot also
 * carries the descriptor of the file. One thread. */
#ifndef CTRACE_CLI_CLIENT_CLIENT_H
#define CTRACE_CLI_CLIENT_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/cli.h"

#define CLIENT_SOCKET     "/run/ctrace/ctraced.sock"
#define CLIENT_ERR_MAX    512
#define CLIENT_ANSWER_MAX (16U << 20)

#define CLIENT_SOCKET_VARIABLE "CTRACE_SOCKET"
#define CLIENT_SOCKET_DEFAULT  "default: $" CLIENT_SOCKET_VARIABLE ", then " CLIENT_SOCKET
#define CLIENT_SOCKET_HELP     "Ask the daemon at this socket (" CLIENT_SOCKET_DEFAULT ")"

/* Returns the path of the socket for a command without --socket. */
const char *client_socket(void);

struct client_options {
	const char *socket;
	bool json;
};
extern const struct cli_option client_options[];

/*
 * Sends a request, with the descriptor fd unless fd is -1. Waits at most timeout_ms for the
 * answer. Returns 0: the caller owns the reference *ret. Otherwise err has "what failed: why; what
 * to do", and the result is:
 * - -ENOENT, -ECONNREFUSED: no daemon listens at the socket;
 * - -EACCES, -EPERM: the user may not use the daemon;
 * - -ETIMEDOUT: no connection within WAIT_CONNECT_MS, or no answer within timeout_ms;
 * - -EBADMSG: the program at the socket did not answer like ctraced;
 * - -EREMOTEIO: the daemon answered with an error;
 * - another -errno, for example of the socket.
 */
int client_call(const char *socket_path, const json_t *request, int fd, int timeout_ms, json_t **ret,
		char err[CLIENT_ERR_MAX]);

int client_command(const char *socket_path, const char *cmd, int timeout_ms, json_t **ret,
		   char err[CLIENT_ERR_MAX]);

/* Opens a connection for several requests. Returns the socket, which the caller closes, or -errno with
 * err as from client_call(). */
int client_open(const char *socket_path, char err[CLIENT_ERR_MAX]);
int client_ask(int sock, const char *socket_path, const json_t *request, int fd, int timeout_ms, json_t **ret,
	       char err[CLIENT_ERR_MAX]);

#endif
