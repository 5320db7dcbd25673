/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - the control socket: one JSON object a line each way, a descriptor
 * with a request where it needs one.  Says who may ask, reads hostile bytes within
 * limits, and knows nothing of what the requests mean.  Main thread only.
 *
 * Limits: CONTROL_CLIENTS_MAX connections, of which CONTROL_ROOT_CLIENTS are root's and
 * CONTROL_USER_CLIENTS at most another user's; CONTROL_LINE_MAX bytes a request,
 * CONTROL_TIMEOUT_S without a request or without taking the answer.
 */
#ifndef CTRACE_DAEMON_CONTROL_H
#define CTRACE_DAEMON_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#define CONTROL_CLIENTS_MAX  16
#define CONTROL_ROOT_CLIENTS 4
#define CONTROL_USER_CLIENTS 4
#define CONTROL_LINE_MAX     4096
#define CONTROL_OUT_MAX     (1u << 20) /* an answer that is longer is not sent */
#define CONTROL_TIMEOUT_S    10
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
 * A request: a JSON object with a "cmd".  fd: the descriptor sent with it, which is the handler's to
 * close, or -1.  The handler answers with control_answer(), now or later; until then nothing more is read
 * from this client.
 */
typedef void (*control_request_fn)(void *arg, uint64_t client, const char *cmd, json_t *body, int fd);

struct control_options {
	const char *path;
	gid_t group; /* its members may ask, besides root and the user the daemon runs as, who may all */
	enum control_right group_may;
	control_request_fn request;
	void (*gone)(void *arg, uint64_t client); /* the connection of a client has ended; may be NULL */
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
/* Whether it is root, or the user the daemon runs as. */
bool control_is_owner(const struct control *c, uint64_t client);
/* Whether the connection is still there. */
bool control_connected(const struct control *c, uint64_t client);
unsigned control_clients(const struct control *c);
uint64_t control_denied(const struct control *c);

#endif
