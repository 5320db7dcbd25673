/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - the control socket. Each request and each answer is one JSON object on one line. A
 * request may come with a descriptor. This module decides which user may connect, and reads the
 * bytes of clients within limits, because these bytes may be hostile. The module does not know what
 * a request means. Main thread only, except where stated.
 *
 * Limits ("root" here also means the user that the daemon runs as):
 * - CONTROL_CLIENTS_MAX connections. CONTROL_ROOT_CLIENTS of these are kept for root. A user other
 *   than root has at most CONTROL_USER_CLIENTS.
 * - CONTROL_LINE_MAX bytes for a request.
 * - CONTROL_TIMEOUT_S: the daemon disconnects a client that sends no request, or takes no answer,
 *   for this time.
 * - One round of the event loop handles at most one request of each client, and accepts at most
 *   CONTROL_ACCEPT_MAX connections.
 * - Connections and requests of all users other than root together take at most
 *   CONTROL_PACE_PERCENT of a CPU. Above this limit there is a rest: until their share is below the
 *   limit again, the daemon reads nothing from these users, and accepts no connection of any user.
 * - The kernel keeps CONTROL_BACKLOG connections that are not accepted yet. If there are more,
 *   connect() blocks.
 */
#ifndef CTRACE_DAEMON_CONTROL_CONTROL_H
#define CTRACE_DAEMON_CONTROL_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#define CONTROL_LINE_MAX 4096
/* bytes, with the newline; if an answer is longer, the daemon disconnects the client */
#define CONTROL_OUT_MAX  (1u << 20)
#define CONTROL_ERR_MAX  512
#define CONTROL_NO_GROUP ((gid_t)-1)

struct control;

/* The rights to make requests. Each right includes the rights above it. */
enum control_right {
	CONTROL_STATUS,
	CONTROL_SNAPSHOT, /* may take snapshots, which show the work of every process of the machine */
	CONTROL_WATCH,    /* may watch variables, also of other users' processes */
};

/*
 * Handles a request. body is a JSON object with the member "cmd", and is valid only during the
 * call. *fd is the descriptor that came with the request, or -1. A handler that keeps the
 * descriptor sets *fd to -1 (TAKE_FD). The handler calls control_answer(), at once or later. Until
 * then the daemon reads no further request of this client.
 */
typedef void (*control_request_fn)(void *arg, uint64_t client, const char *cmd, json_t *body, int *fd);

struct control_options {
	const char *path;
	/* members of this group have the right group_may; root and the daemon's user have all
	 * rights */
	gid_t group;
	enum control_right group_may;
	control_request_fn request;
	void (*gone)(void *arg, uint64_t client); /* the connection of a client has ended; may be NULL */
	/*
	 * Closes fd on another thread. fd is a descriptor that the user uid passed, or a connection
	 * that may still hold such descriptors. The close of a file that another user opened may
	 * take for ever. If dispose is NULL, the main thread closes fd.
	 */
	void (*dispose)(void *arg, uid_t uid, int fd);
	/* Returns true if dispose() has so many descriptors to close that no more should come
	 * (service_choked()). Then the daemon receives nothing from users other than root, and
	 * accepts no connection. May be NULL. */
	bool (*choked)(void *arg);
	void *arg;
};

/*
 * Makes the socket opt->path, and listens on it. Its mode is 0600; if opt has a group, the socket
 * gets this group and the mode 0660. If opt->path is an old socket on which no process listens, the
 * new socket replaces it. Returns 0, or -errno with a sentence in err; -EADDRINUSE means that
 * another process listens. On failure no socket is left behind.
 *
 * If the file of the socket is removed later, the daemon makes the socket again, with the mode 0600
 * and no group. If another program puts a file in its place, this file stays.
 */
int control_new(sd_event *event, const struct control_options *opt, struct control **ret,
		char err[CONTROL_ERR_MAX]);
/* Closes all connections. Removes the socket if the file is still the daemon's own. Accepts
 * NULL. */
void control_free(struct control *c);

/* Sends the answer, and takes over the caller's reference to it. If the client has gone, nothing is
 * sent. If answer is NULL, there was no memory for it: the client is disconnected. */
void control_answer(struct control *c, uint64_t client, json_t *answer);
/* Sends {"ok":false,"error":...} as the answer. */
__attribute__((format(printf, 3, 4))) void control_refuse(struct control *c, uint64_t client, const char *fmt,
							  ...);

/* Returns the right of this client, or CONTROL_STATUS if the client has gone. */
enum control_right control_right(const struct control *c, uint64_t client);
/* Returns the user of this client, or (uid_t)-1 if the client has gone. */
uid_t control_uid(const struct control *c, uint64_t client);
/* Returns the process of this client, or 0 if the client has gone or its process is not visible. */
pid_t control_pid(const struct control *c, uint64_t client);
/* Returns true if the client runs as root or as the daemon's user. */
bool control_is_owner(const struct control *c, uint64_t client);
/* Returns true if the client is still connected. */
bool control_connected(const struct control *c, uint64_t client);
/* How many clients are connected. */
unsigned control_clients(const struct control *c);
/* How many connections were refused so far because the user has no right to use the daemon. */
uint64_t control_denied(const struct control *c);
/* How many connections were refused so far because the user had CONTROL_USER_CLIENTS connections,
 * or because no place was free. */
uint64_t control_turned_away(const struct control *c);
/* CPU time in nanoseconds that connections and requests of users other than root have taken so far.
 * Any thread may call it. */
uint64_t control_cpu_ns(const struct control *c);

#endif
