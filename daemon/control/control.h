/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - the control socket: one JSON object a line each way, a descriptor
 * with a request where it needs one.  Says who may ask, reads hostile bytes within
 * limits, and knows nothing of what the requests mean.  Main thread only.
 *
 * Limits: CONTROL_CLIENTS_MAX connections, of which CONTROL_ROOT_CLIENTS are root's and
 * CONTROL_USER_CLIENTS at most another user's; CONTROL_LINE_MAX bytes a request,
 * CONTROL_TIMEOUT_S without a request or without taking the answer.  One request of a client is
 * done a round of the event loop, and CONTROL_ACCEPT_MAX connections are taken.
 *
 * Connections and the requests of users other than root take CONTROL_PACE_PERCENT of a CPU at most: beyond
 * that nothing of theirs is read, and no connection is taken, for some milliseconds.  The kernel keeps
 * CONTROL_BACKLOG connections that wait; whoever wants to connect beyond that waits in connect().
 */
#ifndef CTRACE_DAEMON_CONTROL_CONTROL_H
#define CTRACE_DAEMON_CONTROL_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#define CONTROL_CLIENTS_MAX  16
#define CONTROL_ROOT_CLIENTS 4
#define CONTROL_USER_CLIENTS 4
#define CONTROL_LINE_MAX     4096
#define CONTROL_OUT_MAX      (1u << 20) /* an answer that is longer is not sent */
#define CONTROL_TIMEOUT_S    10
#define CONTROL_ACCEPT_MAX   64
#define CONTROL_BACKLOG      512 /* at a pace of 8000 a second the last one waits for 64 ms */
#define CONTROL_PACE_PERCENT 10
#define CONTROL_PACE_NS      20000000ULL /* CPU time that others may take at once, after a rest */
#define CONTROL_ERR_MAX      512
#define CONTROL_NO_GROUP     ((gid_t)-1)

struct control;

/* What somebody may ask for; each holds what is before it. */
enum control_right {
	CONTROL_STATUS,
	CONTROL_SNAPSHOT, /* what every process of the machine did */
	CONTROL_WATCH,    /* variables of other people's processes */
};

/*
 * A request: a JSON object with a "cmd".  *fd: the descriptor sent with it, or -1; a handler that takes it
 * over sets it to -1 (TAKE_FD).  The handler answers with control_answer(), now or later; until then nothing
 * more is read from this client.
 */
typedef void (*control_request_fn)(void *arg, uint64_t client, const char *cmd, json_t *body, int *fd);

struct control_options {
	const char *path;
	gid_t group; /* its members may ask, besides root and the user the daemon runs as, who may all */
	enum control_right group_may;
	control_request_fn request;
	void (*gone)(void *arg, uint64_t client); /* the connection of a client has ended; may be NULL */
	/*
	 * Closes a descriptor that user uid passed, or a connection with such descriptors in it, on another
	 * thread: to close what somebody else opened may take for ever.  NULL: it is closed at once.
	 */
	void (*dispose)(void *arg, uid_t uid, int fd);
	/* Whether dispose() has so much on hand that no more is to be received from users other than root;
	 * may be NULL. */
	bool (*choked)(void *arg);
	void *arg;
};

/*
 * Binds the socket (mode 0600, or 0660 and the group) over one that nobody listens on any more.  0, or -errno
 * with a sentence in err; -EADDRINUSE: somebody listens.  Nothing is left behind on failure.  When the
 * socket is removed it is made again; what somebody puts in its place stays there.
 */
int control_new(sd_event *event, const struct control_options *opt, struct control **ret,
		char err[CONTROL_ERR_MAX]);
/* Closes all connections and removes the socket if it is still this one.  Accepts NULL. */
void control_free(struct control *c);

/* Answers (takes the reference); the client may have gone. NULL: out of memory, the client is dropped. */
void control_answer(struct control *c, uint64_t client, json_t *answer);
/* {"ok":false,"error":...} */
__attribute__((format(printf, 3, 4))) void control_refuse(struct control *c, uint64_t client, const char *fmt,
							  ...);

/* What this client may ask for; CONTROL_STATUS when it has gone. */
enum control_right control_right(const struct control *c, uint64_t client);
/* The user at the other end; (uid_t)-1 when it has gone. */
uid_t control_uid(const struct control *c, uint64_t client);
/* Whether it is root, or the user the daemon runs as. */
bool control_is_owner(const struct control *c, uint64_t client);
/* Whether the connection is still there. */
bool control_connected(const struct control *c, uint64_t client);
unsigned control_clients(const struct control *c);
uint64_t control_denied(const struct control *c);
/* Connections of users that had as many as they may, or that found all places taken. */
uint64_t control_turned_away(const struct control *c);
/* CPU time that connections and the requests of users other than root took so far.  Any thread. */
uint64_t control_cpu_ns(const struct control *c);

#endif
