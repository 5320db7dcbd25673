/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchpoint.h - the variables that are watched for clients of the control socket. Keeps copies of
 * the accesses until the client fetches them. The drain thread writes the accesses into the trace.
 * Any thread may call the functions. watchpoints_add() reads files and may take long.
 */
#ifndef CTRACE_DAEMON_SERVICE_WATCHPOINT_H
#define CTRACE_DAEMON_SERVICE_WATCHPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/drain.h"
#include "daemon/kernel/probe.h"
#include "daemon/inspect/variable.h"

#define WATCHPOINT_ERR_MAX    512
#define WATCHPOINT_WHERE_MAX  192
#define WATCHPOINT_RECENT_MAX 256 /* accesses kept for each watch; further ones are only counted */

struct watchpoints;

struct watchpoint_want {
	uint64_t client;
	uint32_t pid;
	const char *var; /* as `spec` of variable_find(); borrowed */
	uint32_t len;    /* bytes; 0: the variable's size, if known */
	bool reads;
};

struct watchpoint_info {
	uint32_t id;
	uint32_t pid; /* the process, even if watchpoint_want.pid names one of its threads */
	char name[256];
	uint64_t addr, value;
	uint32_t len;
};

struct watchpoint_access {
	uint64_t ts_ns, value;
	uint32_t tid;
	bool read;
	char where[WATCHPOINT_WHERE_MAX];
};

enum watchpoint_end { WATCHPOINT_GOES_ON, WATCHPOINT_EXITED, WATCHPOINT_EXECED };

struct watchpoint_news {
	struct watchpoint_access v[WATCHPOINT_RECENT_MAX];
	unsigned n;
	/* how many accesses the limits have left out since the watch began; see probe_watch_refused() */
	uint64_t refused;
	/* accesses since the last watchpoints_news() that are only in the trace */
	uint64_t unshown;
	enum watchpoint_end end;
};

struct watchpoints *watchpoints_new(struct probe *p);
void watchpoints_free(struct watchpoints *ws);

int watchpoints_add(struct watchpoints *ws, struct drain *d, const struct watchpoint_want *want,
		    struct watchpoint_info *ret, char err[WATCHPOINT_ERR_MAX]);
/* Ends all watches of a client. ws may be NULL. */
void watchpoints_drop(struct watchpoints *ws, uint64_t client);
/* Fetches the accesses since the last call. Returns 0, or -ENOENT if the client has no such watch. */
int watchpoints_news(struct watchpoints *ws, uint64_t client, uint32_t id, struct watchpoint_news *ret);
/* For drain_options.access; arg: the struct watchpoints. Keeps an access for the client. */
void watchpoints_note(void *arg, const struct ct_rec *rec, const uint64_t words[2],
		      const struct ct_stack_blob *stack);

#endif
