/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * services.h - the waits of the machine by service: how many tasks of each service run, and for what the
 * others wait, now and on average. A service is all processes whose main threads have the same name, as in
 * `ctrace requests`. Kernel threads belong to none. Does not draw. One thread.
 */
#ifndef CTRACE_CLI_TOP_SERVICES_H
#define CTRACE_CLI_TOP_SERVICES_H

#include "cli/top/tree.h"

enum top_share {
	SHARE_CPU,   /* runs */
	SHARE_QUEUE, /* waits for a CPU */
	SHARE_DISK,
	SHARE_LOCK,  /* waits for a lock whose owner is known */
	SHARE_TASKS, /* waits for another task in another way */
	SHARES
};

struct top_service {
	char name[4 * 16];             /* safe for a terminal */
	uint64_t since_ns, updated_ns; /* the first and the last update with a process of the service */
	uint32_t tasks;
	/* On average, this many tasks are in the state. Of TOP_AVERAGE_NS, if the service is that old. */
	double average[SHARES];
	/* The longest present wait. tid 0: none */
	uint32_t tid;
	bool at_least;
	uint64_t wait_ns;
	char *text; /* its task and the wait; safe for a terminal */
	/* while an update reads the tasks */
	uint32_t now[SHARES];
	uint64_t cpu_ns, queued_ns; /* since the last update */
};

struct top_services {
	VEC(struct top_service) v;
	struct map by_name; /* hash of the name -> index in v */
	uint64_t updated_ns;
};

/* Call it after top_update() with the same w and now_ns. Returns 0 or -ENOMEM; after -ENOMEM only
 * top_services_done() may follow. */
int top_services_update(struct top_services *s, const struct top *t, const struct waitlive *w,
			uint64_t now_ns);
void top_services_done(struct top_services *s);

/* Picks the present services whose name or text contains the filter, regardless of case. "": all.
 * TOP_LONGEST: the one with the longest wait first; TOP_WAITERS: the one with the most waiting tasks first.
 * The caller frees *ret. Returns 0 or -ENOMEM. */
typedef VEC(size_t) top_service_list;
int top_services_pick(const struct top_services *s, enum top_sort sort, const char *filter,
		      top_service_list *ret);

#endif
