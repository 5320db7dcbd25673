/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - the control socket. Each request and each answer is one JSON object on one line. A
 * request may come with a descriptor. The bytes of clients may be hostile. Main thread only, except
 * where stated. In this header, "root" also means the user that the daemon runs as.
 *
 * The limits (doc/protocol.md) protect clients from each other. If users other than root take more
 * than CONTROL_PACE_PERCENT of a CPU, the daemon rests for a while: it reads nothing from these
 * users, and accepts no connection of any user.
 */
#ifndef CTRACE_DAEMON_CONTROL_CONTROL_H
#define CTRACE_DAEMON_CONTROL_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#define CONTROL_LINE_MAX 4096
/* in bytes, with the newline; a longer answer disconnects the client */
#define CONTROL_OUT_MAX  (1u << 20)
#define CONTROL_ERR_MAX  512
#define CONTROL_NO_GROUP ((gid_t)-1)

struct control;

/* Each right includes the rights before it in this list. */
enum control_right {
	CONTROL_STATUS,
	CONTROL_SNAPSHOT, /* snapshots show the work of every process of the machine */
	CONTROL_WATCH,
};

/*
 * Handles a request. body is valid only during the call. *fd is the descriptor that came with the
 * request, or -1. A handler that keeps the descriptor sets *fd to -1 (TAKE_FD). The client's next
 * request waits for control_answer(), which may come later.
 */
typedef void (*control_request_fn)(void *arg, uint64_t client, const char *cmd, json_t *body, int *fd);

struct control_options {
	const char *path;
	gid_t group;
	enum control_right group_may;
	control_request_fn request;
	void (*gone)(void *arg, uint64_t client); /* a connection has ended; may be NULL */
	/*
	 * Closes fd on another thread, because the close may take for ever. uid: the client's user.
	 * fd came from the client, or is a connection whose unread bytes may carry descriptors. If
	 * dispose is NULL, the main thread closes fd.
	 */
	void (*dispose)(void *arg, uid_t uid, int fd);
	/* Returns true if dispose() has too many descriptors to close (service_choked()). Then
	 * the daemon receives nothing from users other than root, and accepts no connection. May
	 * be NULL. */
	bool (*choked)(void *arg);
	void *arg;
};

/*
 * Makes the socket opt->path, and listens on it. Its mode is 0600, or 0660 if it has a group.
 * Replaces an old socket on which no process listens. Returns 0, or -errno with a sentence in err.
 * -EADDRINUSE: another process listens. On failure no socket is left behind.
 *
 * A socket that is removed later is made again, with the mode 0600 and no group.
 */
int control_new(sd_event *event, const struct control_options *opt, struct control **ret,
		char err[CONTROL_ERR_MAX]);
/* Removes the socket if the file is still the daemon's own. Accepts NULL. */
void control_free(struct control *c);

/* Takes over the reference to answer. Sends nothing if the client has gone. If answer is NULL (out
 * of memory), disconnects the client. */
void control_answer(struct control *c, uint64_t client, json_t *answer);
__attribute__((format(printf, 3, 4))) void control_refuse(struct control *c, uint64_t client, const char *fmt,
							  ...);

/* Returns CONTROL_STATUS if the client has gone. */
enum control_right control_right(const struct control *c, uint64_t client);
/* Returns (uid_t)-1 if the client has gone. */
uid_t control_uid(const struct control *c, uint64_t client);
/* Returns 0 if the client has gone, or if its process is not visible. */
pid_t control_pid(const struct control *c, uint64_t client);
/* Returns true for root and for the daemon's user. */
bool control_is_owner(const struct control *c, uint64_t client);
bool control_connected(const struct control *c, uint64_t client);
unsigned control_clients(const struct control *c);
/* connections that were refused because the user has no right */
uint64_t control_denied(const struct control *c);
/* connections that were refused because of CONTROL_CLIENTS_MAX, CONTROL_ROOT_CLIENTS or
 * CONTROL_USER_CLIENTS */
uint64_t control_turned_away(const struct control *c);
/* Returns the CPU time, in ns, that the main thread spent for users other than root. Any thread. */
uint64_t control_cpu_ns(const struct control *c);

#endif
